"""The files of one project as rooms use them: what is on disk, what is in the editors, and the
difference between the two."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import structlog

from bottega.core.files.buffers import BufferEntry, Buffers, CursorPosition
from bottega.core.files.closed import closed_below
from bottega.core.files.diffs import unified_diff
from bottega.core.files.failures import explained
from bottega.core.files.languages import is_binary
from bottega.core.files.paths import FilePath, shown
from bottega.core.files.sandbox import MAX_FILE_BYTES, FileContent, Sandbox
from bottega.core.files.snapshot import FileChange
from bottega.core.files.tree import TreeNode, scan_tree
from bottega.core.files.watch import Watcher
from bottega.errors import BottegaError, InvalidInput, NotFound

log = structlog.get_logger()


class ProjectFiles:
    """FR-026: `save` is for the person's editor, over the WebSocket. No MCP tool may reach it:
    agents read files, buffers and diffs, and never write."""

    def __init__(
        self,
        root: FilePath,
        *,
        max_file_bytes: int = MAX_FILE_BYTES,
        private: Sequence[Path] = (),
        opens_ignored: bool = False,
    ) -> None:
        """`private` are folders of Bottega's own, closed where they lie inside the project;
        `opens_ignored` opens what git ignores."""
        self.private = tuple(private)
        self.opens_ignored = opens_ignored
        closed = closed_below(Path(root).resolve(), private, opens_ignored=opens_ignored)
        self.sandbox = Sandbox(root, max_file_bytes=max_file_bytes, closed=closed)
        self.root = self.sandbox.root
        self.buffers = Buffers(self.sandbox.open_path, max_buffer_bytes=max_file_bytes)
        # Two saves of one file must reach the disk and the buffer in the same order.
        self._saving = asyncio.Lock()

    async def read(self, path: FilePath) -> FileContent:
        """FR-024: what is on disk."""
        return await self.sandbox.read_text(path)

    async def save(self, path: FilePath, content: str) -> BufferEntry:
        """FR-025: write to disk; the buffer is clean, unless it was edited again meanwhile."""
        key = self.sandbox.relative(path)
        if is_binary(key):
            raise InvalidInput(f"{shown(key)} is a binary file and cannot be saved as text.")
        async with self._saving:
            seen = self.buffers.get(key)
            await self.sandbox.write(key, content)
            current = self.buffers.get(key)
            if current is not None and current is not seen and current.content != content:
                return current
            return self.buffers.mark_saved(key, content)

    def update_buffer(
        self, path: FilePath, content: str, cursor_position: CursorPosition | None = None
    ) -> BufferEntry | None:
        return self.buffers.update(path, content, cursor_position)

    def get_buffer(self, path: FilePath) -> BufferEntry | None:
        return self.buffers.get(path)

    async def get_diff(self, path: FilePath) -> str:
        """FR-031: what the buffer changes in the saved file; empty if it is clean or missing."""
        entry = self.buffers.get(path)
        if entry is None or not entry.dirty:
            return ""
        return await asyncio.to_thread(self._diff, self.sandbox.relative(path), entry)

    async def get_diffs(self) -> dict[str, str]:
        """The diff of every unsaved file, by path. One that cannot be read is left out."""
        return await asyncio.to_thread(self._diffs, self.buffers.dirty())

    async def tree(self) -> TreeNode:
        """FR-033."""
        return await asyncio.to_thread(self._tree)

    def watch(self, on_change: Callable[[list[FileChange]], None]) -> Watcher:
        """FR-035: a watcher over the project, to be started and stopped by the caller."""
        return Watcher(self.root, on_change, closed=self.sandbox.closed)

    def _tree(self) -> TreeNode:
        with explained("list", str(self.root)):
            return scan_tree(self.root, self.sandbox.closed)

    def _diffs(self, unsaved: dict[str, BufferEntry]) -> dict[str, str]:
        diffs: dict[str, str] = {}
        for path, entry in unsaved.items():
            try:
                diff = self._diff(path, entry)
            except BottegaError as error:
                log.warning("no diff", path=path, reason=error.message)
                continue
            if diff:
                diffs[path] = diff
        return diffs

    def _diff(self, path: str, entry: BufferEntry) -> str:
        try:
            saved = self.sandbox.read_text_now(path)
        except NotFound:
            # EC-13: deleted while open. The buffer is all there is.
            return unified_diff(path, None, entry.content)
        return "" if saved.binary else unified_diff(path, saved.content, entry.content)
