"""Agents' sessions, and what they asked."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes.lifecycle import LEASED
from bottega.board.tables import Change, Clarification
from bottega.core.sessions import LIVE, Session, SessionKind, SessionStatus


async def session_of_client(
    session: AsyncSession, client_session_id: str, user_id: str
) -> Session | None:
    """The live agent session that a client knows by an id of its own."""
    found = await session.scalars(
        select(Session)
        .where(
            Session.user_id == user_id,
            Session.kind == SessionKind.AGENT,
            Session.status.in_(sorted(LIVE)),
            Session.data["client_session_id"].as_string() == client_session_id,
        )
        .order_by(Session.started_at)
        .limit(1)
    )
    return found.one_or_none()


async def make_inactive(session: AsyncSession, unseen_since: datetime) -> Sequence[Session]:
    """Agents that gave no sign of life since then, told and marked in one step: whoever speaks up
    in that moment is either before it or wakes up after it."""
    stale = (
        update(Session)
        .where(
            Session.kind == SessionKind.AGENT,
            Session.status.in_((SessionStatus.ACTIVE, SessionStatus.IDLE)),
            Session.seen_at < unseen_since,
        )
        .values(status=SessionStatus.INACTIVE)
        .returning(Session)
    )
    return (await session.scalars(stale)).all()


async def bring_back_from_future(session: AsyncSession, latest: datetime, now: datetime) -> None:
    """Agents that a clock, since set back, saw in the future: they would never grow stale."""
    await session.execute(
        update(Session)
        .where(
            Session.kind == SessionKind.AGENT,
            Session.status.in_(sorted(LIVE)),
            Session.seen_at > latest,
        )
        .values(seen_at=now)
    )


async def sessions_with_work(
    session: AsyncSession,
    *,
    user_id: str | None,
    project_dir: str | None,
    live_only: bool,
    limit: int,
) -> Sequence[tuple[Session, Change | None]]:
    """The newest first, each with what it works on."""
    working = (Change.assigned_session_id == Session.id) & Change.status.in_(LEASED)
    wanted = select(Session, Change).outerjoin(Change, working)
    wanted = wanted.where(Session.kind == SessionKind.AGENT)
    if user_id is not None:
        wanted = wanted.where(Session.user_id == user_id)
    if project_dir is not None:
        wanted = wanted.where(Session.project_dir == project_dir)
    if live_only:
        wanted = wanted.where(Session.status.in_(sorted(LIVE)))
    newest = wanted.order_by(Session.started_at.desc(), Session.id.desc()).limit(limit)
    return [(row, change) for row, change in await session.execute(newest)]


async def deliver_answers(
    session: AsyncSession, session_id: str, now: datetime
) -> Sequence[Clarification]:
    """Answers that the session was not told yet; from now on it was."""
    told = (
        update(Clarification)
        .where(
            Clarification.session_id == session_id,
            Clarification.answer.is_not(None),
            Clarification.delivered_at.is_(None),
        )
        .values(delivered_at=now)
        .returning(Clarification)
    )
    return sorted((await session.scalars(told)).all(), key=lambda row: row.id)


async def close_questions(session: AsyncSession, session_id: str, now: datetime) -> None:
    """Nobody waits for their answers any more."""
    await session.execute(
        update(Clarification)
        .where(Clarification.session_id == session_id, Clarification.answered_at.is_(None))
        .values(answered_at=now)
    )
