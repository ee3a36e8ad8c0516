"""Test reports come in: stored, judged, and made into proposals where it is time for one.

What a report says is stored in one transaction. Proposals are files and come after it; one that
was not made, because the process died, is made with the next report.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from bottega.board.changes.changes import Changes
from bottega.board.changes.lifecycle import moved_event
from bottega.board.changes.schemas import ChangeEdit
from bottega.board.intake.events import tell
from bottega.board.intake.judging import read_promises
from bottega.board.intake.proof import Proof, Reopened, prove
from bottega.board.intake.proposer import AUTHOR, Proposals, Proposer
from bottega.board.intake.recorder import ReadReport, Recorded, read_report, record
from bottega.board.intake.views import GreenTest, ImportResult, ReportList, ReportView
from bottega.board.projects import Projects
from bottega.board.repository import failures as repository
from bottega.board.repository import projects as project_repository
from bottega.board.tables import Project
from bottega.core.services import Core
from bottega.errors import BottegaError

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
        promises = await asyncio.to_thread(read_promises, Path(project.path))
        async with self._turns[project_id]:
            async with self._database.write() as session:
                # Nor does another process count in between.
                await project_repository.hold(session, project_id)
                recorded = await record(session, project_id, read, promises)
                proof = await prove(session, project_id, recorded, read.passed)
            for event in tell(project, recorded, proof):
                self._bus.publish(event)
            notes = await self._tell_reopened(project, proof)
            proposals = await self._proposer.propose_all(project_id, recorded.seen, promises)
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

    async def _tell_reopened(self, project: Project, proof: Proof) -> list[str]:
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
    read: ReadReport, recorded: Recorded, proof: Proof, proposals: Proposals, notes: list[str]
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


def _green(recorded: Recorded, proof: Proof) -> Iterator[GreenTest]:
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
