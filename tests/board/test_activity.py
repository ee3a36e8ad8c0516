"""Agents seen through their hooks: registered, alive, at work, idle, over."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import delete, func, select, text

from bottega.board.agents import operations
from bottega.board.agents.activity import Activity
from bottega.board.agents.schemas import BoardAgentView, Ingested
from bottega.board.agents.sessions import Monitor
from bottega.board.agents.tables import HookEvent
from bottega.board.changes.states import ChangeStatus
from bottega.board.queue.schemas import Liveness
from bottega.board.routes import router
from bottega.core import clock
from bottega.core.events import Event
from bottega.core.operations import Bound, operations_of
from bottega.core.sessions.session import Session, SessionStatus
from bottega.core.users import LOCAL_USER
from bottega.errors import InvalidInput, NotFound
from bottega.server.errors import handle_errors
from bottega.server.rest import operation_router
from tests.board.agent_board import AgentBoard, open_agent_board

#: As Claude Code counts them; ours is another.
CLAUDE = "00893aaf-19fa-41d2-8238-13269b9b3ca0"

SPECIFIED = """
SELECT s.id AS session_id, MAX(h.created_at) AS last_activity, COUNT(h.number) AS events,
  SUM(CASE WHEN h.event = 'PreToolUse' THEN 1 ELSE 0 END) AS total_tools,
  SUM(CASE WHEN h.success THEN 1 ELSE 0 END) AS succeeded,
  SUM(CASE WHEN NOT h.success THEN 1 ELSE 0 END) AS failed,
  AVG(h.duration_ms) AS avg_duration
FROM sessions s LEFT JOIN hooks h ON s.id = h.session_id
WHERE s.status = 'active' GROUP BY s.id ORDER BY last_activity DESC
"""


@dataclass
class Watch:
    """A clock that goes only when it is told to."""

    time: datetime = field(default_factory=clock.now)

    def __call__(self) -> datetime:
        return self.time

    def go(self, **by: float) -> None:
        self.time += timedelta(**by)


@dataclass
class HookBoard:
    """Where hooks arrive."""

    board: AgentBoard
    activity: Activity
    watch: Watch

    async def hook(self, event: str, *, session: str = CLAUDE, **more: Any) -> Ingested:
        body = {
            "session_id": session,
            "transcript_path": "/home/ada/.claude/projects/bakery.jsonl",
            "cwd": self.board.bakery.path,
            "hook_event_name": event,
            **more,
        }
        return await self.activity.ingest(body, LOCAL_USER)

    async def agent(self) -> BoardAgentView:
        await self.activity.flush()
        [agent] = await self.activity.agents()
        return agent

    async def rows(self) -> list[HookEvent]:
        await self.activity.flush()
        async with self.board.app.core.database.read() as session:
            return list(await session.scalars(select(HookEvent).order_by(HookEvent.number)))

    async def session(self, session_id: str | None) -> Session:
        async with self.board.app.core.database.read() as session:
            return await session.get_one(Session, session_id)

    async def heard(self, topic: str) -> Event:
        """Wait for it."""
        while not (found := self.board.heard(topic)):
            await asyncio.sleep(0)
        return found[0]


@pytest.fixture
async def hooks(tmp_path: Path, database_url: str) -> AsyncIterator[HookBoard]:
    async with open_agent_board(tmp_path, database_url) as board:
        watch = Watch()
        activity = Activity(board.app.core, board.sessions, board.queue, now=watch)
        await activity.start()
        try:
            yield HookBoard(board, activity, watch)
        finally:
            await activity.stop()


@pytest.mark.requirement("BD-538")
async def test_a_session_is_registered_for_the_project_around_its_folder(hooks: HookBoard) -> None:
    """By Claude Code's own id, once, whichever event comes first."""
    folder = f"{hooks.board.bakery.path}/src/ovens"
    started = await hooks.hook("SessionStart", source="startup", model="opus", cwd=folder)
    assert started.recorded
    registered = await hooks.board.sessions.of_client(CLAUDE, LOCAL_USER)
    assert registered is not None
    assert registered.id == started.session_id
    assert registered.project_id == hooks.board.bakery.id
    assert registered.metadata["model"] == "opus"
    again = await hooks.hook("SessionStart", source="compact", cwd="/tmp")
    assert again.session_id == started.session_id
    # Of a session that was there before the server was.
    other = await hooks.hook("PreToolUse", session="other", tool_name="Read")
    assert other.recorded
    assert other.session_id != started.session_id
    assert len(hooks.board.heard("agents.registered")) == 2


@pytest.mark.requirement("BD-542")
async def test_a_hook_from_no_project_is_answered_kindly_and_kept_nowhere(hooks: HookBoard) -> None:
    """Hooks may be installed for everything somebody does."""
    answer = await hooks.hook("PreToolUse", cwd="/home/ada/holiday", tool_name="Bash")
    assert answer.recorded is False
    assert answer.note is not None
    assert "'/home/ada/holiday' is in no project" in answer.note
    assert "openspec init" in answer.note
    for nowhere in ("", "src", None, 7):
        answer = await hooks.hook("PreToolUse", cwd=nowhere, tool_name="Bash")
        assert answer.recorded is False
    assert await hooks.rows() == []
    assert await hooks.activity.agents() == []


@pytest.mark.requirement("BD-539")
async def test_every_event_is_a_heartbeat(hooks: HookBoard) -> None:
    """Whatever it says."""
    started = await hooks.hook("SessionStart")
    hooks.watch.go(minutes=4)
    await hooks.hook("Notification", message="Waiting for you")
    await hooks.activity.flush()
    assert (await hooks.session(started.session_id)).seen_at == hooks.watch.time


@pytest.mark.requirement("BD-539")
async def test_a_session_that_was_given_up_and_speaks_again_is_alive(hooks: HookBoard) -> None:
    started = await hooks.hook("SessionStart")
    await hooks.activity.flush()
    await hooks.board.silent(str(started.session_id), minutes=11)
    assert await Monitor(hooks.board.app.core).look() == [started.session_id]
    assert await hooks.activity.agents() == []
    again = await hooks.hook("UserPromptSubmit", prompt="Go on", cwd="/tmp")
    assert again.session_id == started.session_id
    assert (await hooks.agent()).status is SessionStatus.ACTIVE


@pytest.mark.requirement("BD-540")
async def test_the_first_tool_puts_assigned_work_in_progress(hooks: HookBoard) -> None:
    """By itself, for each claim anew; other events do not."""
    session_id = (await hooks.hook("SessionStart")).session_id
    assert session_id is not None
    for name in ("add-discounts", "add-taxes"):
        await hooks.board.change(name)
        claim = await hooks.board.queue.claim(session_id, LOCAL_USER)
        assert claim.change is not None
        await hooks.hook("UserPromptSubmit", prompt="Begin")
        await hooks.activity.flush()
        assert (await hooks.board.now(name)).status == ChangeStatus.ASSIGNED
        await hooks.hook("PreToolUse", tool_name="Read", tool_use_id="t1")
        await hooks.activity.flush()
        assert (await hooks.board.now(name)).status == ChangeStatus.IN_PROGRESS
        shown = await hooks.agent()
        assert shown.working_on is not None
        assert shown.working_on.id == name
        await hooks.board.queue.release(
            session_id, LOCAL_USER, name, claim.change.lease_token, "Next."
        )
        async with hooks.board.app.core.database.write() as session:
            await session.delete(await hooks.board.now(name))


@pytest.mark.requirement("BD-541")
async def test_the_end_of_a_session_frees_its_work_and_is_summed_up(hooks: HookBoard) -> None:
    """What it did, by tool, with failures and how long it took."""
    session_id = str((await hooks.hook("SessionStart")).session_id)
    await hooks.board.change("add-discounts")
    await hooks.board.queue.claim(session_id, LOCAL_USER)
    for number, worked in enumerate([True, True, False]):
        call = {"tool_name": "Bash" if number else "Read", "tool_use_id": f"t{number}"}
        await hooks.hook("PreToolUse", **call)
        await hooks.hook("PostToolUse" if worked else "PostToolUseFailure", **call, duration_ms=100)
    await hooks.hook("SessionEnd", reason="logout")
    await hooks.activity.flush()
    assert (await hooks.session(session_id)).status == SessionStatus.ENDED
    freed = await hooks.board.now("add-discounts")
    assert (freed.status, freed.assigned_session_id) == (ChangeStatus.APPROVED, None)
    ended = await hooks.heard("agents.ended")
    assert ended.payload["why"] == "Claude Code ended the session (logout)."
    told = await hooks.heard("agents.summary")
    assert told.session_id == session_id
    assert told.payload["tools"] == [
        {"tool_name": "Bash", "calls": 2, "failed": 1, "average_duration_ms": 100.0},
        {"tool_name": "Read", "calls": 1, "failed": 0, "average_duration_ms": 100.0},
    ]
    assert (told.payload["total_tools"], told.payload["failed"]) == (3, 1)
    assert await hooks.activity.agents() == []
    summary = await hooks.activity.summary(session_id)
    assert summary.status is SessionStatus.ENDED
    assert summary.success_rate == 66.7


@pytest.mark.requirement("BD-541", "BD-538")
async def test_only_new_work_takes_an_ended_session_up_again(hooks: HookBoard) -> None:
    """What is late goes to the session that is over, which stays over."""
    first = str((await hooks.hook("SessionStart")).session_id)
    await hooks.board.sessions.end(first, LOCAL_USER)
    again = await hooks.hook("PreToolUse", session="another", tool_name="Read")
    await hooks.board.sessions.end(str(again.session_id), LOCAL_USER)
    assert (await hooks.hook("PreToolUse", session="another")).session_id != again.session_id
    await hooks.hook("SessionEnd", session="another")
    for late in ("PostToolUse", "Stop", "SessionEnd"):
        assert (
            await hooks.hook(late, tool_name="mcp__bottega__board_end_session")
        ).session_id == first
    await hooks.activity.flush()
    assert await hooks.activity.agents() == []
    assert (await hooks.activity.summary(first)).events == 4
    resumed = await hooks.hook("PreToolUse", tool_name="Read")
    assert resumed.session_id != first
    assert (await hooks.agent()).session_id == resumed.session_id


@pytest.mark.requirement("BD-541", "BD-544")
async def test_a_session_that_ends_and_starts_at_once_is_two(hooks: HookBoard) -> None:
    """Though the end is still being written."""
    first = await hooks.hook("SessionStart")
    end, start = await asyncio.gather(
        hooks.hook("SessionEnd", reason="resume"), hooks.hook("SessionStart", source="resume")
    )
    assert end.session_id == first.session_id != start.session_id
    assert (await hooks.agent()).session_id == start.session_id


@pytest.mark.requirement("BD-545")
async def test_a_tools_end_finds_its_beginning_also_in_parallel(hooks: HookBoard) -> None:
    """By the id of its use; the tool begun last is the current one."""
    await hooks.hook("PreToolUse", tool_name="Bash", tool_use_id="a")
    hooks.watch.go(seconds=2)
    await hooks.hook("PreToolUse", tool_name="Grep", tool_use_id="b")
    await hooks.activity.flush()
    hooks.watch.go(seconds=1)
    await hooks.hook("Notification", message="Still searching")
    shown = await hooks.agent()
    assert (shown.current_tool, shown.current_tool_seconds) == ("Grep", 1)
    await hooks.hook("PostToolUse", tool_name="Grep", tool_use_id="b", tool_response={})
    shown = await hooks.agent()
    assert (shown.current_tool, shown.current_tool_seconds) == ("Bash", 3)
    hooks.watch.go(seconds=2)
    await hooks.hook("PostToolUseFailure", tool_name="Bash", tool_use_id="a", error="exit code 1")
    shown = await hooks.agent()
    assert (shown.current_tool, shown.current_tool_seconds) == (None, None)
    assert [(row.success, row.duration_ms) for row in (await hooks.rows())[3:]] == [
        (True, 1_000),
        (False, 5_000),
    ]


@pytest.mark.requirement("BD-545")
async def test_two_calls_of_one_tool_are_told_apart(hooks: HookBoard) -> None:
    """Though the first ends first."""
    for use in ("a", "b"):
        await hooks.hook("PreToolUse", tool_name="Bash", tool_use_id=use)
        hooks.watch.go(seconds=1)
    for use in ("a", "b"):
        await hooks.hook("PostToolUse", tool_name="Bash", tool_use_id=use, tool_response={})
    assert [row.duration_ms for row in await hooks.rows()] == [None, None, 2_000, 1_000]


@pytest.mark.requirement("BD-545")
async def test_without_ids_the_last_call_of_that_tool_has_ended(hooks: HookBoard) -> None:
    """In one batch as in many; and an end without a beginning is a call too."""
    await hooks.hook("PreToolUse", tool_name="Bash")
    hooks.watch.go(seconds=3)
    await hooks.hook("PreToolUse", tool_name="Bash")
    hooks.watch.go(seconds=1)
    await hooks.hook("PostToolUse", tool_name="Bash", tool_response={"interrupted": True})
    await hooks.hook("PostToolUse", tool_name="Read", tool_response={})
    rows = await hooks.rows()
    assert [(row.success, row.duration_ms) for row in rows[2:]] == [(False, 1_000), (True, None)]
    shown = await hooks.agent()
    assert (shown.total_tools, shown.succeeded, shown.failed) == (3, 1, 1)
    assert shown.current_tool == "Bash"
    # Nobody hears of the end of a tool that a person interrupts; the turn's end is heard.
    await hooks.hook("Stop")
    assert (await hooks.agent()).current_tool is None


@pytest.mark.requirement("BD-546")
async def test_a_clock_that_jumps_gives_no_negative_duration(hooks: HookBoard) -> None:
    """Backwards in mid-tool, and far ahead."""
    await hooks.hook("PreToolUse", tool_name="Bash", tool_use_id="a")
    hooks.watch.go(hours=-3)
    shown = await hooks.agent()
    assert (shown.current_tool_seconds, shown.idle_seconds, shown.idle) == (0, 0, False)
    await hooks.hook("PostToolUse", tool_name="Bash", tool_use_id="a", tool_response={})
    [_, ended] = await hooks.rows()
    assert ended.duration_ms == 0
    assert (await hooks.agent()).average_duration_ms == 0.0
    summary = await hooks.activity.summary((await hooks.agent()).session_id)
    assert summary.seconds == 0


@pytest.mark.requirement("BD-547")
async def test_the_sums_are_what_the_specified_sql_counts(hooks: HookBoard) -> None:
    """Over a random life of several agents, in the same order."""
    chance = random.Random(7)
    open_calls: list[tuple[str, str, str]] = []
    for number in range(400):
        hooks.watch.go(seconds=chance.random() * 5)
        if open_calls and chance.random() < 0.5:
            who, tool, use = open_calls.pop(chance.randrange(len(open_calls)))
            event = "PostToolUse" if chance.random() < 0.8 else "PostToolUseFailure"
        else:
            who, tool, use = f"agent {chance.randrange(4)}", chance.choice("ABC"), f"use {number}"
            event = "PreToolUse"
            open_calls.append((who, tool, use))
        await hooks.hook(event, session=who, tool_name=tool, tool_use_id=use)
    await hooks.activity.flush()
    async with hooks.board.app.core.database.read() as session:
        counted = (await session.execute(text(SPECIFIED))).mappings().all()
    shown = await hooks.activity.agents()
    assert len(shown) == 4
    for row, agent in zip(counted, shown, strict=True):
        assert row["session_id"] == agent.session_id
        assert clock.parse(row["last_activity"]) == agent.last_activity_at
        sums = agent.events, agent.total_tools, agent.succeeded, agent.failed
        assert sums == (row["events"], row["total_tools"], row["succeeded"], row["failed"])
        assert agent.average_duration_ms == pytest.approx(float(row["avg_duration"]), abs=0.06)
        rate = 100 * row["succeeded"] / (row["succeeded"] + row["failed"])
        assert agent.success_rate == pytest.approx(rate, abs=0.06)


@pytest.mark.requirement("BD-548")
async def test_active_agents_are_shown_without_reading_the_events(hooks: HookBoard) -> None:
    """So that a million of them cost nothing."""
    await hooks.hook("PreToolUse", tool_name="Bash")
    await hooks.activity.flush()
    before = await hooks.activity.agents()
    async with hooks.board.app.core.database.write() as session:
        await session.execute(delete(HookEvent))
    assert await hooks.activity.agents() == before
    assert before[0].current_tool == "Bash"


@pytest.mark.requirement("BD-549")
async def test_an_agent_is_shown_with_all_that_is_known_of_it(hooks: HookBoard) -> None:
    session_id = str((await hooks.hook("SessionStart")).session_id)
    await hooks.board.change("add-discounts", tasks_done=1, tasks_total=3)
    await hooks.board.queue.claim(session_id, LOCAL_USER)
    await hooks.hook("PreToolUse", tool_name="Read", tool_use_id="a")
    await hooks.hook("PostToolUse", tool_name="Read", tool_use_id="a", duration_ms=30)
    await hooks.hook("PreToolUse", tool_name="Bash", tool_use_id="b")
    hooks.watch.go(seconds=42)
    shown = await hooks.agent()
    assert shown.session_id == session_id
    assert shown.client_session_id == CLAUDE
    assert (shown.current_tool, shown.current_tool_seconds) == ("Bash", 42)
    assert (shown.events, shown.total_tools, shown.succeeded, shown.failed) == (4, 2, 1, 0)
    assert (shown.success_rate, shown.average_duration_ms) == (100.0, 30.0)
    assert (shown.idle, shown.idle_seconds) == (False, 42)
    assert shown.liveness is Liveness.ACTIVE
    assert shown.working_on is not None
    assert shown.working_on.model_dump() == {
        "project_id": hooks.board.bakery.id,
        "id": "add-discounts",
        "title": "add discounts",
        "status": "in_progress",
        "tasks_done": 1,
        "tasks_total": 3,
    }
    hooks.watch.go(minutes=7)
    assert (await hooks.agent()).liveness is Liveness.SLOW


@pytest.mark.requirement("BD-549")
async def test_an_agent_that_registered_without_hooks_is_shown_too(hooks: HookBoard) -> None:
    """With nothing counted yet."""
    session_id = await hooks.board.agent()
    shown = await hooks.agent()
    assert (shown.session_id, shown.events, shown.success_rate) == (session_id, 0, None)


@pytest.mark.requirement("BD-550")
async def test_an_idle_agent_is_told_of_once_for_each_silence(hooks: HookBoard) -> None:
    """After five minutes; a restart does not tell it again."""
    session_id = (await hooks.hook("UserPromptSubmit", prompt="Hello")).session_id
    await hooks.activity.flush()
    hooks.watch.go(minutes=4, seconds=59)
    assert await hooks.activity.idle.look() == []
    assert (await hooks.agent()).idle is False
    hooks.watch.go(seconds=2)
    assert (await hooks.agent()).idle is True
    assert await hooks.activity.idle.look() == [session_id]
    assert await hooks.activity.idle.look() == []
    core = hooks.board.app.core
    restarted = Activity(core, hooks.board.sessions, hooks.board.queue, now=hooks.watch)
    assert await restarted.idle.look() == []
    [told] = hooks.board.heard("agents.idle")
    assert (told.session_id, told.payload["minutes"]) == (session_id, 5)
    await hooks.hook("Stop")
    assert (await hooks.agent()).idle is False
    hooks.watch.go(minutes=6)
    assert await hooks.activity.idle.look() == [session_id]


@pytest.mark.requirement("BD-551")
async def test_a_timeline_is_paged_from_the_newest(hooks: HookBoard) -> None:
    for number in range(5):
        started = await hooks.hook("Notification", message=f"number {number}")
    await hooks.activity.flush()
    session_id = str(started.session_id)
    first = await hooks.activity.timeline(session_id, limit=3)
    assert [e.payload["message"][-1] for e in first.events] == ["4", "3", "2"]
    second = await hooks.activity.timeline(session_id, before=first.next, limit=3)
    assert [e.payload["message"][-1] for e in second.events] == ["1", "0"]
    assert second.next is None
    with pytest.raises(NotFound, match="no agent session 'nobody'"):
        await hooks.activity.timeline("nobody")


@pytest.mark.requirement("BD-552")
async def test_metrics_are_of_all_sessions_or_of_one(hooks: HookBoard) -> None:
    """The one with its tools."""
    for who in ("one", "two"):
        for tool, worked in (("Bash", True), ("Bash", False), ("Read", True)):
            started = await hooks.hook("PreToolUse", session=who, tool_name=tool)
            event = "PostToolUse" if worked else "PostToolUseFailure"
            await hooks.hook(event, session=who, tool_name=tool, duration_ms=10)
    await hooks.activity.flush()
    overall = await hooks.activity.metrics()
    assert (overall.sessions, overall.total_tools, overall.failed) == (2, 6, 2)
    assert (overall.success_rate, overall.average_duration_ms) == (66.7, 10.0)
    assert overall.tools is None
    one = await hooks.activity.metrics(started.session_id)
    assert (one.sessions, one.events) == (1, 6)
    assert one.tools is not None
    assert [(t.tool_name, t.calls, t.failed) for t in one.tools] == [("Bash", 2, 1), ("Read", 1, 0)]
    with pytest.raises(NotFound):
        await hooks.activity.metrics("nobody")


@pytest.mark.requirement("BD-553")
async def test_every_event_is_streamed_as_activity(hooks: HookBoard) -> None:
    """At once, and not into the log: the rows are there."""
    started = await hooks.hook("PreToolUse", tool_name="Bash")
    [told] = hooks.board.heard("agents.activity")
    assert told.durable is False
    assert (told.session_id, told.project) == (started.session_id, hooks.board.bakery.path)
    assert told.payload == {
        "project_id": hooks.board.bakery.id,
        "event": "PreToolUse",
        "tool_name": "Bash",
        "success": None,
    }


@pytest.mark.requirement("BD-543")
async def test_a_hook_is_answered_while_the_database_is_busy(tmp_path: Path) -> None:
    """The agent does not wait for SQLite's one writer."""
    async with open_agent_board(tmp_path) as board:
        activity = Activity(board.app.core, board.sessions, board.queue)
        hooks = HookBoard(board, activity, Watch())
        await activity.start()
        await hooks.hook("SessionStart")
        async with board.app.core.database.write():
            async with asyncio.timeout(5):
                for _ in range(50):
                    assert (await hooks.hook("PreToolUse", tool_name="Bash")).recorded
        await activity.stop()
        async with board.app.core.database.read() as session:
            assert await session.scalar(select(func.count()).select_from(HookEvent)) == 51


@pytest.mark.requirement("BD-544")
async def test_events_are_written_in_the_order_in_which_they_came(hooks: HookBoard) -> None:
    """Of each of many sessions at once, though the first has to be registered."""

    async def life(who: str) -> None:
        for number in range(30):
            await hooks.hook("Notification" if number else "SessionStart", session=who, nth=number)

    await asyncio.gather(*(life(f"agent {number}") for number in range(10)))
    seen: dict[str, list[int]] = {}
    for row in await hooks.rows():
        seen.setdefault(row.session_id, []).append(row.payload["nth"])
    assert list(seen.values()) == [list(range(30))] * 10


@pytest.mark.requirement("BD-544")
async def test_hooks_sent_at_once_keep_their_order_while_the_session_is_met(
    hooks: HookBoard,
) -> None:
    """One that comes when the first is done does not overtake those that wait."""
    waiting = [asyncio.create_task(hooks.hook("Notification", nth=nth)) for nth in range(20)]
    await waiting[0]
    await hooks.hook("Notification", nth=20)
    await asyncio.gather(*waiting)
    assert [row.payload["nth"] for row in await hooks.rows()] == list(range(21))
    assert len(hooks.board.heard("agents.registered")) == 1


@pytest.mark.requirement("BD-534")
async def test_text_that_a_database_cannot_hold_is_kept_without_it(hooks: HookBoard) -> None:
    """NUL, half a character, and numbers that JSON does not have."""
    await hooks.hook("PreToolUse", tool_name="Ba\0sh", odd="\ud800 \0", number=float("nan"))
    [row] = await hooks.rows()
    assert row.tool_name == "Ba\ufffdsh"
    assert row.payload["number"] == "nan"


@pytest.mark.requirement("BD-554")
async def test_users_do_not_see_each_others_agents(hooks: HookBoard) -> None:
    """And cannot speak for them, though they know the id."""
    mine = await hooks.hook("SessionStart")
    await hooks.activity.flush()
    other = (await hooks.board.app.core.users.create("bob")).id
    assert await hooks.activity.agents(other) == []
    with pytest.raises(NotFound):
        await hooks.activity.timeline(str(mine.session_id), other)
    with pytest.raises(NotFound):
        await hooks.activity.summary(str(mine.session_id), other)
    assert (await hooks.activity.metrics(user_id=other)).events == 0
    body = {"session_id": CLAUDE, "hook_event_name": "Stop", "cwd": hooks.board.bakery.path}
    theirs = await hooks.activity.ingest(body, other)
    assert theirs.session_id != mine.session_id


@pytest.mark.requirement("BD-534", "BD-537", "BD-542", "BD-551", "BD-552")
async def test_agents_are_reached_over_http(hooks: HookBoard) -> None:
    """The hook as it is sent, and every view."""
    app = FastAPI()
    handle_errors(app)
    app.include_router(router(cast("Any", hooks)), prefix="/api")
    agents = [Bound(hooks, operations_of(operations))]
    app.include_router(operation_router(agents, "board"), prefix="/api")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        path = "/api/board"
        body = {
            "session_id": CLAUDE,
            "transcript_path": "/x.jsonl",
            "cwd": hooks.board.bakery.path,
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "make"},
            "tool_use_id": "t1",
        }
        answer = await http.post(f"{path}/hooks", json=body)
        assert answer.status_code == 200
        session_id = answer.json()["session_id"]
        # Nothing that Claude Code would take for an order.
        assert answer.json().keys() == {"recorded", "session_id", "note"}
        stranger = await http.post(f"{path}/hooks", json=body | {"session_id": "y", "cwd": "/"})
        assert (stranger.status_code, stranger.json()["recorded"]) == (200, False)
        wrongs: list[object] = [{}, [body], "text"]
        for wrong in wrongs:
            refused = await http.post(f"{path}/hooks", json=wrong)
            assert refused.status_code == 422
            assert refused.json()["error"]["type"] == "validation_error"
        await hooks.activity.flush()
        [agent] = (await http.get(f"{path}/agents")).json()
        assert (agent["session_id"], agent["current_tool"]) == (session_id, "Bash")
        shown = (await http.get(f"{path}/agents/{session_id}")).json()
        assert shown["tools"] == []
        timeline = (await http.get(f"{path}/agents/{session_id}/activity")).json()
        assert timeline["events"][0]["payload"]["tool_input"] == {"command": "make"}
        assert (await http.get(f"{path}/agents/metrics")).json()["total_tools"] == 1
        one = await http.get(f"{path}/agents/metrics", params={"session_id": session_id})
        assert one.json()["tools"] == []
        assert (await http.get(f"{path}/agents/nobody")).status_code == 404


@pytest.mark.requirement("BD-537")
async def test_what_is_no_hook_is_refused_before_anything_is_registered(hooks: HookBoard) -> None:
    with pytest.raises(InvalidInput):
        await hooks.activity.ingest({"cwd": hooks.board.bakery.path}, LOCAL_USER)
    assert await hooks.activity.agents() == []
