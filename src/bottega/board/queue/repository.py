"""Queries on approved and leased changes."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes.states import LEASED, ChangeStatus
from bottega.board.changes.tables import Change, ChangeTransition
from bottega.core.db.advisory_locks import TAKE, number_of
from bottega.core.sessions.session import Session

#: Candidates looked at in one go. The first is nearly always the one.
FIRST_PAGE, LATER_PAGES = 5, 300


#: What a footprint is read from.
_STEPS = (
    Change.id,
    Change.priority,
    Change.touches,
    Change.references,
    Change.assigned_session_id,
)


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a change touches and refers to: enough to see whether two overlap."""

    id: str
    priority: int
    touches: frozenset[str]
    references: frozenset[str]
    #: The session that works on it.
    holder: str | None

    @classmethod
    def of(cls, change: Change | Row[*tuple[Any, ...]]) -> "Footprint":
        return cls(
            change.id,
            change.priority,
            frozenset(change.touches),
            frozenset(change.references),
            change.assigned_session_id,
        )

    def overlaps(self, other: "Footprint") -> bool:
        return (
            not self.touches.isdisjoint(other.touches)
            or other.id in self.references
            or self.id in other.references
        )


async def take_lock(session: AsyncSession, what: str) -> None:
    """Wait until nobody else does `what`; the turn ends with the transaction. SQLite has one
    writer, whose turn it is already."""
    if session.get_bind().dialect.name == "postgresql":
        await session.execute(TAKE, {"key": number_of("board", what)})


async def held_by(session: AsyncSession, session_id: str) -> Change | None:
    """What a session works on."""
    return (await session.scalars(_held_by(session_id))).first()


async def lock_held_by(session: AsyncSession, session_id: str) -> Change | None:
    """The same, locked until the transaction ends."""
    return (await session.scalars(_held_by(session_id).with_for_update())).first()


async def lock_if_ready(session: AsyncSession, project_id: str, change_id: str) -> Change | None:
    """`None` if somebody moved it, or its files broke, since it was listed."""
    ready = select(Change).where(*_ready(project_id), Change.id == change_id)
    return (await session.scalars(ready.with_for_update())).one_or_none()


async def under_way(session: AsyncSession, project_id: str) -> list[Footprint]:
    rows = await session.execute(
        select(*_STEPS).where(Change.project_id == project_id, Change.status.in_(LEASED))
    )
    return [Footprint.of(row) for row in rows]


async def candidates(session: AsyncSession, project_id: str) -> AsyncIterator[Footprint]:
    """What could be handed out, the most urgent first, then the one approved first.

    Urgency by urgency and page by page, so that the index gives the order and 10,000 waiting
    changes cost no more than ten.
    """
    below = None
    while page := await _page(session, project_id, _most_urgent(project_id, below)):
        below, offset = page[0].priority, 0
        while page:
            for footprint in page:
                yield footprint
            offset += len(page)
            page = await _page(session, project_id, below, offset)


async def in_disorder(session: AsyncSession, project_id: str) -> Sequence[str]:
    """Approved ones whose files are gone or cannot be read."""
    found = await session.scalars(
        select(Change.id)
        .where(*_approved(project_id))
        .where(or_(Change.missing_since.is_not(None), Change.sync_error.is_not(None)))
        .order_by(Change.id)
    )
    return found.all()


async def approved(session: AsyncSession, project_id: str | None, limit: int) -> Sequence[Change]:
    """In the order of the queue."""
    wanted = select(Change).where(Change.status == ChangeStatus.APPROVED)
    if project_id is not None:
        wanted = wanted.where(Change.project_id == project_id)
    order = Change.priority.desc(), Change.approved_at, Change.id
    return (await session.scalars(wanted.order_by(*order).limit(limit))).all()


async def leased(
    session: AsyncSession, project_id: str | None
) -> Sequence[tuple[Change, Session | None]]:
    """With who holds each, the longest held first."""
    wanted = (
        select(Change, Session)
        .outerjoin(Session, Session.id == Change.assigned_session_id)
        .where(Change.status.in_(LEASED))
        .order_by(Change.assigned_at, Change.id)
    )
    if project_id is not None:
        wanted = wanted.where(Change.project_id == project_id)
    return [(change, holder) for change, holder in await session.execute(wanted)]


async def last_return(
    session: AsyncSession, project_id: str, change_id: str
) -> ChangeTransition | None:
    """The last transition by which a leased change came back into the queue."""
    found = await session.scalars(
        select(ChangeTransition)
        .where(
            ChangeTransition.project_id == project_id,
            ChangeTransition.change_id == change_id,
            ChangeTransition.from_state.in_(LEASED),
            ChangeTransition.to_state == ChangeStatus.APPROVED,
        )
        .order_by(ChangeTransition.transitioned_at.desc(), ChangeTransition.id.desc())
        .limit(1)
    )
    return found.one_or_none()


def _held_by(session_id: str) -> Select[Change]:
    return select(Change).where(Change.assigned_session_id == session_id, Change.status.in_(LEASED))


def _approved(project_id: str) -> tuple[ColumnElement[bool], ...]:
    return Change.project_id == project_id, Change.status == ChangeStatus.APPROVED


def _ready(project_id: str) -> tuple[ColumnElement[bool], ...]:
    in_order = Change.missing_since.is_(None), Change.sync_error.is_(None)
    return *_approved(project_id), *in_order


def _most_urgent(project_id: str, below: int | None) -> ColumnElement[int]:
    # `max()` would read every row; the index has the most urgent one at its end.
    urgent_first = select(Change.priority).where(*_ready(project_id)).limit(1)
    if below is not None:
        urgent_first = urgent_first.where(Change.priority < below)
    return urgent_first.order_by(Change.priority.desc()).scalar_subquery()


async def _page(
    session: AsyncSession, project_id: str, priority: ColumnElement[int] | int, offset: int = 0
) -> list[Footprint]:
    rows = await session.execute(
        select(*_STEPS)
        .where(*_ready(project_id), Change.priority == priority)
        .order_by(Change.approved_at, Change.id)
        .offset(offset)
        .limit(LATER_PAGES if offset else FIRST_PAGE)
    )
    return [Footprint.of(row) for row in rows]
