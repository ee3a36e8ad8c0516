"""The journal's files: `{project}/.claude/journal/`, one JSON file an entry.

    active.json            the open entry of everybody who names no session
    active-{session}.json  the open entry of one session
    orphan-{id}.json       an open entry that a newer one took the place of
    resolved-{id}.json     resolved, but not in the database yet
    *.bad-{time}           what could not be read: set aside for a person, never deleted

They are the local user's; another user's lie in a folder of that user's id.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import structlog
from pydantic import ValidationError

from bottega.core import clock
from bottega.core.fairlock import FairLock
from bottega.core.files.beneath import find_place
from bottega.core.files.failures import explained
from bottega.core.files.sandbox import Sandbox
from bottega.core.users import LOCAL_USER
from bottega.errors import InvalidInput, NotFound
from bottega.journal.entry import Entry

FOLDER = ".claude/journal"
LOCK = ".lock"

log = structlog.get_logger()


class JournalFolder:
    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._lock = FairLock(sandbox.root / FOLDER / LOCK)
        self._is_made = False

    @asynccontextmanager
    async def changing(self) -> AsyncIterator[None]:
        """One change at a time, also of other processes in this project."""
        if not self._is_made:
            # Through the sandbox: it refuses a folder that is a link to somewhere else.
            await self._sandbox.mkdir(FOLDER)
            self._is_made = True
        async with self._lock:
            yield

    def close(self) -> None:
        self._lock.close()

    async def read(self, user_id: str, name: str) -> Entry | None:
        """The entry in a file; `None` if there is none, or none that can be read."""
        path = _path(user_id, name)
        try:
            data = await self._sandbox.read_bytes(path)
        except NotFound:
            return None
        try:
            return Entry.model_validate_json(data)
        except ValidationError as error:
            await self._set_aside(path, data, _first_problem(error))
        return None

    async def write(self, user_id: str, name: str, entry: Entry) -> None:
        text = entry.model_dump_json(indent=2, exclude_none=True) + "\n"
        await self._sandbox.write(_path(user_id, name), text.encode())

    async def move(self, user_id: str, name: str, to: str) -> None:
        await asyncio.to_thread(self._rename, _path(user_id, name), to)

    async def remove(self, user_id: str, name: str) -> None:
        with suppress(NotFound):
            await self._sandbox.remove(_path(user_id, name))

    async def names(self, user_id: str, *prefixes: str) -> list[str]:
        """The entries' file names that begin so; ids begin with their time, so oldest first."""
        try:
            listing = await self._sandbox.list(_folder(user_id))
        except (NotFound, InvalidInput):
            return []
        files = (name for name in listing.files if name.endswith(".json"))
        return sorted(name for name in files if name.startswith(prefixes))

    async def users(self) -> list[str]:
        """Everybody who has files here."""
        try:
            return [LOCAL_USER, *(await self._sandbox.list(FOLDER)).directories]
        except (NotFound, InvalidInput):
            return []

    async def _set_aside(self, path: str, data: bytes, why: str) -> None:
        aside = f"{path.rpartition('/')[2]}.bad-{clock.now():%Y%m%dT%H%M%S%f}"
        # Somebody else may have just set it aside, or mended it.
        with suppress(NotFound):
            if await self._sandbox.read_bytes(path) == data:
                await asyncio.to_thread(self._rename, path, aside)
                log.warning("journal.file_set_aside", file=path, kept_as=aside, why=why)

    def _rename(self, path: str, name: str) -> None:
        with (
            explained("move", path),
            find_place(self._sandbox.root, path, follow=False) as place,
        ):
            # Not flushed: an entry says itself whether it is resolved, whatever its file is called.
            directory = place.directory
            os.rename(place.name, name, src_dir_fd=directory, dst_dir_fd=directory)


def _folder(user_id: str) -> str:
    return FOLDER if user_id == LOCAL_USER else f"{FOLDER}/{user_id}"


def _path(user_id: str, name: str) -> str:
    return f"{_folder(user_id)}/{name}"


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    return f"{field}: {first['msg']}" if field else first["msg"]
