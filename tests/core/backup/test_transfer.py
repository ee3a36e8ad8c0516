"""Rows out and in, between any two databases."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Column, Float, Integer, LargeBinary, Table, func, select

from bottega.app import load_rooms
from bottega.core.db.database import Database, Timestamp
from bottega.core.runs.run import RunRow
from bottega.core.sessions.session import Session
from bottega.core.transfer import export_lines, import_lines
from bottega.core.transfer.exporter import tables
from bottega.core.users import User
from bottega.errors import Conflict, InvalidInput
from tests.conftest import Postgres
from tests.databases import put_database

load_rooms()

ROWS = 3


@pytest.fixture(params=["sqlite", "postgresql"])
def other_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return put_database(tmp_path / "other" / "bottega.db")
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()


def value(column: Column[Any], number: int) -> Any:
    """Something that fits, the same for its parent's key and for what refers to it."""
    for key in column.foreign_keys:
        return "local" if key.column.table.name == "users" else value(key.column, number)
    if column.name == "user_id":
        return "local"
    if isinstance(column.type, Timestamp):
        return datetime(2026, 1, 1, number, tzinfo=UTC)
    if isinstance(column.type, LargeBinary):
        return bytes([0, 255, number])
    if isinstance(column.type, JSON):
        return {"words": "grün\u2028 ✓", "n": number, "nothing": None}
    if isinstance(column.type, Boolean):
        return True
    if isinstance(column.type, Integer):
        return number
    if isinstance(column.type, Float):
        return 0.1 + number
    return f"{column.table.name}.{column.name} {number}"


def rows_of(table: Table) -> Iterator[dict[str, Any]]:
    for number in range(ROWS):
        yield {
            column.name: value(column, number)
            for column in table.columns
            if column.autoincrement is not True
        }


async def fill(database: Database) -> None:
    async with database.write() as session:
        for table in tables(with_keys=False):
            if table.name != "users":
                await session.execute(table.insert(), list(rows_of(table)))


async def export(database: Database, file: Path, user_id: str = "local") -> list[str]:
    lines = [line async for _, line in export_lines(database, user_id=user_id)]
    file.write_text("".join(lines), encoding="utf-8")
    return lines


async def open_other(url: str) -> Database:
    other = Database(url)
    await other.start()
    return other


def ignore(line: int) -> None:
    pass


async def test_every_table_goes_to_any_other_database_and_back_unchanged(
    database: Database, other_url: str, tmp_path: Path
) -> None:
    await fill(database)
    lines = await export(database, tmp_path / "e.jsonl")
    kinds = {json.loads(line)["kind"] for line in lines[1:-1]}
    assert kinds == {table.name for table in tables(with_keys=False)}

    other = await open_other(other_url)
    first = await import_lines(other, tmp_path / "e.jsonl", progress=ignore)
    # The user `local` is in every house.
    assert (first.imported, first.known, first.refusals) == (len(lines) - 3, 1, [])
    again = await export(other, tmp_path / "again.jsonl")
    assert [json.loads(line) for line in again[1:]] == [json.loads(line) for line in lines[1:]]

    second = await import_lines(other, tmp_path / "e.jsonl", progress=ignore)
    assert (second.imported, second.known, second.refused) == (0, len(lines) - 2, 0)
    assert len(await export(other, tmp_path / "third.jsonl")) == len(lines)
    await other.stop()


async def test_a_file_that_was_cut_off_says_where_and_can_be_imported_again(
    database: Database, tmp_path: Path
) -> None:
    await fill(database)
    lines = await export(database, tmp_path / "e.jsonl")
    half = len(lines) // 2
    cut = tmp_path / "cut.jsonl"
    cut.write_text("".join(lines[:half]) + lines[half][:20], encoding="utf-8")
    other = await open_other(put_database(tmp_path / "new" / "bottega.db"))
    with pytest.raises(InvalidInput, match=rf"line {half + 1}: .*imported and stay.*again"):
        await import_lines(other, cut, progress=ignore)
    async with other.read() as session:
        assert await session.scalar(select(func.count()).select_from(Session)) == ROWS

    cut.write_text("".join(lines[:half]), encoding="utf-8")
    with pytest.raises(InvalidInput, match=rf"line {half}: .*without its last line"):
        await import_lines(other, cut, progress=ignore)

    whole = await import_lines(other, tmp_path / "e.jsonl", progress=ignore)
    assert whole.known == half - 1 + (0 if "users" in "".join(lines[:half]) else 1)
    assert len(await export(other, tmp_path / "all.jsonl")) == len(lines)
    await other.stop()


async def test_rows_that_are_alike_come_as_often_as_they_were(
    database: Database, tmp_path: Path
) -> None:
    """Hooks have no key but a number: two that are equal are two."""
    await fill(database)
    hooks = next(table for table in tables(with_keys=False) if table.name == "hooks")
    async with database.write() as session:
        await session.execute(hooks.insert(), list(rows_of(hooks)) * 2)
    await export(database, tmp_path / "e.jsonl")
    other = await open_other(put_database(tmp_path / "new" / "bottega.db"))
    for _ in range(2):
        await import_lines(other, tmp_path / "e.jsonl", progress=ignore)
        async with other.read() as session:
            assert await session.scalar(select(func.count()).select_from(hooks)) == 3 * ROWS
    await other.stop()


async def test_only_what_is_the_users_or_nobodys_goes_out(
    database: Database, tmp_path: Path
) -> None:
    async with database.write() as session:
        session.add(User(id="user_anna", name="anna"))
        await session.flush()
        session.add(Session(id="hers", kind="agent", user_id="user_anna", project_dir="/p"))
        session.add(Session(id="mine", kind="agent", user_id="local", project_dir="/p"))
        session.add(_run("over", ended=True))
        session.add(_run("unfinished", ended=False))
    lines = await export(database, tmp_path / "e.jsonl", "user_anna")
    records = [json.loads(line) for line in lines[1:-1]]
    assert [(each["kind"], each["row"]["id"]) for each in records] == [
        ("users", "user_anna"),
        ("sessions", "hers"),
    ]
    mine = await export(database, tmp_path / "m.jsonl", "local")
    assert [json.loads(line)["row"]["id"] for line in mine[1:-1]] == ["local", "mine", "over"]


def _run(id: str, *, ended: bool) -> RunRow:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    [table] = [table for table in tables(with_keys=False) if table.name == "runs"]
    row = {column.name: value(column, 0) for column in table.columns if not column.nullable}
    return RunRow(**row | {"id": id, "ended_at": moment if ended else None})


async def test_a_user_of_the_same_name_is_the_same_person(
    database: Database, tmp_path: Path
) -> None:
    async with database.write() as session:
        session.add(User(id="user_1", name="anna"))
        await session.flush()
        session.add(Session(id="hers", kind="agent", user_id="user_1", project_dir="/p"))
    await export(database, tmp_path / "e.jsonl", "user_1")
    other = await open_other(put_database(tmp_path / "new" / "bottega.db"))
    async with other.write() as session:
        session.add(User(id="user_2", name="anna"))
    done = await import_lines(other, tmp_path / "e.jsonl", progress=ignore)
    assert (done.imported, done.known, done.user_id) == (1, 1, "user_2")
    async with other.read() as session:
        assert (await session.get_one(Session, "hers")).user_id == "user_2"
    await other.stop()


async def test_a_row_whose_parent_is_unknown_is_refused_and_the_others_come(
    database: Database, tmp_path: Path
) -> None:
    await fill(database)
    lines = await export(database, tmp_path / "e.jsonl")
    orphaned = [line for line in lines if '"sessions.id 1"' not in line or "session_id" in line]
    (tmp_path / "e.jsonl").write_text("".join(orphaned), encoding="utf-8")
    other = await open_other(put_database(tmp_path / "new" / "bottega.db"))
    done = await import_lines(other, tmp_path / "e.jsonl", progress=ignore)
    assert done.refused > 0
    assert "FOREIGN KEY" in done.refusals[0].reason
    async with other.read() as session:
        assert await session.scalar(select(func.count()).select_from(Session)) == ROWS - 1
    await other.stop()


async def test_a_value_of_another_type_is_refused_with_its_line(
    database: Database, tmp_path: Path
) -> None:
    await fill(database)
    lines = [json.loads(line) for line in await export(database, tmp_path / "e.jsonl")]
    [number, *_] = [n for n, line in enumerate(lines, 1) if line["kind"] == "sessions"]
    lines[number - 1]["row"] |= {"id": "odd", "title": {"a": "heading"}}
    file = tmp_path / "e.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = await import_lines(database, file, progress=ignore)
    assert [(each.line, each.kind) for each in done.refusals] == [(number, "sessions")]
    assert done.known == len(lines) - 3


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[]", "not a JSON object"),
        ('{"kind": "ghosts", "row": {}}', "no kind of record"),
        ('{"kind": "sessions"}', "has no row"),
        ('{"kind": "sessions", "row": {"colour": "red"}}', "sessions has no colour"),
        ('{"kind": "sessions", "row": {"started_at": "soon"}}', "soon"),
        ('{"kind": "sessions", "row": {"started_at": 3}}', "not text"),
        ('{"kind": "library_uploads", "row": {"content": "?"}}', "line 2"),
    ],
)
async def test_a_wrong_line_is_named(tmp_path: Path, line: str, reason: str) -> None:
    database = await open_other(put_database(tmp_path / "bottega.db"))
    [first, *_] = [line async for _, line in export_lines(database, user_id="local")]
    (tmp_path / "e.jsonl").write_text(f"{first}{line}\n")
    with pytest.raises(InvalidInput, match="line 2") as raised:
        await import_lines(database, tmp_path / "e.jsonl", progress=ignore)
    assert reason in raised.value.message
    await database.stop()


async def test_what_is_no_export_or_a_newer_one_is_refused(tmp_path: Path) -> None:
    database = await open_other(put_database(tmp_path / "bottega.db"))
    file = tmp_path / "e.jsonl"
    for words in ("", "{}\n", "a letter\n"):
        file.write_text(words)
        with pytest.raises(InvalidInput, match="line 1"):
            await import_lines(database, file, progress=ignore)
    newer = {"kind": "bottega.export", "format": 1, "version": "9", "revision": "9000_later"}
    file.write_text(json.dumps(newer) + "\n")
    with pytest.raises(Conflict, match="newer Bottega"):
        await import_lines(database, file, progress=ignore)
    await database.stop()
