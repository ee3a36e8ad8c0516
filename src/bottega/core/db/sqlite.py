"""SQLite as it is used here: one trip to the driver's thread per statement, one writer in turn.

Stock, a statement of `aiosqlite` makes four trips (cursor, execute, fetch, close) and a finished
transaction one more to roll back nothing. Each trip is two thread switches, made while the only
writer's lock is held: with many writing processes they are most of the time that everybody else
waits. So here the rows come back with the statement, and `BEGIN` travels with the first statement
after it.

The writer's lock is shared by processes. In one process callers queue in an `asyncio.Lock`; between
processes the kernel queues them on a lock file. A dead process's lock is released by the kernel, so
nothing is ever stuck.
"""

import asyncio
import fcntl
import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import aiosqlite


class ProcessLock:
    def __init__(self, path: Path | None) -> None:
        """`path` is the lock file; without one the lock holds within this process only."""
        self._path = path
        self._file: int | None = None
        self._turn = asyncio.Lock()
        self._holder: asyncio.Task[Any] | None = None

    async def __aenter__(self) -> None:
        task = asyncio.current_task()
        if self._holder is not None and self._holder is task:
            raise RuntimeError("This task holds the lock already and would wait for itself.")
        await self._turn.acquire()
        self._holder = task
        try:
            waiting = self._try_file()
        except BaseException:
            self._hand_on()
            raise
        if waiting is None:
            return
        try:
            await asyncio.shield(waiting)
        except asyncio.CancelledError:
            # The thread cannot be called back: it gets the lock some day and then gives it up.
            waiting.add_done_callback(lambda _: self._release())
            raise
        except BaseException:
            self._hand_on()
            raise

    async def __aexit__(self, *_error: object) -> None:
        self._release()

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _try_file(self) -> "asyncio.Future[None] | None":
        """Take the file's lock if it is free; otherwise a future that holds once it is ours."""
        if self._path is None:
            return None
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            wait = asyncio.to_thread(fcntl.flock, self._file, fcntl.LOCK_EX)
            return asyncio.ensure_future(wait)
        return None

    def _release(self) -> None:
        if self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        self._hand_on()

    def _hand_on(self) -> None:
        self._holder = None
        self._turn.release()


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

    async def __aexit__(self, *_error: object) -> None:
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
