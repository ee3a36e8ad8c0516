"""Reports come in: what is stored, what is proposed, what finished work hears of it."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bottega.board.changes.schemas import ChangeEdit
from bottega.board.enums import Actor, ChangeStatus, Decision, FailureClass, Outcome
from bottega.board.intake.drafts import is_ours
from bottega.board.intake.events import MOST_TOLD
from bottega.board.intake.proposer import MOST_PROPOSED
from bottega.board.intake.views import TriageInput
from bottega.board.repository import failures as repository
from bottega.board.tables import ErrorTriage, Report, TestFailure, TestRun
from bottega.core import clock
from bottega.errors import InvalidInput, NotFound
from tests.board.clinic import (
    ERROR,
    ME,
    Clinic,
    failing,
    flaking,
    open_clinic,
    passing,
    skipping,
)
from tests.board.failures.reports import reporter_report
from tests.board.house import BAKERY


@pytest.fixture
async def clinic(tmp_path: Path) -> AsyncIterator[Clinic]:
    async with open_clinic(tmp_path) as clinic:
        yield clinic


async def test_every_result_of_a_report_is_stored_as_a_run(
    tmp_path: Path, database_url: str
) -> None:
    """BD-601, BD-602: passes, flakes and skips too; the same report again is a new run."""
    async with open_clinic(tmp_path, database_url) as clinic:
        tests = passing("a", "b"), failing("c"), flaking("d"), skipping("e")
        result = await clinic.report(*tests, started_at="2026-05-04T09:30:00Z", duration_ms=5321)
        report = result.report
        assert (report.total, report.passed, report.failed) == (5, 2, 1)
        assert (report.flaked, report.skipped) == (1, 1)
        assert report.duration_ms == 5321
        assert await clinic.count(TestRun) == 5
        again = await clinic.report(*tests)
        assert again.report.id != report.id
        assert await clinic.count(TestRun) == 10
        assert (await clinic.failure("c")).occurrence_count == 2
        listed = await clinic.intake.reports(clinic.project_id)
        assert [one.id for one in listed.reports] == [again.report.id, report.id]
        assert listed.total == 2


async def test_one_failure_is_one_row_however_often_it_is_met(
    tmp_path: Path, database_url: str
) -> None:
    """BD-603: counts, first and last seen, the newest message and stack, and its triage."""
    async with open_clinic(tmp_path, database_url) as clinic:
        first = await clinic.report(failing("adds up", error="Error: took 12 ms too long"))
        before = await clinic.failure("adds up")
        assert first.new_failures == 1
        assert (before.occurrence_count, before.consecutive_failures) == (1, 1)
        assert (before.file, before.line, before.is_failing) == ("e2e/till.spec.ts", 3, True)
        second = await clinic.report(failing("adds up", error="Error: took 99 ms too long"))
        after = await clinic.failure("adds up")
        assert second.new_failures == 0
        assert after.id == before.id
        assert (after.occurrence_count, after.consecutive_failures) == (2, 2)
        assert after.error_message == "Error: took 99 ms too long"
        assert "99 ms" in after.stack_trace
        assert after.first_seen_at == before.first_seen_at < after.last_seen_at
        await clinic.report(failing("adds up", error="Error: another thing entirely"))
        assert await clinic.count(TestFailure) == await clinic.count(ErrorTriage) == 2


async def test_a_failure_is_classified_by_the_runs_of_its_test(clinic: Clinic) -> None:
    """BD-604, BD-605: NEW, RECURRING from 3, PERSISTENT from 5; a skipped run says nothing."""
    classes: list[str] = []
    for _ in range(5):
        await clinic.report(failing("adds up"))
        await clinic.report(skipping("adds up"))
        classes.append((await clinic.failure("adds up")).classification)
    assert classes == ["NEW", "NEW", "RECURRING", "RECURRING", "PERSISTENT"]
    found = await clinic.failure("adds up")
    assert (found.priority, found.decision) == (5, Decision.NEEDS_SPEC)
    assert found.confidence == 0.95
    await clinic.report(passing("adds up"))
    await clinic.report(failing("adds up"))
    assert (await clinic.failure("adds up")).classification == FailureClass.FLAKY


async def test_a_test_that_has_run_for_ages_is_judged_by_its_last_fifty_runs(
    clinic: Clinic,
) -> None:
    """BD-605: older runs are not read, and a long row of failures is still counted."""
    for _ in range(3):
        await clinic.report(passing("adds up"))
    for _ in range(52):
        await clinic.report(failing("adds up"))
    found = await clinic.failure("adds up")
    assert found.consecutive_failures == found.occurrence_count == 52
    assert len(found.runs) == 50
    assert {run.outcome for run in found.runs} == {Outcome.FAILED}


async def test_a_test_that_passes_again_turns_its_failures_green(clinic: Clinic) -> None:
    """BD-606: the failure says since when, and the house hears of it."""
    await clinic.report(failing("adds up", "subtracts"))
    assert (await clinic.report(flaking("adds up"))).green == []
    result = await clinic.report(passing("adds up"))
    [green] = result.green
    assert (green.test_name, green.change_id) == ("adds up", None)
    found = await clinic.failure("adds up")
    assert found.is_failing is False
    assert found.passed_at == result.report.created_at
    assert found.consecutive_failures == 0
    assert (await clinic.failure("subtracts")).is_failing is True
    assert [heard["test_name"] for heard in clinic.heard("errors.green")] == ["adds up"]
    assert (await clinic.report(passing("adds up"))).green == []
    await clinic.report(failing("adds up"))
    again = await clinic.failure("adds up")
    assert (again.is_failing, again.passed_at) == (True, None)


async def test_what_is_no_report_leaves_nothing_behind(clinic: Clinic) -> None:
    """BD-607: a clear error, for an unknown project too, and no rows."""
    for body in (b"", b"hello", b'{"a": 1}', b"<html/>", b'{"format": "bottega-report"}'):
        with pytest.raises(InvalidInput):
            await clinic.intake.import_report(clinic.project_id, body, "application/json")
    with pytest.raises(NotFound, match="no-such-project"):
        await clinic.intake.import_report("no-such-project", b"{}", None)
    assert await clinic.count(Report) == await clinic.count(TestRun) == 0
    assert clinic.heard("errors.reported") == []


async def test_a_report_that_cannot_be_stored_whole_is_not_stored_at_all(
    clinic: Clinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BD-608: what breaks in the middle leaves no half of it."""

    async def break_down(*_: object) -> None:
        raise RuntimeError("the power is gone")

    monkeypatch.setattr("bottega.board.repository.failures.turn_green", break_down)
    with pytest.raises(RuntimeError):
        await clinic.report(failing("adds up"), passing("subtracts"))
    for table in (Report, TestRun, TestFailure, ErrorTriage):
        assert await clinic.count(table) == 0
    monkeypatch.undo()
    await clinic.report(failing("adds up"))
    assert (await clinic.failure("adds up")).occurrence_count == 1


async def test_reports_that_arrive_together_are_counted_one_after_the_other(
    tmp_path: Path, database_url: str
) -> None:
    """BD-609: no occurrence is lost, no proposal made twice, no word of a person's overheard."""
    async with open_clinic(tmp_path, database_url) as clinic:
        await clinic.report(failing("c"))
        failure = await clinic.failure("c")
        ignored = TriageInput(decision=Decision.IGNORE)
        deciding = asyncio.create_task(clinic.triage.triage(failure.id, ignored, ME))
        results = await asyncio.gather(*(clinic.report(failing("a", "b", "c")) for _ in range(6)))
        await deciding
        after = await clinic.failure("c")
        assert (after.decision, after.occurrence_count) == (Decision.IGNORE, 7)
        found = await clinic.failure("a")
        assert (found.occurrence_count, found.consecutive_failures) == (6, 6)
        assert found.classification == FailureClass.PERSISTENT
        proposed = [change for result in results for change in result.proposed]
        assert len(proposed) == len(set(proposed))
        assert [result.notes for result in results] == [[]] * 6
        assert {"fix-a", "fix-b"} <= {change.rpartition("-")[0] for change in proposed}


async def test_a_report_of_fifty_thousand_tests_is_taken_in(clinic: Clinic) -> None:
    """BD-610: whole, while the house stays awake for others."""
    names = [f"test {number}" for number in range(50_000)]
    turns, over = 0, asyncio.Event()

    async def watch() -> None:
        nonlocal turns
        while not over.is_set():
            await asyncio.sleep(0.001)
            turns += 1

    body = reporter_report(*failing(*names[:1_000]), *passing(*names[1_000:]))
    watching = asyncio.create_task(watch())
    result = await clinic.intake.import_report(clinic.project_id, body)
    over.set()
    await watching
    assert (result.report.total, result.new_failures) == (50_000, 1_000)
    assert await clinic.count(TestRun) == 50_000
    assert turns > 20


async def test_a_failure_waits_until_it_was_met_twice(clinic: Clinic) -> None:
    """BD-620, BD-621: then it is one valid change, linked both ways and as urgent as its class."""
    first = await clinic.report(failing("adds up"))
    assert (first.proposed, first.waiting) == ([], 1)
    second = await clinic.report(failing("adds up"))
    [change_id] = second.proposed
    change = await clinic.change(change_id)
    found = await clinic.failure("adds up")
    assert change.status == ChangeStatus.PROPOSING
    assert (change.fingerprint, change.priority) == (found.fingerprint, found.priority)
    assert (found.change_id, found.change_status) == (change_id, ChangeStatus.PROPOSING)
    assert "Seen 2 times" in change.proposal_content
    assert ERROR in (change.design_content or "")
    validation = await clinic.desk.changes.validation(clinic.project_id, change_id)
    assert validation.valid, validation.issues
    history = await clinic.desk.history(change_id)
    assert [step.triggered_by for step in history] == [Actor.SYSTEM]
    third = await clinic.report(failing("adds up"))
    assert third.proposed == []


async def test_the_setting_can_ask_for_a_proposal_at_once(tmp_path: Path) -> None:
    """BD-622: BOTTEGA_PROPOSE_AFTER=1 is the decision literally; 4 is more patient."""
    async with open_clinic(tmp_path, bottega_propose_after=1) as clinic:
        assert len((await clinic.report(failing("adds up"))).proposed) == 1
    (tmp_path / "patient").mkdir()
    async with open_clinic(tmp_path / "patient", bottega_propose_after=4) as clinic:
        made = [len((await clinic.report(failing("adds up"))).proposed) for _ in range(4)]
        assert made == [0, 0, 0, 1]


async def test_a_flaky_failure_waits_until_it_recurs(clinic: Clinic) -> None:
    """BD-623: seen twice is not enough for one that also passes; a third time is."""
    results = [await clinic.report(flaking("adds up")) for _ in range(3)]
    assert [len(result.proposed) for result in results] == [0, 0, 1]
    assert [result.waiting for result in results] == [1, 1, 0]
    assert (await clinic.failure("adds up")).classification == FailureClass.FLAKY


async def test_what_is_ignored_by_rule_or_by_person_is_not_proposed(clinic: Clinic) -> None:
    """BD-624: a machine's fault waits for a third time; a person's word is for good."""
    machine = "Error: connect ECONNREFUSED 127.0.0.1:3000"
    made = [len((await clinic.report(failing("a", error=machine))).proposed) for _ in range(3)]
    assert made == [0, 0, 1]
    await clinic.report(failing("b"))
    failure = await clinic.failure("b")
    ignored = TriageInput(decision=Decision.IGNORE, rationale="Known, and harmless.")
    await clinic.triage.triage(failure.id, ignored, ME)
    for _ in range(5):
        result = await clinic.report(failing("b"))
        assert (result.proposed, result.waiting) == ([], 0)
    found = await clinic.failure("b")
    assert found.classification == FailureClass.PERSISTENT
    assert (found.decision, found.rationale) == (Decision.IGNORE, "Known, and harmless.")


async def test_a_rejected_failure_is_never_proposed_again(clinic: Clinic) -> None:
    """BD-625: until a person asks for it."""
    change_id = await clinic.proposed()
    await clinic.desk.changes.reject(clinic.project_id, change_id, ME, "It is meant to be so.")
    for _ in range(4):
        assert (await clinic.report(failing("adds up"))).proposed == []
    failure = await clinic.failure("adds up")
    again = await clinic.triage.propose(failure.id, ME)
    assert again.change_id == f"{change_id}-2"
    assert again.person_decision == Decision.NEEDS_SPEC


async def test_a_proposal_that_was_put_away_by_hand_is_not_made_again(clinic: Clinic) -> None:
    """BD-625: whoever archives what was never approved has turned it down."""
    change_id = await clinic.proposed()
    archive = clinic.desk.folder / "archive"
    archive.mkdir()
    (clinic.desk.folder / change_id).rename(archive / f"2026-05-04-{change_id}")
    await clinic.desk.look()
    assert (await clinic.change(change_id)).status == ChangeStatus.ARCHIVED
    assert (await clinic.report(failing("adds up"))).proposed == []


async def test_a_noisy_suite_does_not_flood_the_approvals(clinic: Clinic) -> None:
    """BD-626: ten proposals a report, the most urgent first; the result counts the rest."""
    noisy = [f"test {number}" for number in range(40)]
    for _ in range(2):
        await clinic.report(failing("urgent", error="Error: connect ECONNREFUSED 127.0.0.1:1"))
    await clinic.report(failing(*noisy))
    result = await clinic.report(
        failing(*noisy), failing("urgent", error="Error: connect ECONNREFUSED 127.0.0.1:1")
    )
    assert len(result.proposed) == MOST_PROPOSED
    assert result.held_back == 41 - MOST_PROPOSED
    assert result.proposed[0].startswith("fix-urgent")
    proposals = await clinic.desk.changes.list(clinic.project_id, ChangeStatus.PROPOSING)
    assert len(proposals) == MOST_PROPOSED + 1  # and the bakery's own
    later = await clinic.report(failing(*noisy))
    assert len(later.proposed) == MOST_PROPOSED
    assert not set(later.proposed) & set(result.proposed)


async def test_many_new_failures_are_told_in_few_events(clinic: Clinic) -> None:
    """BD-611: one event has the numbers, and the first hundred have one each."""
    await clinic.report(failing(*(f"test {number}" for number in range(150))))
    [reported] = clinic.heard("errors.reported")
    assert (reported["failed"], reported["new_failures"]) == (150, 150)
    seen = clinic.heard("errors.seen")
    assert len(seen) == MOST_TOLD
    assert seen[0]["project_id"] == clinic.project_id
    assert seen[0]["classification"] == FailureClass.NEW


async def test_a_proposal_is_brought_up_to_date_as_its_failure_goes_on(clinic: Clinic) -> None:
    """BD-627: in place, when its class changes or it was seen twice as often, and more urgent."""
    change_id = await clinic.proposed()
    updated = [(await clinic.report(failing("adds up"))).updated for _ in range(3)]
    assert updated == [[change_id]] * 3  # RECURRING, 4 times, PERSISTENT
    assert (await clinic.report(failing("adds up"))).updated == []
    change = await clinic.change(change_id)
    assert "Seen 5 times" in change.proposal_content
    assert "PERSISTENT" in (change.design_content or "")
    assert change.priority == 5
    assert is_ours(change.proposal_content, change.design_content)
    on_disk = (clinic.desk.folder / change_id / "proposal.md").read_text()
    assert on_disk == change.proposal_content
    assert len(await clinic.desk.changes.list(clinic.project_id)) == 2


@pytest.mark.parametrize("where", ["here", "on disk"])
async def test_a_persons_words_in_a_proposal_are_left_alone(clinic: Clinic, where: str) -> None:
    """BD-628: edited in the app or in the file; the triage notes what would have been written."""
    change_id = await clinic.proposed()
    shown = await clinic.desk.changes.show(clinic.project_id, change_id)
    mine = shown.proposal_content.replace("## Impact", "The till rounds wrongly.\n\n## Impact")
    if where == "here":
        edit = ChangeEdit(
            texts={"proposal.md": mine}, base_hashes={"proposal.md": shown.hashes["proposal.md"]}
        )
        await clinic.desk.changes.edit(clinic.project_id, change_id, edit, ME)
    else:
        (clinic.desk.folder / change_id / "proposal.md").write_text(mine)
        await clinic.desk.look()
    result = await clinic.report(failing("adds up"))
    assert result.updated == []
    assert (await clinic.change(change_id)).proposal_content == mine
    rationale = (await clinic.failure("adds up")).rationale or ""
    assert "edited" in rationale
    assert "seen 3 times" in rationale


@pytest.mark.parametrize("status", [ChangeStatus.APPROVED, ChangeStatus.IN_PROGRESS])
async def test_work_under_way_is_not_disturbed(clinic: Clinic, status: ChangeStatus) -> None:
    """BD-629: a failure whose change is approved or in hand is only counted."""
    change_id = await clinic.proposed()
    way = list(ChangeStatus)[1 : list(ChangeStatus).index(status) + 1]
    await clinic.bring(change_id, *way)
    before = await clinic.change(change_id)
    result = await clinic.report(failing("adds up"))
    assert (result.proposed, result.updated, result.reopened) == ([], [], [])
    after = await clinic.change(change_id)
    assert (after.status, after.proposal_content) == (status, before.proposal_content)
    assert (await clinic.failure("adds up")).occurrence_count == 3


async def test_a_green_test_confirms_an_applied_change(tmp_path: Path, database_url: str) -> None:
    """BD-630: the board says so once, in the history and as an event."""
    async with open_clinic(tmp_path, database_url) as clinic:
        change_id = await clinic.proposed()
        await clinic.finish(change_id)
        [green] = (await clinic.report(passing("adds up"))).green
        assert green.change_id == change_id
        last = (await clinic.desk.history(change_id))[-1]
        assert (last.notes or "").startswith("Its test is green")
        assert last.from_state == last.to_state == ChangeStatus.APPLIED
        assert clinic.heard("errors.green")[-1]["change_id"] == change_id
        steps = len(await clinic.desk.history(change_id))
        assert (await clinic.report(passing("adds up"))).green == []
        assert len(await clinic.desk.history(change_id)) == steps


async def test_a_test_that_was_green_in_review_confirms_again_once_applied(
    clinic: Clinic,
) -> None:
    """BD-630: the person at the gate sees it, and the applied change is confirmed too."""
    change_id = await clinic.proposed()
    await clinic.finish(change_id, applied=False)
    await clinic.report(passing("adds up"))
    assert "green" in ((await clinic.desk.history(change_id))[-1].notes or "")
    await clinic.desk.changes.apply(clinic.project_id, change_id, ME)
    await clinic.report(passing("adds up"))
    told = [(heard["change_id"], heard["status"]) for heard in clinic.heard("errors.green")]
    assert told == [(change_id, ChangeStatus.REVIEW), (change_id, ChangeStatus.APPLIED)]


@pytest.mark.parametrize("applied", [True, False])
async def test_a_change_whose_test_fails_again_is_reopened_with_the_evidence(
    tmp_path: Path, database_url: str, applied: bool
) -> None:
    """BD-631, BD-632: by the system, with the error in its history and a task for the next."""
    async with open_clinic(tmp_path, database_url) as clinic:
        change_id = await clinic.proposed()
        await clinic.finish(change_id, applied=False)
        if applied:
            await clinic.desk.changes.apply(clinic.project_id, change_id, ME)
            assert len(await clinic.desk.changes.applied(clinic.project_id)) == 1
        result = await clinic.report(failing("adds up"))
        assert (result.reopened, result.notes) == ([change_id], [])
        change = await clinic.change(change_id)
        assert change.status == ChangeStatus.APPROVED
        move = next(
            step
            for step in await clinic.desk.history(change_id)
            if step.notes and step.notes.startswith("Reopened")
        )
        assert (move.triggered_by, move.to_state) == (Actor.SYSTEM, ChangeStatus.APPROVED)
        assert ERROR in (move.notes or "")
        assert "## Failed again" in change.tasks_content
        assert change.tasks_total == change.tasks_done + 7
        [heard] = clinic.heard("errors.reopened")
        assert heard["change_id"] == change_id
        moved = clinic.heard("specs.moved")[-1]
        assert (moved["change_id"], moved["to_state"]) == (change_id, ChangeStatus.APPROVED)
        assert await clinic.desk.changes.applied(clinic.project_id) == []


async def test_a_run_that_began_before_the_work_was_done_proves_nothing(clinic: Clinic) -> None:
    """BD-633: neither that it is mended nor that it is not."""
    change_id = await clinic.proposed()
    before = clock.iso(clock.now() - timedelta(seconds=1))
    await clinic.finish(change_id)
    for tests in (failing("adds up"), passing("adds up")):
        result = await clinic.report(tests, started_at=before)
        assert result.reopened == []
    assert (await clinic.change(change_id)).status == ChangeStatus.APPLIED
    assert len(await clinic.desk.history(change_id)) == 6
    assert [heard["change_id"] for heard in clinic.heard("errors.green")] == [None]


async def test_a_junit_report_counts_from_when_it_was_posted(clinic: Clinic) -> None:
    """BD-633: its own clock names no time zone."""
    junit = (
        b'<testsuite timestamp="2020-01-01T00:00:00"><testcase classname="tests.test_till" '
        b'name="test_adds_up"><failure message="89 != 90">89</failure></testcase></testsuite>'
    )
    for _ in range(2):
        result = await clinic.intake.import_report(clinic.project_id, junit)
    [change_id] = result.proposed
    await clinic.finish(change_id)
    again = await clinic.intake.import_report(clinic.project_id, junit)
    assert again.reopened == [change_id]


async def test_a_failure_that_comes_back_after_the_archive_gets_a_new_proposal(
    clinic: Clinic,
) -> None:
    """BD-634: which names the old one and changes the requirement that the old one brought."""
    change_id = await clinic.proposed()
    await clinic.finish(change_id)
    await clinic.report(passing("adds up"))
    folder = clinic.desk.folder
    delta = (folder / change_id / "specs/till/spec.md").read_text()
    main = folder.parent / "specs/till/spec.md"
    main.parent.mkdir()
    main.write_text("# till Specification\n\n" + delta.replace("## ADDED Req", "## Req"))
    (folder / "archive").mkdir(exist_ok=True)
    (folder / change_id).rename(folder / "archive" / f"2026-05-04-{change_id}")
    await clinic.desk.look()
    result = await clinic.report(failing("adds up"))
    assert (result.proposed, result.notes) == ([f"{change_id}-2"], [])
    change = await clinic.change(f"{change_id}-2")
    assert f"`{change_id}`" in change.proposal_content
    assert "## MODIFIED Requirements" in change.specs["till"]
    assert (await clinic.failure("adds up")).change_id == f"{change_id}-2"


async def test_a_proposal_that_nobody_noted_is_found_by_its_id(clinic: Clinic) -> None:
    """BD-635: after a crash between file and row, or with a new database, none is made twice."""
    change_id = await clinic.proposed()
    async with clinic.desk.house.core.database.write() as session:
        row = await session.merge(await clinic.change(change_id))
        row.fingerprint = None
        _, triage = await repository.hold(session, (await clinic.failure("adds up")).id)
        triage.change_id = None
    assert (await clinic.report(failing("adds up"))).proposed == [change_id]
    failure = await clinic.failure("adds up")
    assert failure.change_id == change_id
    assert (await clinic.change(change_id)).fingerprint == failure.fingerprint
    assert len(await clinic.desk.changes.list(clinic.project_id)) == 2


async def test_a_proposal_that_cannot_be_made_costs_the_report_nothing(clinic: Clinic) -> None:
    """BD-612: it is stored, and the result says what is missing."""
    await clinic.report(failing("adds up"))
    clinic.desk.folder.parent.rename(clinic.desk.folder.parent.with_name("away"))
    await clinic.desk.projects.scan()
    result = await clinic.report(failing("adds up"), errors=[{"message": "Error: no config"}])
    assert result.proposed == []
    assert ["gone" in result.notes[0], "no config" in result.notes[1]] == [True, True]
    assert (await clinic.failure("adds up")).occurrence_count == 2


async def test_nothing_of_one_project_counts_in_another(tmp_path: Path) -> None:
    """BD-613: the same test failing in two projects is two failures."""
    async with open_clinic(tmp_path) as clinic:
        other = tmp_path / "projects/garage"
        for name, text in BAKERY.items():
            (other / name).parent.mkdir(parents=True, exist_ok=True)
            (other / name).write_text(text)
        await clinic.desk.projects.scan()
        garage = await clinic.desk.projects.at(other)
        assert garage is not None
        await clinic.report(failing("adds up"))
        tests = {"format": "bottega-report", "version": 1, "tests": failing("adds up")}
        result = await clinic.intake.import_report(garage.id, json.dumps(tests).encode())
        assert (result.new_failures, result.proposed) == (1, [])
        assert (await clinic.intake.reports(garage.id)).total == 1
        assert await clinic.count(TestFailure) == 2


async def test_a_failed_test_without_an_error_is_a_failure_too(clinic: Clinic) -> None:
    """BD-614: what the runner did not say, the board says."""
    test = {"titles": ["adds up"], "status": "failed"}
    assert (await clinic.report([test])).new_failures == 1
    assert "did not say why" in (await clinic.failure("adds up")).error_message
