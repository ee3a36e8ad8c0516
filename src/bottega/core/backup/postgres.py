"""PostgreSQL by its own programs, where they are and fit the server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import URL, text
from sqlalchemy.exc import DBAPIError

from bottega.core.db.database import Database
from bottega.core.db.failures import words_of
from bottega.core.programs import find_program, inherited, run
from bottega.errors import Conflict, StorageUnavailable, Unavailable

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
