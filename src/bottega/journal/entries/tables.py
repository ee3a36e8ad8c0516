"""Resolved entries as rows. Vectors and search texts are derived from them."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core.db.database import Base


class Experience(Base):
    """A resolved entry."""

    __tablename__ = "journal_experiences"
    __table_args__ = (
        Index("ix_journal_experiences_created", "user_id", "project", "created_at"),
        Index("ix_journal_experiences_updated", "user_id", "project", "updated_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    project: Mapped[str]
    #: The agent's own name for its sitting, which need not be a session of ours.
    session_id: Mapped[str | None]
    domain: Mapped[str]
    strategy: Mapped[str]
    goal: Mapped[str]
    hypothesis: Mapped[str]
    action: Mapped[str]
    prediction: Mapped[str]
    confidence: Mapped[float | None]
    outcome_status: Mapped[str]
    outcome_result: Mapped[str]
    surprise: Mapped[str | None]
    root_cause: Mapped[dict[str, Any] | None]
    lesson: Mapped[dict[str, Any] | None]
    confidence_tier: Mapped[str]
    iteration_count: Mapped[int]
    history: Mapped[list[Any]]
    evidence: Mapped[list[Any]]
    created_at: Mapped[datetime]
    resolved_at: Mapped[datetime]
    #: When the row was last written, by any process: clusters are as old as the newest of these.
    updated_at: Mapped[datetime]
