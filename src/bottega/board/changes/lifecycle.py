"""The life of a change: who may move it where, and the record of every move.

Two gates are a person's alone: into `approved` for the first time, and into `applied`. What the
files say stands above all of it: a change found in the archive is archived, whoever put it there,
and that is recorded as the system's move.
"""

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.enums import Actor, ChangeStatus
from bottega.board.tables import Change, ChangeTransition
from bottega.core import clock
from bottega.core.events import Event
from bottega.errors import Conflict

PROPOSING, APPROVED, ASSIGNED, IN_PROGRESS, REVIEW, APPLIED, ARCHIVED = ChangeStatus

#: A session holds a lease on it.
LEASED = frozenset({ASSIGNED, IN_PROGRESS})

Move = tuple[ChangeStatus, ChangeStatus]

_RELEASES: frozenset[Move] = frozenset({(ASSIGNED, APPROVED), (IN_PROGRESS, APPROVED)})
_FINISHES: frozenset[Move] = frozenset({(ASSIGNED, REVIEW), (IN_PROGRESS, REVIEW)})

LEGAL: dict[Actor, frozenset[Move]] = {
    Actor.USER: _RELEASES
    | _FINISHES
    | {
        (PROPOSING, APPROVED),
        (APPROVED, PROPOSING),
        (PROPOSING, ARCHIVED),
        (REVIEW, IN_PROGRESS),
        (REVIEW, APPROVED),
        (REVIEW, APPLIED),
        (APPLIED, ARCHIVED),
    },
    Actor.AGENT: _RELEASES
    | _FINISHES
    | {(APPROVED, ASSIGNED), (ASSIGNED, IN_PROGRESS), (REVIEW, IN_PROGRESS)},
    Actor.SYSTEM: _RELEASES
    | _FINISHES
    # Its test failed again.
    | {(REVIEW, APPROVED), (APPLIED, APPROVED)}
    # What was found on disk.
    | {(status, ARCHIVED) for status in ChangeStatus if status is not ARCHIVED}
    | {(ARCHIVED, PROPOSING)},
}


def legal_moves(status: str, by: Actor) -> list[ChangeStatus]:
    """Where that actor may move a change from here."""
    return [to for to in ChangeStatus if (status, to) in LEGAL[by]]


async def enter(
    session: AsyncSession,
    change: Change,
    by: Actor,
    *,
    user_id: str | None = None,
    session_id: str | None = None,
    notes: str | None = None,
) -> ChangeTransition:
    """Record how a new change came to be, in the status that it has."""
    session.add(change)
    await session.flush()
    return await _record(session, change, None, by, user_id, session_id, notes)


async def move(
    session: AsyncSession,
    change: Change,
    to: ChangeStatus,
    by: Actor,
    *,
    user_id: str | None = None,
    session_id: str | None = None,
    notes: str | None = None,
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
    return await _record(session, change, before, by, user_id, session_id, notes)


async def note(
    session: AsyncSession, change: Change, by: Actor, notes: str, user_id: str | None = None
) -> ChangeTransition:
    """Something in its life that moves it nowhere."""
    here = ChangeStatus(change.status)
    return await _record(session, change, here, by, user_id, None, notes)


def moved_event(change: Change, transition: ChangeTransition, project: str | None = None) -> Event:
    """To publish once the move is committed; `project` is the project's path."""
    payload = {
        "project_id": change.project_id,
        "change_id": change.id,
        "title": change.title,
        "from_state": transition.from_state,
        "to_state": transition.to_state,
        "triggered_by": transition.triggered_by,
        "notes": transition.notes,
    }
    return Event("specs.moved", payload, project, session_id=transition.trigger_session_id)


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
    user_id: str | None,
    session_id: str | None,
    notes: str | None,
) -> ChangeTransition:
    transition = ChangeTransition(
        project_id=change.project_id,
        change_id=change.id,
        from_state=before,
        to_state=change.status,
        triggered_by=by,
        trigger_user_id=user_id,
        trigger_session_id=session_id,
        notes=notes,
    )
    session.add(transition)
    await session.flush()
    return transition
