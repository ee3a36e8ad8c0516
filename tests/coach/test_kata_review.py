"""Katas reviewed without a model: by running them, or else by reading."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bottega.coach.enums import Stage
from bottega.coach.practice.catalogue import by_slug
from bottega.coach.practice.runner import run_solution
from bottega.coach.practice.schemas import KataReview
from bottega.coach.skills import repository as skill_records
from bottega.core.isolation.machine import isolation
from bottega.core.isolation.process import Limits
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.users import LOCAL_USER
from tests.coach.builders import (
    GOOD,
    NOTES,
    OPEN_MACHINE,
    TESTS,
    WRONG,
    CoachApp,
    add_kata,
    open_coach,
    practice,
    solution,
    told_to,
)
from tests.coach.test_practice import judged

PLUS = "def double(number):\n    return number + number\n"


@pytest.fixture(autouse=True)
async def _isolated() -> None:
    if not (await isolation()).available:
        pytest.skip("this machine offers no isolation")


async def become(app: CoachApp, stage: Stage) -> None:
    async with app.core.database.write() as session:
        await skill_records.assess(session, LOCAL_USER, "Arithmetic", stage, 0.9, "Seen")


async def review(app: CoachApp, code: str, *constraints: str) -> KataReview:
    kata = await add_kata(app)
    return await practice(app).review(app.editor, solution(kata, code, *constraints))


@pytest.mark.requirement("CO-52")
async def test_a_good_solution_passes_because_it_ran(app: CoachApp) -> None:
    """It says how that is known, and offers the next challenge."""
    told = await review(app, GOOD)
    assert (told.correct, told.passed, told.ran, told.offline) == (True, True, True, True)
    assert [case.name for case in told.cases] == [
        "doubles a number",
        "nothing doubled is nothing",
        "doubles below zero",
    ]
    assert "All 3 tests pass." in told.feedback
    assert "without a model" in told.feedback
    assert told.level == 4
    assert told.follow_up is not None
    assert told.follow_up.type == "constraint_escalation"
    assert told.follow_up.constraint == "No multiplication: Without the star."
    assert told.dreyfus_signal == "advancing"


@pytest.mark.requirement("CO-52")
async def test_a_novice_hears_what_works_before_what_does_not(app: CoachApp) -> None:
    """The failing test by its name and what was seen."""
    told = await review(app, WRONG)
    works, fails = told.feedback.index("doubles a number"), told.feedback.index("doubles below")
    assert works < fails
    assert "expected -6, got 9" in told.feedback
    assert (told.correct, told.passed, told.level) == (False, False, 2)
    assert told.follow_up is not None
    assert told.follow_up.type == "retry_hint"
    assert "doubles below zero" in (told.follow_up.reason or "")


@pytest.mark.requirement("CO-52")
async def test_every_stage_is_told_in_its_own_tone(app: CoachApp) -> None:
    """The further, the shorter."""
    lengths = []
    for stage in (Stage.NOVICE, Stage.COMPETENT, Stage.EXPERT):
        await become(app, stage)
        told = await review(app, WRONG)
        assert "expected -6, got 9" in told.feedback
        lengths.append(len(told.feedback))
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) == 3


@pytest.mark.requirement("CO-55")
async def test_a_review_never_gives_notes_or_tests_away(app: CoachApp) -> None:
    """Whatever the stage and however wrong the code is."""
    for stage in (Stage.NOVICE, Stage.COMPETENT, Stage.EXPERT):
        await become(app, stage)
        for code in (GOOD, WRONG, "", "def double("):
            text = (await review(app, code)).model_dump_json()
            assert NOTES not in text
            assert "classic confusion" not in text
            assert not any(test.partition("\n")[2] in text for test in TESTS)


@pytest.mark.requirement("CO-52")
@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("while True:\n    pass\n", "is there an endless loop?"),
        ("import socket\nsocket.create_connection(('127.0.0.1', 9))\n", "a kata may not"),
        ("def double(number)\n    return 2\n", "line 1"),
        ("raise SystemExit(0)\n", "exit()"),
    ],
)
async def test_a_solution_that_does_not_get_through_is_reported(
    app: CoachApp, code: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In plain words, with a way out."""
    in_a_second = partial(run_solution, limits=Limits(cpu_seconds=1))
    monkeypatch.setattr("bottega.coach.practice.service.run_solution", in_a_second)
    told = await review(app, code)
    assert not told.passed
    assert told.level == 1
    assert says in told.feedback
    assert "?." not in told.feedback
    assert told.follow_up is not None
    assert told.follow_up.reason


@pytest.mark.requirement("EC-76")
async def test_no_code_is_told_as_such(app: CoachApp) -> None:
    """And it is an attempt at level 1."""
    told = await review(app, "  \n")
    assert "no code" in told.feedback
    assert (told.passed, told.correct, told.level) == (False, False, 1)


@pytest.mark.requirement("CO-52")
async def test_a_constraint_that_holds_shows_a_higher_level(app: CoachApp) -> None:
    """It opens the next harder one; one that only a reader can judge stays unjudged."""
    told = await review(app, PLUS, "No multiplication", "Reads like a sentence")
    assert told.passed
    assert told.level == 6
    assert "“No multiplication” holds too." in told.feedback
    assert "“Reads like a sentence” holds takes a reader" in told.feedback
    assert told.follow_up is not None
    assert told.follow_up.type == "completed"


@pytest.mark.requirement("CO-52")
async def test_a_constraint_that_is_broken_does_not_pass(app: CoachApp) -> None:
    """Although every test does."""
    told = await review(app, GOOD, "No multiplication")
    assert (told.correct, told.passed) == (True, False)
    assert "there is a star" in told.feedback
    assert told.follow_up is not None
    assert "Without the star." in (told.follow_up.reason or "")


@pytest.mark.requirement("CO-52")
async def test_tangled_code_shows_less_than_plain_code(app: CoachApp) -> None:
    """It passes, a level lower, with the function named."""
    tangled = (
        "def double(number):\n"
        "    for _ in range(1):\n"
        "        if True:\n"
        "            while True:\n"
        "                if number is not None:\n"
        "                    return number * 2\n"
    )
    told = await review(app, tangled)
    assert told.passed
    assert told.level == 2
    assert "`double` does a lot at once" in told.feedback


@pytest.mark.requirement("CO-52")
async def test_failing_again_and_again_is_a_struggle(app: CoachApp) -> None:
    """Three times without getting further; then it goes up again."""
    kata = await add_kata(app)
    signals = [
        (await practice(app).review(app.editor, solution(kata, code))).dreyfus_signal
        for code in (WRONG, WRONG, WRONG, GOOD, GOOD)
    ]
    assert signals == ["stable", "stable", "struggling", "advancing", "stable"]


@pytest.mark.requirement("CO-53")
async def test_without_isolation_code_is_read_and_does_not_pass(app: CoachApp) -> None:
    """The review says why, and what reading can tell."""
    kata = await add_kata(app)
    reader = practice(app, OPEN_MACHINE)
    good = await reader.review(app.editor, solution(kata, GOOD))
    assert (good.ran, good.passed, good.correct, good.cases) == (False, False, False, [])
    assert "this machine does not offer seccomp" in good.feedback
    assert "read and not run" in good.feedback

    unfinished = "def double(number):\n    ...\n# TODO: think\n"
    told = await reader.review(app.editor, solution(kata, unfinished))
    assert "Still unfinished: `double`, line 3." in told.feedback
    renamed = await reader.review(app.editor, solution(kata, "def twice(n):\n    return 2 * n\n"))
    assert "defines `double`, and your solution does not" in renamed.feedback
    broken = await reader.review(app.editor, solution(kata, "def double(n)\n    return 2\n"))
    assert "stops at: expected ':', line 1" in broken.feedback


@pytest.mark.requirement("CO-53")
async def test_without_isolation_a_model_judges_by_reading(tmp_path: Path) -> None:
    """It is told that nothing was run, and the answer says it too."""
    model = ScriptedModel(judged())
    async with open_coach(tmp_path, model=model) as app:
        kata = await add_kata(app)
        told = await practice(app, OPEN_MACHINE).review(app.editor, solution(kata, WRONG))
    assert told_to(model)[1]["test_run"]["ran"] is False
    assert told.passed
    assert not told.ran


@pytest.mark.requirement("CO-53")
@pytest.mark.parametrize(
    "fields",
    [
        {"test_cases": ()},
        {"test_cases": ("expect(() => double(2)).not.toThrow();",)},
        {"scaffolding_code": "function double(number) {}"},
    ],
)
async def test_a_kata_without_python_tests_is_read(app: CoachApp, fields: dict[str, Any]) -> None:
    """And what is no Python is not read as Python."""
    kata = await add_kata(app, **fields)
    code = "function double(number) { return 2 * number } // TODO: name"
    code = code if "scaffolding_code" in fields else GOOD
    told = await practice(app).review(app.editor, solution(kata, code))
    assert (told.ran, told.passed) == (False, False)
    assert "no tests that can be run" in told.feedback
    assert "Read as Python" not in told.feedback
    assert ("Still unfinished: line 1." in told.feedback) == ("scaffolding_code" in fields)


@pytest.mark.requirement("CO-52")
async def test_a_kata_of_the_catalogue_knows_its_own_level(app: CoachApp) -> None:
    """What a plain solution shows is written with the kata."""
    shelf = by_slug("till-roll")
    kata = await add_kata(
        app,
        scaffolding_code=shelf.scaffolding_code,
        test_cases=shelf.test_cases,
        constraints=(),
        slug=shelf.slug,
    )
    code = (
        "def till_roll(sales):\n    total, roll = 0, []\n    for sale in sales:\n"
        "        total += sale\n        roll.append(total)\n    return roll\n"
    )
    told = await practice(app).review(app.editor, solution(kata, code))
    assert told.passed
    assert told.level == shelf.level + 1
    assert told.follow_up is not None
    assert told.follow_up.type == "completed"
