""" "Review My Work": what changed in a phase, from git and the editor to the verdict."""

import os
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bottega.coach.enums import HintLevel, PhaseStatus, Stage
from bottega.coach.plans import repository as plans
from bottega.coach.plans.repository import NewPhase
from bottega.coach.review.service import DIFF_TOLD, PhaseReviews, phase_review
from bottega.coach.review.work import MOST_FILES, Git, PhaseReviewed, changes_since
from bottega.coach.skills import repository as skill_records
from bottega.core import clock
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.sessions.actions import ActionType
from bottega.core.users import LOCAL_USER
from bottega.errors import ModelError
from tests.coach.builders import CoachApp, calls, open_coach, told_to

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


def reviews(app: CoachApp) -> PhaseReviews:
    return PhaseReviews(app.core, app.windows, app.skills)


def git(app: CoachApp, *arguments: str, at: str | None = None) -> None:
    who = ("-c", "user.name=Ines", "-c", "user.email=ines@example.org")
    subprocess.run(
        ("git", "-C", str(app.project), *who, *arguments),
        env=os.environ | ({"GIT_COMMITTER_DATE": at} if at else {}),
        check=True,
        capture_output=True,
    )


def commit_all(app: CoachApp, at: str | None = None) -> None:
    git(app, "init", "--quiet")
    git(app, "add", "--all")
    git(app, "commit", "--quiet", "--message", "Bake", at=at)


async def begin(app: CoachApp, *expected: str) -> str:
    """A session in its second phase; gives the phase's id."""
    await app.start_session()
    plan = await app.add_plan(phase(*expected))
    return plan.phases[0].id


async def progress(app: CoachApp, phase_id: str) -> list[str]:
    async with app.core.database.read() as session:
        return [event.event_type for event in await plans.progress_of(session, phase_id)]


@pytest.mark.requirement("CO-56", "CO-57")
@needs_git
async def test_work_that_does_what_the_phase_expects_passes(app: CoachApp) -> None:
    """Saved and unsaved changes count; progress and log say so."""
    commit_all(app)
    phase_id = await begin(app, PRICES, "tests/")
    (app.project / PRICES).write_text(EXACT)
    app.editor.files.update_buffer("tests/test_orders.py", "def test_total():\n    pass\n")
    told = await reviews(app).review(app.editor)

    assert (told.phase, told.passed, told.offline) == (2, True, True)
    assert f"`{PRICES}` (+1 −1)" in told.review
    assert "every file that it expects has changed" in told.review
    assert told.suggestions == []
    assert await app.hear("review:response") == told.model_dump(mode="json", by_alias=True)
    assert await progress(app, phase_id) == ["review_requested", "review_passed"]
    requested, completed = (await app.actions(app.editor.require_session()))[-2:]
    assert (requested.action_type, requested.data) == ("review_requested", {"phase": 2})
    assert completed.action_type == "review_completed"
    assert completed.data is not None
    assert completed.data["success"] is True
    assert completed.data["passed"] is True
    assert completed.data["changed"] == 2


@pytest.mark.requirement("CO-57")
@needs_git
async def test_a_file_that_the_phase_expects_and_that_did_not_change_is_named(
    app: CoachApp,
) -> None:
    """And the phase has not passed."""
    commit_all(app)
    phase_id = await begin(app, PRICES, "src/bakery/orders.py")
    (app.project / PRICES).write_text(EXACT)
    told = await reviews(app).review(app.editor)
    assert not told.passed
    assert "also expects a change in `src/bakery/orders.py`" in told.review
    assert "src/bakery/orders.py: the phase expects a change here." in told.suggestions
    assert any("no test changed with it" in each for each in told.suggestions)
    assert await progress(app, phase_id) == ["review_requested"]


@pytest.mark.requirement("CO-57")
@needs_git
async def test_what_was_left_lying_about_is_told_with_its_line(app: CoachApp) -> None:
    """Only in lines that are new."""
    (app.project / PRICES).write_text("print('old')\n" + EXACT)
    commit_all(app)
    await begin(app)
    lines = ["print('old')", "print(PRICES)", "# TODO: rolls", "# price = 3", "breakpoint()"]
    app.editor.files.update_buffer(PRICES, "\n".join(lines) + "\n" + EXACT)
    app.editor.files.update_buffer("page.ts", "console.log(1);\n// const a = 1;\n")
    told = await reviews(app).review(app.editor)
    assert [each.partition(" ")[0] for each in told.suggestions[:6]] == [
        f"{PRICES}:2:",
        f"{PRICES}:3:",
        f"{PRICES}:4:",
        f"{PRICES}:5:",
        "page.ts:1:",
        "page.ts:2:",
    ]


@pytest.mark.requirement("CO-57")
@needs_git
@pytest.mark.parametrize(
    ("text", "place"),
    [("def price_of(item)\n    return 1\n", ":1:"), ("a = 1\n<<<<<<< HEAD\n", ":2:")],
)
async def test_what_is_broken_has_not_passed(tmp_path: Path, text: str, place: str) -> None:
    """Not even if a model says so; and it is told first."""
    for model in (None, ScriptedModel(GOOD)):
        async with open_coach(tmp_path / str(model is None), model=model) as app:
            commit_all(app)
            phase_id = await begin(app, PRICES)
            app.editor.files.update_buffer(PRICES, text)
            told = await reviews(app).review(app.editor)
            assert not told.passed
            assert told.suggestions[0].startswith(f"{PRICES}{place}")
            assert await progress(app, phase_id) == ["review_requested"]


@pytest.mark.requirement("CO-56")
@needs_git
async def test_what_was_committed_during_the_phase_counts(app: CoachApp) -> None:
    """The comparison is with the last commit before the phase."""
    commit_all(app, at="2020-01-01T00:00:00Z")
    await begin(app, PRICES)
    (app.project / PRICES).write_text(EXACT)
    # Git counts in seconds: later in this very second would be before.
    commit_all(app, at=(clock.now() + timedelta(hours=1)).isoformat())
    told = await reviews(app).review(app.editor)
    assert told.passed
    assert f"`{PRICES}` (+1 −1)" in told.review


@pytest.mark.requirement("CO-56")
async def test_without_git_what_was_saved_in_the_phase_counts(app: CoachApp) -> None:
    """Nobody can say how it changed, but that it did."""
    phase_id = await begin(app, PRICES)
    await app.editor.files.save(PRICES, EXACT)
    saved = {"path": PRICES, "charCount": len(EXACT)}
    session_id = app.editor.require_session()
    await app.core.actions.log_action(session_id, ActionType.FILE_SAVE, saved)
    told = await reviews(app).review(app.editor)
    assert told.passed
    assert f"`{PRICES}` (saved)" in told.review
    assert await progress(app, phase_id) == ["review_requested", "review_passed"]


@pytest.mark.requirement("CO-56")
async def test_without_git_unsaved_edits_are_compared_with_the_disk(app: CoachApp) -> None:
    """And a deleted or outside path in the log breaks nothing."""
    await begin(app, PRICES)
    app.editor.files.update_buffer(PRICES, EXACT)
    session_id = app.editor.require_session()
    for path in ("gone.py", "../../etc/passwd"):
        saved = {"path": path, "charCount": 1}
        await app.core.actions.log_action(session_id, ActionType.FILE_SAVE, saved)
    told = await reviews(app).review(app.editor)
    assert "You changed 1 file:" in told.review
    assert f"`{PRICES}` (+1 −1)" in told.review


@pytest.mark.requirement("CO-56")
async def test_nothing_changed_is_told_without_asking_anybody(tmp_path: Path) -> None:
    """No call, no pass, and where to begin."""
    async with open_coach(tmp_path, model=ScriptedModel()) as app:
        phase_id = await begin(app, PRICES)
        told = await reviews(app).review(app.editor)
        assert await calls(app) == []
        assert await progress(app, phase_id) == ["review_requested"]
    assert not told.passed
    assert told.review.startswith("Nothing has changed since phase 2")
    assert told.suggestions == [f"{PRICES}: a good place to start."]


@pytest.mark.requirement("CO-56")
@needs_git
async def test_without_a_phase_the_changes_are_looked_at_all_the_same(tmp_path: Path) -> None:
    """There is nothing to pass, whoever looks."""
    for model in (None, ScriptedModel(GOOD)):
        async with open_coach(tmp_path / str(model is None), model=model) as app:
            commit_all(app)
            (app.project / "new.py").write_text("x = 1\n")
            told = await reviews(app).review(app.editor)
            assert (told.phase, told.passed) == (None, False)
            if model is None:
                assert "`new.py` (+1 −0)" in told.review
                assert "You are in no phase" in told.review
            else:
                assert told_to(model)[1]["current_phase"] is None


@pytest.mark.requirement("CO-56", "FR-163")
@needs_git
async def test_a_model_gets_the_phase_the_diffs_and_the_stage(tmp_path: Path) -> None:
    """A long diff is cut, and that is said."""
    model = ScriptedModel(GOOD)
    async with open_coach(tmp_path, model=model) as app:
        commit_all(app)
        phase_id = await begin(app, PRICES)
        async with app.core.database.write() as session:
            await skill_records.assess(session, LOCAL_USER, "Python", Stage.COMPETENT, 0.9, "Seen")
        (app.project / PRICES).write_text(EXACT)
        app.editor.files.update_buffer("long.txt", "word\n" * 10_000)
        told = await reviews(app).review(app.editor)
        assert await progress(app, phase_id) == ["review_requested", "review_passed"]
    instructions, prompt = told_to(model)
    assert "stage is: competent" in instructions
    assert prompt["current_phase"]["title"] == "Count in cents"
    changes = {change["path"]: change for change in prompt["changes"]}
    assert '+PRICES = {"bread": 320' in changes[PRICES]["diff"]
    assert changes[PRICES]["is_cut"] is False
    assert (len(changes["long.txt"]["diff"]), changes["long.txt"]["is_cut"]) == (DIFF_TOLD, True)
    assert (told.review, told.passed, told.offline) == ("Right.", True, False)


@pytest.mark.requirement("CO-56")
@needs_git
async def test_of_many_changes_the_expected_come_first_and_secrets_never(app: CoachApp) -> None:
    """Fifty files are enough for one review."""
    commit_all(app)
    (app.project / ".env").write_text("PASSWORD=1\n")
    for number in range(60):
        (app.project / f"a{number}.txt").write_text("new\n")
    (app.project / "z.py").write_text("x = 1\n")
    changes = await changes_since(app.editor, None, expected=["z.py"])
    assert len(changes) == MOST_FILES
    assert changes[0].path == "z.py"
    assert ".env" not in {change.path for change in changes}


@pytest.mark.requirement("FR-163")
def test_the_review_is_one_task_for_each_stage() -> None:
    """With instructions that differ."""
    assert len({phase_review(stage).instructions for stage in Stage}) == len(Stage)


@pytest.mark.requirement("FR-159", "FR-160", "SC-080")
async def test_a_review_that_failed_is_told(tmp_path: Path) -> None:
    """After a second try; it names no kata."""
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        phase_id = await begin(app, PRICES)
        app.editor.files.update_buffer(PRICES, EXACT)
        api.reply(status=529, text="overloaded", times=2)
        with pytest.raises(ModelError):
            await reviews(app).review(app.editor)
        said = await app.hear("review:error")
        completed = (await app.actions(app.editor.require_session()))[-1]
        assert len(api.requests) == 2
        assert await progress(app, phase_id) == ["review_requested"]
    assert said["kataId"] is None
    assert "try again later" in said["error"]
    assert completed.data is not None
    assert completed.data["success"] is False


@pytest.mark.requirement("CO-56")
@needs_git
async def test_looking_at_changes_runs_nothing_of_the_project(app: CoachApp) -> None:
    """No hook, no external diff, no text conversion, no monitor, and nothing is written."""
    commit_all(app)
    tripwire = app.project.parent / "ran"
    script = app.project.parent / "trip.sh"
    script.write_text(f"#!/bin/sh\ntouch {tripwire}\n")
    script.chmod(0o755)
    settings: dict[str, Any] = {
        "core.fsmonitor": script,
        "diff.external": script,
        "diff.trip.textconv": script,
        "diff.trip.command": script,
    }
    for name, value in settings.items():
        git(app, "config", name, str(value))
    (app.project / ".git/hooks/post-index-change").write_text(script.read_text())
    (app.project / ".git/hooks/post-index-change").chmod(0o755)
    (app.project / ".gitattributes").write_text("*.py diff=trip\n")
    (app.project / PRICES).write_text(EXACT)
    index = (app.project / ".git/index").read_bytes()
    told = await reviews(app).review(app.editor)
    assert f"`{PRICES}` (+1 −1)" in told.review
    assert not tripwire.exists()
    assert (app.project / ".git/index").read_bytes() == index


@pytest.mark.requirement("CO-56")
async def test_a_machine_without_git_has_no_past(tmp_path: Path) -> None:
    """And a folder that is no repository neither."""
    assert await Git(tmp_path, program="no-such-program").commit_before(None) is None
    assert await Git(tmp_path).commit_before(None) is None


@pytest.mark.requirement("CO-56")
@needs_git
async def test_a_repository_without_a_commit_is_all_new(app: CoachApp) -> None:
    git(app, "init", "--quiet")
    past = Git(app.project)
    empty = await past.commit_before(None)
    assert empty is not None
    assert PRICES in await past.changed_since(empty)
    assert await past.content(empty, PRICES) is None
