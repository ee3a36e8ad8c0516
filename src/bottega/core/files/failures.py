"""What the operating system's refusals mean to a caller."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bottega.core.files.paths import shown
from bottega.errors import (
    BottegaError,
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    StorageUnavailable,
    Unavailable,
)

_MEANINGS: dict[int, tuple[type[BottegaError], str]] = {
    errno.ENOENT: (NotFound, "there is no such file or directory"),
    errno.ENOTDIR: (InvalidInput, "a part of the path is a file, not a directory"),
    errno.EISDIR: (InvalidInput, "it is a directory, not a file"),
    errno.EEXIST: (Conflict, "it exists already"),
    errno.ENOTEMPTY: (Conflict, "the directory is not empty"),
    errno.ENAMETOOLONG: (InvalidInput, "the name is too long"),
    errno.EINVAL: (InvalidInput, "the name is not allowed here"),
    errno.EACCES: (Forbidden, "permission denied; check the owner and mode of the file"),
    errno.EPERM: (Forbidden, "permission denied; check the owner and mode of the file"),
    errno.EROFS: (Forbidden, "the disk is mounted read-only"),
    # Calls on the last name do not follow links: one that appears there was put there meanwhile.
    errno.ELOOP: (Forbidden, "it became a link while it was being opened"),
    errno.ENXIO: (InvalidInput, "it is a pipe, socket or device, not a file"),
    errno.ENOSPC: (StorageUnavailable, "the disk is full; free some space and try again"),
    errno.EDQUOT: (StorageUnavailable, "the disk quota is used up; free some space and try again"),
    errno.EFBIG: (Unavailable, "the file would be larger than this system allows"),
    errno.EMFILE: (Unavailable, "too many files are open; try again in a moment"),
    errno.ENFILE: (Unavailable, "too many files are open; try again in a moment"),
}

_FULL = {"part": "disk", "reason": "disk_full", "retry_after": 5}
#: Details of what passes.
_PASSING: dict[int, dict[str, Any]] = {errno.ENOSPC: _FULL, errno.EDQUOT: _FULL}


@contextmanager
def explained(doing: str, path: str) -> Iterator[None]:
    """Turn an `OSError` into ours: `Cannot write 'a.py': the disk is full; …`."""
    try:
        yield
    except OSError as error:
        kind, meaning = _MEANINGS.get(
            error.errno or 0, (Unavailable, f"the disk answered {error.strerror or error}")
        )
        details = _PASSING.get(error.errno or 0, {})
        raise kind(f"Cannot {doing} {shown(path)}: {meaning}.", **details) from error
