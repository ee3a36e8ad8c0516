"""What agents do, and what they ask.

Agents' sessions are the house's own (`core/sessions/`, kind `agent`); `seen_at` is the heartbeat.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base, Json


class HookEvent(Base):
    """One event of an agent's hooks, as it was sent."""

    __tablename__ = "hooks"
    __table_args__ = (Index("ix_hooks_session", "session_id", "number"),)

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"))
    #: SessionStart, PreToolUse, PostToolUse, Stop, …
    event: Mapped[str]
    tool_name: Mapped[str | None]
    tool_use_id: Mapped[str | None]
    success: Mapped[bool | None]
    duration_ms: Mapped[int | None]
    #: What else the hook said, cut to a bound.
    payload: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime] = mapped_column(default=clock.now)


class AgentActivity(Base):
    """The sums over a session's hook events, kept as they come: a million are not counted again."""

    __tablename__ = "agent_activity"

    session_id: Mapped[str] = mapped_column(
        ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True
    )
    current_tool: Mapped[str | None]
    tool_started_at: Mapped[datetime | None]
    last_activity_at: Mapped[datetime] = mapped_column(default=clock.now, index=True)
    events: Mapped[int] = mapped_column(default=0)
    total_tools: Mapped[int] = mapped_column(default=0)
    succeeded: Mapped[int] = mapped_column(default=0)
    failed: Mapped[int] = mapped_column(default=0)
    timed: Mapped[int] = mapped_column(default=0)
    total_duration_ms: Mapped[int] = mapped_column(default=0)


class Clarification(Base):
    """A question of an agent's, and a person's answer."""

    __tablename__ = "clarifications"
    __table_args__ = (Index("ix_clarifications_session", "session_id", "answered_at"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"))
    project_id: Mapped[str | None] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    change_id: Mapped[str | None]
    question: Mapped[str]
    options: Mapped[list[str]] = mapped_column(Json, default=list)
    #: The agent waits for the answer.
    blocking: Mapped[bool] = mapped_column(default=True)
    answer: Mapped[str | None]
    answered_by: Mapped[str | None]
    #: Told to the agent.
    delivered_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
    answered_at: Mapped[datetime | None]
