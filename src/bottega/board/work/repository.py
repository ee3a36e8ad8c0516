"""Changes and failures in one list, and how many there are of each."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Select, and_, case, func, literal, null, or_, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes.states import ChangeStatus
from bottega.board.changes.tables import Change
from bottega.board.failures.tables import ErrorTriage, TestFailure
from bottega.board.failures.triage import Decision
from bottega.board.projects.tables import Project
from bottega.board.work.schemas import FailureStatus, WorkFilter, WorkKind, WorkOrder, WorkRequest
from bottega.core.sessions.session import Session, SessionKind, SessionStatus

AnySelect = Select[*tuple[Any, ...]]

_IN_REMEDIATION = (
    ChangeStatus.APPROVED,
    ChangeStatus.ASSIGNED,
    ChangeStatus.IN_PROGRESS,
    ChangeStatus.REVIEW,
    ChangeStatus.APPLIED,
)
_STATUS = case(
    (~TestFailure.is_failing, FailureStatus.FIXED.value),
    (Change.status.in_(_IN_REMEDIATION), FailureStatus.IN_REMEDIATION.value),
    (ErrorTriage.decision != Decision.PENDING, FailureStatus.TRIAGED.value),
    else_=FailureStatus.NEW.value,
)


class WorkName(NamedTuple):
    """Enough of a row to find it by its words."""

    kind: str
    project_id: str
    id: str
    title: str


def _changes() -> AnySelect:
    return select(
        literal(WorkKind.CHANGE.value).label("kind"),
        Change.project_id,
        Change.id,
        Change.title,
        Change.status.label("status"),
        Change.priority,
        null().label("classification"),
        null().label("change_id"),
        Change.tasks_done,
        Change.tasks_total,
        Change.assigned_session_id,
        Change.created_at,
        Change.updated_at.label("active_at"),
    )


def _failures() -> AnySelect:
    of_change = and_(
        Change.project_id == TestFailure.project_id, Change.id == ErrorTriage.change_id
    )
    latest = func.coalesce(TestFailure.passed_at, TestFailure.last_seen_at)
    return (
        select(
            literal(WorkKind.FAILURE.value).label("kind"),
            TestFailure.project_id,
            TestFailure.id,
            TestFailure.test_name.label("title"),
            _STATUS.label("status"),
            ErrorTriage.priority,
            TestFailure.classification,
            ErrorTriage.change_id,
            null().label("tasks_done"),
            null().label("tasks_total"),
            ErrorTriage.assigned_session_id,
            TestFailure.first_seen_at.label("created_at"),
            latest.label("active_at"),
        )
        .join(ErrorTriage, ErrorTriage.test_failure_id == TestFailure.id)
        .outerjoin(Change, of_change)
    )


def _wanted(query: WorkRequest) -> AnySelect:
    sides = {
        WorkFilter.SPECS: [_changes()],
        WorkFilter.ERRORS: [_failures()],
    }.get(query.filter, [_changes(), _failures()])
    rows = union_all(*sides).subquery()
    chosen = select(rows)
    if query.project_id is not None:
        chosen = chosen.where(rows.c.project_id == query.project_id)
    if query.filter is WorkFilter.OPEN:
        over = (ChangeStatus.ARCHIVED.value, FailureStatus.FIXED.value)
        chosen = chosen.where(rows.c.status.not_in(over))
    if query.status:
        chosen = chosen.where(rows.c.status.in_(query.status))
    if query.since is not None:
        chosen = chosen.where(rows.c.active_at >= query.since)
    if query.until is not None:
        chosen = chosen.where(rows.c.active_at <= query.until)
    newest = [rows.c.active_at.desc(), rows.c.kind, rows.c.id]
    by_priority = query.order is WorkOrder.PRIORITY
    return chosen.order_by(*([rows.c.priority.desc()] if by_priority else []), *newest)


async def page(session: AsyncSession, query: WorkRequest) -> tuple[list[dict[str, Any]], int]:
    wanted = _wanted(query)
    rows = await session.execute(wanted.limit(query.limit).offset(query.offset))
    counted = select(func.count()).select_from(wanted.order_by(None).subquery())
    return [dict(row) for row in rows.mappings()], await session.scalar(counted) or 0


async def names(session: AsyncSession, query: WorkRequest) -> list[WorkName]:
    """All that are wanted, in their order."""
    rows = _wanted(query).subquery()
    found = select(rows.c.kind, rows.c.project_id, rows.c.id, rows.c.title)
    return [WorkName(*row) for row in await session.execute(found)]


async def some(
    session: AsyncSession, query: WorkRequest, chosen: Sequence[WorkName]
) -> list[dict[str, Any]]:
    rows = _wanted(query).subquery()
    keys = [
        and_(rows.c.kind == one.kind, rows.c.project_id == one.project_id, rows.c.id == one.id)
        for one in chosen
    ]
    found = await session.execute(select(rows).where(or_(*keys)))
    by_key = {(row["kind"], row["project_id"], row["id"]): dict(row) for row in found.mappings()}
    return [by_key[one[:3]] for one in chosen if one[:3] in by_key]


async def changes_by_status(session: AsyncSession) -> list[tuple[str, str, int]]:
    """Of every project: status, how many."""
    counted = select(Change.project_id, Change.status, func.count())
    grouped = counted.where(Change.missing_since.is_(None)).group_by(
        Change.project_id, Change.status
    )
    return [(row[0], row[1], row[2]) for row in await session.execute(grouped)]


async def failures_by_class(
    session: AsyncSession, project_id: str | None
) -> list[tuple[str, bool, int]]:
    """Class, whether it fails now, how many."""
    counted = select(TestFailure.classification, TestFailure.is_failing, func.count())
    if project_id is not None:
        counted = counted.where(TestFailure.project_id == project_id)
    grouped = counted.group_by(TestFailure.classification, TestFailure.is_failing)
    return [(row[0], row[1], row[2]) for row in await session.execute(grouped)]


async def active_sessions(session: AsyncSession, seen_since: datetime) -> dict[str, int]:
    """How many agents each project has, by its id."""
    counted = (
        select(Project.id, func.count())
        .join(Session, Session.project_dir == Project.path)
        .where(
            Session.kind == SessionKind.AGENT,
            Session.status.in_((SessionStatus.ACTIVE, SessionStatus.IDLE)),
            Session.seen_at >= seen_since,
        )
        .group_by(Project.id)
    )
    return {row[0]: row[1] for row in await session.execute(counted)}
