"""Which processes work on runs, known by locks that the kernel or PostgreSQL frees at a death.

A run belongs to the process that works on it. When that process dies, another may take its runs
over, and must not do so a moment earlier; a lock says it exactly, where heartbeats only guess.
Should a living process lose its lock with its connection, and its runs with it, then the engine's
ownership token lets only the new owner record a step.
"""

import asyncio
import fcntl
import os
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sqlalchemy import make_url

from bottega.core.clock import new_id
from bottega.core.db.advisory_locks import number_of
from bottega.errors import Conflict, Unavailable

if TYPE_CHECKING:
    import psycopg


class Liveness(Protocol):
    """How a process shows that it lives, and finds out which others do not any more."""

    #: The name under which this process owns runs.
    executor_id: str
    #: Whether other processes may work beside this one.
    has_peers: bool

    async def enter(self) -> None:
        """Take the lock of this process.

        Raises `Conflict` if only one process may work and another does, `Unavailable` if the
        database does not answer.
        """
        ...

    async def leave(self) -> None:
        """Free the lock; without one nothing happens."""
        ...

    def departed(self, executor_ids: Iterable[str]) -> AbstractAsyncContextManager[list[str]]:
        """Those of the executors that are dead; within the block nobody else takes them over."""
        ...


class SingleProcess:
    """SQLite: one process works, and at its start takes over what the last one left."""

    executor_id = "local"
    has_peers = False

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(database.name + ".worker")
        self._file: int | None = None

    async def enter(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            raise Conflict(
                f"Another process works on the runs of {str(self._path.parent)!r}. Ask that one, "
                "or stop it first; with a PostgreSQL `DATABASE_URL` any number may work together."
            ) from None
        self._file = file

    async def leave(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    @asynccontextmanager
    async def departed(self, executor_ids: Iterable[str]) -> AsyncIterator[list[str]]:
        yield []


class PeerProcess:
    """PostgreSQL: each process holds a lock of its own name for as long as it is connected."""

    has_peers = True

    def __init__(self, url: str) -> None:
        self.executor_id = new_id(f"{socket.gethostname()}-{os.getpid()}-")
        self._dsn = make_url(url).set(drivername="postgresql").render_as_string(False)
        self._connection: psycopg.AsyncConnection | None = None
        self._turn = asyncio.Lock()

    async def enter(self) -> None:
        import psycopg

        try:
            # Keepalives: the lock of a machine that fell silent is free after half a minute.
            self._connection = await psycopg.AsyncConnection.connect(
                self._dsn,
                autocommit=True,
                application_name="bottega runs",
                keepalives_idle=15,
                keepalives_interval=5,
                keepalives_count=3,
            )
            await self._connection.execute("SELECT pg_advisory_lock(%s)", [_key(self.executor_id)])
        except psycopg.Error as error:
            raise Unavailable(f"PostgreSQL does not answer: {error}") from error

    async def leave(self) -> None:
        import psycopg

        if self._connection is None:
            return
        # Closing frees the lock too, but only when the server notices.
        with suppress(psycopg.Error):
            await self._connection.execute("SELECT pg_advisory_unlock_all()")
        await self._connection.close()
        self._connection = None

    @asynccontextmanager
    async def departed(self, executor_ids: Iterable[str]) -> AsyncIterator[list[str]]:
        """Those of the executors that are gone; within the block nobody else takes them over."""
        import psycopg

        async with self._turn:
            if self._connection is None or self._connection.closed:
                await self.enter()
            assert self._connection is not None
            gone: list[str] = []
            try:
                for executor_id in executor_ids:
                    cursor = await self._connection.execute(
                        "SELECT pg_try_advisory_lock(%s)", [_key(executor_id)]
                    )
                    if (row := await cursor.fetchone()) and row[0]:
                        gone.append(executor_id)
                yield gone
                for executor_id in gone:
                    await self._connection.execute(
                        "SELECT pg_advisory_unlock(%s)", [_key(executor_id)]
                    )
            except psycopg.Error as error:
                await self.leave()
                raise Unavailable(f"PostgreSQL does not answer: {error}") from error


def _key(executor_id: str) -> int:
    return number_of("run executor", executor_id)
