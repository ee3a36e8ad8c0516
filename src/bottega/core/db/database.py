"""One database, SQLite or PostgreSQL, behind two verbs: `read()` and `write()`.

Services open one or the other and pass the session to their repositories, which hold the queries
and never commit; leaving the block commits, an exception rolls back.

SQLite has one writer per process, and between processes a lock that serves them in turn
(`core/db/sqlite.py`): its own busy handler sleeps and guesses, which starves some of many
writers for seconds.
"""

import asyncio
import json
import os
import re
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from sqlalchemy import (
    JSON,
    Connection,
    Dialect,
    String,
    Text,
    TypeDecorator,
    event,
    make_url,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import (
    AsyncEngine,
    AsyncSession,
    async_sessionmaker,
    create_async_engine,
)
from sqlalchemy.orm import DeclarativeBase

from bottega.core import clock
from bottega.core.db import sqlite as sqlite_driver
from bottega.core.db.failures import Reason, explain, reason_of, words_of
from bottega.core.db.sqlite import ProcessLock
from bottega.errors import ConfigurationError, StorageUnavailable, Unavailable

T = TypeVar("T")
P = ParamSpec("P")
DialectName = Literal["sqlite", "postgresql"]

#: Checked page by page at start-up up to this size; a bigger file gets only its header checked.
QUICK_CHECK_BYTES = 64 * 1024 * 1024
BUSY_TIMEOUT_MS = 10_000
#: How far a commit of SQLite goes before it returns, durable or not: to the disk, or to the system.
SYNCHRONOUS = {True: "FULL", False: "NORMAL"}
READERS = 8
#: SQLite's number of the mode in which free pages can be given back a few at a time.
INCREMENTAL = 2
#: The share of free pages from which on a file of another mode is written anew.
WORTH_REWRITING = 0.25
#: Seconds for PostgreSQL to take a connection, and for a database to show that it is well.
CONNECT_SECONDS = 10
CHECK_SECONDS = 2.0
#: Writes a page and changes nothing.
TOUCH = text("UPDATE alembic_version SET version_num = version_num")
#: Values in one statement: under every SQLite's limit of variables.
AT_ONCE = 500
#: What makes `read()` one moment's view in which nothing can be written. SQLite's is so by
#: `BEGIN` and `query_only`.
READ_OPTIONS: dict[DialectName, dict[str, Any]] = {
    "sqlite": {},
    "postgresql": {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True},
}


NUL_IN_JSON = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def storable(words: str) -> str:
    """Text as both databases take it: one knows no NUL, neither knows half a character."""
    return words.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def dump_json(value: object) -> str:
    written = json.dumps(value, ensure_ascii=False)
    return storable(NUL_IN_JSON.sub("\\1\ufffd", written) if "\\u0000" in written else written)


def batches(values: Sequence[T]) -> list[Sequence[T]]:
    """The values in groups that one statement takes."""
    return [values[start : start + AT_ONCE] for start in range(0, len(values), AT_ONCE)]


class Timestamp(TypeDecorator[datetime]):
    """A moment, stored as ISO 8601 text: the same, and in the same order, on both databases."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        return None if value is None else clock.iso(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        return None if value is None else clock.parse(value)


class Words(TypeDecorator[str]):
    """Text from anybody, in a form that both databases take."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None or (value.isascii() and "\0" not in value):
            return value
        return storable(value)


#: JSON as a value: `jsonb` on PostgreSQL, text on SQLite.
Json = JSON().with_variant(JSONB(), "postgresql")
#: Text that sorts by its bytes on PostgreSQL too, whatever its locale.
ByteOrdered = String().with_variant(String(collation="C"), "postgresql")


class Base(DeclarativeBase):
    """The tables of core and of every room."""

    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it as declared
        datetime: Timestamp,
        str: Words,
        dict[str, Any]: Json,
        list[Any]: Json,
        list[str]: Json,
        Mapping[str, Any]: Json,
    }


class Database:
    def __init__(self, url: str) -> None:
        try:
            self.url = make_url(url)
        except ArgumentError as error:
            raise ConfigurationError("DATABASE_URL is not a URL: use postgresql://…") from error
        backend = self.url.get_backend_name()
        if backend not in ("sqlite", "postgresql"):
            raise ConfigurationError(
                f"DATABASE_URL={self.url.render_as_string()!r}: use sqlite:///… or postgresql://…"
            )
        self.dialect: DialectName = "sqlite" if backend == "sqlite" else "postgresql"
        self._lock = ProcessLock(self._lock_path())
        #: Why a write failed, until `check` has seen one stored.
        self._writing_outage: Reason | None = None
        self._readers = self._engine(READERS, begin="BEGIN")
        self._writer = (
            self._engine(1, begin="BEGIN IMMEDIATE") if self.dialect == "sqlite" else self._readers
        )
        self._read_session = async_sessionmaker(
            self._readers.execution_options(**READ_OPTIONS[self.dialect]), expire_on_commit=False
        )
        self._write_session = async_sessionmaker(self._writer, expire_on_commit=False)

    @property
    def path(self) -> Path | None:
        """The SQLite file, if that is what it is."""
        return Path(self.url.database or "") if self.dialect == "sqlite" else None

    @property
    def dsn(self) -> str:
        """The address of PostgreSQL, for connections beside the pool."""
        return self.url.set(drivername="postgresql").render_as_string(hide_password=False)

    @property
    def crashes_alone(self) -> bool:
        """Whether it may forget what is not on disk while we live on and have told of it."""
        return self.dialect == "postgresql"

    async def start(self) -> None:
        """Open, check and migrate. A damaged file is reported and left as it is (EC-06)."""
        from bottega.core.db.migrations import upgrade

        if self.path is not None:
            await asyncio.to_thread(check_file, self.path)
            await asyncio.to_thread(make_file, self.path)
        try:
            await upgrade(self)
        except (DBAPIError, StorageUnavailable) as error:
            raise Unavailable(
                f"The database {self.url.render_as_string()} cannot be opened or migrated: "
                f"{words_of(error)}. Check DATABASE_URL and that its server runs; the database was "
                "left as it was."
            ) from error

    async def compact(self) -> None:
        """Give free pages back to the disk. PostgreSQL does that by itself, in its own way."""
        has_more = self.path is not None and self.path.exists()
        while has_more and self.path is not None:
            # A few at a time, so that writers have their turns in between.
            async with self._lock:
                has_more = await asyncio.to_thread(give_pages_back, self.path)

    async def stop(self) -> None:
        await self._readers.dispose()
        if self._writer is not self._readers:
            await self._writer.dispose()
        self._lock.close()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        """One moment's view of everything; writing in it is an error."""
        with self._explaining(is_writing=False):
            async with self._read_session() as session:
                yield session

    async def ask(
        self,
        query: Callable[Concatenate[AsyncSession, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """What one query of a repository answers, in a view of its own."""
        async with self.read() as session:
            return await query(session, *args, **kwargs)

    @asynccontextmanager
    async def write(self, *, durable: bool = True) -> AsyncIterator[AsyncSession]:
        """A transaction, committed on leaving.

        `durable=False` skips the disk flush: for logs written behind a call, which a power cut
        may cost a moment of, never for what a caller was told is saved.
        """
        async with self._writing(durable) as session:
            yield session

    @asynccontextmanager
    async def migrate(self) -> AsyncIterator[AsyncSession]:
        """A transaction that may make tables anew, without regard to what refers to them.

        SQLite changes a constraint so, and dropping the old table would delete those rows.
        """
        async with self._writing(durable=True, rebuilds=True) as session:
            yield session

    @asynccontextmanager
    async def _writing(self, durable: bool, rebuilds: bool = False) -> AsyncIterator[AsyncSession]:
        writing = self._write_postgres if self.dialect == "postgresql" else self._write_sqlite
        with self._explaining(is_writing=True):
            async with writing(durable, rebuilds) as session:
                yield session

    async def check(self) -> Reason | None:
        """Why it cannot be used now, if so: asks, and after a failed write tries one."""
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                async with self.read() as session:
                    await session.execute(text("SELECT 1"))
                if self._writing_outage is not None:
                    async with self.write(durable=False) as session:
                        await session.execute(TOUCH)
                    self._writing_outage = None
        except StorageUnavailable as error:
            return Reason(error.details["reason"])
        except TimeoutError:
            return self._writing_outage or Reason.AWAY
        return None

    @contextmanager
    def _explaining(self, *, is_writing: bool) -> Iterator[None]:
        """Turns what the driver says into our error, and remembers it until it is over."""
        try:
            yield
        except (DBAPIError, PoolTimeout, OSError) as error:
            reason = reason_of(error)
            # What writes in `read()` is wrong, not the database.
            if reason is None or (reason is Reason.READ_ONLY and not is_writing):
                raise
            if is_writing:
                self._writing_outage = reason
            raise explain(reason, part="database", is_writing=is_writing) from error

    @asynccontextmanager
    async def _write_postgres(self, durable: bool, _rebuilds: bool) -> AsyncIterator[AsyncSession]:
        async with self._write_session.begin() as session:
            if not durable:
                await session.execute(text("SET LOCAL synchronous_commit = off"))
            yield session

    @asynccontextmanager
    async def _write_sqlite(self, durable: bool, rebuilds: bool) -> AsyncIterator[AsyncSession]:
        # The session ends outside the lock: what it does then is not worth others' waiting.
        async with self._write_session() as session, self._lock:
            try:
                options = {"durable": durable, "rebuilds": rebuilds}
                await session.connection(execution_options=options)
                yield session
                await session.commit()
            except BaseException:
                await asyncio.shield(session.rollback())
                raise

    def insert(self, table: Any) -> Any:
        """An `INSERT` that takes `ON CONFLICT`, for which each dialect has its own construct."""
        return sqlite.insert(table) if self.dialect == "sqlite" else postgresql.insert(table)

    def _lock_path(self) -> Path | None:
        if self.dialect != "sqlite" or self.url.database in (None, "", ":memory:"):
            return None
        return Path(str(self.url.database) + ".lock")

    def _engine(self, pool_size: int, begin: str) -> AsyncEngine:
        if self.dialect == "postgresql":
            engine = create_async_engine(
                self.url.set(drivername="postgresql+psycopg"),
                json_serializer=dump_json,
                pool_size=pool_size,
                pool_pre_ping=True,
                connect_args={"connect_timeout": CONNECT_SECONDS},
            )
            event.listen(engine.sync_engine, "checkin", _leave_writing_to_the_server)
            return engine
        engine = create_async_engine(
            self.url.set(drivername="sqlite+aiosqlite"),
            async_creator=partial(sqlite_driver.connect, self.url.database or ":memory:"),
            json_serializer=dump_json,
            pool_size=pool_size,
            max_overflow=0,
        )
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        if begin == "BEGIN":
            event.listen(engine.sync_engine, "connect", _forbid_writing)

        def _begin(connection: Connection) -> None:
            options = connection.get_execution_options()
            level = SYNCHRONOUS[options.get("durable", True)]
            if begin == "BEGIN IMMEDIATE" and connection.info.get("synchronous") != level:
                connection.exec_driver_sql(f"PRAGMA synchronous={level}")
                connection.info["synchronous"] = level
            # Both are ignored inside a transaction.
            foreign_keys = "OFF" if options.get("rebuilds") else "ON"
            if connection.info.get("foreign_keys", "ON") != foreign_keys:
                connection.exec_driver_sql(f"PRAGMA foreign_keys={foreign_keys}")
                connection.info["foreign_keys"] = foreign_keys
            connection.exec_driver_sql(begin)

        event.listen(engine.sync_engine, "begin", _begin)
        return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # The driver's own implicit transactions are off: `begin` says which kind, DDL included.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout={BUSY_TIMEOUT_MS}",
        "journal_mode=WAL",
        "foreign_keys=ON",
        "temp_store=MEMORY",
        "cache_size=-16000",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _leave_writing_to_the_server(connection: Any, _record: object) -> None:
    """SQLAlchemy takes `postgresql_readonly` back by asking for READ WRITE from then on, which a
    server that was made read-only grants."""
    if connection is not None and not connection.closed:
        connection.set_read_only(None)


def _forbid_writing(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA query_only=ON")
    cursor.close()


def make_file(path: Path) -> None:
    """A new SQLite file that its owner alone can read, and that can give free pages back; one that
    is there is only closed to others, with what SQLite has put beside it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(OSError):  # what cannot be opened is told by whoever needs it
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    for beside in ("", "-wal", "-shm"):
        with suppress(OSError):
            Path(f"{path}{beside}").chmod(0o600)
    if path.exists() and path.stat().st_size == 0:
        connection = sqlite3.connect(path)
        connection.execute(f"PRAGMA auto_vacuum={INCREMENTAL}")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.close()


def give_pages_back(path: Path, most: int = AT_ONCE) -> bool:
    """Give some of the free pages of an SQLite file back to the disk; whether there are more.

    A file of an earlier version cannot: it is written anew where much is free, and can from then
    on.
    """
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_MS / 1_000, isolation_level=None)
    try:
        pages, free, mode = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "auto_vacuum")
        )
        if mode == INCREMENTAL and free:
            # `execute` would take one step, and give back one page.
            connection.executescript(f"PRAGMA incremental_vacuum({most})")
            if free > most:
                return True
        elif free > pages * WORTH_REWRITING:
            connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
            connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return False
    finally:
        connection.close()


def check_file(path: Path) -> None:
    """Raise a clear error if a SQLite file is damaged; open it read-only, so it is not touched."""
    if not path.exists() or path.stat().st_size == 0:
        return
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if path.stat().st_size <= QUICK_CHECK_BYTES:
                verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                if verdict != "ok":
                    raise sqlite3.DatabaseError(verdict)
        finally:
            connection.close()
    except sqlite3.OperationalError as error:
        raise ConfigurationError(
            f"The database {str(path)!r} cannot be read: {error}. Check that it is a file and that "
            "you may read and write it and its folder."
        ) from error
    except sqlite3.DatabaseError as error:
        raise ConfigurationError(
            f"The database {str(path)!r} is damaged: {error}. It was left as it is. Restore a "
            "backup, or move the file away to start empty; `sqlite3 FILE .recover` may save data."
        ) from error
