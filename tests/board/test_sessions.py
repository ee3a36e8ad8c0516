"""Agents' sessions: registered, heard of, given up, ended."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bottega.board.agents.schemas import SessionType
from bottega.board.agents.sessions import SILENT, Monitor
from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.queue.leases import STALE_AFTER, liveness
from bottega.board.queue.schemas import Liveness
from bottega.core import clock
from bottega.core.sessions.session import Session, SessionKind, SessionStatus
from bottega.errors import Conflict, InvalidInput, NotFound
from tests.board.agent_board import ME, AgentBoard, Clocks, open_agent_board


@pytest.fixture
async def board(tmp_path: Path, database_url: str) -> AsyncIterator[AgentBoard]:
    async with open_agent_board(tmp_path, database_url) as board:
        yield board


async def stored(board: AgentBoard, session_id: str) -> Session:
    return await board.app.core.sessions.get(session_id, user_id=None)


@pytest.mark.requirement("BD-401")
async def test_a_session_is_of_one_project_and_one_type(board: AgentBoard) -> None:
    """It is a session of the house, of kind agent, and everyone hears of it."""
    registered = await board.sessions.register(
        ME, project_id=board.bakery.id, type=SessionType.MASTER, metadata={"model": "large"}
    )
    row = await stored(board, registered.id)
    assert (row.kind, row.type, row.status) == ("agent", "master", "active")
    assert row.project_dir == board.bakery.path
    assert registered.metadata == {"model": "large"}
    [heard] = board.heard("agents.registered")
    assert (heard.session_id, heard.project) == (registered.id, board.bakery.path)
    assert heard.payload["project_id"] == board.bakery.id


@pytest.mark.requirement("BD-402")
async def test_a_session_finds_its_project_by_the_folder_it_works_in(board: AgentBoard) -> None:
    """The innermost project around it."""
    inner = await board.project("bakery/ovens")
    deep = Path(inner.path) / "src" / "heat"
    assert (await board.sessions.register(ME, project_path=str(deep))).project_id == inner.id
    beside = Path(board.bakery.path) / "ovens2"
    assert (
        await board.sessions.register(ME, project_path=str(beside))
    ).project_id == board.bakery.id


@pytest.mark.requirement("BD-403")
async def test_a_session_needs_a_project_that_the_board_knows(board: AgentBoard) -> None:
    """An unknown id, an unknown folder and none at all are told apart."""
    with pytest.raises(NotFound, match=r"no project 'ovens'.*GET /api/projects"):
        await board.sessions.register(ME, project_id="ovens")
    with pytest.raises(NotFound, match=r"in no project of the board.*openspec init"):
        await board.sessions.register(ME, project_path=str(board.app.projects_dir))
    with pytest.raises(InvalidInput, match="project_id"):
        await board.sessions.register(ME)
    assert board.heard("agents.registered") == []


@pytest.mark.requirement("BD-404")
async def test_a_client_that_registers_again_is_the_same_session(board: AgentBoard) -> None:
    """However often, and at the same moment; what it says of itself adds up."""
    views = await asyncio.gather(
        *(
            board.sessions.register(
                ME,
                project_id=board.bakery.id,
                client_session_id="claude-1",
                metadata={f"key{number}": number},
            )
            for number in range(8)
        )
    )
    [session_id] = {view.id for view in views}
    found = await board.sessions.of_client("claude-1", ME)
    assert found is not None
    assert found.id == session_id
    assert found.metadata == {f"key{number}": number for number in range(8)}
    assert len(board.heard("agents.registered")) == 1


@pytest.mark.requirement("BD-404")
async def test_a_client_that_ended_begins_anew(board: AgentBoard) -> None:
    """A resumed conversation is another sitting; the ended one stays ended."""

    async def register() -> str:
        view = await board.sessions.register(
            ME, project_id=board.bakery.id, client_session_id="claude-1"
        )
        return view.id

    first = await register()
    await board.sessions.end(first, ME)
    second = await register()
    assert second != first
    assert (await stored(board, first)).status == SessionStatus.ENDED


@pytest.mark.requirement("BD-405")
async def test_a_session_does_not_change_its_project(board: AgentBoard) -> None:
    """One session, one project; nothing crosses by accident."""
    ovens = await board.project("ovens")
    await board.sessions.register(ME, project_id=board.bakery.id, client_session_id="claude-1")
    with pytest.raises(Conflict, match="a session has one project"):
        await board.sessions.register(ME, project_id=ovens.id, client_session_id="claude-1")


@pytest.mark.requirement("BD-406")
@pytest.mark.parametrize(
    ("silence", "expected"),
    [
        (timedelta(minutes=-30), Liveness.ACTIVE),
        (timedelta(minutes=5), Liveness.ACTIVE),
        (timedelta(minutes=5, seconds=1), Liveness.SLOW),
        (timedelta(minutes=10), Liveness.SLOW),
        (timedelta(minutes=10, seconds=1), Liveness.STALE),
    ],
)
def test_liveness_is_the_age_of_the_last_heartbeat(silence: timedelta, expected: Liveness) -> None:
    """Active up to 5 minutes, slow up to 10, stale beyond."""
    now = clock.now()
    row = Session(kind=SessionKind.AGENT, status=SessionStatus.ACTIVE, seen_at=now - silence)
    assert liveness(row, now) is expected


@pytest.mark.requirement("BD-407")
async def test_sessions_are_listed_with_their_liveness_and_work(board: AgentBoard) -> None:
    """Per project, the newest first, those that ended only on request."""
    ovens = await board.project("ovens")
    holder, token = await board.holder()
    slow, ended, elsewhere = [await board.agent(), await board.agent(), await board.agent(ovens)]
    await board.silent(slow, minutes=7)
    await board.sessions.end(ended, ME)
    listed = await board.sessions.list(ME, project_id=board.bakery.id)
    assert [(view.id, view.liveness) for view in listed] == [
        (slow, Liveness.SLOW),
        (holder, Liveness.ACTIVE),
    ]
    assert listed[1].lease is not None
    assert (listed[1].lease.change_id, listed[1].lease.lease_token) == ("add-discounts", token)
    everyone = await board.sessions.list(ME, live_only=False)
    assert [view.id for view in everyone] == [elsewhere, ended, slow, holder]
    assert await board.sessions.list("somebody else") == []


@pytest.mark.requirement("BD-408")
async def test_a_heartbeat_says_that_the_lease_holds(board: AgentBoard) -> None:
    """With the token and how long silence is forgiven."""
    holder, token = await board.holder()
    await board.silent(holder, minutes=9)
    beat = await board.sessions.heartbeat(holder, ME)
    assert beat.lease is not None
    assert (beat.lease.change_id, beat.lease.lease_token) == ("add-discounts", token)
    assert beat.lease.expires_at == (await stored(board, holder)).seen_at + STALE_AFTER
    assert (beat.woken, beat.minutes_left) == (False, 10)
    assert clock.now() - (await stored(board, holder)).seen_at < timedelta(minutes=1)


@pytest.mark.requirement("BD-409", "BD-410")
async def test_a_silent_session_is_given_up_and_its_work_is_free(board: AgentBoard) -> None:
    """Inactive, back to approved, told, and the history says why."""
    holder, token = await board.holder()
    approved = (await board.now()).approved_at
    lively = await board.agent()
    await board.silent(holder, minutes=10, seconds=1)
    await board.silent(lively, minutes=9, seconds=50)
    before = (await stored(board, holder)).seen_at
    assert await Monitor(board.app.core).look() == [holder]
    row = await stored(board, holder)
    assert (row.status, row.seen_at) == (SessionStatus.INACTIVE, before)
    assert (await stored(board, lively)).status == SessionStatus.ACTIVE
    change = await board.now()
    assert (change.status, change.assigned_session_id) == (ChangeStatus.APPROVED, None)
    assert change.approved_at == approved
    last = (await board.history())[-1]
    assert (last.to_state, last.triggered_by, last.notes) == ("approved", Actor.SYSTEM, SILENT)
    [released] = board.heard("work.released")
    assert released.payload["change_id"] == "add-discounts"
    assert released.payload["lease_token"] == token
    [gone] = board.heard("agents.ended")
    assert (gone.session_id, gone.payload["status"]) == (holder, "inactive")
    assert await Monitor(board.app.core).look() == []


@pytest.mark.requirement("BD-411")
async def test_a_session_that_was_given_up_wakes_without_its_work(board: AgentBoard) -> None:
    """Alive again, empty-handed, and free to claim anew with a new token."""
    holder, token = await board.holder()
    await board.silent(holder, minutes=11)
    await Monitor(board.app.core).look()
    beat = await board.sessions.heartbeat(holder, ME)
    assert (beat.woken, beat.lease) == (True, None)
    assert (await stored(board, holder)).status == SessionStatus.ACTIVE
    claim = await board.queue.claim(holder, ME)
    assert claim.change is not None
    assert claim.change.lease_token == token + 1


@pytest.mark.requirement("BD-409")
async def test_the_monitor_goes_round_by_itself(board: AgentBoard) -> None:
    """Every interval, until it is stopped."""
    holder, _ = await board.holder()
    await board.silent(holder, minutes=11)
    clocks = Clocks()
    monitor = Monitor(board.app.core, now=clocks.now, monotonic=clocks.monotonic, interval=0.01)
    async with board.app.core.bus.subscribe("work.released") as heard:
        await monitor.start()
        clocks.pass_minutes(10.5)
        try:
            async with asyncio.timeout(10):
                assert (await anext(heard)).payload["change_id"] == "add-discounts"
        finally:
            await monitor.stop()


@pytest.mark.requirement("BD-412")
async def test_a_clock_that_jumps_forward_takes_nobodys_work(board: AgentBoard) -> None:
    """Everyone gets ten minutes by the steady clock; who stays silent is then given up."""
    holder, _ = await board.holder()
    clocks = Clocks()
    monitor = Monitor(board.app.core, now=clocks.now, monotonic=clocks.monotonic)
    clocks.pass_minutes(2)
    assert await monitor.look() == []
    clocks.wall += timedelta(hours=1)
    for _ in range(5):
        assert await monitor.look() == []
        clocks.pass_minutes(2)
    assert (await board.now()).status == ChangeStatus.ASSIGNED
    assert await monitor.look() == [holder]


@pytest.mark.requirement("BD-412")
@pytest.mark.parametrize("restarted", [False, True])
async def test_a_clock_that_is_set_back_keeps_nobody_alive_for_ever(
    board: AgentBoard, restarted: bool
) -> None:
    """A sign of life from the future counts as one from now, also after a restart."""
    holder, _ = await board.holder()
    clocks = Clocks()
    monitor = Monitor(board.app.core, now=clocks.now, monotonic=clocks.monotonic)
    clocks.wall -= timedelta(hours=3)
    if restarted:
        monitor = Monitor(board.app.core, now=clocks.now, monotonic=clocks.monotonic)
    assert await monitor.look() == []
    clocks.pass_minutes(10.5)
    assert await monitor.look() == [holder]


@pytest.mark.requirement("BD-412")
async def test_a_clock_that_jumped_while_no_server_ran_takes_nobodys_work(
    board: AgentBoard,
) -> None:
    """After a start everyone gets ten minutes: who could not be heard was not silent."""
    holder, _ = await board.holder()
    clocks = Clocks()
    clocks.wall += timedelta(days=2)
    monitor = Monitor(board.app.core, now=clocks.now, monotonic=clocks.monotonic)
    await monitor.start()
    await monitor.stop()
    clocks.pass_minutes(9.5)
    assert await monitor.look() == []
    clocks.pass_minutes(1)
    assert await monitor.look() == [holder]


@pytest.mark.requirement("BD-413")
async def test_ending_a_session_frees_its_work_at_once(board: AgentBoard) -> None:
    """No monitor needed; ending it again changes nothing."""
    holder, _ = await board.holder()
    ended = await board.sessions.end(holder, ME, "The terminal was closed.")
    assert (ended.status, ended.lease) == (SessionStatus.ENDED, None)
    assert (await board.now()).status == ChangeStatus.APPROVED
    last = (await board.history())[-1]
    assert (last.triggered_by, last.trigger_session_id) == (Actor.AGENT, holder)
    assert last.notes == "The terminal was closed."
    again = await board.sessions.end(holder, ME)
    assert again.ended_at == ended.ended_at
    assert len(board.heard("agents.ended")) == 1


@pytest.mark.requirement("BD-414")
async def test_an_ended_session_is_refused(board: AgentBoard) -> None:
    """With when it ended and what to do; another user's session does not exist."""
    agent = await board.agent()
    await board.sessions.end(agent, ME)
    for call in (board.sessions.heartbeat(agent, ME), board.queue.claim(agent, ME)):
        with pytest.raises(Conflict, match=r"is ended since 20.*board_register_session"):
            await call
    with pytest.raises(NotFound, match="no session"):
        await board.sessions.heartbeat(agent, "somebody else")
    coaching = await board.app.core.sessions.create(SessionKind.COACHING, "elsewhere")
    with pytest.raises(NotFound, match="no agent session"):
        await board.sessions.heartbeat(coaching.id, ME)
