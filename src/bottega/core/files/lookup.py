"""Finding a file below a root so that no link, not even one swapped in meanwhile, leads out.

A path that was checked and then opened again by name can change in between. So a file is never
held by its path but by a `Place`: a name in a directory that is already open. The directory is
found by the kernel (`openat2` with RESOLVE_BENEATH, Linux 5.6), or, where the kernel lacks that or
says no, by a walk that opens one component at a time, follows no link blindly and reads each link
itself. The last name is then only used with calls that do not follow links.

What is closed (`closed.py`) is judged by the names really gone through: the kernel is told to
follow no link at all, and the walk keeps the names it came by.
"""

import ctypes
import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bottega.core.files.closed import CLOSED, ClosedPaths
from bottega.core.files.paths import MAX_DEPTH, outside, shown
from bottega.errors import Forbidden

#: As many links as Linux follows in one path.
MAX_LINKS = 40

#: Only a handle, where the system has such: needs no permission to list the directory.
_DIRECTORY = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

_LISTABLE = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

_OPENAT2 = 437  # the same number on every architecture that Linux runs Python on
_RESOLVE_NO_SYMLINKS = 0x04
_RESOLVE_BENEATH = 0x08


class _OpenHow(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Place:
    """A name in an open directory. `.` is the directory itself."""

    directory: int
    name: str
    #: Where it really is, seen from the root: without links.
    path: str


@contextmanager
def find_place(
    root: Path,
    path: str,
    *,
    follow: bool = True,
    create_parents: bool = False,
    closed: ClosedPaths = CLOSED,
) -> Iterator[Place]:
    """The place of a clean relative path (`paths.relative_path`), valid within the block.

    With `follow` a link at the end is resolved too, so the place is that of its target. Raises
    `Forbidden` if it is outside the root, or in a folder that is closed.
    """
    closed.check(path)
    with ExitStack() as opened:
        top = os.open(root, _DIRECTORY & ~os.O_NOFOLLOW)
        opened.callback(os.close, top)
        parent, _, name = path.rpartition("/")
        directory = open_in_kernel(top, parent or ".", _DIRECTORY)
        if directory is not None:
            opened.callback(os.close, directory)
            if not follow or _link_target(directory, name or ".") is None:
                yield Place(directory, name or ".", path)
                return
        with _Walk(root, top, path, create_parents, closed) as walk:
            yield walk.to_the_end(follow)


def open_listable(root: Path, path: str, closed: ClosedPaths = CLOSED) -> int:
    """The directory at a clean relative path, opened so that `os.scandir` can read it."""
    closed.check(path)
    top = os.open(root, _DIRECTORY & ~os.O_NOFOLLOW)
    try:
        directory = open_in_kernel(top, path or ".", _LISTABLE)
    finally:
        os.close(top)
    if directory is not None:
        return directory
    with find_place(root, path, closed=closed) as place:
        return os.open(place.name, _LISTABLE, dir_fd=place.directory)


def open_in_kernel(root: int, path: str, flags: int) -> int | None:
    """The directory at `path`, opened in one step; None if the kernel cannot, or refuses.

    It refuses links, also those that lead inside, and its reason does not tell what is missing:
    the walk gives the verdict.
    """
    if sys.platform != "linux":
        return None
    how = _OpenHow(flags & ~os.O_NOFOLLOW, 0, _RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS)
    found: int = _libc.syscall(
        ctypes.c_long(_OPENAT2),
        ctypes.c_int(root),
        ctypes.c_char_p(os.fsencode(path)),
        ctypes.byref(how),
        ctypes.c_size_t(ctypes.sizeof(how)),
    )
    return found if found >= 0 else None


class _Walk:
    """One component at a time, keeping every directory on the way open, so that `..` is a pop."""

    def __init__(
        self, root: Path, top: int, path: str, create_parents: bool, closed: ClosedPaths
    ) -> None:
        self._root = root
        self._path = path
        self._create = create_parents
        self._closed = closed
        self._way = [top]
        #: The names of the directories on the way, beyond the root.
        self._names: list[str] = []
        self._pending = deque(_components(path))
        self._links = 0

    def __enter__(self) -> "_Walk":
        return self

    def __exit__(self, *_error: object) -> None:
        self._back_to_the_top()

    def to_the_end(self, follow: bool) -> Place:
        while self._pending:
            name = self._pending.popleft()
            if name == "..":
                self._ascend()
            elif (self._pending or follow) and (target := _link_target(self._way[-1], name)):
                self._expand(target)
            elif self._pending:
                self._descend(name)
            else:
                return Place(self._way[-1], name, self._checked(name))
        return Place(self._way[-1], ".", "/".join(self._names))

    def _checked(self, name: str) -> str:
        """The real path of a name here; `Forbidden` if it is closed."""
        path = "/".join([*self._names, name])
        self._closed.check(path)
        return path

    def _descend(self, name: str) -> None:
        if len(self._way) > MAX_DEPTH:
            raise Forbidden(f"{shown(self._path)} leads too deep: over {MAX_DEPTH} levels.")
        self._checked(name)
        here = self._way[-1]
        try:
            self._way.append(os.open(name, _DIRECTORY, dir_fd=here))
        except FileNotFoundError:
            if not self._create:
                raise
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=here)
            self._way.append(os.open(name, _DIRECTORY, dir_fd=here))
        self._names.append(name)

    def _ascend(self) -> None:
        if len(self._way) == 1:
            raise outside(self._path)
        os.close(self._way.pop())
        self._names.pop()

    def _expand(self, target: str) -> None:
        self._links += 1
        if self._links > MAX_LINKS:
            raise Forbidden(f"{shown(self._path)} goes round in a circle of links.")
        if target.startswith("/"):
            target = self._inside(target)
            self._back_to_the_top()
        self._pending.extendleft(reversed(_components(target)))

    def _inside(self, target: str) -> str:
        """An absolute link is followed only if it spells out our own root."""
        base = _components(str(self._root))
        parts = _components(target)
        if parts[: len(base)] != base:
            raise outside(self._path)
        return "/".join(parts[len(base) :])

    def _back_to_the_top(self) -> None:
        self._names.clear()
        while len(self._way) > 1:
            os.close(self._way.pop())


def _components(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _link_target(directory: int, name: str) -> str | None:
    # Missing, or no link: what comes next will say so, with the better error.
    with suppress(OSError):
        return os.readlink(name, dir_fd=directory)
    return None
