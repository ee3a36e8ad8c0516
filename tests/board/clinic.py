"""A project whose tests are reported: the desk, with the parts that take reports in."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from bottega.board.changes.lifecycle import move
from bottega.board.enums import Actor, ChangeStatus
from bottega.board.intake.intake import Intake
from bottega.board.intake.proposer import Proposer
from bottega.board.intake.triage_desk import TriageDesk
from bottega.board.intake.views import FailureView, ImportResult
from bottega.board.repository import changes as change_repository
from bottega.board.tables import Change, TestFailure
from bottega.board.work import Work
from bottega.core.database import Base
from bottega.core.users import LOCAL_USER
from tests.board.desk import Desk, open_desk
from tests.board.failures.reports import reporter_report
from tests.board.house import open_house

ME = LOCAL_USER
ERROR = "Error: expect(locator).toHaveText(expected) failed"


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
class Clinic:
    desk: Desk
    intake: Intake
    triage: TriageDesk
    work: Work

    @property
    def project_id(self) -> str:
        return self.desk.project.id

    async def report(self, *tests: Sequence[dict[str, Any]], **more: Any) -> ImportResult:
        body = reporter_report(*(test for some in tests for test in some), **more)
        return await self.intake.import_report(self.project_id, body, "application/json")

    async def failure(self, title: str) -> FailureView:
        """The newest error of the test with this title."""
        query = select(TestFailure.id).filter_by(test_name=title)
        async with self.desk.house.core.database.read() as session:
            newest = query.order_by(TestFailure.last_seen_at.desc()).limit(1)
            found = (await session.scalars(newest)).one()
        return await self.triage.show(found)

    async def proposed(self, title: str = "adds up") -> str:
        """A failure that was met twice, and the id of its proposal."""
        await self.report(failing(title))
        return (await self.report(failing(title))).proposed[0]

    async def bring(self, id: str, *states: ChangeStatus) -> None:
        """Through an agent's hands and a person's gates."""
        async with self.desk.house.core.database.write() as session:
            row = await change_repository.hold(session, self.project_id, id)
            for state in states:
                gates = (ChangeStatus.APPROVED, ChangeStatus.APPLIED)
                await move(session, row, state, Actor.USER if state in gates else Actor.AGENT)

    async def finish(self, id: str, *, applied: bool = True) -> None:
        approved, assigned, working, review, done = list(ChangeStatus)[1:6]
        await self.bring(id, approved, assigned, working, review, *([done] if applied else []))

    async def change(self, id: str) -> Change:
        return await self.desk.row(id)

    async def count(self, table: type[Base]) -> int:
        async with self.desk.house.core.database.read() as session:
            return await session.scalar(select(func.count()).select_from(table)) or 0

    def heard(self, topic: str) -> list[dict[str, Any]]:
        return self.desk.heard(topic)


@asynccontextmanager
async def open_clinic(
    root: Path, database_url: str | None = None, **settings: Any
) -> AsyncIterator[Clinic]:
    opening = open_house(root, database_url=database_url, **settings)
    async with opening as house, open_desk(house) as desk:
        core, proposer = house.core, Proposer(house.core, desk.changes)
        intake = Intake(core, desk.projects, desk.changes, proposer=proposer)
        triage = TriageDesk(core, desk.projects, proposer)
        yield Clinic(desk, intake, triage, Work(core, desk.projects, desk.sync))
