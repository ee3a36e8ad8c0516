"""Katas handed in: loaded, run, reviewed by a model, kept and told."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bottega.coach.prompts.practice_review import PracticeReview, SuggestedStep, practice_review
from bottega.coach.protocol.learning import Review
from bottega.coach.repository import learning
from bottega.coach.stages import Stage
from bottega.core.llm.tasks import Tier
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.users import LOCAL_USER
from bottega.errors import ApiRefusalError, InvalidInput, ModelError, NotFound, TooLarge
from tests.coach.conversations import calls, told_to
from tests.coach.house import House, open_house
from tests.coach.kata_desk import (
    GOOD,
    NOTES,
    WRONG,
    add_gap,
    add_kata,
    practice,
    solution,
    stored,
)


def judged(**fields: Any) -> PracticeReview:
    given: dict[str, Any] = {
        "correct": True,
        "feedback": "Clean.",
        "level": 5,
        "passed": True,
        "follow_up": SuggestedStep(type="completed", reason="Nothing left."),
        "dreyfus_signal": "advancing",
    }
    return PracticeReview(**given | fields)


async def test_a_solution_is_reviewed_kept_and_told(tmp_path: Path) -> None:
    """FR-154, FR-155, FR-157, FR-165, SC-075: from the kata's row to the answer in all windows."""
    model = ScriptedModel(judged())
    async with open_house(tmp_path, model=model) as house:
        kata = await add_kata(house)
        session_id = house.desk.require_session()
        asked = solution(kata, GOOD, "reads like a sentence")
        await practice(house).review(house.desk, asked)
        said = await house.hear("review:response")
        requested, completed = (await house.actions(session_id))[-2:]
        row, _ = await stored(house, kata)

    prompt = told_to(model)[1]
    assert prompt["kata_description"] == "Write `double(number)`."
    assert prompt["instructor_notes"] == NOTES
    assert prompt["user_code"] == GOOD
    assert prompt["active_constraints"] == [
        {"title": "Reads like a sentence", "description": "For a reader."}
    ]
    assert said["kataId"] == kata.id
    assert (said["correct"], said["passed"], said["level"]) == (True, True, 5)
    assert said["feedback"] == "Clean."
    assert said["followUp"] == {
        "type": "completed",
        "constraint": None,
        "reason": "Nothing left.",
    }
    assert said["dreyfusSignal"] == "advancing"
    assert said["constraints"] == [
        {"title": "Reads like a sentence", "held": None, "problem": None}
    ]
    assert [each["title"] for each in said["unlockedConstraints"]] == [
        "No multiplication",
        "Reads like a sentence",
    ]
    assert row.user_attempts == [
        {
            "code": GOOD,
            "review": "Clean.",
            "level": 5,
            "passed": True,
            "constraints": ["Reads like a sentence"],
        }
    ]
    assert requested.action_type == "review_requested"
    assert requested.data == {"kataId": kata.id}
    assert completed.action_type == "review_completed"
    assert completed.data is not None
    assert completed.data.pop("latency_ms") >= 0
    assert completed.data.pop("model").startswith("claude-")
    assert completed.data == {"kataId": kata.id, "level": 5, "passed": True, "success": True}


async def test_the_stage_in_the_katas_topic_reaches_the_model(tmp_path: Path) -> None:
    """FR-163: as a part of the instructions."""
    model = ScriptedModel(judged(), judged())
    async with open_house(tmp_path, model=model) as house:
        kata = await add_kata(house)
        await practice(house).review(house.desk, solution(kata, GOOD))
        async with house.core.database.write() as session:
            await learning.assess(session, LOCAL_USER, "Arithmetic", Stage.PROFICIENT, 0.8, "Seen")
            await learning.assess(session, LOCAL_USER, "Git", Stage.NOVICE, 0.8, "Seen")
        await practice(house).review(house.desk, solution(kata, GOOD))
    assert "topic is: novice" in told_to(model, 0)[0]
    assert "topic is: proficient" in told_to(model, 1)[0]


def test_the_review_is_one_task_for_each_stage() -> None:
    """FR-162, FR-163: strong, typed, cached, and with instructions that differ by stage."""
    tasks = [practice_review(stage) for stage in Stage]
    assert {task.name for task in tasks} == {"practice_review"}
    assert all(task.tier is Tier.STRONG and task.output is PracticeReview for task in tasks)
    assert len({task.instructions for task in tasks}) == len(Stage)
    assert practice_review(Stage.NOVICE) is tasks[0]


async def test_a_level_reached_unlocks_constraints(tmp_path: Path) -> None:
    """FR-158, SC-076: from 2 to 5 in two attempts."""
    levels = [
        {"title": f"Level {level}", "description": "", "minLevel": level} for level in (1, 3, 5, 7)
    ]
    model = ScriptedModel(judged(level=2), judged(level=5))
    async with open_house(tmp_path, model=model) as house:
        kata = await add_kata(house, constraints=levels)
        first = await practice(house).review(house.desk, solution(kata, GOOD))
        second = await practice(house).review(house.desk, solution(kata, GOOD))
    assert [each.min_level for each in first.unlocked_constraints] == [1]
    assert [each.min_level for each in second.unlocked_constraints] == [3, 5]


async def test_every_attempt_is_kept_and_those_alike_are_told(tmp_path: Path) -> None:
    """FR-156, FR-157, SC-077, SC-078: the reviewer sees what was tried in the same way."""
    model = ScriptedModel(
        judged(feedback="One."), judged(feedback="Two."), judged(feedback="Three.")
    )
    async with open_house(tmp_path, model=model) as house:
        kata = await add_kata(house, test_cases=())
        for code, constraints in (("a", ()), ("b", ("No multiplication",)), ("c", ())):
            await practice(house).review(house.desk, solution(kata, code, *constraints))
        row, _ = await stored(house, kata)
    assert told_to(model, 1)[1]["previous_attempts"] == []
    assert told_to(model, 2)[1]["previous_attempts"] == [
        {"code": "a", "review": "One.", "level": 5, "passed": True}
    ]
    assert [attempt["code"] for attempt in row.user_attempts] == ["a", "b", "c"]


async def test_titles_that_name_no_constraint_are_ignored(tmp_path: Path) -> None:
    """EC-77: the review goes on with those that do."""
    model = ScriptedModel(judged(), judged())
    async with open_house(tmp_path, model=model) as house:
        kata = await add_kata(house, test_cases=())
        titles = ("No multiplication", "Upside down")
        await practice(house).review(house.desk, solution(kata, GOOD, *titles))
        await practice(house).review(house.desk, solution(kata, GOOD, "Upside down"))
        row, _ = await stored(house, kata)
    assert [each["constraints"] for each in row.user_attempts] == [["No multiplication"], []]
    assert told_to(model, 1)[1]["active_constraints"] == []


async def test_a_kata_that_is_not_there_is_said_and_costs_nothing(house: House) -> None:
    """FR-166, SC-081, FR-160."""
    with pytest.raises(NotFound):
        await practice(house).review(house.desk, Review(kata_id="nowhere", user_code=GOOD))
    said = await house.hear("review:error")
    assert said == {"kataId": "nowhere", "error": "Kata not found"}
    assert await calls(house) == []


async def test_anothers_kata_is_not_there(house: House) -> None:
    """FR-154, FR-166: neither to be reviewed nor to be looked at."""
    kata = await add_kata(house)
    ines = house.desks.of((await house.core.users.create("Ines")).id)
    with pytest.raises(NotFound):
        await practice(house).review(ines, solution(kata, GOOD))
    with pytest.raises(NotFound):
        await practice(house).load(ines, kata.id)
    assert await practice(house).katas(ines) == []


async def test_a_failure_that_passes_is_tried_once_more(tmp_path: Path) -> None:
    """FR-159, SC-079: 500 and then a review; the ledger has both, the kata one attempt."""
    async with LoopbackApi() as api, open_house(tmp_path, api=api) as house:
        kata = await add_kata(house)
        api.reply(status=500, text="overloaded")
        api.reply(json=judged().model_dump())
        review = await practice(house).review(house.desk, solution(kata, GOOD))
        logged = await calls(house)
        row, _ = await stored(house, kata)
    assert review.passed
    assert [call.latency_ms == -1 for call in logged] == [True, False]
    assert len(row.user_attempts) == 1


@pytest.mark.parametrize(
    ("reply", "error", "requests"),
    [
        ({"status": 500, "text": "overloaded", "times": 2}, ModelError, 2),
        ({"stop_reason": "refusal", "text": "No."}, ApiRefusalError, 1),
        ({"status": 401, "text": "bad key"}, ModelError, 1),
    ],
)
async def test_a_review_that_failed_is_told_and_leaves_no_attempt(
    tmp_path: Path, reply: dict[str, Any], error: type[Exception], requests: int
) -> None:
    """FR-160, FR-165, FR-167, SC-080: logged as failed; nothing is kept, the gap stays open."""
    async with LoopbackApi() as api, open_house(tmp_path, api=api) as house:
        kata = await add_kata(house)
        session_id = house.desk.require_session()
        api.reply(**reply)
        with pytest.raises(error):
            await practice(house).review(house.desk, solution(kata, GOOD))
        said = await house.hear("review:error")
        row, gap = await stored(house, kata)
        completed = (await house.actions(session_id))[-1]
        assert len(api.requests) == requests
    assert said["kataId"] == kata.id
    assert said["error"].endswith(".")
    assert row.user_attempts == []
    assert not gap.addressed
    assert completed.action_type == "review_completed"
    assert completed.data is not None
    assert completed.data["success"] is False
    assert completed.data["error"] == said["error"]


async def test_reviews_of_one_kata_at_once_both_stay(tmp_path: Path, database_url: str) -> None:
    """EC-79: neither overwrites the other."""
    model = ScriptedModel(judged(), judged())
    async with open_house(tmp_path, model=model, database_url=database_url) as house:
        kata = await add_kata(house, test_cases=())
        reviewer = practice(house)
        await asyncio.gather(
            *(reviewer.review(house.desk, solution(kata, code)) for code in ("a", "b"))
        )
        row, _ = await stored(house, kata)
    assert sorted(attempt["code"] for attempt in row.user_attempts) == ["a", "b"]
    assert len(house.of_type("review:response")) == 2


async def test_a_kata_is_reviewed_after_its_session_too(tmp_path: Path) -> None:
    """EC-80: at the stage of a novice, if nothing is known; its cost is logged."""
    model = ScriptedModel(judged())
    async with open_house(tmp_path, model=model) as house:
        kata = await add_kata(house)
        await house.core.sessions.end(house.desk.require_session(), user_id=LOCAL_USER)
        assert house.desk.session_id is None
        review = await practice(house).review(house.desk, solution(kata, GOOD))
        [call] = await calls(house)
    assert review.passed
    assert "novice" in told_to(model)[0]
    assert call.session_id is None


async def test_the_model_is_told_what_really_happened(tmp_path: Path) -> None:
    """CO-51: each test by its name, with what was seen."""
    model = ScriptedModel(judged(passed=False, correct=False))
    async with open_house(tmp_path, model=model) as house:
        kata = await add_kata(house)
        asked = solution(kata, WRONG, "No multiplication")
        review = await practice(house).review(house.desk, asked)
    run = told_to(model)[1]["test_run"]
    assert run["ran"] is True
    assert run["tests"] == [
        {"name": "doubles a number", "passed": True, "problem": None},
        {"name": "nothing doubled is nothing", "passed": True, "problem": None},
        {"name": "doubles below zero", "passed": False, "problem": "expected -6, got 9"},
    ]
    assert run["constraint_checks"] == [
        {"constraint": "No multiplication", "holds": False, "problem": "there is a star"}
    ]
    assert review.ran
    assert [case.passed for case in review.cases] == [True, True, False]


async def test_a_model_cannot_pass_what_the_tests_fail(tmp_path: Path) -> None:
    """CO-51: the verdict, the level and the next step are corrected, and the feedback says why."""
    async with open_house(tmp_path, model=ScriptedModel(judged(level=9))) as house:
        kata = await add_kata(house)
        review = await practice(house).review(house.desk, solution(kata, WRONG))
        row, gap = await stored(house, kata)
    assert (review.correct, review.passed) == (False, False)
    assert review.level == 2
    assert review.feedback.startswith("2 of 3 tests pass. “doubles below zero” does not")
    assert review.feedback.endswith("Clean.")
    assert review.follow_up is not None
    assert review.follow_up.type == "retry_hint"
    assert review.dreyfus_signal == "stable"
    assert row.user_attempts[0]["passed"] is False
    assert not gap.addressed


async def test_a_model_cannot_pass_a_constraint_that_does_not_hold(tmp_path: Path) -> None:
    """CO-51: the solution is correct all the same."""
    async with open_house(tmp_path, model=ScriptedModel(judged())) as house:
        kata = await add_kata(house)
        asked = solution(kata, GOOD, "No multiplication")
        review = await practice(house).review(house.desk, asked)
    assert (review.correct, review.passed) == (True, False)
    assert "there is a star" in review.feedback


async def test_a_model_cannot_pass_an_empty_solution(tmp_path: Path) -> None:
    """EC-76, CO-51: it is asked, and then held to what there is."""
    model = ScriptedModel(judged())
    async with open_house(tmp_path, model=model) as house:
        kata = await add_kata(house, test_cases=())
        review = await practice(house).review(house.desk, solution(kata, " \n"))
    assert told_to(model)[1]["user_code"] == " \n"
    assert not review.passed
    assert "no code" in review.feedback


async def test_a_passed_kata_closes_its_gap_for_good(tmp_path: Path) -> None:
    """CO-50: until a session meets it again."""
    model = ScriptedModel(judged(), judged(passed=False, correct=False))
    async with open_house(tmp_path, model=model) as house:
        kata = await add_kata(house)
        await practice(house).review(house.desk, solution(kata, GOOD))
        assert (await stored(house, kata))[1].addressed
        await practice(house).review(house.desk, solution(kata, WRONG))
        assert (await stored(house, kata))[1].addressed
        met_again = await add_gap(house)
    assert not met_again.addressed


async def test_a_solution_longer_than_any_kata_is_refused(house: House) -> None:
    """FR-160: before anything is run."""
    kata = await add_kata(house)
    with pytest.raises(TooLarge):
        await practice(house).review(house.desk, solution(kata, "#" * 100_001))
    assert "100,001 characters" in (await house.hear("review:error"))["error"]


async def test_a_solution_with_a_nul_is_refused(house: House) -> None:
    """FR-160: no database would keep it."""
    kata = await add_kata(house)
    with pytest.raises(InvalidInput):
        await practice(house).review(house.desk, solution(kata, "x = '\0'"))
    assert "NUL" in (await house.hear("review:error"))["error"]
