"""Databases that are migrated already, statements that are compiled already, and no waiting for the
disk: that took most of a test's time."""

import asyncio
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy.dialects.postgresql.psycopg import PGDialectAsync_psycopg
from sqlalchemy.dialects.sqlite.aiosqlite import SQLiteDialect_aiosqlite
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.util import LRUCache

from bottega.core.db import migrations
from bottega.core.db.database import SYNCHRONOUS, Database

#: What commits wait for outside of tests.
SYNCHRONOUS_AS_SHIPPED = dict(SYNCHRONOUS)
#: Room for every statement of the suite, so that none is thrown out.
STATEMENTS = 10_000


def share_compiled_statements() -> None:
    """A process has one database and compiles a statement once; a worker has thousands of them.

    All of one kind are made with the same options, so that their dialects are as good as the same.
    """
    for dialect in (SQLiteDialect_aiosqlite, PGDialectAsync_psycopg):
        for name, method in {"__eq__": _is_alike, "__hash__": _hash_of_kind}.items():
            setattr(dialect, name, method)
    compiled: LRUCache[Any, Any] = LRUCache(STATEMENTS)
    make_engine = Database._engine

    def engine(database: Database, pool_size: int, begin: str) -> AsyncEngine:
        made = make_engine(database, pool_size, begin)
        made.sync_engine._compiled_cache = compiled
        return made

    Database._engine = engine  # type: ignore[method-assign, assignment]


def wait_for_no_disk() -> None:
    """Nothing here has to survive the machine."""
    SYNCHRONOUS.update(dict.fromkeys(SYNCHRONOUS, "OFF"))


def _is_alike(one: object, other: object) -> bool:
    return type(one) is type(other)


def _hash_of_kind(one: object) -> int:
    return hash(type(one))


def add_revision(folder: Path, name: str, *statements: str) -> Path:
    """The migrations as a later version would have them: with one more revision."""
    later = folder / "migrations"
    shutil.copytree(migrations.HERE, later)
    calls = "".join(f"    op.execute({statement!r})\n" for statement in statements)
    (later / "versions" / f"{name}.py").write_text(
        "from alembic import op\n\n"
        f"revision = {name!r}\ndown_revision = {migrations.head()!r}\n\n\n"
        f"def upgrade():\n{calls}"
    )
    return later


def migrate(url: str) -> None:
    """In a thread, whether or not an event loop runs in this one."""

    async def work() -> None:
        database = Database(url)
        await database.start()
        await database.stop()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work()).result()


def migrate_runs(url: str) -> None:
    """The same for the steps of runs, which DBOS keeps."""
    from dbos import DBOS

    DBOS.migrate(url)


def put_database(path: Path) -> str:
    """A fresh SQLite database with all its tables, unless there is one; its address."""
    return _put(path, migrate)


def put_run_database(path: Path) -> str:
    return _put(path, migrate_runs)


def _put(path: Path, make_tables: Callable[[str], None]) -> str:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_with_tables(make_tables))
    return f"sqlite:///{path}"


@cache
def _with_tables(make_tables: Callable[[str], None]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "template.db")
        make_tables(f"sqlite:///{path}")
        return path.read_bytes()
