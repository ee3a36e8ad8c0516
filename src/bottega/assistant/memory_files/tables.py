"""Memory files, and every event that happened to them."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base


class MemoryFile(Base):
    """A virtual markdown file: a person's own, or of one of their classes."""

    __tablename__ = "memory_files"
    __table_args__ = (
        # A NULL would make every row unique: the teacher's own files have an empty class.
        UniqueConstraint("user_id", "scope", "class_id", "path"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    #: `teacher` or `class`.
    scope: Mapped[str]
    class_id: Mapped[str] = mapped_column(default="")
    #: Within its scope: `MEMORY.md`, `planning-patterns.md`.
    path: Mapped[str]
    content: Mapped[str] = mapped_column(default="")
    #: From 0 to 1; safeguarding and needs of a class are high.
    importance: Mapped[float] = mapped_column(default=0.5)
    access_count: Mapped[int] = mapped_column(default=0)
    accessed_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
    updated_at: Mapped[datetime] = mapped_column(default=clock.now, onupdate=clock.now)


class MemoryEvent(Base):
    """Every read and write of a memory file, and every proposal, with where it came from."""

    __tablename__ = "memory_events"
    __table_args__ = (
        Index("ix_memory_events_trace", "trace_id"),
        Index("ix_memory_events_session", "session_id"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    trace_id: Mapped[str | None]
    session_id: Mapped[str | None] = mapped_column(ForeignKey("sessions.id", ondelete="SET NULL"))
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    memory_file_id: Mapped[str | None] = mapped_column(
        ForeignKey("memory_files.id", ondelete="SET NULL")
    )
    #: read, write, capture_proposed, capture_confirmed, capture_edited, capture_dismissed,
    #: promotion_proposed.
    event_type: Mapped[str]
    proposed_text: Mapped[str | None]
    final_text: Mapped[str | None]
    scope: Mapped[str]
    class_id: Mapped[str | None]
    path: Mapped[str]
    #: Who: the agent's name, the hook's, or `person`.
    actor: Mapped[str] = mapped_column(default="agent")
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
