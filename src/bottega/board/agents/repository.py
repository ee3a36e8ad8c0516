"""Queries on agents' sessions, their questions, their hook events and the sums over these."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, Update, case, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.agents.hook_events import TOOL_ENDS
from bottega.board.agents.tables import AgentActivity, Clarification, HookEvent
from bottega.board.changes.states import LEASED, ChangeStatus
from bottega.board.changes.tables import Change
from bottega.core.sessions.session import LIVE, Session, SessionKind, SessionStatus


async def session_of_client(
    session: AsyncSession, client_session_id: str, user_id: str
) -> Session | None:
    """The live agent session that a client knows by an id of its own."""
    live = _of_client(client_session_id, user_id).where(Session.status.in_(sorted(LIVE)))
    return await session.scalar(live.order_by(Session.started_at).limit(1))


async def last_of_client(
    session: AsyncSession, client_session_id: str, user_id: str
) -> Session | None:
    """The newest of that client's sessions, at work or over."""
    newest = _of_client(client_session_id, user_id).order_by(Session.started_at.desc())
    return await session.scalar(newest.limit(1))


def _of_client(client_session_id: str, user_id: str) -> Select[Session]:
    return select(Session).where(
        Session.user_id == user_id,
        Session.kind == SessionKind.AGENT,
        Session.data["client_session_id"].as_string() == client_session_id,
    )


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
    """Mark the session's new answers as delivered, and return them."""
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
    """Close the session's open questions."""
    await session.execute(
        update(Clarification)
        .where(Clarification.session_id == session_id, Clarification.answered_at.is_(None))
        .values(answered_at=now)
    )


#: How far back the beginning of a call that ends now is looked for.
RECENT = 200


async def see(session: AsyncSession, session_ids: Collection[str], at: datetime) -> set[str]:
    """Count a heartbeat of these sessions, unless they ended. Returns those that exist."""
    await session.execute(
        update(Session)
        .where(Session.id.in_(session_ids), Session.status.in_(LIVE))
        .values(seen_at=at, status=SessionStatus.ACTIVE)
    )
    return set(await session.scalars(select(Session.id).where(Session.id.in_(session_ids))))


#: What a column's default would say only when it is written.
_SUMS = ("events", "total_tools", "succeeded", "failed", "timed", "total_duration_ms")


async def sums_of(session: AsyncSession, session_ids: Collection[str]) -> dict[str, AgentActivity]:
    """The sums of these sessions, locked; created where there are none."""
    query = (
        select(AgentActivity)
        .where(AgentActivity.session_id.in_(session_ids))
        .order_by(AgentActivity.session_id)
        .with_for_update()
    )
    rows = {row.session_id: row for row in await session.scalars(query)}
    for session_id in set(session_ids) - rows.keys():
        rows[session_id] = AgentActivity(session_id=session_id, **dict.fromkeys(_SUMS, 0))
        session.add(rows[session_id])
    return rows


async def recent_calls(
    session: AsyncSession, session_id: str
) -> Sequence[Row[str, str | None, str | None, datetime]]:
    """What began and ended lately, the oldest first."""
    newest = (
        select(HookEvent.event, HookEvent.tool_name, HookEvent.tool_use_id, HookEvent.created_at)
        .where(HookEvent.session_id == session_id)
        .order_by(HookEvent.number.desc())
        .limit(RECENT)
    )
    return list(reversed((await session.execute(newest)).all()))


async def add(session: AsyncSession, rows: Sequence[dict[str, Any]]) -> None:
    await session.execute(insert(HookEvent), list(rows))


async def agents(
    session: AsyncSession, user_id: str | None, *, session_id: str | None = None, limit: int = 500
) -> Sequence[Row[Session, AgentActivity, Change]]:
    """Agents at work (or the one asked for) with their sums and their change, the liveliest first.

    What the specification's SQL counts over all hook events is read from the sums.
    """
    query = (
        select(Session, AgentActivity, Change)
        .outerjoin(AgentActivity, AgentActivity.session_id == Session.id)
        .outerjoin(Change, (Change.assigned_session_id == Session.id) & Change.status.in_(LEASED))
        .where(Session.kind == SessionKind.AGENT)
        .order_by(
            func.coalesce(AgentActivity.last_activity_at, Session.started_at).desc(), Session.id
        )
        .limit(limit)
    )
    if user_id is not None:
        query = query.where(Session.user_id == user_id)
    if session_id is not None:
        query = query.where(Session.id == session_id)
    else:
        query = query.where(Session.status == SessionStatus.ACTIVE)
    return (await session.execute(query)).all()


async def about_to_begin(session: AsyncSession, session_ids: Collection[str]) -> set[str]:
    """Of these, who was given work and has not begun it."""
    query = select(Change.assigned_session_id).where(
        Change.assigned_session_id.in_(session_ids), Change.status == ChangeStatus.ASSIGNED
    )
    return {holder for holder in await session.scalars(query) if holder is not None}


async def timeline(
    session: AsyncSession, session_id: str, before: int | None, limit: int
) -> Sequence[HookEvent]:
    """The newest first."""
    query = select(HookEvent).where(HookEvent.session_id == session_id)
    if before is not None:
        query = query.where(HookEvent.number < before)
    return (await session.scalars(query.order_by(HookEvent.number.desc()).limit(limit))).all()


async def by_tool(session: AsyncSession, session_id: str) -> Sequence[Row[Any]]:
    """Of one session: each tool with its calls, failures and mean duration."""
    ended = HookEvent.event.in_(TOOL_ENDS)
    query = (
        select(
            HookEvent.tool_name,
            func.count().label("calls"),
            func.sum(case((HookEvent.success.is_(False), 1), else_=0)).label("failed"),
            func.avg(HookEvent.duration_ms).label("average_ms"),
        )
        .where(HookEvent.session_id == session_id, ended, HookEvent.tool_name.is_not(None))
        .group_by(HookEvent.tool_name)
        .order_by(func.count().desc(), HookEvent.tool_name)
    )
    return (await session.execute(query)).all()


async def totals(session: AsyncSession, user_id: str | None, session_id: str | None) -> Row[Any]:
    sums = (func.coalesce(func.sum(getattr(AgentActivity, s)), 0).label(s) for s in _SUMS)
    query: Select[*tuple[Any, ...]] = select(func.count().label("sessions"), *sums).join(
        Session, Session.id == AgentActivity.session_id
    )
    if user_id is not None:
        query = query.where(Session.user_id == user_id)
    if session_id is not None:
        query = query.where(Session.id == session_id)
    found: Row[Any] = (await session.execute(query)).one()
    return found


async def silent_since(session: AsyncSession, moment: datetime) -> Sequence[tuple[str, datetime]]:
    """Agents at work of whom nothing was heard since then, with when it was last."""
    last = func.coalesce(AgentActivity.last_activity_at, Session.started_at)
    query = (
        select(Session.id, last.label("last"))
        .outerjoin(AgentActivity, AgentActivity.session_id == Session.id)
        .where(Session.kind == SessionKind.AGENT, Session.status == SessionStatus.ACTIVE)
        .where(last < moment)
        .order_by(Session.id)
    )
    return [(row[0], row[1]) for row in await session.execute(query)]


async def hold(session: AsyncSession, session_id: str) -> Session | None:
    """Lock the session without counting that as a heartbeat."""
    return await session.get(Session, session_id, with_for_update=True)


def follow_rename(change: Change, new_id: str) -> Iterator[Update]:
    """Questions about a renamed change are about the renamed one."""
    of_this = Clarification.project_id == change.project_id, Clarification.change_id == change.id
    yield update(Clarification).where(*of_this).values(change_id=new_id)
