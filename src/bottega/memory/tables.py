"""Semantic memories as rows. The rows are the truth; their vectors are derived from them."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.database import Base
from bottega.core.users import LOCAL_USER

UNINDEXED = text("version <> indexed_version")


class Memory(Base):
    __tablename__ = "memories"
    __table_args__ = (
        Index("ix_memories_user_created", "user_id", "created_at"),
        Index("ix_memories_unindexed", "id", sqlite_where=UNINDEXED, postgresql_where=UNINDEXED),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), default=LOCAL_USER
    )
    #: How far it reaches: `personal` or `project`.
    scope: Mapped[str]
    project: Mapped[str | None]
    #: The sitting it comes from; a memory outlives its session, so this is no foreign key.
    session_id: Mapped[str | None]
    content: Mapped[str]
    tags: Mapped[list[str]]
    importance: Mapped[str]
    #: What it rests on: `path:L12-L18 "quoted text"`, an address, a session.
    evidence: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
    updated_at: Mapped[datetime] = mapped_column(default=clock.now)
    last_used_at: Mapped[datetime | None]
    use_count: Mapped[int] = mapped_column(default=0)
    #: Set while it is forgotten and can still be restored.
    forgotten_at: Mapped[datetime | None]
    #: Counts the changes that its vector must follow.
    version: Mapped[int] = mapped_column(default=1)
    #: The version that the vector store reflects.
    indexed_version: Mapped[int] = mapped_column(default=0)

    @property
    def searchable(self) -> bool:
        return self.forgotten_at is None and self.indexed_version == self.version


class MemoryCounter(Base):
    """The next index of a session's memory ids; never goes back, so that no id comes twice."""

    __tablename__ = "memory_counters"

    session_id: Mapped[str] = mapped_column(primary_key=True)
    next_index: Mapped[int]
