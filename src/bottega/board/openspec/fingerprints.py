"""Whether anything in a directory is another than last time, without reading its files."""

import os
import time
from pathlib import Path

from bottega.core.files.beneath import open_listable
from bottega.errors import BottegaError

#: Name, inode, size and time of every file.
Fingerprint = tuple[tuple[str, int, int, int], ...]

#: A clock of the file system may tick in hundredths of a second: what changed this lately may
#: change again without a new time.
SETTLED = 2_000_000_000

_INNER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_ENTRIES = 5_000


def fingerprint(root: Path, directory: str) -> Fingerprint | None:
    """None where only reading can tell: there is a link, too much, or it changed just now."""
    found: list[tuple[str, int, int, int]] = []
    try:
        handle = open_listable(root, directory)
        try:
            whole = _collect(handle, "", found)
        finally:
            os.close(handle)
    except (OSError, BottegaError):
        return None
    newest = max((changed for _, _, _, changed in found), default=0)
    if not whole or time.time_ns() - newest < SETTLED:
        return None
    return tuple(sorted(found))


def _collect(handle: int, prefix: str, found: list[tuple[str, int, int, int]]) -> bool:
    with os.scandir(handle) as entries:
        for entry in entries:
            if entry.is_symlink() or len(found) > _MAX_ENTRIES:
                return False
            state = entry.stat(follow_symlinks=False)
            name = prefix + entry.name
            if not entry.is_dir(follow_symlinks=False):
                found.append((name, state.st_ino, state.st_size, state.st_ctime_ns))
                continue
            # A directory's own time tells of names that came and went.
            found.append((name, state.st_ino, 0, state.st_ctime_ns))
            inner = os.open(entry.name, _INNER, dir_fd=handle)
            try:
                if not _collect(inner, f"{name}/", found):
                    return False
            finally:
                os.close(inner)
    return True
