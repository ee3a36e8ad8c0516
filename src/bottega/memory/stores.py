"""The seam between recall and everything that remembers.

Memories, knowledge, notes, experiences and values are kept by different rooms in different tables.
Each offers them to recall as a `MemoryStore`, in the one shape of a `RecalledItem`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

#: Tokens that an answer of recall may take.
DEFAULT_BUDGET = 1_000


class Importance(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Scope(StrEnum):
    """How far something that is remembered reaches."""

    #: Its owner, in every project.
    PERSONAL = "personal"
    #: Its owner, in one project.
    PROJECT = "project"
    #: One task of a project.
    TASK = "task"
    #: One class that a teacher teaches.
    CLASS = "class"
    #: Everybody here, in every project.
    GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class RecallQuestion:
    """What to look for, and for whom."""

    text: str
    user_id: str
    project: str | None
    scopes: frozenset[Scope]


@dataclass(frozen=True, slots=True)
class RecalledItem:
    id: str
    #: The name of the store that has it: `memories`, `knowledge`, `experiences`, …
    store: str
    content: str
    scope: Scope
    #: The user whose it is; `None` for what belongs to everybody.
    owner: str | None
    #: 0 to 1: a cosine similarity or its equal.
    relevance: float
    importance: Importance
    created_at: datetime
    updated_at: datetime
    last_used_at: datetime | None = None
    use_count: int = 0
    project: str | None = None
    #: Where it comes from, so that a reader can check it.
    evidence: str | None = None


class MemoryStore(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def scopes(self) -> Collection[Scope]:
        """The scopes that its items can have."""
        ...

    async def search(self, question: RecallQuestion, limit: int) -> Sequence[RecalledItem]:
        """The most relevant items that this user may see; `Unavailable` if it cannot look now."""
        ...

    def count_use(self, ids: Sequence[str], at: datetime) -> None:
        """Note that these were recalled. Written behind: returns at once."""
        ...
