"""A project's changes, on disk and in the database, with the services that keep them together; and
the reports of its tests."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from bottega.board.changes import repository
from bottega.board.changes.lifecycle import move
from bottega.board.changes.service import Changes
from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.changes.sync import Sync
from bottega.board.changes.tables import Change, ChangeRevision, ChangeTransition
from bottega.board.failures.intake import Intake
from bottega.board.failures.proposer import Proposer
from bottega.board.failures.schemas import FailureView, ImportResult
from bottega.board.failures.service import FailureTriage
from bottega.board.failures.tables import TestFailure
from bottega.board.projects.service import Projects
from bottega.board.projects.tables import Project
from bottega.board.work.service import WorkList
from bottega.core import clock
from bottega.core.db.database import Base
from bottega.core.sessions.session import SessionKind
from bottega.core.users import LOCAL_USER
from tests.board.builders import BoardApp, open_board
from tests.board.failures.reports import reporter_report

ID = "add-discounts"
ME = LOCAL_USER
ERROR = "Error: expect(locator).toHaveText(expected) failed"


@dataclass
class ProjectBoard:
    app: BoardApp
    project: Project
    projects: Projects
    sync: Sync
    changes: Changes

    @property
    def folder(self) -> Path:
        return Path(self.project.path) / "openspec/changes"

    @property
    def tasks(self) -> Path:
        return self.folder / ID / "tasks.md"

    @property
    def proposal(self) -> Path:
        return self.folder / ID / "proposal.md"

    async def look(self) -> None:
        await self.sync.of(self.project).sync()

    async def row(self, id: str = ID) -> Change:
        async with self.app.core.database.read() as session:
            return await repository.get(session, self.project.id, id)

    async def revisions(self, id: str = ID) -> Sequence[ChangeRevision]:
        async with self.app.core.database.read() as session:
            return await repository.revisions(session, self.project.id, id)

    async def history(self, id: str = ID) -> Sequence[ChangeTransition]:
        async with self.app.core.database.read() as session:
            return await repository.transitions(session, self.project.id, id)

    async def edit_row(self, **values: Any) -> None:
        """As an edit does whose file could not be written."""
        async with self.app.core.database.write() as session:
            row = await repository.hold(session, self.project.id, ID)
            for name, value in values.items():
                setattr(row, name, value)
            row.db_modified_at = clock.now()

    async def assign(self) -> str:
        core = self.app.core
        holder = await core.sessions.create(SessionKind.AGENT, self.project.path)
        async with core.database.write() as session:
            row = await repository.hold(session, self.project.id, ID)
            await move(session, row, ChangeStatus.APPROVED, Actor.USER)
            await move(session, row, ChangeStatus.ASSIGNED, Actor.AGENT, session_id=holder.id)
            row.assigned_session_id = holder.id
        return holder.id

    def heard(self, topic: str) -> list[dict[str, Any]]:
        return self.app.payloads(topic)


@asynccontextmanager
async def open_project_board(
    app: BoardApp, program: str = "no-openspec-here"
) -> AsyncIterator[ProjectBoard]:
    """The first project of the app, scanned and synced."""
    projects = Projects(app.core)
    project = (await projects.scan()).projects[0]
    sync = Sync(app.core, projects, program=program)
    board = ProjectBoard(app, project, projects, sync, Changes(app.core, projects, sync))
    await board.look()
    yield board
    await sync.stop()


def passing(*titles: str) -> list[dict[str, Any]]:
    return [_test(title, status="passed") for title in titles]


def failing(*titles: str, error: str = ERROR) -> list[dict[str, Any]]:
    stack = f"{error}\n    at till.spec.ts:3:5"
    return [
        _test(title, status="failed", error={"message": error, "stack": stack}) for title in titles
    ]


def flaking(*titles: str) -> list[dict[str, Any]]:
    error = {"message": ERROR}
    return [_test(title, status="flaked", error=error, retries=1) for title in titles]


def skipping(*titles: str) -> list[dict[str, Any]]:
    return [_test(title, status="skipped") for title in titles]


def _test(title: str, **more: Any) -> dict[str, Any]:
    return {"file": "e2e/till.spec.ts", "line": 3, "titles": ["Till", title], **more}


@dataclass
class ReportedBoard(ProjectBoard):
    """A project whose tests are reported."""

    intake: Intake
    triage: FailureTriage
    work: WorkList

    @property
    def project_id(self) -> str:
        return self.project.id

    async def report(self, *tests: Sequence[dict[str, Any]], **more: Any) -> ImportResult:
        body = reporter_report(*(test for some in tests for test in some), **more)
        return await self.intake.import_report(self.project_id, body, "application/json")

    async def failure(self, title: str) -> FailureView:
        """The newest error of the test with this title."""
        query = select(TestFailure.id).filter_by(test_name=title)
        async with self.app.core.database.read() as session:
            newest = query.order_by(TestFailure.last_seen_at.desc()).limit(1)
            found = (await session.scalars(newest)).one()
        return await self.triage.show(found)

    async def proposed(self, title: str = "adds up") -> str:
        """A failure that was met twice, and the id of its proposal."""
        await self.report(failing(title))
        return (await self.report(failing(title))).proposed[0]

    async def bring(self, id: str, *states: ChangeStatus) -> None:
        """Through an agent's hands and a person's gates."""
        async with self.app.core.database.write() as session:
            row = await repository.hold(session, self.project_id, id)
            for state in states:
                gates = (ChangeStatus.APPROVED, ChangeStatus.APPLIED)
                await move(session, row, state, Actor.USER if state in gates else Actor.AGENT)

    async def finish(self, id: str, *, applied: bool = True) -> None:
        approved, assigned, working, review, done = list(ChangeStatus)[1:6]
        await self.bring(id, approved, assigned, working, review, *([done] if applied else []))

    async def count(self, table: type[Base]) -> int:
        async with self.app.core.database.read() as session:
            return await session.scalar(select(func.count()).select_from(table)) or 0


@asynccontextmanager
async def open_reported_board(
    root: Path, database_url: str | None = None, **settings: Any
) -> AsyncIterator[ReportedBoard]:
    opening = open_board(root, database_url=database_url, **settings)
    async with opening as app, open_project_board(app) as board:
        core, proposer = app.core, Proposer(app.core, board.changes)
        intake = Intake(core, board.projects, board.changes, proposer=proposer)
        triage = FailureTriage(core, board.projects, proposer)
        work = WorkList(core, board.projects, board.sync)
        yield ReportedBoard(**vars(board), intake=intake, triage=triage, work=work)
