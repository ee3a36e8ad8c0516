"""What the research room keeps beside sessions, messages and runs: the affairs of agents that come
from outside, and what they asked people."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base, Json


class StageGateRow(Base):
    """How far an agent from outside is in its stages: a list of events and nothing else."""

    __tablename__ = "research_stage_gates"

    session_id: Mapped[str] = mapped_column(
        ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True
    )
    agent: Mapped[str] = mapped_column(primary_key=True)
    #: Grows with every change: of two changes made from the same one, the second is refused.
    version: Mapped[int] = mapped_column()
    events: Mapped[list[Any]] = mapped_column(Json, default=list)
    updated_at: Mapped[datetime] = mapped_column(default=clock.now, onupdate=clock.now)

    __mapper_args__ = {"version_id_col": version}  # noqa: RUF012 - SQLAlchemy reads it as declared


class AgentNote(Base):
    """A value that an agent keeps from one turn to the next."""

    __tablename__ = "research_agent_state"

    session_id: Mapped[str] = mapped_column(
        ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True
    )
    agent: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    # Whatever JSON the agent sent.
    value: Mapped[Any] = mapped_column(Json)
    updated_at: Mapped[datetime] = mapped_column(default=clock.now, onupdate=clock.now)


class PersonRequest(Base):
    """What an agent asked a person for, and how that was answered. Never a credential itself."""

    __tablename__ = "research_requests"
    __table_args__ = (Index("ix_research_requests_session", "session_id", "status"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"))
    #: credential, plan or pause
    kind: Mapped[str]
    status: Mapped[str]
    #: What the person is shown.
    asked: Mapped[dict[str, Any]]
    #: What the agent is told of the answer.
    answer: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
    answered_at: Mapped[datetime | None]
