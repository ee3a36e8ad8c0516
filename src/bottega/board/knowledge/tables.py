"""Three tiers of memory: of a task, of a project, of all of them (decision 14).

Each is a kind of what `memory/` keeps in its one table, and has here the names that the board gives
to the columns. What memory cannot know is said here too: items go with their project or change.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import ForeignKeyConstraint, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, synonym

from bottega.board.changes.tables import of_change
from bottega.board.knowledge.schemas import BoardTier
from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base
from bottega.memory.stores import Importance
from bottega.memory.tables import MemoryItem

#: From this weight on an item is handed over.
HANDED_OVER_FROM = 7
START_WEIGHT = 5

for constraint in (
    ForeignKeyConstraint(["project_id"], ["projects.id"], ondelete="CASCADE"),
    ForeignKeyConstraint(["source_project"], ["projects.id"], ondelete="SET NULL"),
    of_change(),
):
    MemoryItem.metadata.tables[MemoryItem.__tablename__].append_constraint(constraint)


class BoardItem(MemoryItem):
    """An item of any tier; it belongs to everybody."""

    __mapper_args__ = {"polymorphic_abstract": True}  # noqa: RUF012
    tier: ClassVar[BoardTier]

    if TYPE_CHECKING:
        category: Mapped[str]

    def __init__(self, **values: Any) -> None:
        super().__init__(**{"scope": self.tier, **values})


class TaskMemory(BoardItem):
    """A line of what was tried for a change."""

    __mapper_args__ = {"polymorphic_identity": "task_memory"}  # noqa: RUF012
    store = "task_memory"
    tier = BoardTier.TASK

    if TYPE_CHECKING:
        project_id: Mapped[str]
        change_id: Mapped[str]


class SharedKnowledge(BoardItem):
    """What can be handed over, and so used: its weight says how well it has proven itself."""

    __mapper_args__ = {"polymorphic_abstract": True}  # noqa: RUF012

    if TYPE_CHECKING:
        key: Mapped[str]
        weight: Mapped[int]

    usage_count: Mapped[int] = synonym("use_count")

    def __init__(self, **values: Any) -> None:
        super().__init__(**{"weight": START_WEIGHT, **values})

    @property
    def rank(self) -> Importance:
        if self.weight >= HANDED_OVER_FROM:
            return Importance.HIGH
        return Importance.MEDIUM if self.weight >= START_WEIGHT else Importance.LOW

    def touch(self) -> None:
        self.updated_at = clock.now()
        self.version += 1


class ProjectMemory(SharedKnowledge):
    __mapper_args__ = {"polymorphic_identity": "project_memory"}  # noqa: RUF012
    store = "project_memory"
    tier = BoardTier.PROJECT

    if TYPE_CHECKING:
        project_id: Mapped[str]

    relevance: Mapped[int] = synonym("weight")
    last_used: Mapped[datetime | None] = synonym("last_used_at")


class GlobalKnowledge(SharedKnowledge):
    __mapper_args__ = {"polymorphic_identity": "global_knowledge"}  # noqa: RUF012
    store = "global_knowledge"
    tier = BoardTier.GLOBAL

    if TYPE_CHECKING:
        title: Mapped[str]
        success_rate: Mapped[int]

    confidence: Mapped[int] = synonym("weight")
    source_change: Mapped[str | None] = synonym("change_id")

    def __init__(self, **values: Any) -> None:
        super().__init__(**{"success_rate": 100, **values})

    @property
    def text(self) -> str:
        if self.content.startswith(self.title.rstrip("…")):
            return self.content
        return f"{self.title}\n{self.content}"

    @property
    def evidence_lines(self) -> Sequence[str]:
        return [*self.evidence, f"{self.success_rate} % of its uses helped"]


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
