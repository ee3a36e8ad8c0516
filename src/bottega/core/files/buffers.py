"""What is open in editors and not yet on disk: the last word of every editor, by path.

All in memory and on the event loop, so the last update wins (EC-15). The cache is bounded; when it
is full, entries that are saved make room, oldest first. Unsaved ones are never dropped: a new
buffer that would need their room is refused.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from bottega.core import clock
from bottega.core.files.languages import is_binary
from bottega.core.files.paths import FilePath, shown
from bottega.errors import InvalidInput, TooLarge

MAX_BUFFERS = 1_000
MAX_BUFFER_BYTES = 10 * 1024 * 1024
MAX_TOTAL_BYTES = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class CursorPosition:
    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True)
class BufferEntry:
    """FR-027."""

    content: str
    cursor_position: CursorPosition
    dirty: bool
    #: ISO 8601.
    last_updated: str


@dataclass(slots=True)
class Buffers:
    #: Gives a path its one spelling and refuses those that are closed or outside
    #: (`Sandbox.open_path`); a buffer may be of a file that is not on disk yet.
    relative: Callable[[FilePath], str]
    max_buffers: int = MAX_BUFFERS
    max_buffer_bytes: int = MAX_BUFFER_BYTES
    max_total_bytes: int = MAX_TOTAL_BYTES
    #: In the order of their last update, oldest first.
    _entries: dict[str, BufferEntry] = field(default_factory=dict)
    _sizes: dict[str, int] = field(default_factory=dict)
    _total: int = 0

    def __len__(self) -> int:
        return len(self._entries)

    def update(
        self, path: FilePath, content: str, cursor_position: CursorPosition | None = None
    ) -> BufferEntry | None:
        """FR-028: an edit arrived. None for a binary file, which has no buffer (FR-038)."""
        key = self._key(path)
        if is_binary(key):
            return None
        size = self._size(key, content)
        old = self._entries.get(key)
        cursor = cursor_position or (old.cursor_position if old else CursorPosition())
        if not self._make_room(key, size):
            raise TooLarge(
                f"No room for the buffer of {shown(key)}: {len(self.dirty())} files are unsaved. "
                "Save or close some of them."
            )
        entry = BufferEntry(content, cursor, dirty=True, last_updated=clock.iso())
        self._put(key, entry, size)
        return entry

    def get(self, path: FilePath) -> BufferEntry | None:
        """FR-030."""
        return self._entries.get(self.relative(path))

    def mark_saved(self, path: FilePath, content: str) -> BufferEntry:
        """FR-029: this content is on disk now."""
        key = self._key(path)
        size = self._size(key, content)
        old = self._entries.get(key)
        cursor = old.cursor_position if old else CursorPosition()
        entry = BufferEntry(content, cursor, dirty=False, last_updated=clock.iso())
        # A saved buffer is only a copy: where the unsaved ones fill the cache, it is not kept.
        if self._make_room(key, size):
            self._put(key, entry, size)
        else:
            self._drop(key)
        return entry

    def close(self, path: FilePath) -> None:
        """The editor is done with it; unsaved edits are dropped, as the person chose."""
        self._drop(self.relative(path))

    def dirty(self) -> dict[str, BufferEntry]:
        return {path: entry for path, entry in self._entries.items() if entry.dirty}

    def all(self) -> dict[str, BufferEntry]:
        return dict(self._entries)

    def _key(self, path: FilePath) -> str:
        key = self.relative(path)
        if not key:
            raise InvalidInput("The project's directory itself has no buffer; name a file in it.")
        return key

    def _size(self, key: str, content: str) -> int:
        try:
            size = len(content) if content.isascii() else len(content.encode())
        except UnicodeEncodeError as error:
            raise InvalidInput(f"The buffer of {shown(key)} is not valid Unicode.") from error
        if size > self.max_buffer_bytes:
            raise TooLarge(
                f"The buffer of {shown(key)} has {size:,} bytes; {self.max_buffer_bytes:,} are "
                "allowed."
            )
        return size

    def _make_room(self, key: str, size: int) -> bool:
        """Drop saved entries, oldest first, until one of this size fits; whether it does."""
        others = len(self._entries) - (key in self._entries)
        total = self._total - self._sizes.get(key, 0) + size
        for path, entry in list(self._entries.items()):
            if others < self.max_buffers and total <= self.max_total_bytes:
                break
            if path != key and not entry.dirty:
                others -= 1
                total -= self._sizes[path]
                self._drop(path)
        return others < self.max_buffers and total <= self.max_total_bytes

    def _put(self, key: str, entry: BufferEntry, size: int) -> None:
        self._drop(key)
        self._entries[key] = entry
        self._sizes[key] = size
        self._total += size

    def _drop(self, key: str) -> None:
        if self._entries.pop(key, None) is not None:
            self._total -= self._sizes.pop(key)
