"""`aiosqlite` with one trip to its thread per statement.

Stock, a statement makes four trips (cursor, execute, fetch, close) and a finished transaction one
more to roll back nothing. Each trip is two thread switches, made while the only writer's lock is
held: with many writing processes they are most of the time that everybody else waits. So here the
rows come back with the statement, and `BEGIN` travels with the first statement after it.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import aiosqlite

Row = tuple[Any, ...]

#: Rows that come back with the statement; the rest of a longer result takes more trips.
FIRST_ROWS = 1000


class OneTripCursor:
    """What SQLAlchemy asks of a cursor."""

    def __init__(self, connection: "OneTripConnection") -> None:
        self._connection = connection
        self._cursor: sqlite3.Cursor | None = None
        self._rows: list[Row] = []
        self._has_more = False
        self.arraysize = 1

    @property
    def description(self) -> Any:
        return self._cursor.description if self._cursor else None

    @property
    def rowcount(self) -> int:
        return self._cursor.rowcount if self._cursor else -1

    @property
    def lastrowid(self) -> int | None:
        return self._cursor.lastrowid if self._cursor else None

    async def __aenter__(self) -> "OneTripCursor":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def execute(self, statement: str, parameters: Sequence[Any] = ()) -> None:
        if statement.startswith("BEGIN"):
            self._connection.begin_with_next(statement)
            return

        def work(connection: sqlite3.Connection) -> None:
            self._cursor = connection.execute(statement, parameters)
            if self._cursor.description:
                self._rows = self._cursor.fetchmany(FIRST_ROWS)
                self._has_more = len(self._rows) == FIRST_ROWS

        await self._connection.run(work)

    async def executemany(self, statement: str, parameters: Iterable[Sequence[Any]]) -> None:
        def work(connection: sqlite3.Connection) -> None:
            self._cursor = connection.executemany(statement, parameters)

        await self._connection.run(work)

    async def fetchall(self) -> list[Row]:
        if self._has_more and (cursor := self._cursor):
            self._rows += await self._connection.run(lambda _: cursor.fetchall())
            self._has_more = False
        rows, self._rows = self._rows, []
        return rows

    async def fetchmany(self, size: int | None = None) -> list[Row]:
        size = size or self.arraysize
        if len(self._rows) < size and self._has_more and (cursor := self._cursor):
            more: list[Row] = await self._connection.run(lambda _: cursor.fetchmany(FIRST_ROWS))
            self._rows += more
            self._has_more = len(more) == FIRST_ROWS
        rows, self._rows = self._rows[:size], self._rows[size:]
        return rows

    async def fetchone(self) -> Row | None:
        rows = await self.fetchmany(1)
        return rows[0] if rows else None

    async def __aiter__(self) -> AsyncIterator[Row]:
        while rows := await self.fetchmany(FIRST_ROWS):
            for row in rows:
                yield row

    async def close(self) -> None:
        self._rows = []
        # A statement whose rows were all read is over; only an unfinished one must be ended.
        if self._has_more and (cursor := self._cursor):
            self._has_more = False
            await self._connection.run(lambda _: cursor.close())


class OneTripConnection(aiosqlite.Connection):
    _begin: str | None = None
    #: A caller was cancelled while its statement ran on: nobody on this side knows what it did.
    _unsettled = False

    def cursor(self) -> OneTripCursor:  # type: ignore[override]
        return OneTripCursor(self)

    def begin_with_next(self, begin: str) -> None:
        self._begin = begin

    async def run(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        """Run `work` on the connection's own thread, in the transaction that was begun."""
        begin, self._begin = self._begin, None

        def begin_and_work(connection: sqlite3.Connection) -> Any:
            if begin is not None:
                connection.execute(begin)
            return work(connection)

        try:
            return await self._execute(begin_and_work, self._conn)  # type: ignore[no-untyped-call]
        except asyncio.CancelledError:
            self._unsettled = True
            raise

    async def commit(self) -> None:
        self._begin = None
        if self.in_transaction:
            await super().commit()

    async def rollback(self) -> None:
        self._begin = None
        if self.in_transaction or self._unsettled:
            # Its thread takes one thing after the other, so this comes after what runs on.
            await super().rollback()
            self._unsettled = False


async def connect(path: str | Path) -> OneTripConnection:
    connection = OneTripConnection(lambda: sqlite3.connect(path), iter_chunk_size=FIRST_ROWS)
    # The process must not wait for this thread when it dies without closing.
    connection._thread.daemon = True
    await connection
    return connection
