"""Three tiers of memory: of a task, of a project, of all of them (decision 14)."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from bottega.board.tables.changes import of_change
from bottega.core import clock
from bottega.core.database import Base, Json
from bottega.core.ids import new_id


class GlobalKnowledge(Base):
    __tablename__ = "global_knowledge"
    __table_args__ = (
        Index("ix_global_knowledge_injected", "confidence", "success_rate", "usage_count"),
        Index("ix_global_knowledge_category", "category"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    category: Mapped[str]
    key: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    content: Mapped[str]
    tags: Mapped[list[str]] = mapped_column(Json, default=list)
    source_project: Mapped[str | None] = mapped_column(
        ForeignKey("projects.id", ondelete="SET NULL")
    )
    source_change: Mapped[str | None]
    #: What it rests on, one line each.
    evidence: Mapped[list[str]] = mapped_column(Json, default=list)
    #: 1 to 10.
    confidence: Mapped[int] = mapped_column(default=5)
    usage_count: Mapped[int] = mapped_column(default=0)
    #: Per cent of the uses that helped.
    success_rate: Mapped[int] = mapped_column(default=100)
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
    updated_at: Mapped[datetime] = mapped_column(default=clock.now)


class ProjectMemory(Base):
    __tablename__ = "project_memory"
    __table_args__ = (
        UniqueConstraint("project_id", "category", "key"),
        Index("ix_project_memory_relevance", "project_id", "relevance"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    category: Mapped[str]
    key: Mapped[str]
    content: Mapped[str]
    evidence: Mapped[list[str]] = mapped_column(Json, default=list)
    #: 1 to 10.
    relevance: Mapped[int] = mapped_column(default=5)
    usage_count: Mapped[int] = mapped_column(default=0)
    last_used: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
    updated_at: Mapped[datetime] = mapped_column(default=clock.now)


class TaskMemory(Base):
    __tablename__ = "task_memory"
    __table_args__ = (
        of_change(),
        Index("ix_task_memory_change", "project_id", "change_id", "created_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[str]
    change_id: Mapped[str]
    session_id: Mapped[str | None] = mapped_column(ForeignKey("sessions.id", ondelete="SET NULL"))
    category: Mapped[str]
    content: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)


class KnowledgeUse(Base):
    """That something remembered was handed over with a change, and how that change went."""

    __tablename__ = "knowledge_uses"
    __table_args__ = (
        UniqueConstraint("tier", "item_id", "project_id", "change_id"),
        of_change(),
        Index("ix_knowledge_uses_change", "project_id", "change_id"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    #: global or project
    tier: Mapped[str]
    item_id: Mapped[str]
    project_id: Mapped[str]
    change_id: Mapped[str]
    #: Whether it helped; unknown until the change is applied, or fails.
    helped: Mapped[bool | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
