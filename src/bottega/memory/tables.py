"""Everything that is remembered, in one table. The rows are the truth; what they are found by is
derived from them."""

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column, validates

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base
from bottega.memory.admission import fingerprint
from bottega.memory.stores import Importance

#: A task's own is a log that is read whole: it is not searched for.
UNINDEXED = text("version <> indexed_version AND scope <> 'task'")


def _unique(name: str, *columns: str, kind: str) -> Index:
    condition = text(f"kind = '{kind}'")
    return Index(name, *columns, unique=True, sqlite_where=condition, postgresql_where=condition)


class MemoryItem(Base):
    """What is remembered, of every kind: `memory`, and the board's `task_memory`, `project_memory`
    and `global_knowledge`. A kind is a class of its own; what a kind has no use for is empty."""

    __tablename__ = "memories"
    __table_args__ = (
        Index("ix_memories_user_created", "user_id", "created_at"),
        Index("ix_memories_fingerprint", "fingerprint"),
        Index("ix_memories_change", "project_id", "change_id", "created_at"),
        Index("ix_memories_weight", "kind", "weight"),
        Index("ix_memories_unindexed", "id", sqlite_where=UNINDEXED, postgresql_where=UNINDEXED),
        _unique("uq_memories_project_key", "project_id", "category", "key", kind="project_memory"),
        _unique("uq_memories_global_key", "key", kind="global_knowledge"),
    )
    __mapper_args__ = {"polymorphic_on": "kind", "polymorphic_abstract": True}  # noqa: RUF012

    #: The name that recall gives to the store it is from.
    store: ClassVar[str]

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    kind: Mapped[str]
    #: Whose it is; empty for what belongs to everybody.
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    #: How far it reaches: `personal`, `project`, `task` or `global`.
    scope: Mapped[str]
    #: A path, or a name.
    project: Mapped[str | None]
    #: The board's project and change that it belongs to and goes with.
    project_id: Mapped[str | None]
    change_id: Mapped[str | None]
    #: The board's project that it was first learned in.
    source_project: Mapped[str | None]
    #: The sitting it comes from; it outlives its session, so this is no foreign key.
    session_id: Mapped[str | None]
    category: Mapped[str | None]
    #: What it is known by.
    key: Mapped[str | None]
    title: Mapped[str | None]
    content: Mapped[str]
    #: Equal for equal texts.
    fingerprint: Mapped[str]
    tags: Mapped[list[str]] = mapped_column(default=list)
    importance: Mapped[str] = mapped_column(default=Importance.MEDIUM)
    #: 1 to 10: how well it has proven itself.
    weight: Mapped[int | None]
    #: Per cent of the uses that helped.
    success_rate: Mapped[int | None]
    #: What it rests on, a line each: `path:L12-L18 "quoted text"`, an address, a change.
    evidence: Mapped[list[str]] = mapped_column(default=list)
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
    updated_at: Mapped[datetime] = mapped_column(default=clock.now)
    last_used_at: Mapped[datetime | None]
    use_count: Mapped[int] = mapped_column(default=0)
    #: Set while it is forgotten and can still be restored.
    forgotten_at: Mapped[datetime | None]
    #: Counts the changes that the index must follow.
    version: Mapped[int] = mapped_column(default=1)
    #: The version that the index reflects.
    indexed_version: Mapped[int] = mapped_column(default=0)

    @validates("content")
    def _take_fingerprint(self, _: str, content: str) -> str:
        self.fingerprint = fingerprint(content)
        return content

    @property
    def text(self) -> str:
        """What it is found by, and recalled as."""
        return self.content

    @property
    def rank(self) -> Importance:
        return Importance(self.importance)

    @property
    def evidence_lines(self) -> Sequence[str]:
        """What it rests on, as recall shows it."""
        return self.evidence


class Memory(MemoryItem):
    """A fact that a person or an agent told."""

    __mapper_args__ = {"polymorphic_identity": "memory"}  # noqa: RUF012
    store = "memories"

    @property
    def searchable(self) -> bool:
        return self.forgotten_at is None and self.indexed_version == self.version


class MemoryCounter(Base):
    """The next index of a session's memory ids; never goes back, so that no id comes twice."""

    __tablename__ = "memory_counters"

    session_id: Mapped[str] = mapped_column(primary_key=True)
    next_index: Mapped[int]
