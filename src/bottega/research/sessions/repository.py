"""The queries of research sessions; never commits."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, Text, cast, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core import fulltext
from bottega.core.conversations import Message
from bottega.core.llm.ledger import ApiCall
from bottega.core.runs.run import RunStatus
from bottega.core.runs.tables import RunRow
from bottega.core.sessions import Session, SessionKind, find
from bottega.errors import NotFound
from bottega.research.sessions.views import TokenUsage


@dataclass(frozen=True, slots=True)
class Filters:
    status: str | None = None
    label: str | None = None
    #: `None` takes both.
    archived: bool | None = False
    #: Words that stand in the title, or together in a message.
    text: str | None = None


async def get(session: AsyncSession, session_id: str, user_id: str | None) -> Session:
    row = await find(session, session_id, user_id)
    if row.kind != SessionKind.RESEARCH:
        raise NotFound(f"There is no research session {session_id!r}.")
    return row


async def listed(
    session: AsyncSession,
    dialect: str,
    user_id: str | None,
    filters: Filters,
    *,
    limit: int,
    offset: int,
) -> Sequence[Session]:
    """The last used first."""
    query = _matching(dialect, user_id, filters)
    newest = query.order_by(Session.seen_at.desc(), Session.id.desc())
    return (await session.scalars(newest.limit(limit).offset(offset))).all()


async def messages(session: AsyncSession, session_id: str) -> Sequence[Message]:
    query = select(Message).where(Message.session_id == session_id).order_by(Message.position)
    return (await session.scalars(query)).all()


async def message_counts(session: AsyncSession, ids: Collection[str]) -> dict[str, int]:
    query = (
        select(Message.session_id, func.count())
        .where(Message.session_id.in_(ids))
        .group_by(Message.session_id)
    )
    return {row[0]: row[1] for row in await session.execute(query)}


async def spendings(session: AsyncSession, ids: Collection[str]) -> dict[str, TokenUsage]:
    query = (
        select(
            ApiCall.session_id,
            func.sum(ApiCall.input_tokens),
            func.sum(ApiCall.output_tokens),
            func.sum(ApiCall.cost_estimate),
        )
        .where(ApiCall.session_id.in_(ids))
        .group_by(ApiCall.session_id)
    )
    return {
        str(session_id): TokenUsage(input=read, output=written, cost=cost)
        for session_id, read, written, cost in await session.execute(query)
    }


async def page(session: AsyncSession, *, limit: int, offset: int) -> Sequence[Session]:
    """Of everybody's, in the order in which they were begun."""
    query = select(Session).where(Session.kind == SessionKind.RESEARCH).order_by(Session.id)
    return (await session.scalars(query.limit(limit).offset(offset))).all()


async def unfinished_run(session: AsyncSession, session_id: str) -> str | None:
    """The id of a run of this session that has not ended."""
    query = select(RunRow.id).where(
        RunRow.session_id == session_id,
        RunRow.status.in_([status for status in RunStatus if not status.is_final]),
    )
    return (await session.scalars(query.limit(1))).first()


def _matching(dialect: str, user_id: str | None, filters: Filters) -> Select[Session]:
    query = select(Session).where(Session.kind == SessionKind.RESEARCH)
    if user_id is not None:
        query = query.where(Session.user_id == user_id)
    if filters.status is not None:
        query = query.where(Session.data["workflow_status"].as_string() == filters.status)
    if filters.label is not None:
        # Labels are slugs: no quote or wildcard stands in one.
        named = cast(Session.data["labels"], Text)
        query = query.where(named.contains(f'"{filters.label}"', autoescape=True))
    if filters.archived is not None:
        archived_at = Session.data["archived_at"].as_string()
        query = query.where(archived_at.is_not(None) if filters.archived else archived_at.is_(None))
    if filters.text is not None and filters.text.strip():
        query = query.where(_mentions(dialect, filters.text.strip()))
    return query


def _mentions(dialect: str, text: str) -> ColumnElement[bool]:
    in_title = Session.title.icontains(text, autoescape=True)
    if not fulltext.words(text):
        return or_(in_title)
    said = select(Message.session_id).where(fulltext.contains(dialect, Message.seq, text))
    return or_(in_title, Session.id.in_(said))
