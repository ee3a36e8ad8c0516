"""What is in one directory. Plain blocking functions: callers run them in a thread."""

import os
import stat
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from bottega.core.files.closed import CLOSED, ClosedPaths
from bottega.core.files.lookup import find_place, open_listable
from bottega.errors import BottegaError


class EntryType(StrEnum):
    FILE = "file"
    DIRECTORY = "directory"


@dataclass(frozen=True, slots=True)
class Listing:
    """The names in one directory, in reading order. Pipes, sockets and devices are left out, and so
    are links that lead outside or nowhere, what is closed, and names that no JSON could carry."""

    #: Relative to the root; the root itself is the empty string.
    path: str
    directories: list[str]
    files: list[str]
    #: Those of `directories` that are links: entering them could go round in circles.
    links: frozenset[str] = frozenset()

    def path_of(self, name: str) -> str:
        return f"{self.path}/{name}" if self.path else name


def list_directory(root: Path, path: str = "", closed: ClosedPaths = CLOSED) -> Listing:
    directories: list[str] = []
    files: list[str] = []
    links: list[str] = []
    handle = open_listable(root, path, closed)
    try:
        with os.scandir(handle) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    files.append(entry.name)
                elif entry.is_dir(follow_symlinks=False):
                    directories.append(entry.name)
                elif entry.is_symlink():
                    links.append(entry.name)
    finally:
        os.close(handle)
    prefix = f"{path}/" if path else ""
    linked = {name: _type_behind(root, prefix + name, closed) for name in links}
    files += [name for name, kind in linked.items() if kind is EntryType.FILE]
    linked_directories = [name for name, kind in linked.items() if kind is EntryType.DIRECTORY]
    return Listing(
        path,
        _in_reading_order(closed.open_folders(path, directories + linked_directories)),
        _in_reading_order(closed.open_files(path, files)),
        frozenset(linked_directories),
    )


def without(listing: Listing, hidden: frozenset[str]) -> Listing:
    """The listing less what is hidden, by paths from the root."""
    if not hidden:
        return listing
    folders = [name for name in listing.directories if listing.path_of(name) not in hidden]
    files = [name for name in listing.files if listing.path_of(name) not in hidden]
    return Listing(listing.path, folders, files, listing.links)


def entry_type(
    root: Path, path: str, *, follow: bool = True, closed: ClosedPaths = CLOSED
) -> EntryType | None:
    """What stands at a clean relative path; None if nothing that we would open."""
    with find_place(root, path, follow=follow, closed=closed) as place:
        try:
            mode = os.stat(place.name, dir_fd=place.directory, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return None
    if stat.S_ISREG(mode):
        closed.check(place.path, is_file=True)
        return EntryType.FILE
    return EntryType.DIRECTORY if stat.S_ISDIR(mode) else None


def _type_behind(root: Path, link: str, closed: ClosedPaths) -> EntryType | None:
    try:
        return entry_type(root, link, closed=closed)
    except (BottegaError, OSError):
        return None


def _in_reading_order(names: list[str]) -> list[str]:
    """Case aside, as people read; then by code point, so that the order is always the same."""
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        names = [name for name in names if _is_unicode(name)]
    names.sort()
    names.sort(key=str.casefold)
    return names


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
