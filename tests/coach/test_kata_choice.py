"""Which kata comes next, and what of it the learner gets to see."""

import asyncio
from pathlib import Path

import pytest

from bottega.coach.enums import Severity
from bottega.coach.practice import repository as kata_records
from bottega.coach.practice.catalogue import by_slug
from bottega.coach.practice.schemas import KataLoad
from bottega.coach.practice.tables import KataSpec
from bottega.coach.skills import repository as skill_records
from bottega.core.users import LOCAL_USER
from bottega.errors import InsufficientData, NotFound
from tests.coach.builders import NOTES, CoachApp, add_gap, add_kata, open_coach, practice, stored


async def next_kata(app: CoachApp) -> KataLoad:
    return await practice(app).load(app.editor, None)


async def attempt(app: CoachApp, kata: KataSpec | str, *, passed: bool, level: int = 3) -> None:
    kata_id = kata if isinstance(kata, str) else kata.id
    tried = {"code": "x", "review": "", "level": level, "passed": passed, "constraints": []}
    async with app.core.database.write() as session:
        await kata_records.append_attempt(session, kata_id, tried)


@pytest.mark.requirement("CO-54")
async def test_the_most_pressing_gap_is_practised_first(app: CoachApp) -> None:
    """Its unfinished kata; one that was tried and failed is unfinished."""
    low = await add_kata(app, await add_gap(app, "Dates", Severity.LOW))
    high = await add_kata(app, await add_gap(app, "Loops", Severity.HIGH))
    await attempt(app, high, passed=False)
    assert (await next_kata(app)).kata.id == high.id
    await attempt(app, high, passed=True)
    assert (await next_kata(app)).kata.id == low.id


@pytest.mark.requirement("CO-54")
async def test_an_open_gap_without_a_kata_gets_one_from_the_catalogue(app: CoachApp) -> None:
    """One that fits its topic, and the same one when asked again."""
    gap = await add_gap(app, "Loops and accumulation", Severity.HIGH)
    loaded, again = await asyncio.gather(
        practice(app).load(app.editor, None), practice(app).load(app.editor, None)
    )
    row, its_gap = await stored(app, KataSpec(id=loaded.kata.id))
    assert row.slug == "till-roll"
    assert its_gap.id == gap.id
    assert loaded.kata.topic == "Loops and accumulation"
    assert loaded.kata.description == by_slug("till-roll").description
    assert again.kata.title == loaded.kata.title


@pytest.mark.requirement("CO-54")
async def test_two_windows_that_ask_at_once_get_the_same_new_kata(app: CoachApp) -> None:
    """Of one house's practice."""
    await add_gap(app, "Loops")
    room = practice(app)
    first, second = await asyncio.gather(room.load(app.editor, None), room.load(app.editor, None))
    assert first.kata.id == second.kata.id
    assert len(await room.katas(app.editor)) == 1


@pytest.mark.requirement("CO-54")
async def test_when_all_is_done_there_is_a_warm_up(tmp_path: Path, database_url: str) -> None:
    """It answers no gap, so none is open because of it; and the next is another one."""
    async with open_coach(tmp_path, database_url=database_url) as app:
        await _warm_up_twice(app)


async def _warm_up_twice(app: CoachApp) -> None:
    await app.start_session()
    first = await next_kata(app)
    assert first.kata.topic == "Warm-up"
    assert (await next_kata(app)).kata.id == first.kata.id
    await attempt(app, first.kata.id, passed=True)
    second = await next_kata(app)
    assert second.kata.topic == "Warm-up"
    assert second.kata.title != first.kata.title
    async with app.core.database.read() as session:
        [gap] = await skill_records.gaps(session, LOCAL_USER)
    assert gap.addressed
    assert gap.frequency == 1


@pytest.mark.requirement("CO-54")
async def test_a_session_that_is_over_is_enough_for_a_warm_up(app: CoachApp) -> None:
    """Practice needs no session under way."""
    session = await app.start_session()
    await app.core.sessions.end(session.id, user_id=LOCAL_USER)
    assert (await next_kata(app)).kata.topic == "Warm-up"


@pytest.mark.requirement("CO-54")
async def test_before_the_first_session_the_next_step_is_told(app: CoachApp) -> None:
    """There is nothing to practise for yet."""
    with pytest.raises(InsufficientData, match="Start one in the web app"):
        await next_kata(app)


@pytest.mark.requirement("CO-55")
async def test_a_kata_is_shown_without_its_tests_and_notes(app: CoachApp) -> None:
    """With its attempts, and which constraints are unlocked."""
    kata = await add_kata(app)
    await attempt(app, kata, passed=False, level=2)
    loaded = await practice(app).load(app.editor, kata.id)
    text = loaded.model_dump_json(by_alias=True)
    assert NOTES not in text
    assert "assert" not in text
    assert loaded.kata.best_level == 2
    assert [one.code for one in loaded.kata.attempts] == ["x"]
    assert {one.title: one.unlocked for one in loaded.constraints} == {
        "No multiplication": True,
        "Reads like a sentence": False,
    }


@pytest.mark.requirement("FR-166")
async def test_a_kata_that_is_not_there_cannot_be_loaded(app: CoachApp) -> None:
    with pytest.raises(NotFound, match="Kata not found"):
        await practice(app).load(app.editor, "nowhere")
