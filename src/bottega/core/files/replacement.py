"""Replacing a file all at once: readers see the old bytes or the new ones, after a crash too."""

import errno
import os
import secrets
import stat
from contextlib import suppress

from bottega.core.files.lookup import Place
from bottega.core.files.noise import TEMPORARY_PREFIX

#: Some network file systems cannot flush a directory, and a directory may be closed to listing.
_CANNOT_FLUSH = {errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM}

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def replace_file(
    place: Place, data: bytes, old: os.stat_result | None, new_mode: int = 0o666
) -> None:
    """Write `data` beside the file, flush it, then rename it over; keep the old mode and owner."""
    temporary = f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}"
    file = os.open(temporary, _CREATE, 0o600 if old else new_mode, dir_fd=place.directory)
    try:
        try:
            _write(file, data)
            if old is not None:
                _keep_owner_and_mode(file, old)
            os.fsync(file)
        finally:
            os.close(file)
        os.rename(temporary, place.name, src_dir_fd=place.directory, dst_dir_fd=place.directory)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=place.directory)
        raise
    flush_directory(place.directory)


def flush_directory(directory: int) -> None:
    """A rename or a removal is on disk only when its directory is."""
    try:
        handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=directory)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _CANNOT_FLUSH:
            raise


def _write(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _keep_owner_and_mode(file: int, old: os.stat_result) -> None:
    # Only root may give files away; for others the new owner is the one who saves.
    with suppress(PermissionError):
        os.fchown(file, old.st_uid, old.st_gid)
    os.fchmod(file, stat.S_IMODE(old.st_mode))
