"""A lease: one session's claim on a change.

It carries a token that grows with every claim (fencing). A session that was thought dead and comes
back late still knows its old token; whatever it then says about the change is refused, because by
now the change may be in other hands.
"""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.agents.agent_types import select_agent_type
from bottega.board.changes.lifecycle import LEASED, move
from bottega.board.enums import Actor, ChangeStatus
from bottega.board.repository import queue as repository
from bottega.board.tables import Change, ChangeTransition
from bottega.core import clock
from bottega.errors import Conflict


@dataclass(frozen=True, slots=True)
class Move:
    """A change that moved, to be told once the transaction is over."""

    change: Change
    transition: ChangeTransition


async def lend(session: AsyncSession, change: Change, session_id: str) -> Move:
    # All of it in one statement: a claim holds up everyone who claims after it.
    with session.no_autoflush:
        change.assigned_session_id = session_id
        change.assigned_at = clock.now()
        change.lease_token += 1
        change.result = None
        change.agent_type = select_agent_type(
            change.title, change.proposal_content, change.tasks_content
        )
        transition = await move(
            session, change, ChangeStatus.ASSIGNED, Actor.AGENT, session_id=session_id
        )
    return Move(change, transition)


async def begin(session: AsyncSession, change: Change) -> Move | None:
    """The first sign of work on it."""
    if change.status != ChangeStatus.ASSIGNED:
        return None
    by = change.assigned_session_id
    transition = await move(session, change, ChangeStatus.IN_PROGRESS, Actor.AGENT, session_id=by)
    return Move(change, transition)


async def finish(session: AsyncSession, change: Change) -> Move:
    by = change.assigned_session_id
    transition = await move(session, change, ChangeStatus.REVIEW, Actor.AGENT, session_id=by)
    return Move(change, transition)


async def give_back(session: AsyncSession, change: Change, by: Actor, why: str) -> Move:
    """Into the queue again, for another."""
    holder = change.assigned_session_id
    transition = await move(
        session, change, ChangeStatus.APPROVED, by, session_id=holder, notes=why
    )
    return Move(change, transition)


async def give_all_back(session: AsyncSession, session_id: str, by: Actor, why: str) -> list[Move]:
    moves: list[Move] = []
    while (change := await repository.lock_held_by(session, session_id)) is not None:
        moves.append(await give_back(session, change, by, why))
    return moves


async def require(session: AsyncSession, change: Change, session_id: str, token: int) -> None:
    """Refuse whoever does not hold the change, and say who does."""
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
