"""Reports come in: what is stored, what is proposed, what finished work hears of it."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bottega.board.changes.schemas import ChangeEdit
from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.failures import repository as repository
from bottega.board.failures.intake import MOST_TOLD
from bottega.board.failures.proposal import is_ours
from bottega.board.failures.proposer import MOST_PROPOSED
from bottega.board.failures.reports.report import BoardOutcome
from bottega.board.failures.schemas import TriageInput
from bottega.board.failures.tables import ErrorTriage, Report, TestFailure, TestRun
from bottega.board.failures.triage import Decision, FailureClass
from bottega.core import clock
from bottega.errors import InvalidInput, NotFound
from tests.board.builders import BAKERY
from tests.board.failures.reports import reporter_report
from tests.board.project_board import (
    ERROR,
    ME,
    ReportedBoard,
    failing,
    flaking,
    open_reported_board,
    passing,
    skipping,
)


@pytest.fixture
async def board(tmp_path: Path) -> AsyncIterator[ReportedBoard]:
    async with open_reported_board(tmp_path) as board:
        yield board


@pytest.mark.requirement("BD-601", "BD-602")
async def test_every_result_of_a_report_is_stored_as_a_run(
    tmp_path: Path, database_url: str
) -> None:
    """Passes, flakes and skips too; the same report again is a new run."""
    async with open_reported_board(tmp_path, database_url) as board:
        tests = passing("a", "b"), failing("c"), flaking("d"), skipping("e")
        result = await board.report(*tests, started_at="2026-05-04T09:30:00Z", duration_ms=5321)
        report = result.report
        assert (report.total, report.passed, report.failed) == (5, 2, 1)
        assert (report.flaked, report.skipped) == (1, 1)
        assert report.duration_ms == 5321
        assert await board.count(TestRun) == 5
        again = await board.report(*tests)
        assert again.report.id != report.id
        assert await board.count(TestRun) == 10
        assert (await board.failure("c")).occurrence_count == 2
        listed = await board.intake.reports(board.project_id)
        assert [one.id for one in listed.reports] == [again.report.id, report.id]
        assert listed.total == 2


@pytest.mark.requirement("BD-603")
async def test_one_failure_is_one_row_however_often_it_is_met(
    tmp_path: Path, database_url: str
) -> None:
    """Counts, first and last seen, the newest message and stack, and its triage."""
    async with open_reported_board(tmp_path, database_url) as board:
        first = await board.report(failing("adds up", error="Error: took 12 ms too long"))
        before = await board.failure("adds up")
        assert first.new_failures == 1
        assert (before.occurrence_count, before.consecutive_failures) == (1, 1)
        assert (before.file, before.line, before.is_failing) == ("e2e/till.spec.ts", 3, True)
        second = await board.report(failing("adds up", error="Error: took 99 ms too long"))
        after = await board.failure("adds up")
        assert second.new_failures == 0
        assert after.id == before.id
        assert (after.occurrence_count, after.consecutive_failures) == (2, 2)
        assert after.error_message == "Error: took 99 ms too long"
        assert "99 ms" in after.stack_trace
        assert after.first_seen_at == before.first_seen_at < after.last_seen_at
        await board.report(failing("adds up", error="Error: another thing entirely"))
        assert await board.count(TestFailure) == await board.count(ErrorTriage) == 2


@pytest.mark.requirement("BD-604", "BD-605")
async def test_a_failure_is_classified_by_the_runs_of_its_test(board: ReportedBoard) -> None:
    """NEW, RECURRING from 3, PERSISTENT from 5; a skipped run says nothing."""
    classes: list[str] = []
    for _ in range(5):
        await board.report(failing("adds up"))
        await board.report(skipping("adds up"))
        classes.append((await board.failure("adds up")).classification)
    assert classes == ["NEW", "NEW", "RECURRING", "RECURRING", "PERSISTENT"]
    found = await board.failure("adds up")
    assert (found.priority, found.decision) == (5, Decision.NEEDS_SPEC)
    assert found.confidence == 0.95
    await board.report(passing("adds up"))
    await board.report(failing("adds up"))
    assert (await board.failure("adds up")).classification == FailureClass.FLAKY


@pytest.mark.requirement("BD-605")
async def test_a_test_that_has_run_for_ages_is_judged_by_its_last_fifty_runs(
    board: ReportedBoard,
) -> None:
    """Older runs are not read, and a long row of failures is still counted."""
    for _ in range(3):
        await board.report(passing("adds up"))
    for _ in range(52):
        await board.report(failing("adds up"))
    found = await board.failure("adds up")
    assert found.consecutive_failures == found.occurrence_count == 52
    assert len(found.runs) == 50
    assert {run.outcome for run in found.runs} == {BoardOutcome.FAILED}


@pytest.mark.requirement("BD-606")
async def test_a_test_that_passes_again_turns_its_failures_green(board: ReportedBoard) -> None:
    """The failure says since when, and the house hears of it."""
    await board.report(failing("adds up", "subtracts"))
    assert (await board.report(flaking("adds up"))).green == []
    result = await board.report(passing("adds up"))
    [green] = result.green
    assert (green.test_name, green.change_id) == ("adds up", None)
    found = await board.failure("adds up")
    assert found.is_failing is False
    assert found.passed_at == result.report.created_at
    assert found.consecutive_failures == 0
    assert (await board.failure("subtracts")).is_failing is True
    assert [heard["test_name"] for heard in board.heard("errors.green")] == ["adds up"]
    assert (await board.report(passing("adds up"))).green == []
    await board.report(failing("adds up"))
    again = await board.failure("adds up")
    assert (again.is_failing, again.passed_at) == (True, None)


@pytest.mark.requirement("BD-607")
async def test_what_is_no_report_leaves_nothing_behind(board: ReportedBoard) -> None:
    """A clear error, for an unknown project too, and no rows."""
    for body in (b"", b"hello", b'{"a": 1}', b"<html/>", b'{"format": "bottega-report"}'):
        with pytest.raises(InvalidInput):
            await board.intake.import_report(board.project_id, body, "application/json")
    with pytest.raises(NotFound, match="no-such-project"):
        await board.intake.import_report("no-such-project", b"{}", None)
    assert await board.count(Report) == await board.count(TestRun) == 0
    assert board.heard("errors.reported") == []


@pytest.mark.requirement("BD-608")
async def test_a_report_that_cannot_be_stored_whole_is_not_stored_at_all(
    board: ReportedBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What breaks in the middle leaves no half of it."""

    async def break_down(*_: object) -> None:
        raise RuntimeError("the power is gone")

    monkeypatch.setattr("bottega.board.failures.repository.turn_green", break_down)
    with pytest.raises(RuntimeError):
        await board.report(failing("adds up"), passing("subtracts"))
    for table in (Report, TestRun, TestFailure, ErrorTriage):
        assert await board.count(table) == 0
    monkeypatch.undo()
    await board.report(failing("adds up"))
    assert (await board.failure("adds up")).occurrence_count == 1


@pytest.mark.requirement("BD-609")
async def test_reports_that_arrive_together_are_counted_one_after_the_other(
    tmp_path: Path, database_url: str
) -> None:
    """No occurrence is lost, no proposal made twice, no word of a person's overheard."""
    async with open_reported_board(tmp_path, database_url) as board:
        await board.report(failing("c"))
        failure = await board.failure("c")
        ignored = TriageInput(decision=Decision.IGNORE)
        deciding = asyncio.create_task(board.triage.triage(failure.id, ignored, ME))
        results = await asyncio.gather(*(board.report(failing("a", "b", "c")) for _ in range(6)))
        await deciding
        after = await board.failure("c")
        assert (after.decision, after.occurrence_count) == (Decision.IGNORE, 7)
        found = await board.failure("a")
        assert (found.occurrence_count, found.consecutive_failures) == (6, 6)
        assert found.classification == FailureClass.PERSISTENT
        proposed = [change for result in results for change in result.proposed]
        assert len(proposed) == len(set(proposed))
        assert [result.notes for result in results] == [[]] * 6
        assert {"fix-a", "fix-b"} <= {change.rpartition("-")[0] for change in proposed}


@pytest.mark.requirement("BD-610")
async def test_a_report_of_fifty_thousand_tests_is_taken_in(board: ReportedBoard) -> None:
    """Whole, while the house stays awake for others."""
    names = [f"test {number}" for number in range(50_000)]
    turns, over = 0, asyncio.Event()

    async def watch() -> None:
        nonlocal turns
        while not over.is_set():
            await asyncio.sleep(0.001)
            turns += 1

    body = reporter_report(*failing(*names[:1_000]), *passing(*names[1_000:]))
    watching = asyncio.create_task(watch())
    result = await board.intake.import_report(board.project_id, body)
    over.set()
    await watching
    assert (result.report.total, result.new_failures) == (50_000, 1_000)
    assert await board.count(TestRun) == 50_000
    assert turns > 20


@pytest.mark.requirement("BD-620", "BD-621")
async def test_a_failure_waits_until_it_was_met_twice(board: ReportedBoard) -> None:
    """Then it is one valid change, linked both ways and as urgent as its class."""
    first = await board.report(failing("adds up"))
    assert (first.proposed, first.waiting) == ([], 1)
    second = await board.report(failing("adds up"))
    [change_id] = second.proposed
    change = await board.row(change_id)
    found = await board.failure("adds up")
    assert change.status == ChangeStatus.PROPOSING
    assert (change.fingerprint, change.priority) == (found.fingerprint, found.priority)
    assert (found.change_id, found.change_status) == (change_id, ChangeStatus.PROPOSING)
    assert "Seen 2 times" in change.proposal_content
    assert ERROR in (change.design_content or "")
    validation = await board.changes.validation(board.project_id, change_id)
    assert validation.valid, validation.issues
    history = await board.history(change_id)
    assert [step.triggered_by for step in history] == [Actor.SYSTEM]
    third = await board.report(failing("adds up"))
    assert third.proposed == []


@pytest.mark.requirement("BD-622")
async def test_the_setting_can_ask_for_a_proposal_at_once(tmp_path: Path) -> None:
    """BOTTEGA_PROPOSE_AFTER=1 is the decision literally; 4 is more patient."""
    async with open_reported_board(tmp_path, bottega_propose_after=1) as board:
        assert len((await board.report(failing("adds up"))).proposed) == 1
    (tmp_path / "patient").mkdir()
    async with open_reported_board(tmp_path / "patient", bottega_propose_after=4) as board:
        made = [len((await board.report(failing("adds up"))).proposed) for _ in range(4)]
        assert made == [0, 0, 0, 1]


@pytest.mark.requirement("BD-623")
async def test_a_flaky_failure_waits_until_it_recurs(board: ReportedBoard) -> None:
    """Seen twice is not enough for one that also passes; a third time is."""
    results = [await board.report(flaking("adds up")) for _ in range(3)]
    assert [len(result.proposed) for result in results] == [0, 0, 1]
    assert [result.waiting for result in results] == [1, 1, 0]
    assert (await board.failure("adds up")).classification == FailureClass.FLAKY


@pytest.mark.requirement("BD-624")
async def test_what_is_ignored_by_rule_or_by_person_is_not_proposed(board: ReportedBoard) -> None:
    """A machine's fault waits for a third time; a person's word is for good."""
    machine = "Error: connect ECONNREFUSED 127.0.0.1:3000"
    made = [len((await board.report(failing("a", error=machine))).proposed) for _ in range(3)]
    assert made == [0, 0, 1]
    await board.report(failing("b"))
    failure = await board.failure("b")
    ignored = TriageInput(decision=Decision.IGNORE, rationale="Known, and harmless.")
    await board.triage.triage(failure.id, ignored, ME)
    for _ in range(5):
        result = await board.report(failing("b"))
        assert (result.proposed, result.waiting) == ([], 0)
    found = await board.failure("b")
    assert found.classification == FailureClass.PERSISTENT
    assert (found.decision, found.rationale) == (Decision.IGNORE, "Known, and harmless.")


@pytest.mark.requirement("BD-625")
async def test_a_rejected_failure_is_never_proposed_again(board: ReportedBoard) -> None:
    """Until a person asks for it."""
    change_id = await board.proposed()
    await board.changes.reject(board.project_id, change_id, ME, "It is meant to be so.")
    for _ in range(4):
        assert (await board.report(failing("adds up"))).proposed == []
    failure = await board.failure("adds up")
    again = await board.triage.propose(failure.id, ME)
    assert again.change_id == f"{change_id}-2"
    assert again.person_decision == Decision.NEEDS_SPEC


@pytest.mark.requirement("BD-625")
async def test_a_proposal_that_was_put_away_by_hand_is_not_made_again(board: ReportedBoard) -> None:
    """Whoever archives what was never approved has turned it down."""
    change_id = await board.proposed()
    archive = board.folder / "archive"
    archive.mkdir()
    (board.folder / change_id).rename(archive / f"2026-05-04-{change_id}")
    await board.look()
    assert (await board.row(change_id)).status == ChangeStatus.ARCHIVED
    assert (await board.report(failing("adds up"))).proposed == []


@pytest.mark.requirement("BD-626")
async def test_a_noisy_suite_does_not_flood_the_approvals(board: ReportedBoard) -> None:
    """Ten proposals a report, the most urgent first; the result counts the rest."""
    noisy = [f"test {number}" for number in range(40)]
    for _ in range(2):
        await board.report(failing("urgent", error="Error: connect ECONNREFUSED 127.0.0.1:1"))
    await board.report(failing(*noisy))
    result = await board.report(
        failing(*noisy), failing("urgent", error="Error: connect ECONNREFUSED 127.0.0.1:1")
    )
    assert len(result.proposed) == MOST_PROPOSED
    assert result.held_back == 41 - MOST_PROPOSED
    assert result.proposed[0].startswith("fix-urgent")
    proposals = await board.changes.list(board.project_id, ChangeStatus.PROPOSING)
    assert len(proposals) == MOST_PROPOSED + 1  # and the bakery's own
    later = await board.report(failing(*noisy))
    assert len(later.proposed) == MOST_PROPOSED
    assert not set(later.proposed) & set(result.proposed)


@pytest.mark.requirement("BD-611")
async def test_many_new_failures_are_told_in_few_events(board: ReportedBoard) -> None:
    """One event has the numbers, and the first hundred have one each."""
    await board.report(failing(*(f"test {number}" for number in range(150))))
    [reported] = board.heard("errors.reported")
    assert (reported["failed"], reported["new_failures"]) == (150, 150)
    seen = board.heard("errors.seen")
    assert len(seen) == MOST_TOLD
    assert seen[0]["project_id"] == board.project_id
    assert seen[0]["classification"] == FailureClass.NEW


@pytest.mark.requirement("BD-627")
async def test_a_proposal_is_brought_up_to_date_as_its_failure_goes_on(
    board: ReportedBoard,
) -> None:
    """In place, when its class changes or it was seen twice as often, and more urgent."""
    change_id = await board.proposed()
    updated = [(await board.report(failing("adds up"))).updated for _ in range(3)]
    assert updated == [[change_id]] * 3  # RECURRING, 4 times, PERSISTENT
    assert (await board.report(failing("adds up"))).updated == []
    change = await board.row(change_id)
    assert "Seen 5 times" in change.proposal_content
    assert "PERSISTENT" in (change.design_content or "")
    assert change.priority == 5
    assert is_ours(change.proposal_content, change.design_content)
    on_disk = (board.folder / change_id / "proposal.md").read_text()
    assert on_disk == change.proposal_content
    assert len(await board.changes.list(board.project_id)) == 2


@pytest.mark.requirement("BD-628")
@pytest.mark.parametrize("where", ["here", "on disk"])
async def test_a_persons_words_in_a_proposal_are_left_alone(
    board: ReportedBoard, where: str
) -> None:
    """Edited in the app or in the file; the triage notes what would have been written."""
    change_id = await board.proposed()
    shown = await board.changes.show(board.project_id, change_id)
    mine = shown.proposal_content.replace("## Impact", "The till rounds wrongly.\n\n## Impact")
    if where == "here":
        edit = ChangeEdit(
            texts={"proposal.md": mine}, base_hashes={"proposal.md": shown.hashes["proposal.md"]}
        )
        await board.changes.edit(board.project_id, change_id, edit, ME)
    else:
        (board.folder / change_id / "proposal.md").write_text(mine)
        await board.look()
    result = await board.report(failing("adds up"))
    assert result.updated == []
    assert (await board.row(change_id)).proposal_content == mine
    rationale = (await board.failure("adds up")).rationale or ""
    assert "edited" in rationale
    assert "seen 3 times" in rationale


@pytest.mark.requirement("BD-629")
@pytest.mark.parametrize("status", [ChangeStatus.APPROVED, ChangeStatus.IN_PROGRESS])
async def test_work_under_way_is_not_disturbed(board: ReportedBoard, status: ChangeStatus) -> None:
    """A failure whose change is approved or in hand is only counted."""
    change_id = await board.proposed()
    way = list(ChangeStatus)[1 : list(ChangeStatus).index(status) + 1]
    await board.bring(change_id, *way)
    before = await board.row(change_id)
    result = await board.report(failing("adds up"))
    assert (result.proposed, result.updated, result.reopened) == ([], [], [])
    after = await board.row(change_id)
    assert (after.status, after.proposal_content) == (status, before.proposal_content)
    assert (await board.failure("adds up")).occurrence_count == 3


@pytest.mark.requirement("BD-630")
async def test_a_green_test_confirms_an_applied_change(tmp_path: Path, database_url: str) -> None:
    """The board says so once, in the history and as an event."""
    async with open_reported_board(tmp_path, database_url) as board:
        change_id = await board.proposed()
        await board.finish(change_id)
        [green] = (await board.report(passing("adds up"))).green
        assert green.change_id == change_id
        last = (await board.history(change_id))[-1]
        assert (last.notes or "").startswith("Its test is green")
        assert last.from_state == last.to_state == ChangeStatus.APPLIED
        assert board.heard("errors.green")[-1]["change_id"] == change_id
        steps = len(await board.history(change_id))
        assert (await board.report(passing("adds up"))).green == []
        assert len(await board.history(change_id)) == steps


@pytest.mark.requirement("BD-630")
async def test_a_test_that_was_green_in_review_confirms_again_once_applied(
    board: ReportedBoard,
) -> None:
    """The person at the gate sees it, and the applied change is confirmed too."""
    change_id = await board.proposed()
    await board.finish(change_id, applied=False)
    await board.report(passing("adds up"))
    assert "green" in ((await board.history(change_id))[-1].notes or "")
    await board.changes.apply(board.project_id, change_id, ME)
    await board.report(passing("adds up"))
    told = [(heard["change_id"], heard["status"]) for heard in board.heard("errors.green")]
    assert told == [(change_id, ChangeStatus.REVIEW), (change_id, ChangeStatus.APPLIED)]


@pytest.mark.requirement("BD-631", "BD-632")
@pytest.mark.parametrize("applied", [True, False])
async def test_a_change_whose_test_fails_again_is_reopened_with_the_evidence(
    tmp_path: Path, database_url: str, applied: bool
) -> None:
    """By the system, with the error in its history and a task for the next."""
    async with open_reported_board(tmp_path, database_url) as board:
        change_id = await board.proposed()
        await board.finish(change_id, applied=False)
        if applied:
            await board.changes.apply(board.project_id, change_id, ME)
            assert len(await board.changes.applied(board.project_id)) == 1
        result = await board.report(failing("adds up"))
        assert (result.reopened, result.notes) == ([change_id], [])
        change = await board.row(change_id)
        assert change.status == ChangeStatus.APPROVED
        move = next(
            step
            for step in await board.history(change_id)
            if step.notes and step.notes.startswith("Reopened")
        )
        assert (move.triggered_by, move.to_state) == (Actor.SYSTEM, ChangeStatus.APPROVED)
        assert ERROR in (move.notes or "")
        assert "## Failed again" in change.tasks_content
        assert change.tasks_total == change.tasks_done + 7
        [heard] = board.heard("errors.reopened")
        assert heard["change_id"] == change_id
        moved = board.heard("specs.moved")[-1]
        assert (moved["change_id"], moved["to_state"]) == (change_id, ChangeStatus.APPROVED)
        assert await board.changes.applied(board.project_id) == []


@pytest.mark.requirement("BD-633")
async def test_a_run_that_began_before_the_work_was_done_proves_nothing(
    board: ReportedBoard,
) -> None:
    """Neither that it is mended nor that it is not."""
    change_id = await board.proposed()
    before = clock.iso(clock.now() - timedelta(seconds=1))
    await board.finish(change_id)
    for tests in (failing("adds up"), passing("adds up")):
        result = await board.report(tests, started_at=before)
        assert result.reopened == []
    assert (await board.row(change_id)).status == ChangeStatus.APPLIED
    assert len(await board.history(change_id)) == 6
    assert [heard["change_id"] for heard in board.heard("errors.green")] == [None]


@pytest.mark.requirement("BD-633")
async def test_a_junit_report_counts_from_when_it_was_posted(board: ReportedBoard) -> None:
    """Its own clock names no time zone."""
    junit = (
        b'<testsuite timestamp="2020-01-01T00:00:00"><testcase classname="tests.test_till" '
        b'name="test_adds_up"><failure message="89 != 90">89</failure></testcase></testsuite>'
    )
    for _ in range(2):
        result = await board.intake.import_report(board.project_id, junit)
    [change_id] = result.proposed
    await board.finish(change_id)
    again = await board.intake.import_report(board.project_id, junit)
    assert again.reopened == [change_id]


@pytest.mark.requirement("BD-634")
async def test_a_failure_that_comes_back_after_the_archive_gets_a_new_proposal(
    board: ReportedBoard,
) -> None:
    """Which names the old one and changes the requirement that the old one brought."""
    change_id = await board.proposed()
    await board.finish(change_id)
    await board.report(passing("adds up"))
    folder = board.folder
    delta = (folder / change_id / "specs/till/spec.md").read_text()
    main = folder.parent / "specs/till/spec.md"
    main.parent.mkdir()
    main.write_text("# till Specification\n\n" + delta.replace("## ADDED Req", "## Req"))
    (folder / "archive").mkdir(exist_ok=True)
    (folder / change_id).rename(folder / "archive" / f"2026-05-04-{change_id}")
    await board.look()
    result = await board.report(failing("adds up"))
    assert (result.proposed, result.notes) == ([f"{change_id}-2"], [])
    change = await board.row(f"{change_id}-2")
    assert f"`{change_id}`" in change.proposal_content
    assert "## MODIFIED Requirements" in change.specs["till"]
    assert (await board.failure("adds up")).change_id == f"{change_id}-2"


@pytest.mark.requirement("BD-635")
async def test_a_proposal_that_nobody_noted_is_found_by_its_id(board: ReportedBoard) -> None:
    """After a crash between file and row, or with a new database, none is made twice."""
    change_id = await board.proposed()
    async with board.app.core.database.write() as session:
        row = await session.merge(await board.row(change_id))
        row.fingerprint = None
        _, triage = await repository.hold(session, (await board.failure("adds up")).id)
        triage.change_id = None
    assert (await board.report(failing("adds up"))).proposed == [change_id]
    failure = await board.failure("adds up")
    assert failure.change_id == change_id
    assert (await board.row(change_id)).fingerprint == failure.fingerprint
    assert len(await board.changes.list(board.project_id)) == 2


@pytest.mark.requirement("BD-612")
async def test_a_proposal_that_cannot_be_made_costs_the_report_nothing(
    board: ReportedBoard,
) -> None:
    """It is stored, and the result says what is missing."""
    await board.report(failing("adds up"))
    board.folder.parent.rename(board.folder.parent.with_name("away"))
    await board.projects.scan()
    result = await board.report(failing("adds up"), errors=[{"message": "Error: no config"}])
    assert result.proposed == []
    assert ["gone" in result.notes[0], "no config" in result.notes[1]] == [True, True]
    assert (await board.failure("adds up")).occurrence_count == 2


@pytest.mark.requirement("BD-613")
async def test_nothing_of_one_project_counts_in_another(tmp_path: Path) -> None:
    """The same test failing in two projects is two failures."""
    async with open_reported_board(tmp_path) as board:
        other = tmp_path / "projects/garage"
        for name, text in BAKERY.items():
            (other / name).parent.mkdir(parents=True, exist_ok=True)
            (other / name).write_text(text)
        scanned = (await board.projects.scan()).projects
        garage = next(project for project in scanned if project.name == "garage")
        await board.report(failing("adds up"))
        tests = {"format": "bottega-report", "version": 1, "tests": failing("adds up")}
        result = await board.intake.import_report(garage.id, json.dumps(tests).encode())
        assert (result.new_failures, result.proposed) == (1, [])
        assert (await board.intake.reports(garage.id)).total == 1
        assert await board.count(TestFailure) == 2


@pytest.mark.requirement("BD-614")
async def test_a_failed_test_without_an_error_is_a_failure_too(board: ReportedBoard) -> None:
    """What the runner did not say, the board says."""
    test = {"titles": ["adds up"], "status": "failed"}
    assert (await board.report([test])).new_failures == 1
    assert "did not say why" in (await board.failure("adds up")).error_message
