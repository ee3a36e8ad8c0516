"""The life of a change: who may move it where, and the record of every move.

Two gates are a person's alone: into `approved` for the first time, and into `applied`. What the
files say stands above all of it: a change found in the archive is archived, whoever put it there,
and that is recorded as the system's move.
"""

from typing import Any, TypedDict, Unpack

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes.schemas import ChangeView
from bottega.board.changes.states import (
    APPROVED,
    LEGAL,
    PROPOSING,
    REVIEW,
    Actor,
    ChangeStatus,
    legal_moves,
)
from bottega.board.changes.tables import Change, ChangeTransition
from bottega.core import clock
from bottega.core.events import Event
from bottega.errors import Conflict


class Trigger(TypedDict, total=False):
    """Who is behind a move, and why."""

    user_id: str | None
    session_id: str | None
    notes: str | None


async def enter(
    session: AsyncSession,
    change: Change,
    by: Actor,
    **trigger: Unpack[Trigger],
) -> ChangeTransition:
    """Record how a new change came to be, in the status that it has."""
    session.add(change)
    await session.flush()
    return await _record(session, change, None, by, **trigger)


async def move(
    session: AsyncSession,
    change: Change,
    to: ChangeStatus,
    by: Actor,
    **trigger: Unpack[Trigger],
) -> ChangeTransition:
    """Move a change, in the caller's transaction, in which its row stays held from here on.

    `Conflict` if that actor may not, naming where it may.
    """
    # Two may move it at once: the second must see where the first left it.
    await session.refresh(change, ["status"], with_for_update=True)
    _check(change, to, by)
    before = ChangeStatus(change.status)
    change.status = to
    _follow_up(change, to)
    return await _record(session, change, before, by, **trigger)


async def note(
    session: AsyncSession, change: Change, by: Actor, notes: str, user_id: str | None = None
) -> ChangeTransition:
    """Record a note in the history of a change, without moving it."""
    here = ChangeStatus(change.status)
    return await _record(session, change, here, by, user_id=user_id, notes=notes)


def change_event(
    topic: str,
    change: Change | ChangeView,
    project: str | None,
    *,
    by_session: str | None = None,
    **facts: Any,
) -> Event:
    """An event about a change; `project` is the project's path."""
    own = {"project_id": change.project_id, "change_id": change.id, "title": change.title}
    return Event(topic, {**own, **facts}, project, session_id=by_session)


def moved_event(change: Change, transition: ChangeTransition, project: str | None = None) -> Event:
    """The event to publish once the move is committed; `project` is the project's path."""
    return change_event(
        "specs.moved",
        change,
        project,
        by_session=transition.trigger_session_id,
        from_state=transition.from_state,
        to_state=transition.to_state,
        triggered_by=transition.triggered_by,
        notes=transition.notes,
    )


def _check(change: Change, to: ChangeStatus, by: Actor) -> None:
    if (change.status, to) in LEGAL[by]:
        return
    legal = legal_moves(change.status, by)
    onward = f"From here it can become {' or '.join(legal)}." if legal else "It stays so."
    raise Conflict(
        f"The change {change.id!r} is {change.status} and cannot become {to}. {onward}",
        status=change.status,
        valid_options=legal,
    )


def _follow_up(change: Change, to: ChangeStatus) -> None:
    now = clock.now()
    change.updated_at = now
    if to is APPROVED:
        # Work that comes back keeps its place in the queue.
        change.approved_at = change.approved_at or now
        change.completed_at = None
    elif to is PROPOSING:
        change.approved_at = None
    elif to is REVIEW:
        change.completed_at = now
    # In review and after, it still says who did the work.
    if to in (PROPOSING, APPROVED):
        change.assigned_session_id = change.assigned_at = None


async def _record(
    session: AsyncSession,
    change: Change,
    before: ChangeStatus | None,
    by: Actor,
    **trigger: Unpack[Trigger],
) -> ChangeTransition:
    transition = ChangeTransition(
        project_id=change.project_id,
        change_id=change.id,
        from_state=before,
        to_state=change.status,
        triggered_by=by,
        trigger_user_id=trigger.get("user_id"),
        trigger_session_id=trigger.get("session_id"),
        notes=trigger.get("notes"),
    )
    session.add(transition)
    await session.flush()
    return transition
