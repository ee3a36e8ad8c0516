"""The OpenSpec directory of one project: read, written, and archived without its specs.

Each call is one hop into a thread, where `reader.py` or `writer.py` does the work; writers wait
for their turn among all our processes.
"""

import asyncio
from collections.abc import Iterable
from pathlib import Path

from bottega.board.openspec.changes import ChangeOnDisk
from bottega.board.openspec.drafts import NewChange
from bottega.board.openspec.layout import checked_id
from bottega.board.openspec.reader import MAX_FILE_BYTES
from bottega.board.openspec.specs import Spec
from bottega.board.openspec.texts import TextFile, Validation
from bottega.board.openspec.writer import OpenSpecWriter, WriteLock, edited_path, gone
from bottega.errors import NotFound


class OpenSpec:
    def __init__(self, root: Path) -> None:
        self._files = OpenSpecWriter(root, max_file_bytes=MAX_FILE_BYTES)
        self._lock = WriteLock(self._files)

    @property
    def root(self) -> Path:
        return self._files.root

    def close(self) -> None:
        self._lock.close()

    async def changes(self) -> list[ChangeOnDisk]:
        """The active ones, by id."""
        return await asyncio.to_thread(self._files.active_changes)

    async def archived(self) -> list[ChangeOnDisk]:
        """The finished and the rejected ones, newest first."""
        return await asyncio.to_thread(self._files.archived_changes)

    async def change(self, change: str) -> ChangeOnDisk:
        """An active change; else the last archived one of that id, or of that directory's name."""
        return await asyncio.to_thread(self._files.change, checked_id(change))

    async def specs(self) -> list[Spec]:
        """By id."""
        return await asyncio.to_thread(self._files.specs)

    async def spec(self, capability: str) -> Spec:
        return await asyncio.to_thread(self._files.spec, capability)

    async def validate(self, change: str, *, strict: bool = True) -> Validation:
        """Our own verdict, for where the CLI is not installed."""
        found = await self.change(change)
        return await asyncio.to_thread(self._files.verdict, found, strict=strict)

    async def write(self, change: str, name: str, text: str, expected: str | None) -> TextFile:
        """Save one file of an active change, atomically. `expected` is the revision that the text
        was made from, None for a file that is not there yet. `Conflict` carries both texts."""
        path = edited_path(change, name)
        if not await self._is_active(change):
            raise gone(change, path, text)
        async with self._lock:
            return await asyncio.to_thread(self._files.save, change, name, text, expected)

    async def tick(self, change: str, tasks: Iterable[str], done: bool = True) -> ChangeOnDisk:
        """Tick or clear these tasks, by their ids, in the list as it is on disk now."""
        if not await self._is_active(checked_id(change)):
            raise NotFound(f"There is no active change {change!r} whose tasks could be ticked.")
        async with self._lock:
            return await asyncio.to_thread(self._files.tick_tasks, change, tasks, done)

    async def create_change(self, draft: NewChange) -> ChangeOnDisk:
        """Write a whole change, valid by our own strict rules, and show it all at once."""
        async with self._lock:
            return await asyncio.to_thread(self._files.create, draft)

    async def archive_unapplied(self, change: str) -> ChangeOnDisk:
        """Put a change away without a trace in the main specs, as for one that was rejected."""
        if not await self._is_active(checked_id(change)):
            raise NotFound(f"There is no active change {change!r} to archive.")
        async with self._lock:
            return await asyncio.to_thread(self._files.put_away, change)

    async def _is_active(self, change: str) -> bool:
        return change in await asyncio.to_thread(self._files.change_ids)
