""" "Review My Work": what changed in a phase, from git and the editor to the verdict."""

import os
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bottega.coach.enums import HintLevel, PhaseStatus
from bottega.coach.prompts.phase_review import DIFF_TOLD, PhaseReviewed, phase_review
from bottega.coach.repository import learning, plans
from bottega.coach.repository.plans import NewPhase
from bottega.coach.reviewing.changes import MOST_FILES, changes_since
from bottega.coach.reviewing.git import Git
from bottega.coach.reviewing.phase_review import PhaseReviews
from bottega.coach.stages import Stage
from bottega.core import clock
from bottega.core.actions import ActionType
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.users import LOCAL_USER
from bottega.errors import ModelError
from tests.coach.conversations import calls, told_to
from tests.coach.house import House, open_house

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

PRICES = "src/bakery/prices.py"
EXACT = 'PRICES = {"bread": 320, "roll": 45}\n\n\ndef price_of(item):\n    return PRICES[item]\n'
GOOD = PhaseReviewed(review="Right.", suggestions=["src/bakery/prices.py:1: why?"], passed=True)


def phase(*expected: str) -> NewPhase:
    return NewPhase(
        2,
        "Count in cents",
        "Floats lose cents",
        HintLevel.FILE,
        expected_files=expected,
        status=PhaseStatus.ACTIVE,
    )


def reviews(house: House) -> PhaseReviews:
    return PhaseReviews(house.core, house.voice, house.skills)


def git(house: House, *arguments: str, at: str | None = None) -> None:
    who = ("-c", "user.name=Ines", "-c", "user.email=ines@example.org")
    subprocess.run(
        ("git", "-C", str(house.project), *who, *arguments),
        env=os.environ | ({"GIT_COMMITTER_DATE": at} if at else {}),
        check=True,
        capture_output=True,
    )


def commit_all(house: House, at: str | None = None) -> None:
    git(house, "init", "--quiet")
    git(house, "add", "--all")
    git(house, "commit", "--quiet", "--message", "Bake", at=at)


async def begin(house: House, *expected: str) -> str:
    """A session in its second phase; gives the phase's id."""
    await house.start_session()
    plan = await house.add_plan(phase(*expected))
    return plan.phases[0].id


async def progress(house: House, phase_id: str) -> list[str]:
    async with house.core.database.read() as session:
        return [event.event_type for event in await plans.progress_of(session, phase_id)]


@needs_git
async def test_work_that_does_what_the_phase_expects_passes(house: House) -> None:
    """CO-56, CO-57: saved and unsaved changes count; progress and log say so."""
    commit_all(house)
    phase_id = await begin(house, PRICES, "tests/")
    (house.project / PRICES).write_text(EXACT)
    house.desk.files.update_buffer("tests/test_orders.py", "def test_total():\n    pass\n")
    told = await reviews(house).review(house.desk)

    assert (told.phase, told.passed, told.offline) == (2, True, True)
    assert f"`{PRICES}` (+1 −1)" in told.review
    assert "every file that it expects has changed" in told.review
    assert told.suggestions == []
    assert await house.hear("review:response") == told.model_dump(mode="json", by_alias=True)
    assert await progress(house, phase_id) == ["review_requested", "review_passed"]
    requested, completed = (await house.actions(house.desk.require_session()))[-2:]
    assert (requested.action_type, requested.data) == ("review_requested", {"phase": 2})
    assert completed.action_type == "review_completed"
    assert completed.data is not None
    assert completed.data["success"] is True
    assert completed.data["passed"] is True
    assert completed.data["changed"] == 2


@needs_git
async def test_a_file_that_the_phase_expects_and_that_did_not_change_is_named(
    house: House,
) -> None:
    """CO-57: and the phase has not passed."""
    commit_all(house)
    phase_id = await begin(house, PRICES, "src/bakery/orders.py")
    (house.project / PRICES).write_text(EXACT)
    told = await reviews(house).review(house.desk)
    assert not told.passed
    assert "also expects a change in `src/bakery/orders.py`" in told.review
    assert "src/bakery/orders.py: the phase expects a change here." in told.suggestions
    assert any("no test changed with it" in each for each in told.suggestions)
    assert await progress(house, phase_id) == ["review_requested"]


@needs_git
async def test_what_was_left_lying_about_is_told_with_its_line(house: House) -> None:
    """CO-57: only in lines that are new."""
    (house.project / PRICES).write_text("print('old')\n" + EXACT)
    commit_all(house)
    await begin(house)
    lines = ["print('old')", "print(PRICES)", "# TODO: rolls", "# price = 3", "breakpoint()"]
    house.desk.files.update_buffer(PRICES, "\n".join(lines) + "\n" + EXACT)
    house.desk.files.update_buffer("page.ts", "console.log(1);\n// const a = 1;\n")
    told = await reviews(house).review(house.desk)
    assert [each.partition(" ")[0] for each in told.suggestions[:6]] == [
        f"{PRICES}:2:",
        f"{PRICES}:3:",
        f"{PRICES}:4:",
        f"{PRICES}:5:",
        "page.ts:1:",
        "page.ts:2:",
    ]


@needs_git
@pytest.mark.parametrize(
    ("text", "place"),
    [("def price_of(item)\n    return 1\n", ":1:"), ("a = 1\n<<<<<<< HEAD\n", ":2:")],
)
async def test_what_is_broken_has_not_passed(tmp_path: Path, text: str, place: str) -> None:
    """CO-57: not even if a model says so; and it is told first."""
    for model in (None, ScriptedModel(GOOD)):
        async with open_house(tmp_path / str(model is None), model=model) as house:
            commit_all(house)
            phase_id = await begin(house, PRICES)
            house.desk.files.update_buffer(PRICES, text)
            told = await reviews(house).review(house.desk)
            assert not told.passed
            assert told.suggestions[0].startswith(f"{PRICES}{place}")
            assert await progress(house, phase_id) == ["review_requested"]


@needs_git
async def test_what_was_committed_during_the_phase_counts(house: House) -> None:
    """CO-56: the comparison is with the last commit before the phase."""
    commit_all(house, at="2020-01-01T00:00:00Z")
    await begin(house, PRICES)
    (house.project / PRICES).write_text(EXACT)
    # Git counts in seconds: later in this very second would be before.
    commit_all(house, at=(clock.now() + timedelta(hours=1)).isoformat())
    told = await reviews(house).review(house.desk)
    assert told.passed
    assert f"`{PRICES}` (+1 −1)" in told.review


async def test_without_git_what_was_saved_in_the_phase_counts(house: House) -> None:
    """CO-56: nobody can say how it changed, but that it did."""
    phase_id = await begin(house, PRICES)
    await house.desk.files.save(PRICES, EXACT)
    saved = {"path": PRICES, "charCount": len(EXACT)}
    session_id = house.desk.require_session()
    await house.core.actions.log_action(session_id, ActionType.FILE_SAVE, saved)
    told = await reviews(house).review(house.desk)
    assert told.passed
    assert f"`{PRICES}` (saved)" in told.review
    assert await progress(house, phase_id) == ["review_requested", "review_passed"]


async def test_without_git_unsaved_edits_are_compared_with_the_disk(house: House) -> None:
    """CO-56: and a deleted or outside path in the log breaks nothing."""
    await begin(house, PRICES)
    house.desk.files.update_buffer(PRICES, EXACT)
    session_id = house.desk.require_session()
    for path in ("gone.py", "../../etc/passwd"):
        saved = {"path": path, "charCount": 1}
        await house.core.actions.log_action(session_id, ActionType.FILE_SAVE, saved)
    told = await reviews(house).review(house.desk)
    assert "You changed 1 file:" in told.review
    assert f"`{PRICES}` (+1 −1)" in told.review


async def test_nothing_changed_is_told_without_asking_anybody(tmp_path: Path) -> None:
    """CO-56: no call, no pass, and where to begin."""
    async with open_house(tmp_path, model=ScriptedModel()) as house:
        phase_id = await begin(house, PRICES)
        told = await reviews(house).review(house.desk)
        assert await calls(house) == []
        assert await progress(house, phase_id) == ["review_requested"]
    assert not told.passed
    assert told.review.startswith("Nothing has changed since phase 2")
    assert told.suggestions == [f"{PRICES}: a good place to start."]


@needs_git
async def test_without_a_phase_the_changes_are_looked_at_all_the_same(tmp_path: Path) -> None:
    """CO-56: there is nothing to pass, whoever looks."""
    for model in (None, ScriptedModel(GOOD)):
        async with open_house(tmp_path / str(model is None), model=model) as house:
            commit_all(house)
            (house.project / "new.py").write_text("x = 1\n")
            told = await reviews(house).review(house.desk)
            assert (told.phase, told.passed) == (None, False)
            if model is None:
                assert "`new.py` (+1 −0)" in told.review
                assert "You are in no phase" in told.review
            else:
                assert told_to(model)[1]["current_phase"] is None


@needs_git
async def test_a_model_gets_the_phase_the_diffs_and_the_stage(tmp_path: Path) -> None:
    """CO-56, FR-163: a long diff is cut, and that is said."""
    model = ScriptedModel(GOOD)
    async with open_house(tmp_path, model=model) as house:
        commit_all(house)
        phase_id = await begin(house, PRICES)
        async with house.core.database.write() as session:
            await learning.assess(session, LOCAL_USER, "Python", Stage.COMPETENT, 0.9, "Seen")
        (house.project / PRICES).write_text(EXACT)
        house.desk.files.update_buffer("long.txt", "word\n" * 10_000)
        told = await reviews(house).review(house.desk)
        assert await progress(house, phase_id) == ["review_requested", "review_passed"]
    instructions, prompt = told_to(model)
    assert "stage is: competent" in instructions
    assert prompt["current_phase"]["title"] == "Count in cents"
    changes = {change["path"]: change for change in prompt["changes"]}
    assert '+PRICES = {"bread": 320' in changes[PRICES]["diff"]
    assert changes[PRICES]["is_cut"] is False
    assert (len(changes["long.txt"]["diff"]), changes["long.txt"]["is_cut"]) == (DIFF_TOLD, True)
    assert (told.review, told.passed, told.offline) == ("Right.", True, False)


@needs_git
async def test_of_many_changes_the_expected_come_first_and_secrets_never(house: House) -> None:
    """CO-56: fifty files are enough for one review."""
    commit_all(house)
    (house.project / ".env").write_text("PASSWORD=1\n")
    for number in range(60):
        (house.project / f"a{number}.txt").write_text("new\n")
    (house.project / "z.py").write_text("x = 1\n")
    changes = await changes_since(house.desk, None, expected=["z.py"])
    assert len(changes) == MOST_FILES
    assert changes[0].path == "z.py"
    assert ".env" not in {change.path for change in changes}


def test_the_review_is_one_task_for_each_stage() -> None:
    """FR-163: with instructions that differ."""
    assert len({phase_review(stage).instructions for stage in Stage}) == len(Stage)


async def test_a_review_that_failed_is_told(tmp_path: Path) -> None:
    """FR-159, FR-160, SC-080: after a second try; it names no kata."""
    async with LoopbackApi() as api, open_house(tmp_path, api=api) as house:
        phase_id = await begin(house, PRICES)
        house.desk.files.update_buffer(PRICES, EXACT)
        api.reply(status=529, text="overloaded", times=2)
        with pytest.raises(ModelError):
            await reviews(house).review(house.desk)
        said = await house.hear("review:error")
        completed = (await house.actions(house.desk.require_session()))[-1]
        assert len(api.requests) == 2
        assert await progress(house, phase_id) == ["review_requested"]
    assert said["kataId"] is None
    assert "try again later" in said["error"]
    assert completed.data is not None
    assert completed.data["success"] is False


@needs_git
async def test_looking_at_changes_runs_nothing_of_the_project(house: House) -> None:
    """CO-56: no hook, no external diff, no text conversion, no monitor, and nothing is written."""
    commit_all(house)
    tripwire = house.project.parent / "ran"
    script = house.project.parent / "trip.sh"
    script.write_text(f"#!/bin/sh\ntouch {tripwire}\n")
    script.chmod(0o755)
    settings: dict[str, Any] = {
        "core.fsmonitor": script,
        "diff.external": script,
        "diff.trip.textconv": script,
        "diff.trip.command": script,
    }
    for name, value in settings.items():
        git(house, "config", name, str(value))
    (house.project / ".git/hooks/post-index-change").write_text(script.read_text())
    (house.project / ".git/hooks/post-index-change").chmod(0o755)
    (house.project / ".gitattributes").write_text("*.py diff=trip\n")
    (house.project / PRICES).write_text(EXACT)
    index = (house.project / ".git/index").read_bytes()
    told = await reviews(house).review(house.desk)
    assert f"`{PRICES}` (+1 −1)" in told.review
    assert not tripwire.exists()
    assert (house.project / ".git/index").read_bytes() == index


async def test_a_machine_without_git_has_no_past(tmp_path: Path) -> None:
    """CO-56: and a folder that is no repository neither."""
    assert await Git(tmp_path, program="no-such-program").commit_before(None) is None
    assert await Git(tmp_path).commit_before(None) is None


@needs_git
async def test_a_repository_without_a_commit_is_all_new(house: House) -> None:
    """CO-56."""
    git(house, "init", "--quiet")
    past = Git(house.project)
    empty = await past.commit_before(None)
    assert empty is not None
    assert PRICES in await past.changed_since(empty)
    assert await past.content(empty, PRICES) is None
