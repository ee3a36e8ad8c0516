"""The databases: SQLite as it is at one moment, copied while others write to it, and PostgreSQL by
its own programs, where they are and fit the server."""

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, text
from sqlalchemy.exc import DBAPIError

from bottega.core.db.database import Database
from bottega.core.db.failures import words_of
from bottega.core.programs import find_program, inherited, run
from bottega.errors import Conflict, NotFound, StorageUnavailable, Unavailable

SECONDS = 3600


async def dump(url: URL, target: Path) -> str | None:
    """Write everything to `target`; or say why that was not possible."""
    program = find_program("pg_dump")
    if program is None:
        return "pg_dump is not installed"
    command = [program, "--format=custom", "--no-owner", "--no-acl", f"--file={target}"]
    return await _run(command, url, target.parent)


async def load(url: URL, source: Path) -> None:
    """All or nothing, into an empty database."""
    program = find_program("pg_restore")
    if program is None:
        raise Unavailable(
            "The backup was made with pg_dump, and pg_restore is not installed here. Install "
            "PostgreSQL's client programs. Nothing was changed."
        )
    command = [program, "--no-owner", "--no-acl", "--single-transaction", "--exit-on-error"]
    failure = await _run([*command, str(source)], url, source.parent)
    if failure is not None:
        raise Unavailable(f"The database was not restored and is empty still: {failure}")


@asynccontextmanager
async def answering(database: Database) -> AsyncIterator[None]:
    """Say so if it does not, or does not any more; it is closed at the end."""
    try:
        yield
    except (DBAPIError, StorageUnavailable) as error:
        raise Unavailable(
            f"{database.url.render_as_string()} does not answer: {words_of(error)}. Check "
            "DATABASE_URL and that its server runs."
        ) from error
    finally:
        await database.stop()


async def refuse_if_filled(database: Database) -> None:
    """The database that was there is its own copy: it is left alone, whole."""
    tables = text(
        "SELECT count(*) FROM information_schema.tables "
        "WHERE table_schema NOT IN ('pg_catalog', 'information_schema')"
    )
    async with database.read() as session:
        count = await session.scalar(tables)
    if count:
        raise Conflict(
            f"{database.url.render_as_string()} has {count} tables, and a backup is restored into "
            "an empty database only, so that nothing is lost. Make a new one (createdb NAME), set "
            "DATABASE_URL to it and restore again."
        )


async def _run(command: list[str], url: URL, folder: Path) -> str | None:
    # The password goes by the environment: a command line can be read by everybody.
    address = URL.create(
        "postgresql", url.username, None, url.host, url.port, url.database, url.query
    ).render_as_string()
    password = {"PGPASSWORD": str(url.password)} if url.password else {}
    environment = inherited(without="PGPASSWORD" if password else "\0", **password)
    done = await run(
        [command[0], f"--dbname={address}", *command[1:]],
        folder,
        SECONDS,
        environment=environment,
    )
    return None if done.code == 0 else f"{Path(command[0]).name}: {done.errors.strip()[-500:]}"


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
