"""Files of one project: everything below a root, and nothing else.

Each call first settles what the path means (`paths.py`), then finds its place (`beneath.py`), asks
whether that is closed (`closed.py`), and only then reads or writes. Pipes, sockets and devices are
refused, so nothing ever hangs on one.
"""

import asyncio
import os
import stat
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

from bottega.core.files.closed import CLOSED, ClosedPaths
from bottega.core.files.encoding import Encoding, count_lines, encode, encoding_of
from bottega.core.files.failures import explained
from bottega.core.files.languages import is_binary, language_of
from bottega.core.files.listing import EntryType, Listing, entry_type, list_directory, without
from bottega.core.files.lookup import Place, find_place
from bottega.core.files.paths import FilePath, relative_path, shown
from bottega.core.files.replacement import flush_directory, replace_file
from bottega.errors import Forbidden, InvalidInput, NotFound, TooLarge

#: EC-14: a larger file is neither read nor written.
MAX_FILE_BYTES = 10 * 1024 * 1024

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file as it was read. A binary one has no text, only the flag and its size."""

    path: str
    content: str
    language: str
    line_count: int
    binary: bool
    size: int
    encoding: Encoding = Encoding.UTF_8


class Sandbox:
    def __init__(
        self,
        root: FilePath,
        *,
        max_file_bytes: int = MAX_FILE_BYTES,
        closed: ClosedPaths = CLOSED,
        file_mode: int = 0o666,
    ) -> None:
        """`file_mode` is what a new file gets, less the process's umask."""
        self._given = Path(root).absolute()
        #: The directory itself, links resolved.
        self.root = self._given.resolve()
        self.max_file_bytes = max_file_bytes
        self.closed = closed
        self._file_mode = file_mode

    def relative(self, path: FilePath) -> str:
        """FR-023: the path as seen from the root, judged without I/O; the root is `""`."""
        return relative_path(self.root, path, self._given)

    def open_path(self, path: FilePath) -> str:
        """As `relative`, for a file: `Forbidden` if its name is closed. A link's target, of which
        only the disk knows, is judged when it is read or written."""
        relative = self.relative(path)
        self.closed.check(relative, is_file=True)
        return relative

    async def read_text(self, path: FilePath) -> FileContent:
        return await asyncio.to_thread(self.read_text_now, path)

    def read_text_now(self, path: FilePath) -> FileContent:
        """Blocking: for code that is in a thread of its own."""
        return self._read_text(self._file(path))

    async def read_bytes(self, path: FilePath) -> bytes:
        return await asyncio.to_thread(self._read_bytes, self._file(path))

    async def write(
        self, path: FilePath, content: str | bytes, *, encoding: Encoding | None = None
    ) -> None:
        """Replace or create a file, atomically, with its directories. Text goes over an existing
        file in that file's encoding; name one to convert it."""
        await asyncio.to_thread(self._write, self._file(path), content, encoding)

    async def exists(self, path: FilePath) -> bool:
        return await self.type_of(path) is not None

    async def type_of(self, path: FilePath) -> EntryType | None:
        return await asyncio.to_thread(self._type_of, self.relative(path))

    async def list(self, path: FilePath = "") -> Listing:
        return await asyncio.to_thread(self._list, self.relative(path))

    async def mkdir(self, path: FilePath) -> None:
        """Create a directory with those above it; one that exists already is fine."""
        await asyncio.to_thread(self._mkdir, self._file(path))

    async def remove(self, path: FilePath) -> None:
        """Remove a file, a link (not what it points to) or an empty directory."""
        await asyncio.to_thread(self._remove, self._file(path))

    def _file(self, path: FilePath) -> str:
        relative = self.relative(path)
        if not relative:
            raise InvalidInput(
                f"{shown(os.fspath(path))} names the project's directory itself, not a file in it."
            )
        return relative

    def _read_text(self, path: str) -> FileContent:
        language = language_of(path)
        if is_binary(path):
            size = self._stat(path).st_size
            return FileContent(path, "", language, 0, True, size)
        data = self._read_bytes(path)
        encoding = encoding_of(data)
        if encoding is None:
            return FileContent(path, "", language, 0, True, len(data))
        content = data.decode(encoding)
        return FileContent(
            path, content, language, count_lines(content), False, len(data), encoding
        )

    def _stat(self, path: str) -> os.stat_result:
        with explained("read", path), self._place(path) as place:
            return self._stat_file(place, path)

    def _read_bytes(self, path: str) -> bytes:
        with explained("read", path), self._place(path) as place:
            self._check_size(path, self._stat_file(place, path).st_size)
            file = os.open(place.name, _READ, dir_fd=place.directory)
            with os.fdopen(file, "rb") as stream:
                # Between the look and the opening it may have become something else, or grown.
                _check_is_file(path, os.fstat(file))
                data = stream.read(self.max_file_bytes + 1)
        self._check_size(path, len(data))
        return data

    def _write(self, path: str, content: str | bytes, encoding: Encoding | None) -> None:
        if isinstance(content, str):
            content = encode(path, content, encoding or self._encoding_to_keep(path))
        self._check_size(path, len(content))
        with explained("write", path), self._place(path, create_parents=True) as place:
            self.closed.check_written(place.path)
            try:
                old = self._stat_file(place, path)
            except FileNotFoundError:
                old = None
            if old is not None:
                self.closed.check_names(path, old.st_nlink)
            else:
                self.closed.check_ignored(place.path)
            if old and not os.access(place.name, os.W_OK, dir_fd=place.directory):
                raise Forbidden(f"Cannot write {shown(path)}: the file is marked read-only.")
            replace_file(place, content, old, self._file_mode)

    def _encoding_to_keep(self, path: str) -> Encoding:
        # A file over the limit was never shown to anyone, so there is nothing to keep.
        with suppress(NotFound, TooLarge):
            encoding = encoding_of(self._read_bytes(path))
            if encoding is None:
                raise InvalidInput(f"Cannot save {shown(path)} as text: it is a binary file.")
            return encoding
        return Encoding.UTF_8

    def _type_of(self, path: str) -> EntryType | None:
        with explained("look at", path), suppress(FileNotFoundError, NotADirectoryError):
            return entry_type(self.root, path, closed=self.closed)
        return None

    def _list(self, path: str) -> Listing:
        with explained("list", path or "."):
            return without(list_directory(self.root, path, self.closed), self.closed.hidden_now())

    def _mkdir(self, path: str) -> None:
        with explained("create", path), self._place(path, create_parents=True) as place:
            try:
                os.mkdir(place.name, dir_fd=place.directory)
            except FileExistsError:
                if not _is_directory(place):
                    raise

    def _remove(self, path: str) -> None:
        with explained("remove", path), self._place(path, follow=False) as place:
            if _is_directory(place):
                os.rmdir(place.name, dir_fd=place.directory)
            else:
                self.closed.check(place.path, is_file=True)
                self.closed.check_written(place.path)
                self.closed.check_ignored(place.path)
                os.unlink(place.name, dir_fd=place.directory)
            flush_directory(place.directory)

    def _place(
        self, path: str, *, follow: bool = True, create_parents: bool = False
    ) -> AbstractContextManager[Place]:
        return find_place(
            self.root, path, follow=follow, create_parents=create_parents, closed=self.closed
        )

    def _stat_file(self, place: Place, path: str) -> os.stat_result:
        self.closed.check(place.path, is_file=True)
        found = os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
        _check_is_file(path, found)
        self.closed.check_ignored(place.path)
        return found

    def _check_size(self, path: str, size: int) -> None:
        if size > self.max_file_bytes:
            raise TooLarge(
                f"{shown(path)} has {size:,} bytes or more; files up to "
                f"{self.max_file_bytes:,} are handled here. Open it with another program."
            )


def _check_is_file(path: str, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise InvalidInput(f"{shown(path)} is a directory, not a file.")
    if stat.S_ISLNK(found.st_mode):
        raise Forbidden(f"{shown(path)} became a link while it was being opened. Try again.")
    if not stat.S_ISREG(found.st_mode):
        raise InvalidInput(f"{shown(path)} is a pipe, socket or device, not a file.")


def _is_directory(place: Place) -> bool:
    found = os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
    return stat.S_ISDIR(found.st_mode)
