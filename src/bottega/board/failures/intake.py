"""Test reports come in: stored, judged, and made into proposals where it is time for one.

What a report says is stored in one transaction. Proposals are files and come after it; one that
was not made, because the process died, is made with the next report.

What a report proves about finished work: its test is green, or it failed again.

Only a run that began after the work was done can tell.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes import repository as changes
from bottega.board.changes.lifecycle import move, moved_event, note
from bottega.board.changes.schemas import ChangeEdit
from bottega.board.changes.service import Changes
from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.changes.tables import Change, ChangeTransition
from bottega.board.failures import repository
from bottega.board.failures.proposer import AUTHOR, Proposals, Proposer
from bottega.board.failures.recorder import (
    ReadReport,
    RecordedReport,
    SeenFailure,
    read_main_specs,
    read_report,
    record,
)
from bottega.board.failures.reports.report import ReportSource, code, cut
from bottega.board.failures.repository import KnownFailure
from bottega.board.failures.schemas import GreenTest, ImportResult, ReportList, ReportView
from bottega.board.failures.tables import Report, TestFailure
from bottega.board.projects import repository as project_repository
from bottega.board.projects.service import Projects
from bottega.board.projects.tables import Project
from bottega.core import clock
from bottega.core.events import Event
from bottega.core.services import Core
from bottega.errors import BottegaError

GREEN = "Its test is green"


@dataclass(frozen=True, slots=True)
class Confirmed:
    change: Change
    failure: KnownFailure


@dataclass(frozen=True, slots=True)
class Reopened:
    change: Change
    transition: ChangeTransition
    seen: SeenFailure

    @property
    def task(self) -> str:
        """For the one who takes it up again."""
        first = next(iter(self.seen.facts.message.splitlines()), "")
        when = clock.iso(self.seen.failure.last_seen_at)[:16].replace("T", " ")
        return (
            f"The test failed again on {when} UTC: {code(first, 200)} "
            "Find out what the fix left open, and see the test pass"
        )


@dataclass(slots=True)
class Proof:
    confirmed: list[Confirmed] = field(default_factory=list)
    reopened: list[Reopened] = field(default_factory=list)


async def prove(
    session: AsyncSession, project_id: str, recorded: RecordedReport, passed: Collection[str]
) -> Proof:
    """In the caller's transaction."""
    proof = Proof()
    failed = {one.failure.fingerprint: one for one in recorded.seen}
    for change, failure in await repository.awaiting_proof(session, project_id):
        if not _began_after(recorded.report, change.completed_at):
            continue
        if (seen := failed.get(failure.fingerprint)) is not None:
            proof.reopened.append(await _reopen(session, change, seen, recorded.report))
        elif failure.test_id in passed and not await _is_noted(session, change):
            await note(session, change, Actor.SYSTEM, f"{GREEN} in report {recorded.report.id}.")
            proof.confirmed.append(Confirmed(change, failure))
    return proof


def _began_after(report: Report, done: datetime | None) -> bool:
    # JUnit names no time zone, so its own word on when it began may be hours off.
    said = report.started_at if report.source == ReportSource.PLAYWRIGHT else None
    return done is None or (said or report.created_at) >= done


async def _reopen(
    session: AsyncSession, change: Change, seen: SeenFailure, report: Report
) -> Reopened:
    times = seen.failure.occurrence_count
    evidence = (
        f"Reopened: {seen.failure.test_name!r} failed again in report {report.id} "
        f"(seen {times} times).\n\n{cut(seen.facts.message, 1_000)}"
    )
    transition = await move(session, change, ChangeStatus.APPROVED, Actor.SYSTEM, notes=evidence)
    await repository.forget_applied(session, change)
    return Reopened(change, transition, seen)


async def _is_noted(session: AsyncSession, change: Change) -> bool:
    """Whether that was noted since the change came to where it is."""
    steps: Sequence[ChangeTransition] = await changes.transitions(
        session, change.project_id, change.id
    )
    for step in reversed(steps):
        if step.from_state != step.to_state:
            return False
        if (step.notes or "").startswith(GREEN):
            return True
    return False


TASKS = "tasks.md"
#: Of a long list, as much as one reads.
MOST_NAMED = 100
MOST_RUN_ERRORS = 5


class Intake:
    def __init__(
        self,
        core: Core,
        projects: Projects,
        changes: Changes,
        *,
        proposer: Proposer,
    ) -> None:
        self._database = core.database
        self._bus = core.bus
        self._projects = projects
        self._changes = changes
        self._proposer = proposer
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def import_report(
        self, project_id: str, body: bytes, content_type: str | None = None
    ) -> ImportResult:
        """Each report is a new run, also one that was posted before."""
        project = await self._projects.get(project_id)
        read = await asyncio.to_thread(read_report, body, content_type)
        main_specs = await asyncio.to_thread(read_main_specs, Path(project.path))
        async with self._turns[project_id]:
            async with self._database.write() as session:
                # Nor does another process count in between.
                await project_repository.hold(session, project_id)
                recorded = await record(session, project_id, read, main_specs)
                proof = await prove(session, project_id, recorded, read.passed)
            for event in report_events(project, recorded, proof):
                self._bus.publish(event)
            notes = await self._publish_reopened(project, proof)
            proposals = await self._proposer.propose_all(project_id, recorded.seen, main_specs)
        return _result(read, recorded, proof, proposals, notes)

    async def reports(
        self, project_id: str | None = None, limit: int = 50, offset: int = 0
    ) -> ReportList:
        """Newest first."""
        async with self._database.read() as session:
            if project_id is not None:
                await project_repository.get(session, project_id)
            rows, total = await repository.reports(session, project_id, limit, offset)
        return ReportList(reports=[ReportView.model_validate(row) for row in rows], total=total)

    async def _publish_reopened(self, project: Project, proof: Proof) -> list[str]:
        """Returns what could not be done."""
        problems: list[str] = []
        for one in proof.reopened:
            self._bus.publish(moved_event(one.change, one.transition, project.path))
            try:
                await self._add_task(one)
            except BottegaError as error:
                problems.append(f"No task was added to {one.change.id}: {error.message}")
        return problems

    async def _add_task(self, reopened: Reopened) -> None:
        """All its tasks are ticked: whoever takes it up again must see what is left to do."""
        change = await self._changes.show(reopened.change.project_id, reopened.change.id)
        text = f"{change.tasks_content.rstrip()}\n\n## Failed again\n\n- [ ] {reopened.task}\n"
        edit = ChangeEdit(texts={TASKS: text}, base_hashes={TASKS: change.hashes.get(TASKS)})
        await self._changes.edit(change.project_id, change.id, edit, AUTHOR, reason="reopened")


def _result(
    read: ReadReport, recorded: RecordedReport, proof: Proof, proposals: Proposals, notes: list[str]
) -> ImportResult:
    return ImportResult(
        report=ReportView.model_validate(recorded.report),
        new_failures=sum(seen.is_new for seen in recorded.seen),
        proposed=proposals.made,
        updated=proposals.updated,
        held_back=proposals.held_back,
        waiting=proposals.waiting,
        green=list(_green(recorded, proof))[:MOST_NAMED],
        reopened=[one.change.id for one in proof.reopened],
        notes=[*notes, *proposals.problems, *_run_errors(read)],
    )


def _green(recorded: RecordedReport, proof: Proof) -> Iterator[GreenTest]:
    confirmed = {one.failure.id: one for one in proof.confirmed}
    for one in proof.confirmed:
        yield GreenTest(
            failure_id=one.failure.id, test_name=one.failure.test_name, change_id=one.change.id
        )
    for known in recorded.green:
        if known.id not in confirmed:
            yield GreenTest(failure_id=known.id, test_name=known.test_name, change_id=None)


def _run_errors(read: ReadReport) -> Iterator[str]:
    for error in read.parsed.errors[:MOST_RUN_ERRORS]:
        first = next(iter(error.message.splitlines()), "")
        yield f"An error outside of any test: {first[:300]}"


#: Of one kind, from one report. The first event has the numbers of all.
MOST_TOLD = 100
_TOLD_OF_REPORT = ("source", "total", "passed", "failed", "flaked", "skipped")


def report_events(project: Project, recorded: RecordedReport, proof: Proof) -> Iterator[Event]:
    def event(topic: str, **facts: Any) -> Event:
        return Event(topic, {"project_id": project.id, **facts}, project.path)

    report = recorded.report
    new = [seen for seen in recorded.seen if seen.is_new]
    yield event(
        "errors.reported",
        report_id=report.id,
        **{name: getattr(report, name) for name in _TOLD_OF_REPORT},
        new_failures=len(new),
        green=len(recorded.green),
    )
    for seen in new[:MOST_TOLD]:
        yield event(
            "errors.seen",
            **_facts(seen.failure),
            classification=seen.failure.classification,
            decision=seen.triage.decision,
            priority=seen.triage.priority,
        )
    for one in proof.confirmed:
        change = one.change
        yield event(
            "errors.green", **_facts(one.failure), change_id=change.id, status=change.status
        )
    confirmed = {one.failure.id for one in proof.confirmed}
    others = [known for known in recorded.green if known.id not in confirmed]
    for known in others[:MOST_TOLD]:
        yield event("errors.green", **_facts(known), change_id=None)
    for again in proof.reopened:
        yield event(
            "errors.reopened",
            **_facts(again.seen.failure),
            change_id=again.change.id,
            notes=again.transition.notes,
        )


def _facts(known: KnownFailure | TestFailure) -> dict[str, str]:
    return {"failure_id": known.id, "test_name": known.test_name}
