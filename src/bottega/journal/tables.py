"""Experiences, values and what was made of them. Rows are the truth; vectors follow from them."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core.database import Base
from bottega.core.ids import new_id


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


class Value(Base):
    """A principle that a cluster of experiences bears out."""

    __tablename__ = "journal_values"
    __table_args__ = (Index("ix_journal_values_owner", "user_id", "project", "axis"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    project: Mapped[str]
    text: Mapped[str]
    axis: Mapped[str]
    cluster_id: Mapped[str]
    cluster_size: Mapped[int]
    similarity_to_centroid: Mapped[float]
    #: The experiences nearest to it among the cluster's: what it rests on.
    evidence: Mapped[list[str]]
    created_at: Mapped[datetime]


class ClusterSnapshot(Base):
    """The last clustering of an axis, so that labels outlive a restart."""

    __tablename__ = "journal_clusters"

    user_id: Mapped[str] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True
    )
    project: Mapped[str] = mapped_column(primary_key=True)
    axis: Mapped[str] = mapped_column(primary_key=True)
    #: What the data were when it was made.
    fingerprint: Mapped[str]
    #: The ids of each label's members.
    members: Mapped[dict[str, Any]]
    #: A label is never used for another cluster, since values name it.
    next_label: Mapped[int]


class Showing(Base):
    """An experience or value that was put before somebody."""

    __tablename__ = "journal_showings"
    __table_args__ = (Index("ix_journal_showings_item", "item_id", "shown_at"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    item_id: Mapped[str]
    #: To whom and on which question; recall keeps both to itself.
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    query: Mapped[str | None]
    session_id: Mapped[str | None]
    shown_at: Mapped[datetime]
