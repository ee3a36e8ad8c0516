"""A SQLite database as it is at one moment, copied while others write to it."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from bottega.errors import Conflict, NotFound

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
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield connection


def copy(moment: Moment, target: Path, progress: Progress) -> None:
    """Without a read transaction of its own, each write of others would start it anew."""
    with closing(sqlite3.connect(target)) as connection:
        moment.backup(
            connection,
            pages=PAGES_AT_ONCE,
            progress=lambda _, left, total: progress(total - left, total),
            sleep=0,
        )
    settle(target)


def settle(path: Path) -> None:
    """Into one file that needs nothing beside it; the next start turns the log on again."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


def revision_of(path: Path) -> str:
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


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
