"""A research session as every door shows it, the facts it keeps in its row, and the queries; never
commits.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict
from sqlalchemy import ColumnElement, Select, Text, cast, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core import clock
from bottega.core.db import fulltext
from bottega.core.llm.ledger import ApiCall
from bottega.core.runs.run import RunRow, RunStatus
from bottega.core.sessions.conversations import Message
from bottega.core.sessions.session import Session, SessionKind, find
from bottega.core.trust.permissions import PermissionMode
from bottega.errors import NotFound

#: Facts that are shown, and mirrored, under their own names.
AS_THEY_ARE = {"library", "agent", "labels", "permission_mode", "archived_at"}


class TokenUsage(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, json_schema_serialization_defaults_required=True
    )

    input: int = 0
    output: int = 0
    #: US dollars.
    cost: float = 0.0

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(
            input=self.input + other.input,
            output=self.output + other.output,
            cost=self.cost + other.cost,
        )


class Binding(BaseModel):
    """The conversation of another program that a session goes on with."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    session_id: str
    #: Where that program ran: its transcripts are found by it.
    cwd: str


class SessionFacts(BaseModel):
    """`sessions.data` of a research session. What others keep there stays as it is."""

    model_config = ConfigDict(extra="allow", frozen=True)

    library: str | None = None
    agent: str | None = None
    permission_mode: PermissionMode = PermissionMode.ASK
    workflow_status: str = "todo"
    labels: list[str] = []
    archived_at: datetime | None = None
    #: What was spent elsewhere, before it was imported.
    token_usage: TokenUsage = TokenUsage()
    binding: Binding | None = None

    @property
    def others(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class ResearchSessionView(BaseModel):
    model_config = ConfigDict(frozen=True)

    id: str
    title: str | None
    library: str | None
    agent: str | None
    #: Of the workflow: `todo`, `done` …
    status: str
    labels: list[str]
    permission_mode: PermissionMode
    archived_at: datetime | None
    message_count: int
    token_usage: TokenUsage
    created_at: datetime
    seen_at: datetime


class MessageView(BaseModel):
    model_config = ConfigDict(from_attributes=True, frozen=True)

    id: str
    position: int
    role: str
    content: dict[str, Any]
    text: str
    created_at: datetime


def facts_of(row: Session) -> SessionFacts:
    return SessionFacts.model_validate(row.data)


def view_of(row: Session, message_count: int, spent: TokenUsage) -> ResearchSessionView:
    facts = facts_of(row)
    return ResearchSessionView(
        id=row.id,
        title=row.title,
        status=facts.workflow_status,
        message_count=message_count,
        token_usage=facts.token_usage + spent,
        created_at=row.started_at,
        seen_at=row.seen_at,
        **facts.model_dump(include=AS_THEY_ARE),
    )


def moment(value: datetime | None) -> str | None:
    """A moment as `sessions.data` keeps it."""
    return None if value is None else clock.iso(value)


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
