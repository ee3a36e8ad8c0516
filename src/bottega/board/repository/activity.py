"""Hook events and their sums, in queries."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, case, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes.lifecycle import LEASED
from bottega.board.enums import ChangeStatus
from bottega.board.hooks.event import TOOL_ENDS
from bottega.board.tables import AgentActivity, Change, HookEvent
from bottega.core.sessions import LIVE, Session, SessionKind, SessionStatus

#: How far back the beginning of a call that ends now is looked for.
RECENT = 200


async def last_of_client(
    session: AsyncSession, client_session_id: str, user_id: str
) -> Session | None:
    """The newest session, at work or over, that a client knows by an id of its own."""
    query = (
        select(Session)
        .where(Session.user_id == user_id, Session.kind == SessionKind.AGENT)
        .where(Session.data["client_session_id"].as_string() == client_session_id)
        .order_by(Session.started_at.desc())
        .limit(1)
    )
    return await session.scalar(query)


async def see(session: AsyncSession, session_ids: Collection[str], at: datetime) -> set[str]:
    """Signs of life. Returns the sessions that exist; those that are over stay over."""
    await session.execute(
        update(Session)
        .where(Session.id.in_(session_ids), Session.status.in_(LIVE))
        .values(seen_at=at, status=SessionStatus.ACTIVE)
    )
    return set(await session.scalars(select(Session.id).where(Session.id.in_(session_ids))))


async def sums_of(session: AsyncSession, session_ids: Collection[str]) -> dict[str, AgentActivity]:
    """Held; made where there are none."""
    query = (
        select(AgentActivity)
        .where(AgentActivity.session_id.in_(session_ids))
        .order_by(AgentActivity.session_id)
        .with_for_update()
    )
    rows = {row.session_id: row for row in await session.scalars(query)}
    for session_id in set(session_ids) - rows.keys():
        rows[session_id] = AgentActivity(
            session_id=session_id,
            events=0,
            total_tools=0,
            succeeded=0,
            failed=0,
            timed=0,
            total_duration_ms=0,
        )
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
    def total(column: Any) -> Any:
        return func.coalesce(func.sum(column), 0)

    query = select(
        func.count().label("sessions"),
        total(AgentActivity.events).label("events"),
        total(AgentActivity.total_tools).label("total_tools"),
        total(AgentActivity.succeeded).label("succeeded"),
        total(AgentActivity.failed).label("failed"),
        total(AgentActivity.timed).label("timed"),
        total(AgentActivity.total_duration_ms).label("total_duration_ms"),
    ).join(Session, Session.id == AgentActivity.session_id)
    if user_id is not None:
        query = query.where(Session.user_id == user_id)
    if session_id is not None:
        query = query.where(Session.id == session_id)
    return (await session.execute(query)).one()


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
    """Without being seen: it is not the agent that asks."""
    return await session.get(Session, session_id, with_for_update=True)
