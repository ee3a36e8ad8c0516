"""Agents seen through their hooks: registered, alive, at work, idle, over."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import delete, func, select, text

from bottega.board.agents.activity import Activity
from bottega.board.agents.activity_views import AgentView, Ingested
from bottega.board.agents.monitor import Monitor
from bottega.board.enums import ChangeStatus, Liveness
from bottega.board.routes.activity import router
from bottega.board.tables import HookEvent
from bottega.core import clock
from bottega.core.events import Event
from bottega.core.sessions import Session, SessionStatus
from bottega.core.users import LOCAL_USER
from bottega.errors import InvalidInput, NotFound
from bottega.server.errors import handle_errors
from tests.board.workshop import Workshop, open_workshop

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
class Desk:
    """Where hooks arrive."""

    workshop: Workshop
    activity: Activity
    watch: Watch

    async def hook(self, event: str, *, session: str = CLAUDE, **more: Any) -> Ingested:
        body = {
            "session_id": session,
            "transcript_path": "/home/ada/.claude/projects/bakery.jsonl",
            "cwd": self.workshop.bakery.path,
            "hook_event_name": event,
            **more,
        }
        return await self.activity.ingest(body, LOCAL_USER)

    async def agent(self) -> AgentView:
        await self.activity.flush()
        [agent] = await self.activity.agents()
        return agent

    async def rows(self) -> list[HookEvent]:
        await self.activity.flush()
        async with self.workshop.house.core.database.read() as session:
            return list(await session.scalars(select(HookEvent).order_by(HookEvent.number)))

    async def session(self, session_id: str | None) -> Session:
        async with self.workshop.house.core.database.read() as session:
            return await session.get_one(Session, session_id)

    async def heard(self, topic: str) -> Event:
        """Wait for it."""
        while not (found := self.workshop.heard(topic)):
            await asyncio.sleep(0)
        return found[0]


@pytest.fixture
async def desk(tmp_path: Path, database_url: str) -> AsyncIterator[Desk]:
    async with open_workshop(tmp_path, database_url) as workshop:
        watch = Watch()
        activity = Activity(workshop.house.core, workshop.sessions, workshop.queue, now=watch)
        await activity.start()
        try:
            yield Desk(workshop, activity, watch)
        finally:
            await activity.stop()


async def test_a_session_is_registered_for_the_project_around_its_folder(desk: Desk) -> None:
    """BD-538: by Claude Code's own id, once, whichever event comes first."""
    folder = f"{desk.workshop.bakery.path}/src/ovens"
    started = await desk.hook("SessionStart", source="startup", model="opus", cwd=folder)
    assert started.recorded
    registered = await desk.workshop.sessions.of_client(CLAUDE, LOCAL_USER)
    assert registered is not None
    assert registered.id == started.session_id
    assert registered.project_id == desk.workshop.bakery.id
    assert registered.metadata["model"] == "opus"
    again = await desk.hook("SessionStart", source="compact", cwd="/tmp")
    assert again.session_id == started.session_id
    # Of a session that was there before the server was.
    other = await desk.hook("PreToolUse", session="other", tool_name="Read")
    assert other.recorded
    assert other.session_id != started.session_id
    assert len(desk.workshop.heard("agents.registered")) == 2


async def test_a_hook_from_no_project_is_answered_kindly_and_kept_nowhere(desk: Desk) -> None:
    """BD-542: hooks may be installed for everything somebody does."""
    answer = await desk.hook("PreToolUse", cwd="/home/ada/holiday", tool_name="Bash")
    assert answer.recorded is False
    assert answer.note is not None
    assert "'/home/ada/holiday' is in no project" in answer.note
    assert "openspec init" in answer.note
    for nowhere in ("", "src", None, 7):
        answer = await desk.hook("PreToolUse", cwd=nowhere, tool_name="Bash")
        assert answer.recorded is False
    assert await desk.rows() == []
    assert await desk.activity.agents() == []


async def test_every_event_is_a_heartbeat(desk: Desk) -> None:
    """BD-539: whatever it says."""
    started = await desk.hook("SessionStart")
    desk.watch.go(minutes=4)
    await desk.hook("Notification", message="Waiting for you")
    await desk.activity.flush()
    assert (await desk.session(started.session_id)).seen_at == desk.watch.time


async def test_a_session_that_was_given_up_and_speaks_again_is_alive(desk: Desk) -> None:
    """BD-539."""
    started = await desk.hook("SessionStart")
    await desk.activity.flush()
    await desk.workshop.silent(str(started.session_id), minutes=11)
    assert await Monitor(desk.workshop.house.core).look() == [started.session_id]
    assert await desk.activity.agents() == []
    again = await desk.hook("UserPromptSubmit", prompt="Go on", cwd="/tmp")
    assert again.session_id == started.session_id
    assert (await desk.agent()).status is SessionStatus.ACTIVE


async def test_the_first_tool_puts_assigned_work_in_progress(desk: Desk) -> None:
    """BD-540: by itself, for each claim anew; other events do not."""
    session_id = (await desk.hook("SessionStart")).session_id
    assert session_id is not None
    for name in ("add-discounts", "add-taxes"):
        await desk.workshop.change(name)
        claim = await desk.workshop.queue.claim(session_id, LOCAL_USER)
        assert claim.change is not None
        await desk.hook("UserPromptSubmit", prompt="Begin")
        await desk.activity.flush()
        assert (await desk.workshop.now(name)).status == ChangeStatus.ASSIGNED
        await desk.hook("PreToolUse", tool_name="Read", tool_use_id="t1")
        await desk.activity.flush()
        assert (await desk.workshop.now(name)).status == ChangeStatus.IN_PROGRESS
        shown = await desk.agent()
        assert shown.working_on is not None
        assert shown.working_on.id == name
        await desk.workshop.queue.release(
            session_id, LOCAL_USER, name, claim.change.lease_token, "Next."
        )
        async with desk.workshop.house.core.database.write() as session:
            await session.delete(await desk.workshop.now(name))


async def test_the_end_of_a_session_frees_its_work_and_is_summed_up(desk: Desk) -> None:
    """BD-541: what it did, by tool, with failures and how long it took."""
    session_id = str((await desk.hook("SessionStart")).session_id)
    await desk.workshop.change("add-discounts")
    await desk.workshop.queue.claim(session_id, LOCAL_USER)
    for number, worked in enumerate([True, True, False]):
        call = {"tool_name": "Bash" if number else "Read", "tool_use_id": f"t{number}"}
        await desk.hook("PreToolUse", **call)
        await desk.hook("PostToolUse" if worked else "PostToolUseFailure", **call, duration_ms=100)
    await desk.hook("SessionEnd", reason="logout")
    await desk.activity.flush()
    assert (await desk.session(session_id)).status == SessionStatus.ENDED
    freed = await desk.workshop.now("add-discounts")
    assert (freed.status, freed.assigned_session_id) == (ChangeStatus.APPROVED, None)
    ended = await desk.heard("agents.ended")
    assert ended.payload["why"] == "Claude Code ended the session (logout)."
    told = await desk.heard("agents.summary")
    assert told.session_id == session_id
    assert told.payload["tools"] == [
        {"tool_name": "Bash", "calls": 2, "failed": 1, "average_duration_ms": 100.0},
        {"tool_name": "Read", "calls": 1, "failed": 0, "average_duration_ms": 100.0},
    ]
    assert (told.payload["total_tools"], told.payload["failed"]) == (3, 1)
    assert await desk.activity.agents() == []
    summary = await desk.activity.summary(session_id)
    assert summary.status is SessionStatus.ENDED
    assert summary.success_rate == 66.7


async def test_only_new_work_takes_an_ended_session_up_again(desk: Desk) -> None:
    """BD-541, BD-538: what is late goes to the session that is over, which stays over."""
    first = str((await desk.hook("SessionStart")).session_id)
    await desk.workshop.sessions.end(first, LOCAL_USER)
    again = await desk.hook("PreToolUse", session="another", tool_name="Read")
    await desk.workshop.sessions.end(str(again.session_id), LOCAL_USER)
    assert (await desk.hook("PreToolUse", session="another")).session_id != again.session_id
    await desk.hook("SessionEnd", session="another")
    for late in ("PostToolUse", "Stop", "SessionEnd"):
        assert (
            await desk.hook(late, tool_name="mcp__bottega__board_end_session")
        ).session_id == first
    await desk.activity.flush()
    assert await desk.activity.agents() == []
    assert (await desk.activity.summary(first)).events == 4
    resumed = await desk.hook("PreToolUse", tool_name="Read")
    assert resumed.session_id != first
    assert (await desk.agent()).session_id == resumed.session_id


async def test_a_session_that_ends_and_starts_at_once_is_two(desk: Desk) -> None:
    """BD-541, BD-544: though the end is still being written."""
    first = await desk.hook("SessionStart")
    end, start = await asyncio.gather(
        desk.hook("SessionEnd", reason="resume"), desk.hook("SessionStart", source="resume")
    )
    assert end.session_id == first.session_id != start.session_id
    assert (await desk.agent()).session_id == start.session_id


async def test_a_tools_end_finds_its_beginning_also_in_parallel(desk: Desk) -> None:
    """BD-545: by the id of its use; the tool begun last is the current one."""
    await desk.hook("PreToolUse", tool_name="Bash", tool_use_id="a")
    desk.watch.go(seconds=2)
    await desk.hook("PreToolUse", tool_name="Grep", tool_use_id="b")
    await desk.activity.flush()
    desk.watch.go(seconds=1)
    await desk.hook("Notification", message="Still searching")
    shown = await desk.agent()
    assert (shown.current_tool, shown.current_tool_seconds) == ("Grep", 1)
    await desk.hook("PostToolUse", tool_name="Grep", tool_use_id="b", tool_response={})
    shown = await desk.agent()
    assert (shown.current_tool, shown.current_tool_seconds) == ("Bash", 3)
    desk.watch.go(seconds=2)
    await desk.hook("PostToolUseFailure", tool_name="Bash", tool_use_id="a", error="exit code 1")
    shown = await desk.agent()
    assert (shown.current_tool, shown.current_tool_seconds) == (None, None)
    assert [(row.success, row.duration_ms) for row in (await desk.rows())[3:]] == [
        (True, 1_000),
        (False, 5_000),
    ]


async def test_two_calls_of_one_tool_are_told_apart(desk: Desk) -> None:
    """BD-545: though the first ends first."""
    for use in ("a", "b"):
        await desk.hook("PreToolUse", tool_name="Bash", tool_use_id=use)
        desk.watch.go(seconds=1)
    for use in ("a", "b"):
        await desk.hook("PostToolUse", tool_name="Bash", tool_use_id=use, tool_response={})
    assert [row.duration_ms for row in await desk.rows()] == [None, None, 2_000, 1_000]


async def test_without_ids_the_last_call_of_that_tool_has_ended(desk: Desk) -> None:
    """BD-545: in one batch as in many; and an end without a beginning is a call too."""
    await desk.hook("PreToolUse", tool_name="Bash")
    desk.watch.go(seconds=3)
    await desk.hook("PreToolUse", tool_name="Bash")
    desk.watch.go(seconds=1)
    await desk.hook("PostToolUse", tool_name="Bash", tool_response={"interrupted": True})
    await desk.hook("PostToolUse", tool_name="Read", tool_response={})
    rows = await desk.rows()
    assert [(row.success, row.duration_ms) for row in rows[2:]] == [(False, 1_000), (True, None)]
    shown = await desk.agent()
    assert (shown.total_tools, shown.succeeded, shown.failed) == (3, 1, 1)
    assert shown.current_tool == "Bash"
    # Nobody hears of the end of a tool that a person interrupts; the turn's end is heard.
    await desk.hook("Stop")
    assert (await desk.agent()).current_tool is None


async def test_a_clock_that_jumps_gives_no_negative_duration(desk: Desk) -> None:
    """BD-546: backwards in mid-tool, and far ahead."""
    await desk.hook("PreToolUse", tool_name="Bash", tool_use_id="a")
    desk.watch.go(hours=-3)
    shown = await desk.agent()
    assert (shown.current_tool_seconds, shown.idle_seconds, shown.idle) == (0, 0, False)
    await desk.hook("PostToolUse", tool_name="Bash", tool_use_id="a", tool_response={})
    [_, ended] = await desk.rows()
    assert ended.duration_ms == 0
    assert (await desk.agent()).average_duration_ms == 0.0
    summary = await desk.activity.summary((await desk.agent()).session_id)
    assert summary.seconds == 0


async def test_the_sums_are_what_the_specified_sql_counts(desk: Desk) -> None:
    """BD-547: over a random life of several agents, in the same order."""
    chance = random.Random(7)
    open_calls: list[tuple[str, str, str]] = []
    for number in range(400):
        desk.watch.go(seconds=chance.random() * 5)
        if open_calls and chance.random() < 0.5:
            who, tool, use = open_calls.pop(chance.randrange(len(open_calls)))
            event = "PostToolUse" if chance.random() < 0.8 else "PostToolUseFailure"
        else:
            who, tool, use = f"agent {chance.randrange(4)}", chance.choice("ABC"), f"use {number}"
            event = "PreToolUse"
            open_calls.append((who, tool, use))
        await desk.hook(event, session=who, tool_name=tool, tool_use_id=use)
    await desk.activity.flush()
    async with desk.workshop.house.core.database.read() as session:
        counted = (await session.execute(text(SPECIFIED))).mappings().all()
    shown = await desk.activity.agents()
    assert len(shown) == 4
    for row, agent in zip(counted, shown, strict=True):
        assert row["session_id"] == agent.session_id
        assert clock.parse(row["last_activity"]) == agent.last_activity_at
        sums = agent.events, agent.total_tools, agent.succeeded, agent.failed
        assert sums == (row["events"], row["total_tools"], row["succeeded"], row["failed"])
        assert agent.average_duration_ms == pytest.approx(float(row["avg_duration"]), abs=0.06)
        rate = 100 * row["succeeded"] / (row["succeeded"] + row["failed"])
        assert agent.success_rate == pytest.approx(rate, abs=0.06)


async def test_active_agents_are_shown_without_reading_the_events(desk: Desk) -> None:
    """BD-548: so that a million of them cost nothing."""
    await desk.hook("PreToolUse", tool_name="Bash")
    await desk.activity.flush()
    before = await desk.activity.agents()
    async with desk.workshop.house.core.database.write() as session:
        await session.execute(delete(HookEvent))
    assert await desk.activity.agents() == before
    assert before[0].current_tool == "Bash"


async def test_an_agent_is_shown_with_all_that_is_known_of_it(desk: Desk) -> None:
    """BD-549."""
    session_id = str((await desk.hook("SessionStart")).session_id)
    await desk.workshop.change("add-discounts", tasks_done=1, tasks_total=3)
    await desk.workshop.queue.claim(session_id, LOCAL_USER)
    await desk.hook("PreToolUse", tool_name="Read", tool_use_id="a")
    await desk.hook("PostToolUse", tool_name="Read", tool_use_id="a", duration_ms=30)
    await desk.hook("PreToolUse", tool_name="Bash", tool_use_id="b")
    desk.watch.go(seconds=42)
    shown = await desk.agent()
    assert shown.session_id == session_id
    assert shown.client_session_id == CLAUDE
    assert (shown.current_tool, shown.current_tool_seconds) == ("Bash", 42)
    assert (shown.events, shown.total_tools, shown.succeeded, shown.failed) == (4, 2, 1, 0)
    assert (shown.success_rate, shown.average_duration_ms) == (100.0, 30.0)
    assert (shown.idle, shown.idle_seconds) == (False, 42)
    assert shown.liveness is Liveness.ACTIVE
    assert shown.working_on is not None
    assert shown.working_on.model_dump() == {
        "project_id": desk.workshop.bakery.id,
        "id": "add-discounts",
        "title": "add discounts",
        "status": "in_progress",
        "tasks_done": 1,
        "tasks_total": 3,
    }
    desk.watch.go(minutes=7)
    assert (await desk.agent()).liveness is Liveness.SLOW


async def test_an_agent_that_registered_without_hooks_is_shown_too(desk: Desk) -> None:
    """BD-549: with nothing counted yet."""
    session_id = await desk.workshop.agent()
    shown = await desk.agent()
    assert (shown.session_id, shown.events, shown.success_rate) == (session_id, 0, None)


async def test_an_idle_agent_is_told_of_once_for_each_silence(desk: Desk) -> None:
    """BD-550: after five minutes; a restart does not tell it again."""
    session_id = (await desk.hook("UserPromptSubmit", prompt="Hello")).session_id
    await desk.activity.flush()
    desk.watch.go(minutes=4, seconds=59)
    assert await desk.activity.idle.look() == []
    assert (await desk.agent()).idle is False
    desk.watch.go(seconds=2)
    assert (await desk.agent()).idle is True
    assert await desk.activity.idle.look() == [session_id]
    assert await desk.activity.idle.look() == []
    core = desk.workshop.house.core
    restarted = Activity(core, desk.workshop.sessions, desk.workshop.queue, now=desk.watch)
    assert await restarted.idle.look() == []
    [told] = desk.workshop.heard("agents.idle")
    assert (told.session_id, told.payload["minutes"]) == (session_id, 5)
    await desk.hook("Stop")
    assert (await desk.agent()).idle is False
    desk.watch.go(minutes=6)
    assert await desk.activity.idle.look() == [session_id]


async def test_a_timeline_is_paged_from_the_newest(desk: Desk) -> None:
    """BD-551."""
    for number in range(5):
        started = await desk.hook("Notification", message=f"number {number}")
    await desk.activity.flush()
    session_id = str(started.session_id)
    first = await desk.activity.timeline(session_id, limit=3)
    assert [e.payload["message"][-1] for e in first.events] == ["4", "3", "2"]
    second = await desk.activity.timeline(session_id, before=first.next, limit=3)
    assert [e.payload["message"][-1] for e in second.events] == ["1", "0"]
    assert second.next is None
    with pytest.raises(NotFound, match="no agent session 'nobody'"):
        await desk.activity.timeline("nobody")


async def test_metrics_are_of_all_sessions_or_of_one(desk: Desk) -> None:
    """BD-552: the one with its tools."""
    for who in ("one", "two"):
        for tool, worked in (("Bash", True), ("Bash", False), ("Read", True)):
            started = await desk.hook("PreToolUse", session=who, tool_name=tool)
            event = "PostToolUse" if worked else "PostToolUseFailure"
            await desk.hook(event, session=who, tool_name=tool, duration_ms=10)
    await desk.activity.flush()
    overall = await desk.activity.metrics()
    assert (overall.sessions, overall.total_tools, overall.failed) == (2, 6, 2)
    assert (overall.success_rate, overall.average_duration_ms) == (66.7, 10.0)
    assert overall.tools is None
    one = await desk.activity.metrics(started.session_id)
    assert (one.sessions, one.events) == (1, 6)
    assert one.tools is not None
    assert [(t.tool_name, t.calls, t.failed) for t in one.tools] == [("Bash", 2, 1), ("Read", 1, 0)]
    with pytest.raises(NotFound):
        await desk.activity.metrics("nobody")


async def test_every_event_is_streamed_as_activity(desk: Desk) -> None:
    """BD-553: at once, and not into the log: the rows are there."""
    started = await desk.hook("PreToolUse", tool_name="Bash")
    [told] = desk.workshop.heard("agents.activity")
    assert told.durable is False
    assert (told.session_id, told.project) == (started.session_id, desk.workshop.bakery.path)
    assert told.payload == {
        "project_id": desk.workshop.bakery.id,
        "event": "PreToolUse",
        "tool_name": "Bash",
        "success": None,
    }


async def test_a_hook_is_answered_while_the_database_is_busy(tmp_path: Path) -> None:
    """BD-543: the agent does not wait for SQLite's one writer."""
    async with open_workshop(tmp_path) as workshop:
        activity = Activity(workshop.house.core, workshop.sessions, workshop.queue)
        desk = Desk(workshop, activity, Watch())
        await activity.start()
        await desk.hook("SessionStart")
        async with workshop.house.core.database.write():
            async with asyncio.timeout(5):
                for _ in range(50):
                    assert (await desk.hook("PreToolUse", tool_name="Bash")).recorded
        await activity.stop()
        async with workshop.house.core.database.read() as session:
            assert await session.scalar(select(func.count()).select_from(HookEvent)) == 51


async def test_events_are_written_in_the_order_in_which_they_came(desk: Desk) -> None:
    """BD-544: of each of many sessions at once, though the first has to be registered."""

    async def life(who: str) -> None:
        for number in range(30):
            await desk.hook("Notification" if number else "SessionStart", session=who, nth=number)

    await asyncio.gather(*(life(f"agent {number}") for number in range(10)))
    seen: dict[str, list[int]] = {}
    for row in await desk.rows():
        seen.setdefault(row.session_id, []).append(row.payload["nth"])
    assert list(seen.values()) == [list(range(30))] * 10


async def test_hooks_sent_at_once_keep_their_order_while_the_session_is_met(desk: Desk) -> None:
    """BD-544: one that comes when the first is done does not overtake those that wait."""
    waiting = [asyncio.create_task(desk.hook("Notification", nth=nth)) for nth in range(20)]
    await waiting[0]
    await desk.hook("Notification", nth=20)
    await asyncio.gather(*waiting)
    assert [row.payload["nth"] for row in await desk.rows()] == list(range(21))
    assert len(desk.workshop.heard("agents.registered")) == 1


async def test_text_that_a_database_cannot_hold_is_kept_without_it(desk: Desk) -> None:
    """BD-534: NUL, half a character, and numbers that JSON does not have."""
    await desk.hook("PreToolUse", tool_name="Ba\0sh", odd="\ud800 \0", number=float("nan"))
    [row] = await desk.rows()
    assert row.tool_name == "Ba\ufffdsh"
    assert row.payload["number"] == "nan"


async def test_users_do_not_see_each_others_agents(desk: Desk) -> None:
    """BD-554: and cannot speak for them, though they know the id."""
    mine = await desk.hook("SessionStart")
    await desk.activity.flush()
    other = (await desk.workshop.house.core.users.create("bob")).id
    assert await desk.activity.agents(other) == []
    with pytest.raises(NotFound):
        await desk.activity.timeline(str(mine.session_id), other)
    with pytest.raises(NotFound):
        await desk.activity.summary(str(mine.session_id), other)
    assert (await desk.activity.metrics(user_id=other)).events == 0
    body = {"session_id": CLAUDE, "hook_event_name": "Stop", "cwd": desk.workshop.bakery.path}
    theirs = await desk.activity.ingest(body, other)
    assert theirs.session_id != mine.session_id


async def test_agents_are_reached_over_http(desk: Desk) -> None:
    """BD-534, BD-537, BD-542, BD-551, BD-552: the hook as it is sent, and every view."""
    app = FastAPI()
    handle_errors(app)
    app.include_router(router(desk.activity), prefix="/api")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        path = "/api/board"
        body = {
            "session_id": CLAUDE,
            "transcript_path": "/x.jsonl",
            "cwd": desk.workshop.bakery.path,
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
        await desk.activity.flush()
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


async def test_what_is_no_hook_is_refused_before_anything_is_registered(desk: Desk) -> None:
    """BD-537."""
    with pytest.raises(InvalidInput):
        await desk.activity.ingest({"cwd": desk.workshop.bakery.path}, LOCAL_USER)
    assert await desk.activity.agents() == []
