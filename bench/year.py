"""A year of use: what is on the disk at its end, with retention and without.

First the things that a developer does are done once, for real, through the doors of a server, and
the rows that each left are taken down. Then a year is played day by day into two copies of that
house: the rows of each deed again and again, moved in time and under new ids. In one of the copies
retention prunes, with the clock of the day, in the other it does not. The volume is divided by
`SCALE`, and so is the room for logs; what is printed is multiplied again.
"""

import asyncio
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bottega.app import load_rooms, make_retention
from bottega.cli.demo import assistant, coach, research
from bottega.cli.demo.doors import Doors, open_doors
from bottega.cli.demo.guide import Guide
from bottega.cli.demo.workspace import DemoFolder, serving
from bottega.core import clock
from bottega.core.db.database import Base, Database
from bottega.core.retention import RetentionReport
from bottega.settings import Settings

#: Of a developer's ordinary hour, and the hours in a year. Before rows were made smaller and pruned
#: this was 2.1 MB an hour, 3.7 GB a year. A lesson is a turn of 0.7 MB with five gates, as much as
#: twenty plain ones.
HOURLY = {"hook": 600, "recall": 150, "answer": 2, "lesson": 0.5, "coaching": 1, "memory": 2}
HOURS = 1_770
DAYS = 365
SCALE = 25
#: Retention prunes every day; here every so many, to have done in two minutes.
PRUNE_EVERY = 7
TARGET = 500_000_000
TIMES = ("created_at", "started_at")
#: Milliseconds since 1970, in the tables of DBOS.
STEPS = ("workflow_status", "operation_outputs", "workflow_input", "workflow_output")
STEP_TIMES = ("created_at", "completed_at_epoch_ms", "retention_timestamp", "retention_timestamp")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")

Row = dict[str, Any]


@dataclass(frozen=True)
class Deed:
    """The rows that doing something once left, by table."""

    rows: Mapping[str, Sequence[Row]]
    steps: Mapping[str, Sequence[Row]]
    #: How often it was done to get them.
    times: int

    @property
    def ids(self) -> frozenset[str]:
        """What must be new in every copy."""
        found = {
            str(row[name])
            for table, rows in self.rows.items()
            for row in rows
            for name in ("id", "trace_id", "span_id", "run_id")
            if name in row and not (table == "hooks" or row[name] is None)
        }
        return frozenset(found)


async def main() -> None:
    began = time.perf_counter()
    load_rooms()
    with tempfile.TemporaryDirectory() as name:
        home = DemoFolder(Path(name) / "house")
        deeds = await record(home)
        reports = {}
        base = await play(home.data, {}, is_pruned=False)
        for is_pruned in (True, False):
            folder = Path(name) / f"pruned-{is_pruned}"
            shutil.copytree(home.data, folder)
            reports[is_pruned] = await play(folder, deeds, is_pruned=is_pruned)
    show(base, reports[True], reports[False], time.perf_counter() - began)


async def record(home: DemoFolder) -> dict[str, Deed]:
    home.folder.mkdir()
    home.copy_examples()
    guide = Guide(Console(quiet=True))
    deeds = {}
    async with serving(home) as server, open_doors(server.url, home) as doors:
        await research.fill(doors, guide)
        works = {
            "hook": (hooks, 20),
            "recall": (recalls, 10),
            "answer": (lambda doors: research.answered(doors, research.ASKED), 1),
            "lesson": (lambda doors: assistant.visit(doors, guide), 1),
            "coaching": (lambda doors: coach.visit(doors, guide), 1),
            "memory": (remember, 5),
        }
        await remember(doors)
        await hooks(doors)
        for name, (work, times) in works.items():
            since = clock.now()
            await work(doors)
            await doors.rest.get("/api/traces", limit=1)  # waits until all spans are written
            await asyncio.sleep(1)
            deeds[name] = read_deed(home.data, since, times)
    return deeds


async def hooks(doors: Doors) -> None:
    for number in range(10):
        common = {
            "session_id": "one",
            "cwd": str(doors.home.project),
            "transcript_path": "/home/ada/.claude/projects/-home-ada-tally/0b6c.jsonl",
            "permission_mode": "acceptEdits",
            "tool_use_id": f"toolu_{number}",
        }
        source = (doors.home.project / "src" / "tally" / "trip.py").read_text()
        tool = {"tool_name": "Edit", "tool_input": {"file_path": "trip.py", "new": source[:900]}}
        if number % 2:
            tool = {"tool_name": "Bash", "tool_input": {"command": "make test"}}
        await doors.rest.post(
            "/api/board/hooks", json={**common, **tool, "hook_event_name": "PreToolUse"}
        )
        after = {**common, **tool, "hook_event_name": "PostToolUse"}
        await doors.rest.post("/api/board/hooks", json={**after, "tool_response": {"out": source}})


async def recalls(doors: Doors) -> None:
    for number in range(10):
        await doors.agent.call("recall", query=f"why is a cent missing after split {number}?")


async def remember(doors: Doors) -> None:
    for number in range(5):
        fact = f"Split sums in whole cents, hand out the rest one by one; case {number}"
        await doors.agent.call("remember", content=f"{fact} {clock.now()}", tags=["money"])


def read_deed(data: Path, since: datetime, times: int) -> Deed:
    """What is in the database since then."""
    rows = {}
    with sqlite3.connect(data / "bottega.db") as connection:
        connection.row_factory = sqlite3.Row
        for table in Base.metadata.sorted_tables:
            column = next((name for name in TIMES if name in table.c), None)
            if column and (found := _since(connection, table.name, column, clock.iso(since))):
                rows[table.name] = found
        known = tuple(str(row["id"]) for row in rows.get("memories", ()))
        marks = ", ".join("?" * len(known))
        query = f"SELECT * FROM vectors WHERE id IN ({marks})"
        rows["vectors"] = [dict(row) for row in connection.execute(query, known)]
    steps = {}
    if (data / "runs.db").exists():
        with sqlite3.connect(data / "runs.db") as connection:
            connection.row_factory = sqlite3.Row
            milliseconds = int(since.timestamp()) * 1_000  # DBOS counts in whole seconds here
            steps = {
                name: _since(connection, name, column, milliseconds)
                for name, column in zip(STEPS, STEP_TIMES, strict=True)
            }
    return Deed(rows, steps, times)


def _since(connection: sqlite3.Connection, table: str, column: str, since: Any) -> list[Row]:
    query = f"SELECT * FROM {table} WHERE {column} >= ?"
    return [dict(row) for row in connection.execute(query, (since,))]


async def play(data: Path, deeds: Mapping[str, Deed], *, is_pruned: bool) -> RetentionReport:
    settings = Settings(data_dir=data, project_dir=data, bottega_keep_megabytes=400 // SCALE)
    database = Database(settings.database)
    await database.start()
    retention = make_retention(settings, database)
    start = clock.now()
    owed = dict.fromkeys(deeds, 0.0)
    done = dict.fromkeys(deeds, 0)
    for day in range(1, DAYS + 1):
        copies = {}
        for name, deed in deeds.items():
            owed[name] += HOURLY[name] * HOURS / DAYS / SCALE / deed.times
            copies[name] = range(done[name], done[name] + int(owed[name]))
            done[name] += int(owed[name])
            owed[name] -= int(owed[name])
        await asyncio.to_thread(write_day, data, deeds, copies, timedelta(days=day))
        if is_pruned and (day % PRUNE_EVERY == 0 or day == DAYS):
            await retention.prune(now=start + timedelta(days=day))
    if not is_pruned:
        await database.compact()
    report = await retention.report(start + timedelta(days=DAYS))
    await database.stop()
    return report


def write_day(
    data: Path, deeds: Mapping[str, Deed], copies: Mapping[str, range], later: timedelta
) -> None:
    with sqlite3.connect(data / "bottega.db") as house, sqlite3.connect(data / "runs.db") as steps:
        for connection in (house, steps):
            connection.execute("PRAGMA synchronous=OFF")
        for name, numbers in copies.items():
            deed = deeds[name]
            for number in numbers:
                for table, rows in deed.rows.items():
                    _insert(house, table, _moved(table, rows, deed.ids, number, later))
                for table, rows in deed.steps.items():
                    _insert(steps, table, _moved(table, rows, deed.ids, number, later))


def _moved(
    table: str, rows: Sequence[Row], ids: frozenset[str], number: int, later: timedelta
) -> Iterator[Row]:
    milliseconds = int(later.total_seconds() * 1_000)
    for row in rows:
        copy = {name: _value(value, ids, number, later) for name, value in row.items()}
        if table in STEPS:
            copy["workflow_uuid"] = f"{row['workflow_uuid']}-{number}"
            for name in ("created_at", "updated_at", "completed_at", *STEP_TIMES):
                if copy.get(name):
                    copy[name] += milliseconds
        for name in ("seq", "number") if table in ("events", "hooks", "messages") else ():
            copy.pop(name, None)
        yield copy


def _value(value: Any, ids: frozenset[str], number: int, later: timedelta) -> Any:
    if not isinstance(value, str):
        return value
    if value in ids:
        return f"{value}-{number}"
    if MOMENT.match(value):
        return clock.iso(datetime.fromisoformat(value).astimezone(UTC) + later)
    return value


def _insert(connection: sqlite3.Connection, table: str, rows: Iterator[Row]) -> None:
    for row in rows:
        names, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
        query = f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})"
        connection.execute(query, tuple(row.values()))


def show(
    base: RetentionReport, pruned: RetentionReport, unpruned: RetentionReport, seconds: float
) -> None:
    there = {each.table: each.bytes for each in base.tables}

    def full(table: str, size: int) -> float:
        return there.get(table, 0) + max(size - there.get(table, 0), 0) * SCALE

    table = Table("a year of use, MB", "kept", "rows", "with retention", "without", box=None)
    without = {each.table: each for each in unpruned.tables}
    for each in sorted(unpruned.tables, key=lambda each: -each.bytes)[:14]:
        now = next((found for found in pruned.tables if found.table == each.table), each)
        kept = "for ever" if each.kept_days is None else f"{each.kept_days} d"
        table.add_row(
            each.table,
            kept,
            f"{without[each.table].rows * SCALE:,}",
            f"{full(each.table, now.bytes) / 1e6:,.0f}",
            f"{full(each.table, each.bytes) / 1e6:,.0f}",
        )
    total, grown = (sum(full(t.table, t.bytes) for t in all_.tables) for all_ in (pruned, unpruned))
    table.add_row("", "", "", f"{total / 1e6:,.0f}", f"{grown / 1e6:,.0f}")
    console = Console()
    console.print(table)
    verdict = "[green]PASS[/green]" if total < TARGET else "[red]MISS[/red]"
    console.print(
        f"{HOURS:,} hours, played at 1/{SCALE} and multiplied again, pruned every {PRUNE_EVERY} "
        f"days; under {TARGET / 1e6:.0f} MB: {verdict} ({seconds:.0f} s)"
    )


if __name__ == "__main__":
    asyncio.run(main())
