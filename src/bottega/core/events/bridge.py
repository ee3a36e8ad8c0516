"""How a process learns that another one has added to the event log.

PostgreSQL notifies; the notification carries no event, so a lost one costs nothing: after every
reconnection the log is read from the last number seen. SQLite has no such call, but counts the
commits of others in `data_version`, which is read from memory and is cheap to ask for.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

import structlog
from sqlalchemy import URL

from bottega.core import sqlite_driver
from bottega.core.database import Database
from bottega.core.events.log import CHANNEL

#: Seconds between two looks at a SQLite file.
POLL = 0.2
#: Seconds of silence after which a connection that listens is tried.
QUIET = 30.0
#: Seconds before a lost connection is made again.
RECONNECT = 0.5
#: How the connection that listens is called in `pg_stat_activity`.
LISTENER = "bottega-events"

log = structlog.get_logger()

CatchUp = Callable[[], Awaitable[None]]


async def watch(database: Database, catch_up: CatchUp) -> None:
    """Call `catch_up` whenever the log may have grown, until cancelled."""
    while True:
        try:
            if database.path is not None:
                await _watch_sqlite(database.path, catch_up)
            else:
                await _watch_postgres(database.url, catch_up)
        except Exception as error:
            log.warning("events.bridge_lost", error=str(error), retry_in=RECONNECT)
        await asyncio.sleep(RECONNECT)


async def _watch_sqlite(path: Path, catch_up: CatchUp) -> None:
    connection = await sqlite_driver.connect(path)
    try:
        known = None
        while True:
            if (version := await connection.run(_data_version)) != known:
                await catch_up()
                known = version
            await asyncio.sleep(POLL)
    finally:
        await connection.close()


def _data_version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


async def _watch_postgres(url: URL, catch_up: CatchUp) -> None:
    import psycopg

    dsn = url.set(drivername="postgresql").render_as_string(hide_password=False)
    async with await psycopg.AsyncConnection.connect(
        dsn, autocommit=True, application_name=LISTENER
    ) as connection:
        await connection.execute(f"LISTEN {CHANNEL}")
        while True:
            await catch_up()
            # A notification ends this and so does silence; then a dead connection shows.
            async for _ in connection.notifies(timeout=QUIET, stop_after=1):
                pass
            await connection.execute("SELECT 1")
