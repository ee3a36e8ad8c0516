"""Plans, their phases and hints, and the progress made in a phase.

Sessions are core's own (`core/sessions.py`, kind `coaching`): the specification's columns are there
(FR-014).
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base, Json


class Plan(Base):
    """FR-015."""

    __tablename__ = "plans"

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    session_id: Mapped[str] = mapped_column(
        ForeignKey("sessions.id", ondelete="CASCADE"), index=True
    )
    raw_plan_text: Mapped[str]
    memory_connection: Mapped[str | None]
    estimated_difficulty: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)


class Phase(Base):
    """FR-016."""

    __tablename__ = "phases"
    __table_args__ = (UniqueConstraint("plan_id", "number"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    plan_id: Mapped[str] = mapped_column(ForeignKey("plans.id", ondelete="CASCADE"))
    number: Mapped[int]
    title: Mapped[str]
    #: What the learner is told: what to do and why.
    description: Mapped[str]
    status: Mapped[str]
    hint_level: Mapped[str]
    expected_files: Mapped[list[str]] = mapped_column(Json)
    #: What the phase is a chance to learn.
    opportunities: Mapped[list[str]] = mapped_column(Json)
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]


class PhaseHint(Base):
    """FR-017."""

    __tablename__ = "phase_hints"

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    phase_id: Mapped[str] = mapped_column(ForeignKey("phases.id", ondelete="CASCADE"), index=True)
    type: Mapped[str]
    path: Mapped[str]
    start_line: Mapped[int | None]
    end_line: Mapped[int | None]
    style: Mapped[str]
    hover_text: Mapped[str | None]


class ProgressEvent(Base):
    """FR-021."""

    __tablename__ = "progress_events"
    __table_args__ = (Index("ix_progress_events_phase_created", "phase_id", "created_at"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    phase_id: Mapped[str] = mapped_column(ForeignKey("phases.id", ondelete="CASCADE"))
    event_type: Mapped[str]
    data: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
