"""What a plugin ships for a workspace: copied on first use, offered when it comes later.

`.shipped.json` remembers what was handed over or declined, by its digest. A person's file is never
overwritten: not on first use, if they were there before, and not by a newer version of the plugin.
"""

import asyncio
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from bottega.assistant.plugins.folder import MarkdownFolder
from bottega.core.files.sandbox import Sandbox
from bottega.errors import NotFound

RECORD = ".shipped.json"

_RECORD: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])


@dataclass(frozen=True, slots=True)
class Offer:
    path: str
    #: Else the plugin ships another text than the workspace has.
    is_new: bool


class Seeding:
    def __init__(self, workspace: Sandbox, shipped: Path | None) -> None:
        self._workspace = workspace
        self._shipped = shipped

    async def seed(self) -> None:
        """On first use, put in what is not there yet. A crash before the record is written leaves
        a first use for the next time."""
        await asyncio.to_thread(self._workspace.root.mkdir, parents=True, exist_ok=True)
        if await self._workspace.exists(RECORD):
            return
        record: dict[str, str] = {}
        for path in await self._paths():
            data = await self.read(path)
            record[path] = _digest(data)
            if not await self._workspace.exists(path):
                await self._workspace.write(path, data)
        await self._save(record)

    async def offers(self) -> list[Offer]:
        """What is shipped and neither there nor turned down. A file that the person removed is not
        offered again."""
        record, offers = await self._load(), []
        for path in await self._paths():
            digest = _digest(await self.read(path))
            own = await self._digest_of_own(path)
            is_settled = digest in (record.get(path), own)
            if not is_settled and (path not in record or own is not None):
                offers.append(Offer(path, is_new=own is None))
        return offers

    async def settle(self, path: str) -> None:
        """Remember that the person has decided about the file as it is shipped now."""
        digest = _digest(await self.read(path))
        await self._save({**await self._load(), path: digest})

    async def read(self, path: str) -> bytes:
        if self._shipped is None:
            raise NotFound(f"The plugin ships no file {path!r}.")
        return await Sandbox(self._shipped).read_bytes(path)

    def folders(self) -> list[str]:
        """Blocking: the shipped folders, such as `classes`."""
        return MarkdownFolder(self._shipped).folders(".") if self._shipped else []

    async def _paths(self) -> list[str]:
        return (
            await asyncio.to_thread(MarkdownFolder(self._shipped).walk, ".")
            if self._shipped
            else []
        )

    async def _digest_of_own(self, path: str) -> str | None:
        try:
            return _digest(await self._workspace.read_bytes(path))
        except NotFound:
            return None

    async def _load(self) -> dict[str, str]:
        try:
            return _RECORD.validate_json(await self._workspace.read_bytes(RECORD))
        except (NotFound, ValidationError):
            # Lost or damaged by hand: then everything that differs is offered, nothing is lost.
            return {}

    async def _save(self, record: dict[str, str]) -> None:
        await self._workspace.write(RECORD, json.dumps(record, indent=2, sort_keys=True) + "\n")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
