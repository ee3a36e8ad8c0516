"""Failures as people look for them, and how people and rules agree."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.enums import Decision, FailureClass
from bottega.board.tables import Change, ErrorTriage, TestFailure

#: Characters of an error in a list.
SHOWN = 300

_OWN = [
    TestFailure.id,
    TestFailure.project_id,
    TestFailure.fingerprint,
    TestFailure.test_id,
    TestFailure.test_name,
    TestFailure.file,
    TestFailure.line,
    func.substr(TestFailure.error_message, 1, SHOWN).label("error"),
    TestFailure.classification,
    TestFailure.classified_by_person,
    TestFailure.occurrence_count,
    TestFailure.consecutive_failures,
    TestFailure.is_failing,
    TestFailure.first_seen_at,
    TestFailure.last_seen_at,
    TestFailure.passed_at,
    ErrorTriage.decision,
    ErrorTriage.rationale,
    ErrorTriage.confidence,
    ErrorTriage.priority,
    ErrorTriage.rule_decision,
    ErrorTriage.person_decision,
    ErrorTriage.assigned_session_id,
    ErrorTriage.change_id,
    Change.status.label("change_status"),
]
_OF_CHANGE = and_(Change.project_id == TestFailure.project_id, Change.id == ErrorTriage.change_id)


@dataclass(frozen=True, slots=True)
class FailureFilter:
    project_id: str | None = None
    classification: FailureClass | None = None
    is_failing: bool | None = None
    decision: Decision | None = None
    #: Met since then.
    since: datetime | None = None
    #: Words of its test or its error, all of them.
    search: str | None = None
    fingerprint: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        wanted = {
            TestFailure.project_id: self.project_id,
            TestFailure.classification: self.classification,
            TestFailure.is_failing: self.is_failing,
            ErrorTriage.decision: self.decision,
            TestFailure.fingerprint: self.fingerprint,
        }
        found = [column == value for column, value in wanted.items() if value is not None]
        if self.since is not None:
            found.append(TestFailure.last_seen_at >= self.since)
        for word in (self.search or "").split():
            text = TestFailure.test_id + " " + TestFailure.error_message
            found.append(text.icontains(word, autoescape=True))
        return found


def summaries(wanted: FailureFilter) -> Select[*tuple[Any, ...]]:
    return _joined(select(*_OWN)).where(*wanted.conditions())


async def page(
    session: AsyncSession, wanted: FailureFilter, limit: int, offset: int
) -> tuple[list[dict[str, Any]], int]:
    """What fails first, the most urgent before the others, then the newest; and how many."""
    order = (
        TestFailure.is_failing.desc(),
        ErrorTriage.priority.desc(),
        TestFailure.last_seen_at.desc(),
        TestFailure.id,
    )
    rows = await session.execute(summaries(wanted).order_by(*order).limit(limit).offset(offset))
    counted = _joined(select(func.count())).where(*wanted.conditions())
    return [dict(row) for row in rows.mappings()], await session.scalar(counted) or 0


async def summary(session: AsyncSession, failure_id: str) -> dict[str, Any]:
    found = await session.execute(_joined(select(*_OWN)).where(TestFailure.id == failure_id))
    return dict(found.mappings().one())


async def agreement(session: AsyncSession, project_id: str | None) -> tuple[int, int]:
    """How many failures people decided on, and on how many as the rules had.

    Who approves a proposal, or rejects it, has decided too.
    """
    said = case(
        (ErrorTriage.person_decision.is_not(None), ErrorTriage.person_decision),
        (Change.rejection_reason.is_not(None), Decision.IGNORE.value),
        (Change.approved_at.is_not(None), Decision.NEEDS_SPEC.value),
    )
    agreed = case((said == ErrorTriage.rule_decision, 1), else_=0)
    query = _joined(select(func.count(said), func.sum(case((said.is_not(None), agreed)))))
    if project_id is not None:
        query = query.where(TestFailure.project_id == project_id)
    decided, alike = (await session.execute(query)).one()
    return decided, alike or 0


def _joined(query: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    return (
        query.select_from(TestFailure)
        .join(ErrorTriage, ErrorTriage.test_failure_id == TestFailure.id)
        .outerjoin(Change, _OF_CHANGE)
    )
