"""One database, two engines, the same behaviour."""

import asyncio
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError

from bottega.core.db.database import Database
from bottega.core.db.sqlite import FIRST_ROWS
from bottega.core.events import EventBus
from bottega.core.sessions.session import SessionKind, Sessions
from bottega.core.users import User
from bottega.errors import ConfigurationError, Unavailable
from bottega.settings import load_settings
from tests.databases import SYNCHRONOUS_AS_SHIPPED

CORE_TABLES = {"users", "tokens", "sessions", "messages", "action_log", "api_call_log", "events"}


async def add_user(database: Database, name: str) -> None:
    async with database.write() as session:
        session.add(User(id=name, name=name))


async def names(database: Database) -> set[str]:
    async with database.read() as session:
        return set(await session.scalars(text("SELECT name FROM users")))


@pytest.mark.requirement("FR-010", "FR-011", "SC-006")
async def test_the_database_is_a_file_in_the_data_directory_with_every_table(
    tmp_path: Path,
) -> None:
    """A first start makes `{DATA_DIR}/bottega.db` and all its tables."""
    settings = load_settings(data_dir=tmp_path / "new" / "data")
    database = Database(settings.database)
    await database.start()
    assert database.path == tmp_path / "new" / "data" / "bottega.db"
    assert database.path.is_file()
    async with database.read() as session:
        tables = set(await session.scalars(text("SELECT name FROM sqlite_master")))
    assert tables >= CORE_TABLES
    await database.stop()


@pytest.mark.requirement("FR-011")
async def test_a_second_start_keeps_the_data(database_url: str) -> None:
    """The schema is made once; starting again on it loses nothing."""
    for name in ("ada", "bob"):
        database = Database(database_url)
        await database.start()
        await add_user(database, name)
        await database.stop()
    database = Database(database_url)
    await database.start()
    assert await names(database) == {"local", "ada", "bob"}
    await database.stop()


@pytest.mark.requirement("FR-012", "SC-009")
async def test_sqlite_keeps_a_write_ahead_log_and_checks_references(tmp_path: Path) -> None:
    """WAL, foreign keys and a busy timeout, on every connection."""
    database = Database(f"sqlite:///{tmp_path / 'bottega.db'}")
    await database.start()
    for opened in (database.read(), database.write()):
        async with opened as session:
            pragmas = [
                await session.scalar(text(f"PRAGMA {name}"))
                for name in ("journal_mode", "foreign_keys", "busy_timeout")
            ]
            assert pragmas == ["wal", 1, 10_000]
    await database.stop()


@pytest.mark.parametrize(("durable", "level"), [(True, 2), (False, 1)])
async def test_a_durable_write_is_flushed_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool, level: int
) -> None:
    monkeypatch.setattr("bottega.core.db.database.SYNCHRONOUS", SYNCHRONOUS_AS_SHIPPED)
    database = Database(f"sqlite:///{tmp_path / 'bottega.db'}")
    await database.start()
    for turn in (durable, not durable, durable):
        async with database.write(durable=turn) as session:
            synchronous = await session.scalar(text("PRAGMA synchronous"))
    assert synchronous == level
    await database.stop()


@pytest.mark.requirement("EC-08")
async def test_a_reference_to_nothing_is_refused(database: Database) -> None:
    """The database itself rejects a child without its parent."""
    with pytest.raises(IntegrityError):
        async with database.write() as session:
            await session.execute(
                text(
                    "INSERT INTO tokens (id, user_id, name, token_hash, created_at) "
                    "VALUES ('t', 'nobody', 'n', 'h', '2026')"
                )
            )


@pytest.mark.requirement("EC-07")
async def test_a_reader_sees_one_moment_while_others_write(database: Database) -> None:
    """Reading and writing at once; the reader sees neither half nor newer states."""
    async with database.read() as session:
        before = set(await session.scalars(text("SELECT name FROM users")))
        async with database.write() as writing:
            writing.add(User(id="ada", name="ada"))
            await writing.flush()
            assert await names(database) == before
        assert await names(database) == {"local", "ada"}
        assert set(await session.scalars(text("SELECT name FROM users"))) == before


@pytest.mark.requirement("EC-07")
async def test_writers_at_once_take_turns_and_lose_nothing(database: Database) -> None:
    """Many writers in one process, on the same row."""
    await add_user(database, "0")

    async def count_up() -> None:
        async with database.write(durable=False) as session:
            query = "SELECT name FROM users WHERE id = '0'"
            lock = "" if database.dialect == "sqlite" else " FOR UPDATE"
            number = int(str(await session.scalar(text(query + lock))))
            await session.execute(
                text("UPDATE users SET name = :name WHERE id = '0'"), {"name": str(number + 1)}
            )

    await asyncio.gather(*(count_up() for _ in range(30)))
    assert "30" in await names(database)


async def test_writing_where_one_reads_is_an_error(database: Database) -> None:
    with pytest.raises(DBAPIError):
        async with database.read() as session:
            await session.execute(text("DELETE FROM users"))
    assert await names(database) == {"local"}
    await add_user(database, "ada")


async def test_a_write_that_fails_leaves_nothing(database: Database) -> None:
    async def fail_half_way() -> None:
        async with database.write() as session:
            session.add(User(id="ada", name="ada"))
            await session.flush()
            raise ValueError("half way")

    with pytest.raises(ValueError, match="half way"):
        await fail_half_way()
    with pytest.raises(IntegrityError):
        async with database.write() as session:
            session.add_all([User(id="bob", name="bob"), User(id="eve", name="bob")])
    assert await names(database) == {"local"}
    await add_user(database, "ada")


async def test_a_write_that_is_cancelled_leaves_nothing_and_frees_the_way(
    database: Database,
) -> None:
    inside = asyncio.Event()

    async def write_forever() -> None:
        async with database.write() as session:
            session.add(User(id="ada", name="ada"))
            await session.flush()
            inside.set()
            await asyncio.Event().wait()

    holding = asyncio.create_task(write_forever())
    await inside.wait()
    waiting = asyncio.create_task(add_user(database, "bob"))
    await asyncio.sleep(0)
    if database.dialect == "sqlite":
        waiting.cancel()
    holding.cancel()
    await asyncio.wait({holding, waiting})
    async with asyncio.timeout(10):
        await add_user(database, "eve")
    assert await names(database) - {"bob"} == {"local", "eve"}


async def test_a_write_may_be_cancelled_at_any_step(database: Database) -> None:
    """Wherever the cancellation strikes, the row is there or not, and the next write works."""
    for steps in range(30):
        task = asyncio.create_task(add_user(database, f"u{steps}"))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            assert f"u{steps}" in await names(database)
    async with asyncio.timeout(10):
        await add_user(database, "last")
    assert "last" in await names(database)


async def test_long_results_arrive_whole_and_can_be_streamed(database: Database) -> None:
    count = FIRST_ROWS * 2 + 7
    async with database.write() as session:
        session.add_all(User(id=f"{n:05}", name=f"{n:05}") for n in range(count))
    expected = [f"{n:05}" for n in range(count)]
    query = text("SELECT id FROM users WHERE id <> 'local' ORDER BY id")
    async with database.read() as session:
        assert list(await session.scalars(query)) == expected
        assert [row[0] async for row in await session.stream(query)] == expected
        stream = await session.stream(query)
        assert await stream.fetchone() == ("00000",)
        await stream.close()
        assert await session.scalar(query) == "00000"


def overwrite(path: Path, start: int, size: int) -> None:
    noise = random.Random(1).randbytes(size)
    with path.open("r+b") as file:
        file.seek(start)
        file.write(noise)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "garbage": lambda path: path.write_bytes(os.urandom(20_000)),
    "text": lambda path: path.write_text("not a database at all\n" * 100),
    "header": lambda path: overwrite(path, 0, 100),
    "first page": lambda path: overwrite(path, 100, 3_000),
    "a page": lambda path: overwrite(path, 4_096 * 3, 4_096),
    "cut to a page": lambda path: os.truncate(path, 4_096 * 5),
    "cut in a page": lambda path: os.truncate(path, 4_096 * 8 + 100),
}


@pytest.mark.requirement("EC-06")
@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_file_is_reported_and_left_as_it_is(tmp_path: Path, damage: str) -> None:
    """A clear error that names the file; not a byte of it is changed."""
    path = tmp_path / "bottega.db"
    database = Database(f"sqlite:///{path}")
    await database.start()
    await database.stop()
    DAMAGES[damage](path)
    before = path.read_bytes()
    with pytest.raises(ConfigurationError, match="is damaged") as raised:
        await Database(f"sqlite:///{path}").start()
    assert str(path) in raised.value.message
    assert path.read_bytes() == before


async def test_a_file_that_cannot_be_opened_is_not_called_damaged(tmp_path: Path) -> None:
    (tmp_path / "bottega.db").mkdir()
    (tmp_path / "bottega.db" / "x").touch()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        await Database(f"sqlite:///{tmp_path / 'bottega.db'}").start()


async def test_a_server_that_does_not_answer_is_named_without_its_password() -> None:
    database = Database("postgresql://me:hush@127.0.0.1:1/nothing")
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1") as raised:
        await database.start()
    assert "hush" not in raised.value.message
    await database.stop()


@pytest.mark.parametrize("url", ["mysql://x/y", "postgres+nothing://x/y", "nonsense", ""])
def test_another_kind_of_database_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="DATABASE_URL"):
        Database(url)


async def test_text_that_a_database_cannot_take_is_kept_as_near_as_it_can(
    database: Database,
) -> None:
    """A NUL or half a character in what somebody typed is no reason to lose the rest."""
    sessions = Sessions(database, EventBus(database))
    typed = "before\0after \ud800 \N{BREAD}"
    row = await sessions.create(SessionKind.AGENT, "/project", title=typed)
    kept = await sessions.get(row.id, user_id=None)
    assert kept.title == "before\N{REPLACEMENT CHARACTER}after ? \N{BREAD}"
