"""A lease: one session's claim on a change.

It carries a token that grows with every claim (fencing). A session that was thought dead and comes
back late still knows its old token; whatever it then says about the change is refused, because by
now the change may be in other hands.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes.agent_types import select_agent_type
from bottega.board.changes.lifecycle import change_event, move, moved_event
from bottega.board.changes.states import LEASED, Actor, ChangeStatus
from bottega.board.changes.tables import Change, ChangeTransition
from bottega.board.queue import repository
from bottega.board.queue.schemas import Liveness
from bottega.core import clock
from bottega.core.events import Event
from bottega.core.sessions import session as core_sessions
from bottega.core.sessions.session import LIVE, Session, SessionKind, SessionStatus
from bottega.errors import Conflict, NotFound


@dataclass(frozen=True, slots=True)
class LeaseMove:
    """A change that moved, to publish once the transaction is committed."""

    change: Change
    transition: ChangeTransition


async def lend(session: AsyncSession, change: Change, session_id: str) -> LeaseMove:
    # All of it in one statement: a claim holds up everyone who claims after it.
    with session.no_autoflush:
        change.assigned_session_id = session_id
        change.assigned_at = clock.now()
        change.lease_token += 1
        change.result = None
        change.agent_type = select_agent_type(
            change.title, change.proposal_content, change.tasks_content
        )
        return await _move(session, change, ChangeStatus.ASSIGNED, Actor.AGENT)


async def begin(session: AsyncSession, change: Change) -> LeaseMove | None:
    """Move an assigned change to in progress; None if it is not just assigned."""
    if change.status != ChangeStatus.ASSIGNED:
        return None
    return await _move(session, change, ChangeStatus.IN_PROGRESS, Actor.AGENT)


async def finish(session: AsyncSession, change: Change) -> LeaseMove:
    return await _move(session, change, ChangeStatus.REVIEW, Actor.AGENT)


async def give_back(session: AsyncSession, change: Change, by: Actor, why: str) -> LeaseMove:
    """Return a change to the queue."""
    return await _move(session, change, ChangeStatus.APPROVED, by, why)


async def _move(
    session: AsyncSession, change: Change, to: ChangeStatus, by: Actor, notes: str | None = None
) -> LeaseMove:
    holder = change.assigned_session_id
    return LeaseMove(change, await move(session, change, to, by, session_id=holder, notes=notes))


async def give_all_back(
    session: AsyncSession, session_id: str, by: Actor, why: str
) -> list[LeaseMove]:
    moves: list[LeaseMove] = []
    while (change := await repository.lock_held_by(session, session_id)) is not None:
        moves.append(await give_back(session, change, by, why))
    return moves


async def require(session: AsyncSession, change: Change, session_id: str, token: int) -> None:
    """Raise `Conflict`, naming the holder, unless the session holds the change with that token."""
    mine = change.assigned_session_id == session_id and change.lease_token == token
    if mine and change.status in LEASED:
        return
    raise Conflict(
        f"You do not hold {change.id!r} with lease token {token}: "
        f"{await _what_happened(session, change, session_id, token)} "
        "Keep what you did and call `board_next_work` for your next item.",
        change_id=change.id,
        status=change.status,
        lease_token=change.lease_token,
    )


def completed_by(change: Change, session_id: str, token: int) -> bool:
    """Whether this holder's work already waits for review, as it does when its last task is
    ticked."""
    return (
        change.status == ChangeStatus.REVIEW
        and change.assigned_session_id == session_id
        and change.lease_token == token
    )


async def _what_happened(session: AsyncSession, change: Change, session_id: str, token: int) -> str:
    if change.assigned_session_id == session_id and change.status in LEASED:
        return f"your lease has the token {change.lease_token}."
    now = (
        f"it is now with session {change.assigned_session_id} (token {change.lease_token})."
        if change.status in LEASED
        else f"it is now {change.status}, and nobody works on it."
    )
    returned = await repository.last_return(session, change.project_id, change.id)
    if returned is None or returned.trigger_session_id != session_id:
        return now
    moment = clock.iso(returned.transitioned_at)
    because = f" ({returned.notes})" if returned.notes else ""
    return f"your lease was taken back at {moment}{because}; {now}"


def work_events(topic: str, move: LeaseMove, row: Session, **payload: Any) -> Iterable[Event]:
    """The event of the move, and the one for whoever follows the work."""
    change = move.change
    yield moved_event(change, move.transition, row.project_dir)
    facts = {"status": change.status, "lease_token": change.lease_token, **payload}
    # Of everybody's interest, so of no one user.
    yield change_event(topic, change, row.project_dir, by_session=row.id, **facts)


SLOW_AFTER = timedelta(minutes=5)
STALE_AFTER = timedelta(minutes=10)


def liveness(row: Session, now: datetime) -> Liveness:
    """By the age of the last heartbeat; one in the future counts as now."""
    if row.status not in LIVE:
        return Liveness.STALE
    age = now - row.seen_at
    if age <= SLOW_AFTER:
        return Liveness.ACTIVE
    return Liveness.SLOW if age <= STALE_AFTER else Liveness.STALE


async def lock_agent(session: AsyncSession, session_id: str, user_id: str | None) -> Session:
    """Lock the session's row and count that as a heartbeat. `Conflict` if it has ended."""
    row = await lock_session(session, session_id, user_id)
    if row.status not in LIVE:
        ended = f" since {clock.iso(row.ended_at)}" if row.ended_at else ""
        raise Conflict(
            f"Session {session_id!r} is {row.status}{ended}. Register a new one with "
            "`board_register_session`.",
            status=row.status,
        )
    return row


def wake(row: Session) -> bool:
    """Make it active; returns whether it had been given up."""
    given_up = row.status == SessionStatus.INACTIVE
    row.status = SessionStatus.ACTIVE
    return given_up


async def lock_session(session: AsyncSession, session_id: str, user_id: str | None) -> Session:
    row = await core_sessions.lock(session, session_id, user_id)
    if row.kind != SessionKind.AGENT:
        raise unknown_session(session_id)
    return row


def unknown_session(session_id: str) -> NotFound:
    return NotFound(f"There is no agent session {session_id!r}.")
