"""The queue: what is handed out, to whom, in which order, and how it ends."""

import asyncio
import multiprocessing
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.app import build_core
from bottega.board.agents.monitor import Monitor
from bottega.board.enums import Actor, ChangeStatus, Liveness
from bottega.board.queue.queue import Finish, Queue
from bottega.core import clock
from bottega.errors import Conflict, NotFound
from bottega.settings import Settings
from tests.board.workshop import ME, Workshop, open_workshop

DONE = Finish("Totals are rounded.")


@pytest.fixture
async def shop(tmp_path: Path, database_url: str) -> AsyncIterator[Workshop]:
    async with open_workshop(tmp_path, database_url) as shop:
        yield shop


async def claimed(shop: Workshop) -> str | None:
    """What a fresh agent gets."""
    claim = await shop.queue.claim(await shop.agent(), ME)
    return claim.change.id if claim.change else None


async def test_a_claim_is_a_lease(shop: Workshop) -> None:
    """BD-421: assigned, with holder, moment and token; in the history by the agent; and told."""
    await shop.change("add-discounts", proposal_content="A new database column.")
    agent = await shop.agent()
    claim = await shop.queue.claim(agent, ME, shop.bakery.id)
    assert claim.change is not None
    change = await shop.now()
    assert (change.status, change.assigned_session_id) == (ChangeStatus.ASSIGNED, agent)
    assert change.lease_token == claim.change.lease_token == 1
    assert change.assigned_at is not None
    assert change.agent_type == "database-architect"
    [transition] = await shop.history()
    assert (transition.from_state, transition.to_state) == ("approved", "assigned")
    assert (transition.triggered_by, transition.trigger_session_id) == (Actor.AGENT, agent)
    [event] = shop.heard("work.claimed")
    assert event.project == shop.bakery.path
    assert event.payload["change_id"] == "add-discounts"
    assert event.payload["lease_token"] == 1
    assert len(shop.heard("specs.moved")) == 1


async def test_the_most_urgent_comes_first_then_the_oldest(shop: Workshop) -> None:
    """BD-422: priority beats age, age decides among equals."""
    await shop.change("old-and-mild", priority=2, age=90)
    await shop.change("young-and-urgent", priority=5, age=1)
    await shop.change("older-and-urgent", priority=5, age=30)
    order = [await claimed(shop) for _ in range(4)]
    assert order == ["older-and-urgent", "young-and-urgent", "old-and-mild", None]


async def test_changes_that_overlap_are_not_handed_out_together(shop: Workshop) -> None:
    """BD-423: the same requirement, or one names the other, in either direction; the next in
    line that gets in nobody's way goes first, and they follow when the work is done."""
    await shop.change("first", priority=5, touches=["orders/totals"], references=["named-by-it"])
    await shop.change("same-requirement", priority=4, touches=["orders/totals", "orders/tax"])
    await shop.change("names-it", priority=4, references=["first"])
    await shop.change("named-by-it", priority=4)
    await shop.change("same-capability", priority=3, touches=["orders/tax"])
    agent = await shop.agent()
    first = await shop.queue.claim(agent, ME)
    assert first.change is not None
    assert first.change.id == "first"
    assert await claimed(shop) == "same-capability"
    blocked = await shop.queue.claim(await shop.agent(), ME)
    assert blocked.change is None
    assert blocked.reason == "3 waiting behind overlaps with first, same-capability."
    await shop.queue.complete(agent, ME, "first", 1, DONE)
    assert await claimed(shop) == "names-it"


async def test_an_overlap_deep_in_the_queue_is_passed_over(shop: Workshop) -> None:
    """BD-423: also beyond the first page of candidates."""
    await shop.change("under-way", priority=5, touches=["orders/totals"])
    assert await claimed(shop) == "under-way"
    for number in range(120):
        await shop.change(f"blocked-{number}", age=200 - number, touches=["orders/totals"])
    await shop.change("free")
    assert await claimed(shop) == "free"


async def test_no_work_is_a_plain_none_with_its_reason(shop: Workshop) -> None:
    """BD-424: no error."""
    agent = await shop.agent()
    claim = await shop.queue.claim(agent, ME)
    assert claim.change is None
    assert claim.reason.startswith("Nothing is approved in bakery.")
    for status in (ChangeStatus.PROPOSING, ChangeStatus.REVIEW, ChangeStatus.APPLIED):
        await shop.change(f"is-{status}", status=status)
    assert (await shop.queue.claim(agent, ME)).change is None


async def test_changes_whose_files_are_in_disorder_are_not_handed_out(shop: Workshop) -> None:
    """BD-425: gone or broken on disk: skipped, and said."""
    await shop.change("gone", priority=5, missing_since=clock.now())
    await shop.change("broken", priority=5, sync_error="tasks.md is not UTF-8 (line 3)")
    agent = await shop.agent()
    claim = await shop.queue.claim(agent, ME)
    assert claim.change is None
    assert claim.reason == "2 not handed out because of their files: broken, gone."
    await shop.change("sound", priority=1)
    claim = await shop.queue.claim(agent, ME)
    assert claim.change is not None
    assert claim.change.id == "sound"


async def test_a_holder_that_asks_again_gets_its_own_item(shop: Workshop) -> None:
    """BD-426: the same one with the same token, also when something more urgent waits: one
    session has one work item."""
    agent, token = await shop.holder()
    await shop.change("more-urgent", priority=5)
    again = await shop.queue.claim(agent, ME)
    assert again.change is not None
    assert (again.change.id, again.change.lease_token, again.again) == (
        "add-discounts",
        token,
        True,
    )
    assert len(await shop.history()) == 1
    assert (await shop.now("more-urgent")).status == ChangeStatus.APPROVED


async def test_one_sessions_calls_at_the_same_moment_get_one_item(shop: Workshop) -> None:
    """BD-426: five at once, one change."""
    for number in range(5):
        await shop.change(f"change-{number}")
    agent = await shop.agent()
    claims = await asyncio.gather(*(shop.queue.claim(agent, ME) for _ in range(5)))
    assert len({claim.change.id for claim in claims if claim.change}) == 1
    assert len(shop.heard("work.claimed")) == 1


async def test_work_of_another_project_is_never_handed_out(shop: Workshop) -> None:
    """BD-427: neither by being the only one, nor by asking for it."""
    ovens = await shop.project("ovens")
    await shop.change("more-heat", project=ovens, priority=5)
    agent = await shop.agent()
    assert (await shop.queue.claim(agent, ME)).change is None
    with pytest.raises(Conflict, match="Register another session for that one"):
        await shop.queue.claim(agent, ME, ovens.id)
    with pytest.raises(NotFound, match="no change 'more-heat'"):
        await shop.queue.complete(agent, ME, "more-heat", 0, DONE)
    assert (await shop.now("more-heat")).status == ChangeStatus.APPROVED


async def test_completed_work_goes_to_review_with_its_result(shop: Workshop) -> None:
    """BD-428: what was done, in which files, how it was tested."""
    agent, token = await shop.holder()
    finish = Finish("Totals are rounded.", ["src/orders.py"], "12 passed")
    await shop.queue.complete(agent, ME, "add-discounts", token, finish)
    change = await shop.now()
    assert change.status == ChangeStatus.REVIEW
    assert change.result == (
        "Totals are rounded.\n\nFiles changed:\n- src/orders.py\n\nTests: 12 passed"
    )
    assert change.completed_at is not None
    [event] = shop.heard("work.completed")
    assert event.session_id == agent
    assert (await shop.sessions.heartbeat(agent, ME)).lease is None


async def test_completing_twice_changes_nothing_but_the_words(shop: Workshop) -> None:
    """BD-428: the agent whose change is in review already, by its last task, adds its result."""
    agent, token = await shop.holder()
    await shop.queue.complete(agent, ME, "add-discounts", token, DONE)
    await shop.queue.complete(agent, ME, "add-discounts", token, Finish("In whole cents."))
    assert (await shop.now()).result == "In whole cents."
    assert [step.to_state for step in await shop.history()] == ["assigned", "review"]
    assert len(shop.heard("work.completed")) == 1


async def test_a_late_word_of_a_session_that_lost_its_lease_is_refused(shop: Workshop) -> None:
    """BD-429: it is told when and why it lost it and who has it now; the work is not touched."""
    late, old = await shop.holder()
    await shop.silent(late, minutes=11)
    await Monitor(shop.house.core).look()
    heir = await shop.agent()
    claim = await shop.queue.claim(heir, ME)
    assert claim.change is not None
    assert claim.change.lease_token == old + 1
    for call in (
        shop.queue.complete(late, ME, "add-discounts", old, DONE),
        shop.queue.release(late, ME, "add-discounts", old, "tired"),
        shop.queue.work_on(late, ME, "add-discounts", old),
    ):
        with pytest.raises(Conflict) as refused:
            await call
        words = refused.value.message
        assert "your lease was taken back at 20" in words
        assert "No heartbeat for more than 10 minutes." in words
        assert f"it is now with session {heir} (token {old + 1})" in words
    change = await shop.now()
    assert (change.status, change.result) == (ChangeStatus.ASSIGNED, None)


async def test_a_wrong_token_is_refused(shop: Workshop) -> None:
    """BD-429: the holder's own with another number, and another session's with the right one."""
    agent, token = await shop.holder()
    with pytest.raises(Conflict, match=f"your lease has the token {token}"):
        await shop.queue.complete(agent, ME, "add-discounts", token + 1, DONE)
    other = await shop.agent()
    with pytest.raises(Conflict, match=f"it is now with session {agent}"):
        await shop.queue.complete(other, ME, "add-discounts", token, DONE)


async def test_a_session_that_lost_and_won_again_is_fenced_from_its_past(shop: Workshop) -> None:
    """BD-429: the same session, the same change, the earlier token."""
    agent, token = await shop.holder()
    await shop.queue.release(agent, ME, "add-discounts", token, "The machine restarts.")
    again = await shop.queue.claim(agent, ME)
    assert again.change is not None
    with pytest.raises(Conflict):
        await shop.queue.complete(agent, ME, "add-discounts", token, DONE)
    await shop.queue.complete(agent, ME, "add-discounts", again.change.lease_token, DONE)


async def test_released_work_is_back_at_its_place(shop: Workshop) -> None:
    """BD-430: approved again with its age, and the reason in its history."""
    await shop.change("waiting", age=60)
    await shop.change("oldest", age=120)
    agent = await shop.agent()
    claim = await shop.queue.claim(agent, ME)
    assert claim.change is not None
    await shop.queue.release(agent, ME, "oldest", 1, "Needs a decision on tax.")
    last = (await shop.history("oldest"))[-1]
    assert (last.to_state, last.notes) == ("approved", "Needs a decision on tax.")
    [event] = shop.heard("work.released")
    assert event.payload["why"] == "Needs a decision on tax."
    assert await claimed(shop) == "oldest"


async def test_the_first_tool_begins_the_work(shop: Workshop) -> None:
    """BD-431: assigned becomes in progress once; without work nothing happens."""
    idle = await shop.agent()
    await shop.queue.first_tool(idle)
    agent, token = await shop.holder()
    for _ in range(3):
        await shop.queue.first_tool(agent)
    assert (await shop.now()).status == ChangeStatus.IN_PROGRESS
    assert [step.to_state for step in await shop.history()] == ["assigned", "in_progress"]
    await shop.queue.complete(agent, ME, "add-discounts", token, DONE)
    assert (await shop.now()).status == ChangeStatus.REVIEW


async def test_all_work_of_a_session_can_be_taken_back(shop: Workshop) -> None:
    """BD-430: by the house, with its reason."""
    agent, _ = await shop.holder()
    [back] = await shop.queue.release_all(agent, "The project moved.")
    assert back.id == "add-discounts"
    last = (await shop.history())[-1]
    assert (last.triggered_by, last.notes) == (Actor.SYSTEM, "The project moved.")


async def test_the_queue_shows_what_waits_and_who_works(shop: Workshop) -> None:
    """BD-432: in its order, with the reason where something is held back, of one project or all."""
    ovens = await shop.project("ovens")
    agent, _ = await shop.holder("round-totals")
    await shop.silent(agent, minutes=6)
    await shop.change("more-heat", project=ovens)
    await shop.change("names-it", priority=4, references=["round-totals"])
    await shop.change("broken", priority=2, sync_error="tasks.md, line 3: not UTF-8")
    await shop.change("free", priority=3)
    view = await shop.queue.waiting(shop.bakery.id)
    assert [(item.change_id, item.held_back) for item in view.waiting] == [
        ("names-it", "Overlaps with round-totals, which is under way."),
        ("free", None),
        ("broken", "tasks.md, line 3: not UTF-8"),
    ]
    [leased] = view.leased
    assert (leased.change_id, leased.session_id) == ("round-totals", agent)
    assert (leased.session_type, leased.liveness) == ("worker", Liveness.SLOW)
    everything = await shop.queue.waiting()
    assert {item.change_id for item in everything.waiting} >= {"more-heat", "free"}
    with pytest.raises(NotFound, match="no project"):
        await shop.queue.waiting("nowhere")


async def test_a_hundred_claimers_never_share_and_never_lose(shop: Workshop) -> None:
    """BD-433: sixty changes, each to exactly one; the other forty hear that there is none."""
    for number in range(60):
        await shop.change(f"change-{number:02}", priority=number % 5 + 1)
    agents = [await shop.agent() for _ in range(100)]
    claims = await asyncio.gather(*(shop.queue.claim(agent, ME) for agent in agents))
    got = {
        agent: claim.change.id for agent, claim in zip(agents, claims, strict=True) if claim.change
    }
    assert Counter(got.values()) == Counter(f"change-{number:02}" for number in range(60))
    view = await shop.queue.waiting(shop.bakery.id)
    assert view.waiting == []
    assert {item.session_id: item.change_id for item in view.leased} == got


async def test_a_hundred_claimers_never_get_overlapping_work(shop: Workshop) -> None:
    """BD-433: of each ten that touch one requirement, one is handed out."""
    for number in range(100):
        await shop.change(f"change-{number:02}", touches=[f"orders/{number // 10}"])
    agents = [await shop.agent() for _ in range(100)]
    claims = await asyncio.gather(*(shop.queue.claim(agent, ME) for agent in agents))
    touched = Counter(claim.change.touches[0] for claim in claims if claim.change)
    assert touched == Counter(f"orders/{number}" for number in range(10))


async def test_claimers_that_die_on_the_way_lose_nothing(shop: Workshop) -> None:
    """BD-433: cancelled at any point, a change is approved and nobody's, or its holder's."""
    for number in range(40):
        await shop.change(f"change-{number:02}")
    agents = [await shop.agent() for _ in range(40)]
    tasks = [asyncio.create_task(shop.queue.claim(agent, ME)) for agent in agents]
    finished = asyncio.as_completed(tasks)
    for _ in range(8):
        await next(finished)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    view = await shop.queue.waiting(shop.bakery.id)
    assert len(view.waiting) + len(view.leased) == 40
    assert len(view.leased) >= 8
    for item in view.leased:
        assert item.session_id is not None
        mine = await shop.queue.claim(item.session_id, ME)
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


async def test_two_processes_on_one_file_never_share_and_never_lose(tmp_path: Path) -> None:
    """BD-433: SQLite, fifty claimers in each of two processes, eighty changes."""
    async with open_workshop(tmp_path) as shop:
        for number in range(80):
            await shop.change(f"change-{number:02}")
        agents = [await shop.agent() for _ in range(100)]
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            work = [(tmp_path, agents[:50]), (tmp_path, agents[50:])]
            shares = await asyncio.to_thread(pool.starmap, claim_in_process, work)
        assert Counter(shares[0] + shares[1]) == Counter(f"change-{n:02}" for n in range(80))
        assert all(shares)
