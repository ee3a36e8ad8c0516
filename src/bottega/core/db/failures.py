"""What a failing database or disk means to a caller: which part, why, and that it may pass.

A full disk, a read-only file and a database that is away are nobody's mistake and end by
themselves or by a person's hand; who asked is told so, with when to try again.
"""

import errno
import sqlite3
from collections.abc import Mapping
from enum import StrEnum

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from bottega.errors import StorageUnavailable

#: Seconds after which a caller should try again.
RETRY_AFTER = 5


class Reason(StrEnum):
    DISK_FULL = "disk_full"
    READ_ONLY = "read_only"
    AWAY = "away"
    BUSY = "busy"
    DAMAGED = "damaged"


#: What to say of each, and what a person can do.
MEANINGS: Mapping[Reason, str] = {
    Reason.DISK_FULL: "The disk is full. Free some space; it goes on by itself then.",
    Reason.READ_ONLY: "It cannot be written: it is read-only. Check the mount, the owner and mode "
    "of the file and its folder, or which PostgreSQL this is; it goes on by itself then.",
    Reason.AWAY: "The database does not answer. It is asked again and again; check that its server "
    "runs.",
    Reason.BUSY: "The database is busy. Try again in a moment.",
    Reason.DAMAGED: "The database is damaged. Stop the server and restore a backup "
    "(`bottega restore FILE`).",
}

#: By the primary code; the rest of an extended one says where it happened.
_SQLITE: Mapping[int, Reason] = {
    sqlite3.SQLITE_FULL: Reason.DISK_FULL,
    sqlite3.SQLITE_READONLY: Reason.READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: Reason.AWAY,
    sqlite3.SQLITE_IOERR: Reason.AWAY,
    sqlite3.SQLITE_BUSY: Reason.BUSY,
    sqlite3.SQLITE_LOCKED: Reason.BUSY,
    sqlite3.SQLITE_CORRUPT: Reason.DAMAGED,
    sqlite3.SQLITE_NOTADB: Reason.DAMAGED,
}
#: By the beginning of PostgreSQL's SQLSTATE; the first that fits.
_POSTGRES: Mapping[str, Reason] = {
    "53100": Reason.DISK_FULL,
    "25006": Reason.READ_ONLY,
    "53": Reason.BUSY,
    "55P03": Reason.BUSY,
    "08": Reason.AWAY,
    "57P": Reason.AWAY,
    "58": Reason.AWAY,
    "XX001": Reason.DAMAGED,
}
_SYSTEM: Mapping[int, Reason] = {
    errno.ENOSPC: Reason.DISK_FULL,
    errno.EDQUOT: Reason.DISK_FULL,
    errno.EROFS: Reason.READ_ONLY,
}


def reason_of(error: BaseException) -> Reason | None:
    """Why storage failed; `None` if it is something else, such as a wrong statement."""
    if isinstance(error, PoolTimeout):
        return Reason.BUSY
    if isinstance(error, DBAPIError):
        return Reason.AWAY if error.connection_invalidated else _reason_of_driver(error.orig)
    if isinstance(error, sqlite3.Error):
        return _reason_of_driver(error)
    if isinstance(error, OSError):
        return _SYSTEM.get(error.errno or 0)
    return None


def _reason_of_driver(original: BaseException | None) -> Reason | None:
    if isinstance(original, sqlite3.Error):
        return _SQLITE.get(getattr(original, "sqlite_errorcode", 0) & 0xFF)
    state = getattr(original, "sqlstate", None)
    if state is None:
        # A connection that could not be made has no state; its class says what it is.
        return Reason.AWAY if type(original).__name__ == "OperationalError" else None
    return next((reason for start, reason in _POSTGRES.items() if state.startswith(start)), None)


def explain(reason: Reason, *, part: str, is_writing: bool) -> StorageUnavailable:
    """The error for who asked."""
    words = MEANINGS[reason]
    if is_writing:
        words = f"{words} What you sent was not saved: keep it and send it again."
    return StorageUnavailable(words, part=part, reason=reason.value, retry_after=RETRY_AFTER)


def may_pass(error: Exception) -> bool:
    """Whether it is enough to wait."""
    return isinstance(error, StorageUnavailable) and error.details.get("reason") != Reason.DAMAGED


def words_of(error: DBAPIError | StorageUnavailable) -> str:
    """What the driver said, for those who look after the database."""
    cause = error.__cause__ if isinstance(error, StorageUnavailable) else error
    return str(getattr(cause, "orig", cause)).strip()


def storage_error(error: BaseException) -> StorageUnavailable | None:
    """The same for an error that came past the database: of a library, or of the disk."""
    reason = reason_of(error)
    part = "disk" if isinstance(error, OSError) else "database"
    return None if reason is None else explain(reason, part=part, is_writing=True)


def passing_failure(error: BaseException) -> StorageUnavailable | None:
    """The failure of storage that may pass and is behind the error; `None` if it is another one.

    It is looked for among the errors of a group too, and among the causes that were named.
    """
    if isinstance(error, BaseExceptionGroup):
        found = (passing_failure(each) for each in error.exceptions)
        return next((each for each in found if each is not None), None)
    failure = error if isinstance(error, StorageUnavailable) else storage_error(error)
    if failure is not None:
        return failure if may_pass(failure) else None
    return None if error.__cause__ is None else passing_failure(error.__cause__)
