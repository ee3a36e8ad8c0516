"""One database, SQLite or PostgreSQL, behind two verbs: `read()` and `write()`.

Services open one or the other and pass the session to their repositories, which hold the queries
and never commit; leaving the block commits, an exception rolls back.

SQLite has one writer per process, and between processes a fair lock (`core/fairlock.py`): its own
busy handler sleeps and guesses, which starves some of many writers for seconds.
"""

import asyncio
import json
import re
import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

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
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import (
    AsyncEngine,
    AsyncSession,
    async_sessionmaker,
    create_async_engine,
)
from sqlalchemy.orm import DeclarativeBase

from bottega.core import clock, sqlite_driver
from bottega.core.fairlock import FairLock
from bottega.errors import ConfigurationError, Unavailable

DialectName = Literal["sqlite", "postgresql"]

#: Checked page by page at start-up up to this size; a bigger file gets only its header checked.
QUICK_CHECK_BYTES = 64 * 1024 * 1024
BUSY_TIMEOUT_MS = 10_000
#: How far a commit of SQLite goes before it returns, durable or not: to the disk, or to the system.
SYNCHRONOUS = {True: "FULL", False: "NORMAL"}
READERS = 8
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
        self._lock = FairLock(self._lock_path())
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

    async def start(self) -> None:
        """Open, check and migrate. A damaged file is reported and left as it is (EC-06)."""
        from bottega.core.migrations import upgrade

        if self.path is not None:
            await asyncio.to_thread(check_file, self.path)
            self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            await upgrade(self)
        except DBAPIError as error:
            raise Unavailable(
                f"The database {self.url.render_as_string()} cannot be opened or migrated: "
                f"{error.orig}. Check DATABASE_URL and that its server runs; the database was left "
                "as it was."
            ) from error

    async def stop(self) -> None:
        await self._readers.dispose()
        if self._writer is not self._readers:
            await self._writer.dispose()
        self._lock.close()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        """One moment's view of everything; writing in it is an error."""
        async with self._read_session() as session:
            yield session

    @asynccontextmanager
    async def write(self, *, durable: bool = True) -> AsyncIterator[AsyncSession]:
        """A transaction, committed on leaving.

        `durable=False` skips the disk flush: for logs written behind a call, which a power cut
        may cost a moment of, never for what someone was told is saved.
        """
        if self.dialect == "postgresql":
            async with self._write_session.begin() as session:
                if not durable:
                    await session.execute(text("SET LOCAL synchronous_commit = off"))
                yield session
            return
        # The session ends outside the lock: what it does then is not worth others' waiting.
        async with self._write_session() as session, self._lock:
            try:
                await session.connection(execution_options={"durable": durable})
                yield session
                await session.commit()
            except BaseException:
                await asyncio.shield(session.rollback())
                raise

    def _lock_path(self) -> Path | None:
        if self.dialect != "sqlite" or self.url.database in (None, "", ":memory:"):
            return None
        return Path(str(self.url.database) + ".lock")

    def _engine(self, pool_size: int, begin: str) -> AsyncEngine:
        if self.dialect == "postgresql":
            return create_async_engine(
                self.url.set(drivername="postgresql+psycopg"),
                json_serializer=dump_json,
                pool_size=pool_size,
                pool_pre_ping=True,
            )
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
            level = SYNCHRONOUS[connection.get_execution_options().get("durable", True)]
            if begin == "BEGIN IMMEDIATE" and connection.info.get("synchronous") != level:
                connection.exec_driver_sql(f"PRAGMA synchronous={level}")
                connection.info["synchronous"] = level
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


def _forbid_writing(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA query_only=ON")
    cursor.close()


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
