"""Work that one process does for all: whoever holds the lease of its name.

On PostgreSQL a lease is an advisory lock on a connection of its own, so it is free as soon as its
holder stops, dies or loses the database, and the next one to ask has it. A holder that lost its
connection without noticing may finish a round that another has begun: what is done under a lease
must bear that. SQLite has one server, which holds every lease.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import structlog

from bottega.core.db.advisory_locks import number_of
from bottega.core.db.database import Database

if TYPE_CHECKING:
    import psycopg

#: How the connection that holds leases is called in `pg_stat_activity`.
HOLDER = "bottega leases"

log = structlog.get_logger()


class Leases:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: set[str] = set()
        self._connection: psycopg.AsyncConnection | None = None
        self._turn = asyncio.Lock()

    def of(self, name: str) -> Callable[[], Awaitable[bool]]:
        """Whether this process has the lease of that name, for who asks before every round."""
        return partial(self.hold, name)

    async def hold(self, name: str) -> bool:
        """Whether it is ours now; it is taken if nobody else has it."""
        if self._database.dialect == "sqlite":
            return True
        import psycopg

        async with self._turn:
            try:
                return await self._try(name)
            except (psycopg.Error, OSError) as error:
                log.warning("leases.lost", held=sorted(self._held), error=str(error))
                await self._close()
                return False

    async def stop(self) -> None:
        """Give every lease back."""
        async with self._turn:
            await self._close()

    async def _try(self, name: str) -> bool:
        connection = self._connection or await self._connect()
        if name in self._held:
            # An answer shows that the connection, and so the lease, is still there.
            await connection.execute("SELECT 1")
            return True
        cursor = await connection.execute(
            "SELECT pg_try_advisory_lock(%s)", [number_of("lease", name)]
        )
        row = await cursor.fetchone()
        if row is not None and row[0]:
            self._held.add(name)
            log.info("leases.taken", name=name)
        return name in self._held

    async def _connect(self) -> "psycopg.AsyncConnection":
        import psycopg

        self._connection = await psycopg.AsyncConnection.connect(
            self._database.dsn,
            autocommit=True,
            application_name=HOLDER,
            # The leases of a machine that fell silent are free after half a minute.
            keepalives_idle=15,
            keepalives_interval=5,
            keepalives_count=3,
        )
        return self._connection

    async def _close(self) -> None:
        import psycopg

        self._held.clear()
        connection, self._connection = self._connection, None
        if connection is None:
            return
        # Closing frees them too, but only when the server notices.
        with suppress(psycopg.Error, OSError):
            await connection.execute("SELECT pg_advisory_unlock_all()")
        await connection.close()
