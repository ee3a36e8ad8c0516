"""Katas handed in: loaded, run, reviewed by a model, kept and told."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bottega.coach.enums import Stage
from bottega.coach.practice.review import PracticeReview, SuggestedStep, practice_review
from bottega.coach.practice.schemas import Review
from bottega.coach.skills import repository as skill_records
from bottega.core.llm.tasks import Tier
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.users import LOCAL_USER
from bottega.errors import ApiRefusalError, InvalidInput, ModelError, NotFound, TooLarge
from tests.coach.builders import (
    GOOD,
    NOTES,
    WRONG,
    CoachApp,
    add_gap,
    add_kata,
    calls,
    open_coach,
    practice,
    solution,
    stored,
    told_to,
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


@pytest.mark.requirement("FR-154", "FR-155", "FR-157", "FR-165", "SC-075")
async def test_a_solution_is_reviewed_kept_and_told(tmp_path: Path) -> None:
    """From the kata's row to the answer in all windows."""
    model = ScriptedModel(judged())
    async with open_coach(tmp_path, model=model) as app:
        kata = await add_kata(app)
        session_id = app.editor.require_session()
        asked = solution(kata, GOOD, "reads like a sentence")
        await practice(app).review(app.editor, asked)
        said = await app.hear("review:response")
        requested, completed = (await app.actions(session_id))[-2:]
        row, _ = await stored(app, kata)

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


@pytest.mark.requirement("FR-163")
async def test_the_stage_in_the_katas_topic_reaches_the_model(tmp_path: Path) -> None:
    """As a part of the instructions."""
    model = ScriptedModel(judged(), judged())
    async with open_coach(tmp_path, model=model) as app:
        kata = await add_kata(app)
        await practice(app).review(app.editor, solution(kata, GOOD))
        async with app.core.database.write() as session:
            await skill_records.assess(
                session, LOCAL_USER, "Arithmetic", Stage.PROFICIENT, 0.8, "Seen"
            )
            await skill_records.assess(session, LOCAL_USER, "Git", Stage.NOVICE, 0.8, "Seen")
        await practice(app).review(app.editor, solution(kata, GOOD))
    assert "topic is: novice" in told_to(model, 0)[0]
    assert "topic is: proficient" in told_to(model, 1)[0]


@pytest.mark.requirement("FR-162", "FR-163")
def test_the_review_is_one_task_for_each_stage() -> None:
    """Strong, typed, cached, and with instructions that differ by stage."""
    tasks = [practice_review(stage) for stage in Stage]
    assert {task.name for task in tasks} == {"practice_review"}
    assert all(task.tier is Tier.STRONG and task.output is PracticeReview for task in tasks)
    assert len({task.instructions for task in tasks}) == len(Stage)
    assert practice_review(Stage.NOVICE) is tasks[0]


@pytest.mark.requirement("FR-158", "SC-076")
async def test_a_level_reached_unlocks_constraints(tmp_path: Path) -> None:
    """From 2 to 5 in two attempts."""
    levels = [
        {"title": f"Level {level}", "description": "", "minLevel": level} for level in (1, 3, 5, 7)
    ]
    model = ScriptedModel(judged(level=2), judged(level=5))
    async with open_coach(tmp_path, model=model) as app:
        kata = await add_kata(app, constraints=levels)
        first = await practice(app).review(app.editor, solution(kata, GOOD))
        second = await practice(app).review(app.editor, solution(kata, GOOD))
    assert [each.min_level for each in first.unlocked_constraints] == [1]
    assert [each.min_level for each in second.unlocked_constraints] == [3, 5]


@pytest.mark.requirement("FR-156", "FR-157", "SC-077", "SC-078")
async def test_every_attempt_is_kept_and_those_alike_are_told(tmp_path: Path) -> None:
    """The reviewer sees what was tried in the same way."""
    model = ScriptedModel(
        judged(feedback="One."), judged(feedback="Two."), judged(feedback="Three.")
    )
    async with open_coach(tmp_path, model=model) as app:
        kata = await add_kata(app, test_cases=())
        for code, constraints in (("a", ()), ("b", ("No multiplication",)), ("c", ())):
            await practice(app).review(app.editor, solution(kata, code, *constraints))
        row, _ = await stored(app, kata)
    assert told_to(model, 1)[1]["previous_attempts"] == []
    assert told_to(model, 2)[1]["previous_attempts"] == [
        {"code": "a", "review": "One.", "level": 5, "passed": True}
    ]
    assert [attempt["code"] for attempt in row.user_attempts] == ["a", "b", "c"]


@pytest.mark.requirement("EC-77")
async def test_titles_that_name_no_constraint_are_ignored(tmp_path: Path) -> None:
    """The review goes on with those that do."""
    model = ScriptedModel(judged(), judged())
    async with open_coach(tmp_path, model=model) as app:
        kata = await add_kata(app, test_cases=())
        titles = ("No multiplication", "Upside down")
        await practice(app).review(app.editor, solution(kata, GOOD, *titles))
        await practice(app).review(app.editor, solution(kata, GOOD, "Upside down"))
        row, _ = await stored(app, kata)
    assert [each["constraints"] for each in row.user_attempts] == [["No multiplication"], []]
    assert told_to(model, 1)[1]["active_constraints"] == []


@pytest.mark.requirement("FR-166", "SC-081", "FR-160")
async def test_a_kata_that_is_not_there_is_said_and_costs_nothing(app: CoachApp) -> None:
    with pytest.raises(NotFound):
        await practice(app).review(app.editor, Review(kata_id="nowhere", user_code=GOOD))
    said = await app.hear("review:error")
    assert said == {"kataId": "nowhere", "error": "Kata not found"}
    assert await calls(app) == []


@pytest.mark.requirement("FR-154", "FR-166")
async def test_anothers_kata_is_not_there(app: CoachApp) -> None:
    """Neither to be reviewed nor to be looked at."""
    kata = await add_kata(app)
    ines = app.editors.of((await app.core.users.create("Ines")).id)
    with pytest.raises(NotFound):
        await practice(app).review(ines, solution(kata, GOOD))
    with pytest.raises(NotFound):
        await practice(app).load(ines, kata.id)
    assert await practice(app).katas(ines) == []


@pytest.mark.requirement("FR-159", "SC-079")
async def test_a_failure_that_passes_is_tried_once_more(tmp_path: Path) -> None:
    """500 and then a review; the ledger has both, the kata one attempt."""
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        kata = await add_kata(app)
        api.reply(status=500, text="overloaded")
        api.reply(json=judged().model_dump())
        review = await practice(app).review(app.editor, solution(kata, GOOD))
        logged = await calls(app)
        row, _ = await stored(app, kata)
    assert review.passed
    assert [call.latency_ms == -1 for call in logged] == [True, False]
    assert len(row.user_attempts) == 1


@pytest.mark.requirement("FR-160", "FR-165", "FR-167", "SC-080")
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
    """Logged as failed; nothing is kept, the gap stays open."""
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        kata = await add_kata(app)
        session_id = app.editor.require_session()
        api.reply(**reply)
        with pytest.raises(error):
            await practice(app).review(app.editor, solution(kata, GOOD))
        said = await app.hear("review:error")
        row, gap = await stored(app, kata)
        completed = (await app.actions(session_id))[-1]
        assert len(api.requests) == requests
    assert said["kataId"] == kata.id
    assert said["error"].endswith(".")
    assert row.user_attempts == []
    assert not gap.addressed
    assert completed.action_type == "review_completed"
    assert completed.data is not None
    assert completed.data["success"] is False
    assert completed.data["error"] == said["error"]


@pytest.mark.requirement("EC-79")
async def test_reviews_of_one_kata_at_once_both_stay(tmp_path: Path, database_url: str) -> None:
    """Neither overwrites the other."""
    model = ScriptedModel(judged(), judged())
    async with open_coach(tmp_path, model=model, database_url=database_url) as app:
        kata = await add_kata(app, test_cases=())
        reviewer = practice(app)
        await asyncio.gather(
            *(reviewer.review(app.editor, solution(kata, code)) for code in ("a", "b"))
        )
        row, _ = await stored(app, kata)
    assert sorted(attempt["code"] for attempt in row.user_attempts) == ["a", "b"]
    assert len(app.of_type("review:response")) == 2


@pytest.mark.requirement("EC-80")
async def test_a_kata_is_reviewed_after_its_session_too(tmp_path: Path) -> None:
    """At the stage of a novice, if nothing is known; its cost is logged."""
    model = ScriptedModel(judged())
    async with open_coach(tmp_path, model=model) as app:
        kata = await add_kata(app)
        await app.core.sessions.end(app.editor.require_session(), user_id=LOCAL_USER)
        assert app.editor.session_id is None
        review = await practice(app).review(app.editor, solution(kata, GOOD))
        [call] = await calls(app)
    assert review.passed
    assert "novice" in told_to(model)[0]
    assert call.session_id is None


@pytest.mark.requirement("CO-51")
async def test_the_model_is_told_what_really_happened(tmp_path: Path) -> None:
    """Each test by its name, with what was seen."""
    model = ScriptedModel(judged(passed=False, correct=False))
    async with open_coach(tmp_path, model=model) as app:
        kata = await add_kata(app)
        asked = solution(kata, WRONG, "No multiplication")
        review = await practice(app).review(app.editor, asked)
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


@pytest.mark.requirement("CO-51")
async def test_a_model_cannot_pass_what_the_tests_fail(tmp_path: Path) -> None:
    """The verdict, the level and the next step are corrected, and the feedback says why."""
    async with open_coach(tmp_path, model=ScriptedModel(judged(level=9))) as app:
        kata = await add_kata(app)
        review = await practice(app).review(app.editor, solution(kata, WRONG))
        row, gap = await stored(app, kata)
    assert (review.correct, review.passed) == (False, False)
    assert review.level == 2
    assert review.feedback.startswith("2 of 3 tests pass. “doubles below zero” does not")
    assert review.feedback.endswith("Clean.")
    assert review.follow_up is not None
    assert review.follow_up.type == "retry_hint"
    assert review.dreyfus_signal == "stable"
    assert row.user_attempts[0]["passed"] is False
    assert not gap.addressed


@pytest.mark.requirement("CO-51")
async def test_a_model_cannot_pass_a_constraint_that_does_not_hold(tmp_path: Path) -> None:
    """The solution is correct all the same."""
    async with open_coach(tmp_path, model=ScriptedModel(judged())) as app:
        kata = await add_kata(app)
        asked = solution(kata, GOOD, "No multiplication")
        review = await practice(app).review(app.editor, asked)
    assert (review.correct, review.passed) == (True, False)
    assert "there is a star" in review.feedback


@pytest.mark.requirement("EC-76", "CO-51")
async def test_a_model_cannot_pass_an_empty_solution(tmp_path: Path) -> None:
    """It is asked, and then held to what there is."""
    model = ScriptedModel(judged())
    async with open_coach(tmp_path, model=model) as app:
        kata = await add_kata(app, test_cases=())
        review = await practice(app).review(app.editor, solution(kata, " \n"))
    assert told_to(model)[1]["user_code"] == " \n"
    assert not review.passed
    assert "no code" in review.feedback


@pytest.mark.requirement("CO-50")
async def test_a_passed_kata_closes_its_gap_for_good(tmp_path: Path) -> None:
    """Until a session meets it again."""
    model = ScriptedModel(judged(), judged(passed=False, correct=False))
    async with open_coach(tmp_path, model=model) as app:
        kata = await add_kata(app)
        await practice(app).review(app.editor, solution(kata, GOOD))
        assert (await stored(app, kata))[1].addressed
        await practice(app).review(app.editor, solution(kata, WRONG))
        assert (await stored(app, kata))[1].addressed
        met_again = await add_gap(app)
    assert not met_again.addressed


@pytest.mark.requirement("FR-160")
async def test_a_solution_longer_than_any_kata_is_refused(app: CoachApp) -> None:
    """Before anything is run."""
    kata = await add_kata(app)
    with pytest.raises(TooLarge):
        await practice(app).review(app.editor, solution(kata, "#" * 100_001))
    assert "100,001 characters" in (await app.hear("review:error"))["error"]


@pytest.mark.requirement("FR-160")
async def test_a_solution_with_a_nul_is_refused(app: CoachApp) -> None:
    """No database would keep it."""
    kata = await add_kata(app)
    with pytest.raises(InvalidInput):
        await practice(app).review(app.editor, solution(kata, "x = '\0'"))
    assert "NUL" in (await app.hear("review:error"))["error"]
