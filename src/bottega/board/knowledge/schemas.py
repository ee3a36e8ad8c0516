"""Knowledge as it comes in and goes out: one shape for each tier."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from bottega.board.changes.agent_types import AgentType
from bottega.core.operations import Count, Instant
from bottega.memory.admission import Admission
from bottega.memory.schemas import Content, Tags, Text

#: Tokens of what is handed over with a change.
DEFAULT_BUDGET = 4_000
#: Characters of a key.
LONGEST_KEY = 80


class BoardTier(StrEnum):
    """How far something remembered reaches."""

    TASK = "task"
    PROJECT = "project"
    GLOBAL = "global"


class GlobalCategory(StrEnum):
    PATTERN = "pattern"
    LESSON = "lesson"
    CONVENTION = "convention"
    SOLUTION = "solution"
    ANTI_PATTERN = "anti_pattern"


class ProjectCategory(StrEnum):
    ARCHITECTURE = "architecture"
    NAMING = "naming"
    BUSINESS_LOGIC = "business_logic"
    FILE_STRUCTURE = "file_structure"
    DEPENDENCIES = "dependencies"


class TaskCategory(StrEnum):
    DECISION = "decision"
    CHALLENGE = "challenge"
    SOLUTION = "solution"
    FILE_CHANGE = "file_change"
    TEST_RESULT = "test_result"


CATEGORIES: dict[BoardTier, type[TaskCategory | ProjectCategory | GlobalCategory]] = {
    BoardTier.TASK: TaskCategory,
    BoardTier.PROJECT: ProjectCategory,
    BoardTier.GLOBAL: GlobalCategory,
}


Key = Annotated[str, StringConstraints(pattern=r"^[\w][\w .:/-]*$", max_length=LONGEST_KEY)]
Title = Annotated[Text, Field(min_length=1, max_length=200)]
#: 1 to 10.
Weight = Annotated[int, Field(ge=1, le=10)]
Id = Annotated[Text, Field(min_length=1, max_length=200)]


class NewKnowledge(BaseModel):
    """Something learned. A task's needs its change, a project's its project."""

    model_config = ConfigDict(extra="forbid")

    tier: BoardTier
    category: Annotated[str, Field(max_length=40)]
    content: Content
    #: What it is known by; made of its first words where there is none.
    key: Key | None = None
    title: Title | None = None
    tags: Tags = []
    project_id: Id | None = None
    change_id: Id | None = None
    session_id: Id | None = None
    #: Of a project's memory only.
    relevance: Weight | None = None


class KnowledgeEdit(BaseModel):
    """What is left out stays as it is."""

    model_config = ConfigDict(extra="forbid")

    category: Annotated[str, Field(max_length=40)] | None = None
    content: Content | None = None
    title: Title | None = None
    tags: Tags | None = None
    relevance: Weight | None = None
    confidence: Weight | None = None


class TaskItem(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    tier: Literal[BoardTier.TASK] = BoardTier.TASK
    id: Id
    project_id: Id
    change_id: Id
    session_id: Id | None
    category: TaskCategory
    content: Content
    created_at: Instant


class ProjectItem(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    tier: Literal[BoardTier.PROJECT] = BoardTier.PROJECT
    id: Id
    project_id: Id
    category: ProjectCategory
    key: Key
    content: Content
    evidence: list[Text]
    relevance: Weight
    usage_count: Count
    last_used: Instant | None
    created_at: Instant
    updated_at: Instant


class GlobalItem(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    tier: Literal[BoardTier.GLOBAL] = BoardTier.GLOBAL
    id: Id
    category: GlobalCategory
    key: Key
    title: Title
    content: Content
    tags: Tags
    source_project: Id | None
    source_change: Id | None
    evidence: list[Text]
    confidence: Weight
    usage_count: Count
    success_rate: Annotated[int, Field(ge=0, le=100)]
    created_at: Instant
    updated_at: Instant


Item = Annotated[TaskItem | ProjectItem | GlobalItem, Field(discriminator="tier")]


class Recorded(BaseModel):
    item: Item
    #: `False` where it was known already: the item is the one that it was found to repeat.
    is_new: bool
    #: The text that stood under the same key, if this one took its place.
    replaced: str | None = None
    #: `merged` if the item is one that said the same already. A refusal is an error.
    admission: Admission = Admission.KEPT
    #: Why it was merged.
    reason: str | None = None


class ItemPage(BaseModel):
    items: list[Item]
    #: Pass it as `after` for the next page; `None` on the last.
    next: str | None


class KnowledgeListRequest(BaseModel):
    tier: BoardTier = BoardTier.PROJECT
    project_id: Id | None = None
    change_id: Id | None = None
    category: str | None = None
    search: Annotated[str, Field(max_length=200)] | None = None
    after: Id | None = None
    limit: int = Field(50, ge=1, le=200)


class ContextRequest(BaseModel):
    project_id: Id
    change_id: Id
    agent_type: AgentType = AgentType.GENERAL_PURPOSE
    budget: int = Field(DEFAULT_BUDGET, ge=1, le=100_000, description="tokens")


class ContextView(BaseModel):
    text: str
    tokens: int
    #: How many items are in it, and how many did not fit.
    items: int
    left_out: int


class ItemRequest(BaseModel):
    tier: BoardTier
    id: Id


class KnowledgeEditRequest(KnowledgeEdit, ItemRequest): ...


class DemoteRequest(BaseModel):
    id: Id
    project_id: Id | None = None
