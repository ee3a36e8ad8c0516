"""What files of a workspace said before: `.history/{path}@/{number}`, the last twenty of each."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from bottega.core.files.sandbox import Sandbox
from bottega.errors import BottegaError, NotFound

FOLDER = ".history"
MOST_VERSIONS = 20


@dataclass(frozen=True, slots=True)
class Version:
    #: Counts up from 1; a higher one is newer.
    number: int
    saved_at: datetime
    size: int


class History:
    """Callers hold the workspace's lock when they write."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def keep(self, path: str, *, unless: str | bytes | None = None) -> None:
        """Put what a file says now among its versions, if it is there and not that text."""
        try:
            data = await self._sandbox.read_bytes(path)
        except NotFound:
            return
        if data == (unless.encode() if isinstance(unless, str) else unless):
            return
        numbers = await self._numbers(path)
        number = max(numbers, default=0) + 1
        await self._sandbox.write(_place(path, number), data)
        for old in numbers[: 1 - MOST_VERSIONS]:
            with suppress(NotFound):
                await self._sandbox.remove(_place(path, old))

    async def versions(self, path: str) -> list[Version]:
        numbers = await self._numbers(path)
        return [await asyncio.to_thread(self._version, path, each) for each in reversed(numbers)]

    async def read(self, path: str, number: int) -> str:
        try:
            return (await self._sandbox.read_text(_place(path, number))).content
        except NotFound:
            numbers = await self._numbers(path)
            there_are = ", ".join(map(str, numbers)) or "none"
            raise NotFound(
                f"{path!r} has no version {number}; there are: {there_are}.",
                valid_options=numbers,
            ) from None

    async def _numbers(self, path: str) -> list[int]:
        try:
            files = (await self._sandbox.list(_place(path))).files
        except BottegaError:
            return []
        return sorted(int(name) for name in files if name.isdecimal())

    def _version(self, path: str, number: int) -> Version:
        status = (self._sandbox.root / _place(path, number)).stat()
        return Version(number, datetime.fromtimestamp(status.st_mtime, UTC), status.st_size)


def _place(path: str, number: int | None = None) -> str:
    # The sign keeps the versions of a file `a` apart from those of a file in a folder `a`.
    return f"{FOLDER}/{path}@" + (f"/{number}" if number is not None else "")
