"""A SQLite database as it is at one moment, copied while others write to it."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from bottega.errors import Conflict, NotFound, Unavailable

PAGES_AT_ONCE = 2_000

Moment = sqlite3.Connection
#: Pages done, pages in all.
Progress = Callable[[int, int], None]


@contextmanager
def moment_of(path: Path) -> Iterator[Moment]:
    """A connection that sees the database as it is now, however long the copying takes."""
    if not path.is_file():
        raise NotFound(f"There is no database {str(path)!r} yet: there is nothing to back up.")
    address = f"file:{quote(str(path))}?mode=ro"
    with (
        _explaining(path),
        closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection,
    ):
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield connection


@contextmanager
def _explaining(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise Unavailable(f"The database {str(path)!r} cannot be copied: {error}.") from error
        raise _damaged(path, str(error)) from error


def _damaged(path: Path, verdict: str) -> Conflict:
    return Conflict(
        f"The database {str(path)!r} is damaged: {verdict}. It was left as it is, and no backup "
        "was written. Restore an earlier backup; `sqlite3 FILE .recover` may save what came after."
    )


def copy(moment: Moment, target: Path, progress: Progress) -> None:
    """Without a read transaction of its own, each write of others would start it anew."""
    with closing(sqlite3.connect(target)) as connection:
        moment.backup(
            connection,
            pages=PAGES_AT_ONCE,
            progress=lambda _, left, total: progress(total - left, total),
            sleep=0,
        )
        # Pages are copied as they are: a backup of a damaged database would be no backup.
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            (source,) = moment.execute("SELECT file FROM pragma_database_list").fetchone()
            raise _damaged(Path(source), verdict)
    settle(target)


def settle(path: Path) -> None:
    """Into one file that needs nothing beside it; the next start turns the log on again."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


def revision_of(path: Path) -> str:
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
        try:
            return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])
        except (sqlite3.OperationalError, TypeError):
            raise Conflict("The database is none of Bottega's: it has no schema of its.") from None


def refuse_if_used(path: Path) -> None:
    """Leaving the write-ahead log needs the database for itself, so it fails for any other user."""
    if not path.is_file():
        return
    with closing(sqlite3.connect(path, timeout=0)) as connection:
        try:
            connection.execute("PRAGMA journal_mode=DELETE").fetchone()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                return
            raise Conflict(
                f"Another process has {path} open: a server, a worker, `bottega mcp`. Stop it, "
                "then restore. Nothing was changed."
            ) from error
        except sqlite3.DatabaseError:
            # Damaged, which is a reason to restore.
            return
