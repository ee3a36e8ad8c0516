"""What sessions of the assistant have beside the house's own row, and what people decided."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base, Json


class AssistantSession(Base):
    """What a session of kind `assistant` has more than others."""

    __tablename__ = "assistant_sessions"
    __table_args__ = (
        Index("ix_assistant_sessions_user_class", "user_id", "class_id"),
        Index("ix_assistant_sessions_user_updated", "user_id", "updated_at"),
    )

    session_id: Mapped[str] = mapped_column(
        ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True
    )
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    plugin: Mapped[str]
    command: Mapped[str | None]
    #: The one that has the floor: another than at first after a handoff.
    agent: Mapped[str]
    class_id: Mapped[str | None]
    tasks: Mapped[list[dict[str, Any]]] = mapped_column(Json, default=list)
    #: The newest output, for the list and for the document view.
    artefact: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
    updated_at: Mapped[datetime] = mapped_column(default=clock.now, onupdate=clock.now)


class AssistantDecision(Base):
    """A person's answer at a gate: research data, and the record of who decided."""

    __tablename__ = "assistant_decisions"
    __table_args__ = (Index("ix_assistant_decisions_session", "session_id", "created_at"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"))
    run_id: Mapped[str | None]
    trace_id: Mapped[str | None]
    #: feedforward, confidence, reflection, adjudication, memory_capture, name_check, permission.
    kind: Mapped[str]
    #: The section, the proposal, the question that it is about.
    item: Mapped[str | None]
    decision: Mapped[str]
    text: Mapped[str | None]
    data: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
