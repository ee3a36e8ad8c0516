"""Stored values."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core.db.database import Base


class Value(Base):
    """A principle supported by a cluster of experiences."""

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
