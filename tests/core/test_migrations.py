"""The schema's history: kept, complete, all or nothing."""

import asyncio
import importlib
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Numeric,
    Table,
    inspect,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import TSVECTOR

import bottega
from bottega.core.db import migrations
from bottega.core.db.database import Base, Database
from bottega.core.db.migrations import current, head
from bottega.core.sessions.conversations import Conversations
from bottega.core.sessions.session import Session
from bottega.errors import ConfigurationError, Unavailable
from tests.conftest import Postgres
from tests.databases import add_revision

#: What a later version might do to a table that has rows.
NEXT = (
    "ALTER TABLE messages ADD COLUMN pinned INTEGER",
    "CREATE TABLE pins (id INTEGER PRIMARY KEY)",
)
BAD = (
    "CREATE TABLE half_way (id INTEGER)",
    "INSERT INTO half_way VALUES (1)",
    "INSERT INTO no_such_table VALUES (1)",
)

START = """
import asyncio, sys
from bottega.core.db.database import Database

async def main():
    database = Database(sys.argv[1])
    print("ready", flush=True)
    sys.stdin.readline()
    await database.start()
    await database.stop()

asyncio.run(main())
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Empty ones: here the migrations do their work."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'bottega.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.empty_database()


async def state(database: Database) -> tuple[str | None, set[str]]:
    """The revision and the tables."""

    def look(connection: Connection) -> tuple[str | None, set[str]]:
        return current(connection), set(inspect(connection).get_table_names())

    async with database.read() as session:
        return await (await session.connection()).run_sync(look)


def import_all_tables() -> None:
    root = Path(bottega.__file__).parent
    for path in root.rglob("*.py"):
        if "__tablename__" in path.read_text():
            importlib.import_module(
                ".".join(("bottega", *path.relative_to(root).with_suffix("").parts))
            )


@pytest.mark.requirement("SC-008", "FR-013")
async def test_the_tables_in_code_are_the_tables_in_the_database(database: Database) -> None:
    """Every typed table is, column by column, what the migrations make."""
    import_all_tables()

    def differences(connection: Connection) -> list[Any]:
        context = MigrationContext.configure(
            connection,
            opts={"include_object": is_declarable(connection), "compare_type": is_other_type},
        )
        return list(compare_metadata(context, Base.metadata))

    async with database.read() as session:
        assert await (await session.connection()).run_sync(differences) == []


def is_declarable(connection: Connection) -> Any:
    """Leaves out what only one database has: full-text tables, their columns and indexes."""
    if connection.dialect.name == "sqlite":
        virtual = connection.scalars(
            text("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%'")
        ).all()
    else:
        virtual = connection.scalars(
            text("SELECT indexname FROM pg_indexes WHERE indexdef LIKE '%USING gin%'")
        ).all()

    def include(item: Any, name: str, kind: str, reflected: bool, match: object) -> bool:
        if not reflected or match is not None:
            return True
        if kind == "column":
            return not any(isinstance(column.type, TSVECTOR) for column in item.table.columns)
        return not any(name == other or name.startswith(f"{other}_") for other in virtual)

    return include


def is_other_type(
    _: object, __: object, ___: object, found: object, declared: object
) -> bool | None:
    """SQLite knows one kind of number with a point, whatever it is called."""
    return False if isinstance(found, Float) and isinstance(declared, Float) else None


@pytest.mark.requirement("FR-011")
async def test_an_older_database_is_brought_up_to_date_with_its_data(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was said under this schema is there, and found, under the next."""
    database = Database(database_url)
    await database.start()
    conversations, session = Conversations(database), Session(kind="agent", project_dir="/p")
    async with database.write() as writing:
        writing.add(session)
    first = await conversations.append(session.id, "user", {"n": 1}, "old words", user_id=None)
    second = await conversations.append(session.id, "user", {}, "more words", user_id=None)
    monkeypatch.setattr(migrations, "HERE", add_revision(tmp_path, "9999_next", *NEXT))
    await database.start()
    revision, tables = await state(database)
    assert revision == head() == "9999_next"
    assert "pins" in tables
    said = await conversations.list(session.id, user_id="local")
    assert [(each.id, each.content) for each in said] == [(first.id, {"n": 1}), (second.id, {})]
    found = await conversations.search("old", user_id=None)
    assert [each.message.id for each in found] == [first.id]
    await conversations.append(session.id, "user", {}, "new words", user_id=None)
    assert len(await conversations.search("words", user_id=None)) == 3
    await database.stop()


@pytest.mark.requirement("FR-011")
async def test_every_row_of_an_older_schema_is_there_under_the_newest(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two rows in every table, filled by what its columns are."""
    import_all_tables()
    database = Database(database_url)
    await database.start()
    async with database.write() as session:
        before = await (await session.connection()).run_sync(fill_every_table)
    assert len(before) > 3
    monkeypatch.setattr(migrations, "HERE", add_revision(tmp_path, "9999_next", *NEXT))
    await database.start()
    async with database.read() as session:
        for table, rows in before.items():
            after = (await session.execute(select(table))).all()
            assert sorted(map(repr, after)) == sorted(map(repr, rows)), table.name
    await database.stop()


async def test_a_table_that_is_made_anew_keeps_what_refers_to_it(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names of libraries became each user's own: their documents stay, and go with them."""
    import_all_tables()
    now, then = migrations.HERE, tmp_path / "then"
    shutil.copytree(now, then, ignore=shutil.ignore_patterns("0006_*", "__pycache__"))
    monkeypatch.setattr(migrations, "HERE", then)
    database = Database(database_url)
    await database.start()
    async with database.write() as session:
        before = await (await session.connection()).run_sync(fill_every_table)
    monkeypatch.setattr(migrations, "HERE", now)
    await database.start()
    counted = "SELECT count(*) FROM library_documents"
    async with database.write() as session:
        for table, rows in before.items():
            after = (await session.execute(select(table))).all()
            assert sorted(map(repr, after)) == sorted(map(repr, rows)), table.name
        assert await session.scalar(text(counted)) == 2
        await session.execute(text("DELETE FROM libraries"))
        assert await session.scalar(text(counted)) == 0
    await database.stop()


def fill_every_table(connection: Connection) -> dict[Table, Sequence[Any]]:
    """Returns what is in each, as the tables were then."""
    found = MetaData()
    # The text indexes have tables of their own on SQLite.
    names = set(inspect(connection).get_table_names()) & Base.metadata.tables.keys()
    found.reflect(connection, only=sorted(names))
    for table in found.sorted_tables:
        if table.name != "users":
            for number in (1, 2):
                row = {column.name: some_value(column, number) for column in table.columns}
                connection.execute(table.insert(), row)
    return {table: connection.execute(select(table)).all() for table in found.sorted_tables}


def some_value(column: Column[Any], number: int) -> Any:
    for key in column.foreign_keys:
        return "local" if key.column.table.name == "users" else some_value(key.column, number)
    if isinstance(column.type, Boolean):
        return True
    if isinstance(column.type, JSON):
        return {"n": number}
    if isinstance(column.type, Integer | Float | Numeric):
        return number
    if isinstance(column.type, LargeBinary):
        return bytes([number])
    if column.name.endswith("_at"):
        return f"2026-01-01T00:00:0{number}.000000Z"
    return f"{column.table.name}.{column.name} {number}"


@pytest.mark.requirement("FR-011")
async def test_a_migration_that_fails_leaves_the_database_as_it_was(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All or nothing, on a fresh database and on one with data."""
    copy = add_revision(tmp_path, "9999_bad", *BAD)
    database = Database(database_url)
    for before in ("nothing", "everything"):
        if before == "everything":
            await database.start()
        found = await state(database)
        with monkeypatch.context() as patch:
            patch.setattr(migrations, "HERE", copy)
            with pytest.raises(Unavailable, match="no_such_table"):
                await database.start()
        assert await state(database) == found
    assert found[0] == head()
    await database.stop()


@pytest.mark.requirement("EC-06")
async def test_a_database_of_a_newer_version_is_left_alone(database_url: str) -> None:
    """A schema that this version does not know is a clear error, not an attempt."""
    database = Database(database_url)
    await database.start()
    async with database.write() as session:
        await session.execute(text("UPDATE alembic_version SET version_num = '9000_later'"))
    before = await state(database)
    with pytest.raises(ConfigurationError, match="9000_later"):
        await database.start()
    assert await state(database) == before
    await database.stop()


@pytest.mark.requirement("FR-011", "EC-07")
async def test_processes_that_start_together_migrate_once(database_url: str) -> None:
    """The first migrates, the others wait and find it done."""
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            START,
            database_url,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
    outcomes = await asyncio.gather(*(process.communicate(b"go\n") for process in processes))
    assert [process.returncode for process in processes] == [0, 0, 0], outcomes
    database = Database(database_url)
    assert (await state(database))[0] == head()
    await database.stop()
