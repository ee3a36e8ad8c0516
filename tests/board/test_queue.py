"""The queue: what is handed out, to whom, in which order, and how it ends."""

import asyncio
import multiprocessing
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.app import build_core
from bottega.board.agents.sessions import Monitor
from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.queue.schemas import Liveness, WorkResult
from bottega.board.queue.service import Queue
from bottega.core import clock
from bottega.errors import Conflict, NotFound
from bottega.settings import Settings
from tests.board.agent_board import ME, AgentBoard, open_agent_board

DONE = WorkResult("Totals are rounded.")


@pytest.fixture
async def board(tmp_path: Path, database_url: str) -> AsyncIterator[AgentBoard]:
    async with open_agent_board(tmp_path, database_url) as board:
        yield board


async def claimed(board: AgentBoard) -> str | None:
    """What a fresh agent gets."""
    claim = await board.queue.claim(await board.agent(), ME)
    return claim.change.id if claim.change else None


@pytest.mark.requirement("BD-421")
async def test_a_claim_is_a_lease(board: AgentBoard) -> None:
    """Assigned, with holder, moment and token; in the history by the agent; and told."""
    await board.change("add-discounts", proposal_content="A new database column.")
    agent = await board.agent()
    claim = await board.queue.claim(agent, ME, board.bakery.id)
    assert claim.change is not None
    change = await board.now()
    assert (change.status, change.assigned_session_id) == (ChangeStatus.ASSIGNED, agent)
    assert change.lease_token == claim.change.lease_token == 1
    assert change.assigned_at is not None
    assert change.agent_type == "database-architect"
    [transition] = await board.history()
    assert (transition.from_state, transition.to_state) == ("approved", "assigned")
    assert (transition.triggered_by, transition.trigger_session_id) == (Actor.AGENT, agent)
    [event] = board.heard("work.claimed")
    assert event.project == board.bakery.path
    assert event.payload["change_id"] == "add-discounts"
    assert event.payload["lease_token"] == 1
    assert len(board.heard("specs.moved")) == 1


@pytest.mark.requirement("BD-422")
async def test_the_most_urgent_comes_first_then_the_oldest(board: AgentBoard) -> None:
    """Priority beats age, age decides among equals."""
    await board.change("old-and-mild", priority=2, age=90)
    await board.change("young-and-urgent", priority=5, age=1)
    await board.change("older-and-urgent", priority=5, age=30)
    order = [await claimed(board) for _ in range(4)]
    assert order == ["older-and-urgent", "young-and-urgent", "old-and-mild", None]


@pytest.mark.requirement("BD-423")
async def test_changes_that_overlap_are_not_handed_out_together(board: AgentBoard) -> None:
    """The same requirement, or one names the other, in either direction; the next in
    line that gets in nobody's way goes first, and they follow when the work is done."""
    await board.change("first", priority=5, touches=["orders/totals"], references=["named-by-it"])
    await board.change("same-requirement", priority=4, touches=["orders/totals", "orders/tax"])
    await board.change("names-it", priority=4, references=["first"])
    await board.change("named-by-it", priority=4)
    await board.change("same-capability", priority=3, touches=["orders/tax"])
    agent = await board.agent()
    first = await board.queue.claim(agent, ME)
    assert first.change is not None
    assert first.change.id == "first"
    assert await claimed(board) == "same-capability"
    blocked = await board.queue.claim(await board.agent(), ME)
    assert blocked.change is None
    assert blocked.reason == "3 waiting behind overlaps with first, same-capability."
    await board.queue.complete(agent, ME, "first", 1, DONE)
    assert await claimed(board) == "names-it"


@pytest.mark.requirement("BD-423")
async def test_an_overlap_deep_in_the_queue_is_passed_over(board: AgentBoard) -> None:
    """Also beyond the first page of candidates."""
    await board.change("under-way", priority=5, touches=["orders/totals"])
    assert await claimed(board) == "under-way"
    for number in range(120):
        await board.change(f"blocked-{number}", age=200 - number, touches=["orders/totals"])
    await board.change("free")
    assert await claimed(board) == "free"


@pytest.mark.requirement("BD-424")
async def test_no_work_is_a_plain_none_with_its_reason(board: AgentBoard) -> None:
    """No error."""
    agent = await board.agent()
    claim = await board.queue.claim(agent, ME)
    assert claim.change is None
    assert claim.reason.startswith("Nothing is approved in bakery.")
    for status in (ChangeStatus.PROPOSING, ChangeStatus.REVIEW, ChangeStatus.APPLIED):
        await board.change(f"is-{status}", status=status)
    assert (await board.queue.claim(agent, ME)).change is None


@pytest.mark.requirement("BD-425")
async def test_changes_whose_files_are_in_disorder_are_not_handed_out(board: AgentBoard) -> None:
    """Gone or broken on disk: skipped, and said."""
    await board.change("gone", priority=5, missing_since=clock.now())
    await board.change("broken", priority=5, sync_error="tasks.md is not UTF-8 (line 3)")
    agent = await board.agent()
    claim = await board.queue.claim(agent, ME)
    assert claim.change is None
    assert claim.reason == "2 not handed out because of their files: broken, gone."
    await board.change("sound", priority=1)
    claim = await board.queue.claim(agent, ME)
    assert claim.change is not None
    assert claim.change.id == "sound"


@pytest.mark.requirement("BD-426")
async def test_a_holder_that_asks_again_gets_its_own_item(board: AgentBoard) -> None:
    """The same one with the same token, also when something more urgent waits: one
    session has one work item."""
    agent, token = await board.holder()
    await board.change("more-urgent", priority=5)
    again = await board.queue.claim(agent, ME)
    assert again.change is not None
    assert (again.change.id, again.change.lease_token, again.again) == (
        "add-discounts",
        token,
        True,
    )
    assert len(await board.history()) == 1
    assert (await board.now("more-urgent")).status == ChangeStatus.APPROVED


@pytest.mark.requirement("BD-426")
async def test_one_sessions_calls_at_the_same_moment_get_one_item(board: AgentBoard) -> None:
    """Five at once, one change."""
    for number in range(5):
        await board.change(f"change-{number}")
    agent = await board.agent()
    claims = await asyncio.gather(*(board.queue.claim(agent, ME) for _ in range(5)))
    assert len({claim.change.id for claim in claims if claim.change}) == 1
    assert len(board.heard("work.claimed")) == 1


@pytest.mark.requirement("BD-427")
async def test_work_of_another_project_is_never_handed_out(board: AgentBoard) -> None:
    """Neither by being the only one, nor by asking for it."""
    ovens = await board.project("ovens")
    await board.change("more-heat", project=ovens, priority=5)
    agent = await board.agent()
    assert (await board.queue.claim(agent, ME)).change is None
    with pytest.raises(Conflict, match="Register another session for that one"):
        await board.queue.claim(agent, ME, ovens.id)
    with pytest.raises(NotFound, match="no change 'more-heat'"):
        await board.queue.complete(agent, ME, "more-heat", 0, DONE)
    assert (await board.now("more-heat")).status == ChangeStatus.APPROVED


@pytest.mark.requirement("BD-428")
async def test_completed_work_goes_to_review_with_its_result(board: AgentBoard) -> None:
    """What was done, in which files, how it was tested."""
    agent, token = await board.holder()
    finish = WorkResult("Totals are rounded.", ["src/orders.py"], "12 passed")
    await board.queue.complete(agent, ME, "add-discounts", token, finish)
    change = await board.now()
    assert change.status == ChangeStatus.REVIEW
    assert change.result == (
        "Totals are rounded.\n\nFiles changed:\n- src/orders.py\n\nTests: 12 passed"
    )
    assert change.completed_at is not None
    [event] = board.heard("work.completed")
    assert event.session_id == agent
    assert (await board.sessions.heartbeat(agent, ME)).lease is None


@pytest.mark.requirement("BD-428")
async def test_completing_twice_changes_nothing_but_the_words(board: AgentBoard) -> None:
    """The agent whose change is in review already, by its last task, adds its result."""
    agent, token = await board.holder()
    await board.queue.complete(agent, ME, "add-discounts", token, DONE)
    await board.queue.complete(agent, ME, "add-discounts", token, WorkResult("In whole cents."))
    assert (await board.now()).result == "In whole cents."
    assert [step.to_state for step in await board.history()] == ["assigned", "review"]
    assert len(board.heard("work.completed")) == 1


@pytest.mark.requirement("BD-429")
async def test_a_late_word_of_a_session_that_lost_its_lease_is_refused(board: AgentBoard) -> None:
    """It is told when and why it lost it and who has it now; the work is not touched."""
    late, old = await board.holder()
    await board.silent(late, minutes=11)
    await Monitor(board.app.core).look()
    heir = await board.agent()
    claim = await board.queue.claim(heir, ME)
    assert claim.change is not None
    assert claim.change.lease_token == old + 1
    for call in (
        board.queue.complete(late, ME, "add-discounts", old, DONE),
        board.queue.release(late, ME, "add-discounts", old, "tired"),
        board.queue.work_on(late, ME, "add-discounts", old),
    ):
        with pytest.raises(Conflict) as refused:
            await call
        words = refused.value.message
        assert "your lease was taken back at 20" in words
        assert "No heartbeat for more than 10 minutes." in words
        assert f"it is now with session {heir} (token {old + 1})" in words
    change = await board.now()
    assert (change.status, change.result) == (ChangeStatus.ASSIGNED, None)


@pytest.mark.requirement("BD-429")
async def test_a_wrong_token_is_refused(board: AgentBoard) -> None:
    """The holder's own with another number, and another session's with the right one."""
    agent, token = await board.holder()
    with pytest.raises(Conflict, match=f"your lease has the token {token}"):
        await board.queue.complete(agent, ME, "add-discounts", token + 1, DONE)
    other = await board.agent()
    with pytest.raises(Conflict, match=f"it is now with session {agent}"):
        await board.queue.complete(other, ME, "add-discounts", token, DONE)


@pytest.mark.requirement("BD-429")
async def test_a_session_that_lost_and_won_again_is_fenced_from_its_past(board: AgentBoard) -> None:
    """The same session, the same change, the earlier token."""
    agent, token = await board.holder()
    await board.queue.release(agent, ME, "add-discounts", token, "The machine restarts.")
    again = await board.queue.claim(agent, ME)
    assert again.change is not None
    with pytest.raises(Conflict):
        await board.queue.complete(agent, ME, "add-discounts", token, DONE)
    await board.queue.complete(agent, ME, "add-discounts", again.change.lease_token, DONE)


@pytest.mark.requirement("BD-430")
async def test_released_work_is_back_at_its_place(board: AgentBoard) -> None:
    """Approved again with its age, and the reason in its history."""
    await board.change("waiting", age=60)
    await board.change("oldest", age=120)
    agent = await board.agent()
    claim = await board.queue.claim(agent, ME)
    assert claim.change is not None
    await board.queue.release(agent, ME, "oldest", 1, "Needs a decision on tax.")
    last = (await board.history("oldest"))[-1]
    assert (last.to_state, last.notes) == ("approved", "Needs a decision on tax.")
    [event] = board.heard("work.released")
    assert event.payload["why"] == "Needs a decision on tax."
    assert await claimed(board) == "oldest"


@pytest.mark.requirement("BD-431")
async def test_the_first_tool_begins_the_work(board: AgentBoard) -> None:
    """Assigned becomes in progress once; without work nothing happens."""
    idle = await board.agent()
    await board.queue.first_tool(idle)
    agent, token = await board.holder()
    for _ in range(3):
        await board.queue.first_tool(agent)
    assert (await board.now()).status == ChangeStatus.IN_PROGRESS
    assert [step.to_state for step in await board.history()] == ["assigned", "in_progress"]
    await board.queue.complete(agent, ME, "add-discounts", token, DONE)
    assert (await board.now()).status == ChangeStatus.REVIEW


@pytest.mark.requirement("BD-432")
async def test_the_queue_shows_what_waits_and_who_works(board: AgentBoard) -> None:
    """In its order, with the reason where something is held back, of one project or all."""
    ovens = await board.project("ovens")
    agent, _ = await board.holder("round-totals")
    await board.silent(agent, minutes=6)
    await board.change("more-heat", project=ovens)
    await board.change("names-it", priority=4, references=["round-totals"])
    await board.change("broken", priority=2, sync_error="tasks.md, line 3: not UTF-8")
    await board.change("free", priority=3)
    view = await board.queue.waiting(board.bakery.id)
    assert [(item.change_id, item.held_back) for item in view.waiting] == [
        ("names-it", "Overlaps with round-totals, which is under way."),
        ("free", None),
        ("broken", "tasks.md, line 3: not UTF-8"),
    ]
    [leased] = view.leased
    assert (leased.change_id, leased.session_id) == ("round-totals", agent)
    assert (leased.session_type, leased.liveness) == ("worker", Liveness.SLOW)
    everything = await board.queue.waiting()
    assert {item.change_id for item in everything.waiting} >= {"more-heat", "free"}
    with pytest.raises(NotFound, match="no project"):
        await board.queue.waiting("nowhere")


@pytest.mark.requirement("BD-433")
async def test_a_hundred_claimers_never_share_and_never_lose(board: AgentBoard) -> None:
    """Sixty changes, each to exactly one; the other forty hear that there is none."""
    for number in range(60):
        await board.change(f"change-{number:02}", priority=number % 5 + 1)
    agents = [await board.agent() for _ in range(100)]
    claims = await asyncio.gather(*(board.queue.claim(agent, ME) for agent in agents))
    got = {
        agent: claim.change.id for agent, claim in zip(agents, claims, strict=True) if claim.change
    }
    assert Counter(got.values()) == Counter(f"change-{number:02}" for number in range(60))
    view = await board.queue.waiting(board.bakery.id)
    assert view.waiting == []
    assert {item.session_id: item.change_id for item in view.leased} == got


@pytest.mark.requirement("BD-433")
async def test_a_hundred_claimers_never_get_overlapping_work(board: AgentBoard) -> None:
    """Of each ten that touch one requirement, one is handed out."""
    for number in range(100):
        await board.change(f"change-{number:02}", touches=[f"orders/{number // 10}"])
    agents = [await board.agent() for _ in range(100)]
    claims = await asyncio.gather(*(board.queue.claim(agent, ME) for agent in agents))
    touched = Counter(claim.change.touches[0] for claim in claims if claim.change)
    assert touched == Counter(f"orders/{number}" for number in range(10))


@pytest.mark.requirement("BD-433")
async def test_claimers_that_die_on_the_way_lose_nothing(board: AgentBoard) -> None:
    """Cancelled at any point, a change is approved and nobody's, or its holder's."""
    for number in range(40):
        await board.change(f"change-{number:02}")
    agents = [await board.agent() for _ in range(40)]
    tasks = [asyncio.create_task(board.queue.claim(agent, ME)) for agent in agents]
    finished = asyncio.as_completed(tasks)
    for _ in range(8):
        await next(finished)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    view = await board.queue.waiting(board.bakery.id)
    assert len(view.waiting) + len(view.leased) == 40
    assert len(view.leased) >= 8
    for item in view.leased:
        assert item.session_id is not None
        mine = await board.queue.claim(item.session_id, ME)
        assert mine.change is not None
        assert (mine.change.id, mine.change.lease_token) == (item.change_id, 1)


def claim_in_process(root: Path, agents: list[str]) -> list[str]:
    """What these agents get in a process of their own."""

    async def run() -> list[str]:
        core = build_core(Settings(data_dir=root / "data", bottega_model="offline", _env_file=None))
        await core.database.start()
        await core.bus.start()
        try:
            queue = Queue(core)
            claims = await asyncio.gather(*(queue.claim(agent, ME) for agent in agents))
        finally:
            await core.bus.stop()
            await core.database.stop()
        return [claim.change.id for claim in claims if claim.change]

    return asyncio.run(run())


@pytest.mark.requirement("BD-433")
async def test_two_processes_on_one_file_never_share_and_never_lose(tmp_path: Path) -> None:
    """SQLite, fifty claimers in each of two processes, eighty changes."""
    async with open_agent_board(tmp_path) as board:
        for number in range(80):
            await board.change(f"change-{number:02}")
        agents = [await board.agent() for _ in range(100)]
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            work = [(tmp_path, agents[:50]), (tmp_path, agents[50:])]
            shares = await asyncio.to_thread(pool.starmap, claim_in_process, work)
        assert Counter(shares[0] + shares[1]) == Counter(f"change-{n:02}" for n in range(80))
        assert all(shares)
