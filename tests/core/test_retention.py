"""Logs are kept for their time and no longer; what a person wrote stays."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from sqlalchemy import func, insert, select, text

from bottega.app import build_core, make_retention
from bottega.board.agents.tables import HookEvent
from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.advisory_locks import AdvisoryLock
from bottega.core.db.database import Database
from bottega.core.events import Event
from bottega.core.events.log import EventRow
from bottega.core.retention import Retention
from bottega.core.runs import RunContext
from bottega.core.runs.run import RunEventRow, RunRow
from bottega.core.services import Core
from bottega.core.sessions.actions import Action, ActionType
from bottega.core.sessions.session import SessionKind
from bottega.core.traces import SpanKind, SpanRow
from bottega.settings import Settings

NOW = datetime.fromisoformat("2027-06-01T12:00:00Z")
YEAR = timedelta(days=365)


def settings(tmp_path: Path, **given: Any) -> Settings:
    tmp_path.joinpath("project").mkdir(exist_ok=True)
    return Settings(
        data_dir=tmp_path / "data",
        project_dir=tmp_path / "project",
        bottega_model="offline",
        **given,
    )


@pytest.fixture
async def core(tmp_path: Path, database: Database) -> AsyncIterator[Core]:
    url = database.url.render_as_string(hide_password=False)
    made = build_core(settings(tmp_path, database_url=url))
    (tmp_path / "data").mkdir(exist_ok=True)
    await made.database.start()
    yield made
    await made.database.stop()


def retention_of(core: Core, tmp_path: Path, **keep: int) -> Retention:
    url = core.database.url.render_as_string(hide_password=False)
    given = {f"bottega_keep_{name}": value for name, value in keep.items()}
    return make_retention(settings(tmp_path, database_url=url, **given), core.database)


def span(at: datetime) -> dict[str, Any]:
    return {
        "trace_id": new_id(),
        "span_id": new_id()[:16],
        "parent_id": None,
        "name": "recall",
        "kind": SpanKind.MEMORY,
        "session_id": None,
        "user_id": "local",
        "run_id": None,
        "started_at": at,
        "ended_at": at,
        "duration_ms": 1.0,
        "status": "ok",
        "attributes": {"query": "x" * 500},
        "events": [],
    }


async def count(core: Core, model: Any, *where: Any) -> int:
    async with core.database.read() as session:
        query = select(func.count()).select_from(model).where(*where)
        return await session.scalar(query) or 0


async def add(core: Core, model: Any, rows: list[dict[str, Any]]) -> None:
    async with core.database.write() as session:
        await session.execute(insert(model), rows)


def by_table(pruned: Any) -> dict[str, int]:
    return {each.table: each.rows for each in pruned if each.rows}


async def test_traces_are_kept_thirty_days(core: Core, tmp_path: Path) -> None:
    await core.traces.add([span(NOW - timedelta(days=days)) for days in range(60)])

    pruned = await core.retention.prune(now=NOW)

    assert by_table(pruned) == {"spans": 29}
    assert await count(core, SpanRow) == 31


class Clocks:
    def __init__(self) -> None:
        self.wall, self.ticks = NOW, 0.0

    def pass_days(self, days: float) -> None:
        self.wall += timedelta(days=days)
        self.ticks += days * 86_400

    def watched_by(self, core: Core) -> Retention:
        made = core.retention
        url = core.database.url.render_as_string(hide_password=False)
        return Retention(
            core.database,
            url,
            made._logs,
            made.keep,
            now=lambda: self.wall,
            monotonic=lambda: self.ticks,
        )


async def test_a_clock_that_jumps_ahead_has_a_day_to_be_set_right(core: Core) -> None:
    """What the daily pruning deletes is gone for good; what it leaves goes a day later."""
    await core.traces.add([span(NOW - timedelta(days=days)) for days in range(20)])
    clocks = Clocks()
    retention = clocks.watched_by(core)
    clocks.pass_days(1)
    clocks.wall += timedelta(days=100)
    await retention.prune_daily()
    assert await count(core, SpanRow) == 20

    clocks.wall -= timedelta(days=100)
    clocks.pass_days(1)
    await retention.prune_daily()
    assert await count(core, SpanRow) == 20

    clocks.wall += timedelta(days=100)
    for _ in range(2):
        clocks.pass_days(1)
        await retention.prune_daily()
    assert await count(core, SpanRow) == 0


async def test_after_a_start_long_after_all_that_happened_nothing_is_pruned_at_once(
    core: Core,
) -> None:
    """A machine that was off for weeks, or one whose clock is wrong: nobody can tell."""
    await core.bus.log.append([Event("specs.moved", created_at=NOW)])
    await core.traces.add([span(NOW - timedelta(days=days)) for days in range(20)])
    clocks = Clocks()
    clocks.wall += timedelta(days=100)
    retention = clocks.watched_by(core)
    await retention.start()
    await retention.stop()
    await retention.prune_daily()
    assert await count(core, SpanRow) == 20
    clocks.pass_days(1)
    await retention.prune_daily()
    assert await count(core, SpanRow) == 0


async def test_a_dry_run_says_the_same_and_changes_nothing(core: Core, tmp_path: Path) -> None:
    await core.traces.add([span(NOW - timedelta(days=days)) for days in range(60)])

    told = await core.retention.prune(dry_run=True, now=NOW)

    assert by_table(told) == {"spans": 29}
    assert await count(core, SpanRow) == 60
    assert by_table(await core.retention.prune(now=NOW)) == by_table(told)


async def test_more_than_a_batch_goes_and_no_other(core: Core, tmp_path: Path) -> None:
    old = [span(NOW - YEAR) for _ in range(950)]
    await core.traces.add([*old, *(span(NOW) for _ in range(5))])
    await core.retention.prune(now=NOW)
    assert await count(core, SpanRow) == 5


async def test_imported_transcripts_outlive_every_other_event(core: Core, tmp_path: Path) -> None:
    topics = ["transcript.user", "specs.moved", "transcript.assistant", "work.claimed"]
    await core.bus.log.append(
        [Event(topic, {"text": "words"}, created_at=NOW - 3 * YEAR) for topic in topics * 300]
    )
    await core.bus.log.append([Event("specs.moved", created_at=NOW - timedelta(days=179))])

    await core.retention.prune(now=NOW)

    kept = EventRow.topic.startswith("transcript.")
    assert await count(core, EventRow, kept) == 600
    assert await count(core, EventRow, ~kept) == 1
    assert len(await core.bus.log.search("words", limit=700)) == 600


async def test_copies_of_what_is_kept_elsewhere_go_with_the_traces(
    core: Core, tmp_path: Path
) -> None:
    topics = ("run.substep", "run.completed", "action.logged", "session.ended")
    days = [Event(topic, created_at=NOW - timedelta(days=31)) for topic in topics]
    await core.bus.log.append(days)
    await core.retention.prune(now=NOW)
    assert await count(core, EventRow) == 1


async def test_the_last_number_of_the_log_stays(core: Core, tmp_path: Path) -> None:
    """Readers go by it: a log that began again at 0 would hide what comes next."""
    written = await core.bus.log.append([Event("a.b", created_at=NOW - YEAR) for _ in range(3)])
    await core.retention.prune(now=NOW)
    assert await core.bus.log.last_seq() == written[-1].seq


async def run(core: Core, kind: str, status: str, ended: datetime | None) -> str:
    run_id, at = new_id("run_"), NOW - YEAR
    about = {"id": run_id, "kind": kind, "status": status, "input": {"question": "Why?"}}
    times = {"created_at": at, "updated_at": at, "ended_at": ended}
    more = {"user_id": "local", "position": 3, "recoveries": 0, "output": {"text": "So."}}
    await add(core, RunRow, [{**about, **times, **more}])
    told = ["queued", "substep", "replied", "model_turn", status]
    await add(
        core,
        RunEventRow,
        [
            {"run_id": run_id, "position": place, "key": str(place), "type": type_}
            | {"payload": {}, "created_at": at}
            for place, type_ in enumerate(told)
        ],
    )
    return run_id


async def types(core: Core, run_id: str) -> list[str]:
    return [event.type for event in await core.runs.events(run_id, after=-1)]


async def test_a_finished_run_keeps_what_was_asked_replied_and_answered(
    core: Core, tmp_path: Path
) -> None:
    done = await run(core, "assistant", "completed", NOW - timedelta(days=31))
    recent = await run(core, "assistant", "completed", NOW - timedelta(days=29))
    open_ = await run(core, "assistant", "paused", None)
    research = await run(core, "research", "completed", NOW - timedelta(days=300))

    await core.retention.prune(now=NOW)

    assert await types(core, done) == ["queued", "replied", "completed"]
    assert [len(await types(core, each)) for each in (recent, open_, research)] == [5, 5, 5]
    assert (await core.runs.get(done)).output == {"text": "So."}


async def test_hooks_go_and_a_persons_prompts_stay(core: Core, tmp_path: Path) -> None:
    session = await core.sessions.create(SessionKind.AGENT, str(tmp_path))
    told = ("PreToolUse", "UserPromptSubmit", "PostToolUse")
    row = {"session_id": session.id, "payload": {"prompt": "please"}, "created_at": NOW - YEAR}
    await add(core, HookEvent, [{**row, "event": event} for event in told])
    await core.retention.prune(now=NOW)
    assert await count(core, HookEvent) == 1
    assert await count(core, HookEvent, HookEvent.event == "UserPromptSubmit") == 1


async def test_actions_go_after_half_a_year(core: Core, tmp_path: Path) -> None:
    session = await core.sessions.create(SessionKind.COACHING, str(tmp_path))
    row = {"session_id": session.id, "action_type": ActionType.FILE_OPEN}
    ages = [timedelta(days=days) for days in (1, 179, 181, 400)]
    await add(core, Action, [{**row, "id": new_id(), "created_at": NOW - age} for age in ages])
    await core.retention.prune(now=NOW)
    assert await count(core, Action) == 2


async def test_zero_days_is_for_ever(core: Core, tmp_path: Path) -> None:
    await core.traces.add([span(NOW - 5 * YEAR)])
    retention = retention_of(core, tmp_path, traces_days=0)
    assert by_table(await retention.prune(now=NOW)) == {}
    assert await count(core, SpanRow) == 1


async def test_where_there_is_too_much_the_oldest_go_sooner_and_the_last_day_stays(
    core: Core, tmp_path: Path
) -> None:
    hours = [NOW - timedelta(hours=hour) for hour in range(24 * 20)]
    await core.traces.add([span(at) for at in hours for _ in range(10)])
    assert by_table(await core.retention.prune(now=NOW)) == {}

    await retention_of(core, tmp_path, megabytes=1).prune(now=NOW)

    left = await count(core, SpanRow)
    assert 24 * 10 <= left < 24 * 10 * 19
    assert await count(core, SpanRow, SpanRow.started_at >= NOW - timedelta(days=1)) >= 24 * 10


async def test_the_report_says_what_there_is_how_it_grows_and_what_it_will_be(
    core: Core, tmp_path: Path
) -> None:
    now = clock.now()
    await core.traces.add([span(now - timedelta(hours=hour)) for hour in range(24 * 14)])

    report = await core.retention.report(now)

    [spans] = [table for table in report.tables if table.table == "spans"]
    assert (spans.rows, spans.kept_days) == (336, 30)
    assert spans.bytes_per_day == pytest.approx(spans.bytes / 14, rel=0.05)
    assert spans.bytes_in_a_year == pytest.approx(spans.bytes_per_day * 30, rel=0.05)
    assert spans.bytes_in_a_year_unpruned > 10 * spans.bytes_in_a_year
    users = next(table for table in report.tables if table.table == "users")
    assert users.kept_days is None


async def test_only_one_server_prunes_a_postgres_at_a_time(core: Core, tmp_path: Path) -> None:
    if core.database.dialect != "postgresql":
        pytest.skip("SQLite has one server")
    await core.traces.add([span(NOW - YEAR)])
    async with core.database.write() as other:
        await other.execute(
            text("SELECT pg_advisory_xact_lock(:key)"), {"key": AdvisoryLock.PRUNING}
        )
        await core.retention.prune(now=NOW)
    assert await count(core, SpanRow) == 1
    await core.retention.prune(now=NOW)
    assert await count(core, SpanRow) == 0


async def test_the_disk_gets_back_what_was_pruned(tmp_path: Path) -> None:
    core = build_core(settings(tmp_path))
    (tmp_path / "data").mkdir()
    await core.database.start()
    path = tmp_path / "data" / "bottega.db"
    await core.traces.add([span(NOW - YEAR) for _ in range(5_000)])
    await core.database.compact()
    before = await asyncio.to_thread(lambda: path.stat().st_size)
    await core.retention.prune(now=NOW)
    await core.database.stop()
    assert await asyncio.to_thread(lambda: path.stat().st_size) < before / 2


async def test_a_file_of_an_earlier_version_is_written_anew_once(tmp_path: Path) -> None:
    path = tmp_path / "old.db"

    def fill() -> int:
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE t (x)")
            connection.executemany("INSERT INTO t VALUES (?)", [["y" * 1_000]] * 2_000)
            connection.execute("DELETE FROM t")
        return path.stat().st_size

    before = await asyncio.to_thread(fill)
    database = Database(f"sqlite:///{path}")
    await database.compact()
    await database.stop()
    assert await asyncio.to_thread(lambda: path.stat().st_size) < before / 10


async def test_steps_of_a_run_that_ended_are_forgotten_after_a_day(
    core: Core, tmp_path: Path
) -> None:
    async def greet(run: RunContext, order: Greeting) -> Greeting:
        return await run.step("say", _say, order.name)

    core.runs.register("greeting", greet)
    await core.bus.start()
    try:
        run_id = await core.runs.start("greeting", {"name": "Ada"})
        await core.runs.result(run_id)
    finally:
        await core.runs.stop()
        await core.bus.stop()
    tomorrow = clock.now() + timedelta(days=2)

    assert "run steps (DBOS)" not in by_table(await core.retention.prune())
    assert by_table(await core.retention.prune(now=tomorrow))["run steps (DBOS)"] == 1
    assert "run steps (DBOS)" not in by_table(await core.retention.prune(now=tomorrow))
    assert (await core.runs.get(run_id)).output == {"name": "Good day, Ada"}


class Greeting(BaseModel):
    name: str


async def _say(name: str) -> Greeting:
    return Greeting(name=f"Good day, {name}")
