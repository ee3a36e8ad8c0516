"""Agents' sessions: registered, heard of, given up, ended."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bottega.board.agents.monitor import SILENT, Monitor
from bottega.board.agents.sessions import STALE_AFTER, liveness
from bottega.board.enums import Actor, ChangeStatus, Liveness, SessionType
from bottega.core import clock
from bottega.core.sessions import Session, SessionKind, SessionStatus
from bottega.errors import Conflict, InvalidInput, NotFound
from tests.board.workshop import ME, Clocks, Workshop, open_workshop


@pytest.fixture
async def shop(tmp_path: Path, database_url: str) -> AsyncIterator[Workshop]:
    async with open_workshop(tmp_path, database_url) as shop:
        yield shop


async def stored(shop: Workshop, session_id: str) -> Session:
    return await shop.house.core.sessions.get(session_id, user_id=None)


async def test_a_session_is_of_one_project_and_one_type(shop: Workshop) -> None:
    """BD-401: it is a session of the house, of kind agent, and everyone hears of it."""
    registered = await shop.sessions.register(
        ME, project_id=shop.bakery.id, type=SessionType.MASTER, metadata={"model": "large"}
    )
    row = await stored(shop, registered.id)
    assert (row.kind, row.type, row.status) == ("agent", "master", "active")
    assert row.project_dir == shop.bakery.path
    assert registered.metadata == {"model": "large"}
    [heard] = shop.heard("agents.registered")
    assert (heard.session_id, heard.project) == (registered.id, shop.bakery.path)
    assert heard.payload["project_id"] == shop.bakery.id


async def test_a_session_finds_its_project_by_the_folder_it_works_in(shop: Workshop) -> None:
    """BD-402: the innermost project around it."""
    inner = await shop.project("bakery/ovens")
    deep = Path(inner.path) / "src" / "heat"
    assert (await shop.sessions.register(ME, project_path=str(deep))).project_id == inner.id
    beside = Path(shop.bakery.path) / "ovens2"
    assert (await shop.sessions.register(ME, project_path=str(beside))).project_id == shop.bakery.id


async def test_a_session_needs_a_project_that_the_board_knows(shop: Workshop) -> None:
    """BD-403: an unknown id, an unknown folder and none at all are told apart."""
    with pytest.raises(NotFound, match=r"no project 'ovens'.*GET /api/projects"):
        await shop.sessions.register(ME, project_id="ovens")
    with pytest.raises(NotFound, match=r"in no project of the board.*openspec init"):
        await shop.sessions.register(ME, project_path=str(shop.house.projects_dir))
    with pytest.raises(InvalidInput, match="project_id"):
        await shop.sessions.register(ME)
    assert shop.heard("agents.registered") == []


async def test_a_client_that_registers_again_is_the_same_session(shop: Workshop) -> None:
    """BD-404: however often, and at the same moment; what it says of itself adds up."""
    views = await asyncio.gather(
        *(
            shop.sessions.register(
                ME,
                project_id=shop.bakery.id,
                client_session_id="claude-1",
                metadata={f"key{number}": number},
            )
            for number in range(8)
        )
    )
    [session_id] = {view.id for view in views}
    found = await shop.sessions.of_client("claude-1", ME)
    assert found is not None
    assert found.id == session_id
    assert found.metadata == {f"key{number}": number for number in range(8)}
    assert len(shop.heard("agents.registered")) == 1


async def test_a_client_that_ended_begins_anew(shop: Workshop) -> None:
    """BD-404: a resumed conversation is another sitting; the ended one stays ended."""

    async def register() -> str:
        view = await shop.sessions.register(
            ME, project_id=shop.bakery.id, client_session_id="claude-1"
        )
        return view.id

    first = await register()
    await shop.sessions.end(first, ME)
    second = await register()
    assert second != first
    assert (await stored(shop, first)).status == SessionStatus.ENDED


async def test_a_session_does_not_change_its_project(shop: Workshop) -> None:
    """BD-405: one session, one project; nothing crosses by accident."""
    ovens = await shop.project("ovens")
    await shop.sessions.register(ME, project_id=shop.bakery.id, client_session_id="claude-1")
    with pytest.raises(Conflict, match="a session has one project"):
        await shop.sessions.register(ME, project_id=ovens.id, client_session_id="claude-1")


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
    """BD-406: active up to 5 minutes, slow up to 10, stale beyond."""
    now = clock.now()
    row = Session(kind=SessionKind.AGENT, status=SessionStatus.ACTIVE, seen_at=now - silence)
    assert liveness(row, now) is expected


async def test_sessions_are_listed_with_their_liveness_and_work(shop: Workshop) -> None:
    """BD-407: per project, the newest first, those that ended only on request."""
    ovens = await shop.project("ovens")
    holder, token = await shop.holder()
    slow, ended, elsewhere = [await shop.agent(), await shop.agent(), await shop.agent(ovens)]
    await shop.silent(slow, minutes=7)
    await shop.sessions.end(ended, ME)
    listed = await shop.sessions.list(ME, project_id=shop.bakery.id)
    assert [(view.id, view.liveness) for view in listed] == [
        (slow, Liveness.SLOW),
        (holder, Liveness.ACTIVE),
    ]
    assert listed[1].lease is not None
    assert (listed[1].lease.change_id, listed[1].lease.lease_token) == ("add-discounts", token)
    everyone = await shop.sessions.list(ME, live_only=False)
    assert [view.id for view in everyone] == [elsewhere, ended, slow, holder]
    assert await shop.sessions.list("somebody else") == []


async def test_a_heartbeat_says_that_the_lease_holds(shop: Workshop) -> None:
    """BD-408: with the token and how long silence is forgiven."""
    holder, token = await shop.holder()
    await shop.silent(holder, minutes=9)
    beat = await shop.sessions.heartbeat(holder, ME)
    assert beat.lease is not None
    assert (beat.lease.change_id, beat.lease.lease_token) == ("add-discounts", token)
    assert beat.lease.expires_at == (await stored(shop, holder)).seen_at + STALE_AFTER
    assert (beat.woken, beat.minutes_left) == (False, 10)
    assert clock.now() - (await stored(shop, holder)).seen_at < timedelta(minutes=1)


async def test_a_silent_session_is_given_up_and_its_work_is_free(shop: Workshop) -> None:
    """BD-409, BD-410: inactive, back to approved, told, and the history says why."""
    holder, token = await shop.holder()
    approved = (await shop.now()).approved_at
    lively = await shop.agent()
    await shop.silent(holder, minutes=10, seconds=1)
    await shop.silent(lively, minutes=9, seconds=50)
    before = (await stored(shop, holder)).seen_at
    assert await Monitor(shop.house.core).look() == [holder]
    row = await stored(shop, holder)
    assert (row.status, row.seen_at) == (SessionStatus.INACTIVE, before)
    assert (await stored(shop, lively)).status == SessionStatus.ACTIVE
    change = await shop.now()
    assert (change.status, change.assigned_session_id) == (ChangeStatus.APPROVED, None)
    assert change.approved_at == approved
    last = (await shop.history())[-1]
    assert (last.to_state, last.triggered_by, last.notes) == ("approved", Actor.SYSTEM, SILENT)
    [released] = shop.heard("work.released")
    assert released.payload["change_id"] == "add-discounts"
    assert released.payload["lease_token"] == token
    [gone] = shop.heard("agents.ended")
    assert (gone.session_id, gone.payload["status"]) == (holder, "inactive")
    assert await Monitor(shop.house.core).look() == []


async def test_a_session_that_was_given_up_wakes_without_its_work(shop: Workshop) -> None:
    """BD-411: alive again, empty-handed, and free to claim anew with a new token."""
    holder, token = await shop.holder()
    await shop.silent(holder, minutes=11)
    await Monitor(shop.house.core).look()
    beat = await shop.sessions.heartbeat(holder, ME)
    assert (beat.woken, beat.lease) == (True, None)
    assert (await stored(shop, holder)).status == SessionStatus.ACTIVE
    claim = await shop.queue.claim(holder, ME)
    assert claim.change is not None
    assert claim.change.lease_token == token + 1


async def test_the_monitor_goes_round_by_itself(shop: Workshop) -> None:
    """BD-409: every interval, until it is stopped."""
    holder, _ = await shop.holder()
    await shop.silent(holder, minutes=11)
    monitor = Monitor(shop.house.core, interval=0.01)
    async with shop.house.core.bus.subscribe("work.released") as heard:
        await monitor.start()
        try:
            async with asyncio.timeout(10):
                assert (await anext(heard)).payload["change_id"] == "add-discounts"
        finally:
            await monitor.stop()


async def test_a_clock_that_jumps_forward_takes_nobodys_work(shop: Workshop) -> None:
    """BD-412: everyone gets ten minutes by the steady clock; who stays silent is then given up."""
    holder, _ = await shop.holder()
    clocks = Clocks()
    monitor = Monitor(shop.house.core, now=clocks.now, monotonic=clocks.monotonic)
    clocks.pass_minutes(2)
    assert await monitor.look() == []
    clocks.wall += timedelta(hours=1)
    for _ in range(5):
        assert await monitor.look() == []
        clocks.pass_minutes(2)
    assert (await shop.now()).status == ChangeStatus.ASSIGNED
    assert await monitor.look() == [holder]


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_clock_that_is_set_back_keeps_nobody_alive_for_ever(
    shop: Workshop, restarted: bool
) -> None:
    """BD-412: a sign of life from the future counts as one from now, also after a restart."""
    holder, _ = await shop.holder()
    clocks = Clocks()
    monitor = Monitor(shop.house.core, now=clocks.now, monotonic=clocks.monotonic)
    clocks.wall -= timedelta(hours=3)
    if restarted:
        monitor = Monitor(shop.house.core, now=clocks.now, monotonic=clocks.monotonic)
    assert await monitor.look() == []
    clocks.pass_minutes(10.5)
    assert await monitor.look() == [holder]


async def test_ending_a_session_frees_its_work_at_once(shop: Workshop) -> None:
    """BD-413: no monitor needed; ending it again changes nothing."""
    holder, _ = await shop.holder()
    ended = await shop.sessions.end(holder, ME, "The terminal was closed.")
    assert (ended.status, ended.lease) == (SessionStatus.ENDED, None)
    assert (await shop.now()).status == ChangeStatus.APPROVED
    last = (await shop.history())[-1]
    assert (last.triggered_by, last.trigger_session_id) == (Actor.AGENT, holder)
    assert last.notes == "The terminal was closed."
    again = await shop.sessions.end(holder, ME)
    assert again.ended_at == ended.ended_at
    assert len(shop.heard("agents.ended")) == 1


async def test_an_ended_session_is_refused(shop: Workshop) -> None:
    """BD-414: with when it ended and what to do; another user's session does not exist."""
    agent = await shop.agent()
    await shop.sessions.end(agent, ME)
    for call in (shop.sessions.heartbeat(agent, ME), shop.queue.claim(agent, ME)):
        with pytest.raises(Conflict, match=r"is ended since 20.*board_register_session"):
            await call
    with pytest.raises(NotFound, match="no session"):
        await shop.sessions.heartbeat(agent, "somebody else")
    coaching = await shop.house.core.sessions.create(SessionKind.COACHING, "elsewhere")
    with pytest.raises(NotFound, match="no agent session"):
        await shop.sessions.heartbeat(coaching.id, ME)
