"""Which kata comes next, and what of it the learner gets to see."""

import asyncio
from pathlib import Path

import pytest

from bottega.coach.enums import Severity
from bottega.coach.katas.catalogue import by_slug
from bottega.coach.protocol.learning import KataLoad
from bottega.coach.repository import learning
from bottega.coach.tables import KataSpec
from bottega.core.users import LOCAL_USER
from bottega.errors import InsufficientData, NotFound
from tests.coach.house import House, open_house
from tests.coach.kata_desk import NOTES, add_gap, add_kata, practice, stored


async def next_kata(house: House) -> KataLoad:
    return await practice(house).load(house.desk, None)


async def attempt(house: House, kata: KataSpec | str, *, passed: bool, level: int = 3) -> None:
    kata_id = kata if isinstance(kata, str) else kata.id
    tried = {"code": "x", "review": "", "level": level, "passed": passed, "constraints": []}
    async with house.core.database.write() as session:
        await learning.append_attempt(session, kata_id, tried)


async def test_the_most_pressing_gap_is_practised_first(house: House) -> None:
    """CO-54: its unfinished kata; one that was tried and failed is unfinished."""
    low = await add_kata(house, await add_gap(house, "Dates", Severity.LOW))
    high = await add_kata(house, await add_gap(house, "Loops", Severity.HIGH))
    await attempt(house, high, passed=False)
    assert (await next_kata(house)).kata.id == high.id
    await attempt(house, high, passed=True)
    assert (await next_kata(house)).kata.id == low.id


async def test_an_open_gap_without_a_kata_gets_one_from_the_catalogue(house: House) -> None:
    """CO-54: one that fits its topic, and the same one when asked again."""
    gap = await add_gap(house, "Loops and accumulation", Severity.HIGH)
    loaded, again = await asyncio.gather(
        practice(house).load(house.desk, None), practice(house).load(house.desk, None)
    )
    row, its_gap = await stored(house, KataSpec(id=loaded.kata.id))
    assert row.slug == "till-roll"
    assert its_gap.id == gap.id
    assert loaded.kata.topic == "Loops and accumulation"
    assert loaded.kata.description == by_slug("till-roll").description
    assert again.kata.title == loaded.kata.title


async def test_two_windows_that_ask_at_once_get_the_same_new_kata(house: House) -> None:
    """CO-54: of one house's practice."""
    await add_gap(house, "Loops")
    room = practice(house)
    first, second = await asyncio.gather(room.load(house.desk, None), room.load(house.desk, None))
    assert first.kata.id == second.kata.id
    assert len(await room.katas(house.desk)) == 1


async def test_when_all_is_done_there_is_a_warm_up(tmp_path: Path, database_url: str) -> None:
    """CO-54: it answers no gap, so none is open because of it; and the next is another one."""
    async with open_house(tmp_path, database_url=database_url) as house:
        await _warm_up_twice(house)


async def _warm_up_twice(house: House) -> None:
    await house.start_session()
    first = await next_kata(house)
    assert first.kata.topic == "Warm-up"
    assert (await next_kata(house)).kata.id == first.kata.id
    await attempt(house, first.kata.id, passed=True)
    second = await next_kata(house)
    assert second.kata.topic == "Warm-up"
    assert second.kata.title != first.kata.title
    async with house.core.database.read() as session:
        [gap] = await learning.gaps(session, LOCAL_USER)
    assert gap.addressed
    assert gap.frequency == 1


async def test_a_session_that_is_over_is_enough_for_a_warm_up(house: House) -> None:
    """CO-54: practice needs no session under way."""
    session = await house.start_session()
    await house.core.sessions.end(session.id, user_id=LOCAL_USER)
    assert (await next_kata(house)).kata.topic == "Warm-up"


async def test_before_the_first_session_the_next_step_is_told(house: House) -> None:
    """CO-54: there is nothing to practise for yet."""
    with pytest.raises(InsufficientData, match="Start one in the web app"):
        await next_kata(house)


async def test_a_kata_is_shown_without_its_tests_and_notes(house: House) -> None:
    """CO-55: with its attempts, and which constraints are unlocked."""
    kata = await add_kata(house)
    await attempt(house, kata, passed=False, level=2)
    loaded = await practice(house).load(house.desk, kata.id)
    text = loaded.model_dump_json(by_alias=True)
    assert NOTES not in text
    assert "assert" not in text
    assert loaded.kata.best_level == 2
    assert [one.code for one in loaded.kata.attempts] == ["x"]
    assert {one.title: one.unlocked for one in loaded.constraints} == {
        "No multiplication": True,
        "Reads like a sentence": False,
    }


async def test_a_kata_that_is_not_there_cannot_be_loaded(house: House) -> None:
    """FR-166."""
    with pytest.raises(NotFound, match="Kata not found"):
        await practice(house).load(house.desk, "nowhere")
