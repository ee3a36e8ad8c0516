"""What the coach keeps: plans and their phases, and what a learner can do and cannot do yet.

Its sessions are the house's own (`core/sessions.py`, kind `coaching`); the spec's `sessions`
columns are there (FR-014).
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.database import Base, Json
from bottega.core.ids import new_id
from bottega.core.users import LOCAL_USER


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


class DreyfusAssessment(Base):
    """FR-018; one for each of a user's skills."""

    __tablename__ = "dreyfus_assessments"
    __table_args__ = (UniqueConstraint("user_id", "skill_area"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), default=LOCAL_USER
    )
    skill_area: Mapped[str]
    stage: Mapped[str]
    confidence: Mapped[float]
    evidence: Mapped[str]
    #: How coaching should meet it.
    recommendation: Mapped[str]
    assessed_at: Mapped[datetime] = mapped_column(default=clock.now)


class KnowledgeGap(Base):
    """FR-019. The session is the one that first showed it."""

    __tablename__ = "knowledge_gaps"
    __table_args__ = (Index("ix_knowledge_gaps_user_addressed", "user_id", "addressed"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    session_id: Mapped[str] = mapped_column(
        ForeignKey("sessions.id", ondelete="CASCADE"), index=True
    )
    user_id: Mapped[str] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), default=LOCAL_USER
    )
    topic: Mapped[str]
    severity: Mapped[str]
    evidence: Mapped[str]
    related_concepts: Mapped[list[str]] = mapped_column(Json)
    #: In how many sessions it was met.
    frequency: Mapped[int] = mapped_column(default=1)
    last_encountered_at: Mapped[datetime] = mapped_column(default=clock.now)
    addressed: Mapped[bool] = mapped_column(default=False)


class KataSpec(Base):
    """FR-020."""

    __tablename__ = "kata_specs"

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    knowledge_gap_id: Mapped[str] = mapped_column(
        ForeignKey("knowledge_gaps.id", ondelete="CASCADE"), index=True
    )
    title: Mapped[str]
    description: Mapped[str]
    scaffolding_code: Mapped[str]
    #: For the reviewer; the learner never sees them.
    instructor_notes: Mapped[str]
    #: Python snippets with asserts, run against a solution.
    test_cases: Mapped[list[str]] = mapped_column(Json)
    #: `[{title, description, minLevel, check?}]`
    constraints: Mapped[list[dict[str, Any]]] = mapped_column(Json)
    #: `[{code, review, level, passed, constraints}]`, oldest first
    user_attempts: Mapped[list[dict[str, Any]]] = mapped_column(Json, default=list)
    #: The catalogue's kata that it is, if it is one of those.
    slug: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
