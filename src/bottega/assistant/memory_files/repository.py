"""The queries of memory files and of what happened to them."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from bottega.assistant.memory_files.paths import MemoryPath, NoteScope
from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base
from bottega.core.users import User


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


async def take_turns(session: AsyncSession, user_id: str) -> None:
    """Whoever writes to the same person's files waits here, so that no note gets lost."""
    await session.execute(select(User.id).where(User.id == user_id).with_for_update())


async def settle(session: AsyncSession, user_id: str, path: MemoryPath) -> MemoryPath:
    """The same path, with its class spelt as it was first: `3b` is `3B`."""
    if not path.class_id:
        return path
    query = (
        select(MemoryFile.class_id)
        .where(MemoryFile.user_id == user_id, MemoryFile.scope == NoteScope.CLASS)
        .where(func.lower(MemoryFile.class_id) == path.class_id.lower())
        .order_by(MemoryFile.created_at)
        .limit(1)
    )
    return MemoryPath(await session.scalar(query) or path.class_id, path.name)


async def find(session: AsyncSession, user_id: str, path: MemoryPath) -> MemoryFile | None:
    query = select(MemoryFile).where(
        MemoryFile.user_id == user_id,
        MemoryFile.scope == path.scope,
        MemoryFile.class_id == path.class_id,
        MemoryFile.path == path.name,
    )
    return await session.scalar(query)


async def files_of(session: AsyncSession, user_id: str) -> Sequence[MemoryFile]:
    """The person's own first, then class by class; each index before its topics."""
    query = select(MemoryFile).where(MemoryFile.user_id == user_id)
    rows = (await session.scalars(query)).all()
    return sorted(rows, key=lambda row: (row.class_id, row.path != "MEMORY.md", row.path))


async def count_files(session: AsyncSession, user_id: str) -> int:
    query = select(func.count()).where(MemoryFile.user_id == user_id)
    return await session.scalar(query) or 0


async def count_uses(session: AsyncSession, times: Mapping[str, int], at: datetime) -> None:
    for file_id, more in times.items():
        await session.execute(
            update(MemoryFile)
            .where(MemoryFile.id == file_id)
            # Being read changes nothing: `updated_at` stays.
            .values(
                access_count=MemoryFile.access_count + more,
                accessed_at=at,
                updated_at=MemoryFile.updated_at,
            )
        )


async def events_of(
    session: AsyncSession,
    user_id: str,
    *,
    session_id: str | None = None,
    types: Sequence[str] = (),
    limit: int | None = None,
) -> Sequence[MemoryEvent]:
    """In the order in which they happened."""
    query = select(MemoryEvent).where(MemoryEvent.user_id == user_id)
    if session_id is not None:
        query = query.where(MemoryEvent.session_id == session_id)
    if types:
        query = query.where(MemoryEvent.event_type.in_(types))
    newest_first = query.order_by(MemoryEvent.created_at.desc(), MemoryEvent.id.desc())
    return (await session.scalars(newest_first.limit(limit))).all()[::-1]
