"""A research session as every door shows it, and the facts it keeps in its row."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from bottega.core import clock
from bottega.core.conversations import Message
from bottega.core.permissions import PermissionMode
from bottega.core.sessions import Session


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


class Facts(BaseModel):
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


#: Facts that are shown, and mirrored, under their own names.
AS_THEY_ARE = {"library", "agent", "labels", "permission_mode", "archived_at"}


class SessionView(BaseModel):
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


def facts_of(row: Session) -> Facts:
    return Facts.model_validate(row.data)


def view_of(row: Session, message_count: int, spent: TokenUsage) -> SessionView:
    facts = facts_of(row)
    return SessionView(
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


def show_message(message: Message) -> MessageView:
    return MessageView.model_validate(message)
