"""Memories as they come in and go out."""

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)

from bottega.core.session_kinds import SessionKind
from bottega.memory.admission import Admission
from bottega.memory.stores import DEFAULT_BUDGET, Importance, Scope

if TYPE_CHECKING:
    from bottega.memory.recall import Recollection

LONGEST_CONTENT = 20_000
LONGEST_QUERY = 2_000


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("it contains a NUL character, which PostgreSQL cannot store")
    return text


def _without_commas(tags: list[str]) -> list[str]:
    """EC-50: tags travel as one comma-separated text, so a comma inside one becomes a space."""
    words = (" ".join(tag.replace(",", " ").split()) for tag in tags)
    return list(dict.fromkeys(word for word in words if word))


def _joined(evidence: Any) -> Any:
    return "; ".join(evidence) or None if isinstance(evidence, list) else evidence


Text = Annotated[str, AfterValidator(_storable)]
Content = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_CONTENT),
    AfterValidator(_storable),
]
Tags = Annotated[
    list[Annotated[Text, Field(max_length=100)]],
    Field(max_length=50),
    AfterValidator(_without_commas),
]
#: Part of a memory's id, and ids stand in addresses.
SessionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:@-]{1,128}$")]
Project = Annotated[Text, Field(min_length=1, max_length=1_000)]
Evidence = Annotated[Text, Field(max_length=2_000)]
MemoryScope = Literal[Scope.PERSONAL, Scope.PROJECT]


class MemoryInput(BaseModel):
    model_config = ConfigDict(extra="forbid")

    content: Content
    tags: Tags = []
    importance: Importance = Importance.MEDIUM
    #: What it rests on: `path:L12-L18 "quoted text"`, an address.
    evidence: Evidence | None = None
    #: Left out, a memory with a project reaches that project and one without reaches them all.
    scope: MemoryScope | None = None


class NewMemory(MemoryInput):
    project: Project | None = None
    session_id: SessionId | None = None


class MemoryChange(BaseModel):
    """What is left out stays as it is; `null` clears the evidence or the project."""

    model_config = ConfigDict(extra="forbid")

    content: Content | None = None
    tags: Tags | None = None
    importance: Importance | None = None
    evidence: Evidence | None = None
    scope: MemoryScope | None = None
    project: Project | None = None

    def changes(self) -> dict[str, Any]:
        given = self.model_dump(exclude_unset=True, exclude={"id"})
        clearable = ("evidence", "project")
        return {k: v for k, v in given.items() if v is not None or k in clearable}


class MemoryRequest(BaseModel):
    id: Text


class EditRequest(MemoryChange):
    id: Text


class ForgetRequest(MemoryRequest):
    forever: bool = False


class MemoryFilter(BaseModel):
    project: Text | None = None
    scope: Scope | None = None
    session_id: Text | None = None
    #: Text that the content must contain, in any case.
    query: Annotated[Text, Field(max_length=LONGEST_QUERY)] | None = None
    forgotten: bool = False
    importance: Importance | None = None
    tag: Text | None = None
    #: The kind of session that it comes from.
    room: SessionKind | None = None


class ListRequest(MemoryFilter):
    after: Text | None = None
    limit: int = Field(50, ge=1, le=500)


class Added(BaseModel):
    #: How many can be found by meaning from now on.
    added: int


class MemoryMetadata(BaseModel):
    """FR-099."""

    session_id: str
    project: str
    created_at: str
    importance: Importance
    #: Separated by commas (FR-107).
    tags: str


class MemoryResult(BaseModel):
    id: str
    content: str
    metadata: MemoryMetadata
    #: Lower is more similar.
    distance: float


class MemoryView(BaseModel):
    """A memory as its owner sees it, read from its row."""

    model_config = ConfigDict(from_attributes=True)

    id: str
    content: str
    tags: list[str]
    importance: Importance
    scope: Scope
    owner: str = Field(validation_alias=AliasChoices("user_id", "owner"))
    project: str | None
    session_id: str | None
    evidence: Annotated[str | None, BeforeValidator(_joined)]
    created_at: datetime
    updated_at: datetime
    last_used_at: datetime | None
    use_count: int
    forgotten_at: datetime | None
    #: Whether a search by meaning finds it. If not yet, the next that reaches the store will.
    searchable: bool


class NearMemory(BaseModel):
    id: str
    content: str


class RememberedView(MemoryView):
    """The memory that was told, or the one that it was merged with. A refusal is an error."""

    admission: Admission = Admission.KEPT
    #: Why it was merged.
    reason: str | None = None
    #: What it was merged with.
    near: NearMemory | None = None


class MemoryPage(BaseModel):
    items: list[MemoryView]
    #: Pass it as `after` for the next page; `None` on the last.
    next: str | None


class ProjectCount(BaseModel):
    project: str
    count: int


class SessionCount(BaseModel):
    session_id: str
    #: `None` for a session that the house does not know, or no longer.
    room: SessionKind | None
    title: str | None
    count: int


class MemoryOverview(BaseModel):
    """How many there are, and where they come from."""

    total: int
    #: That can be restored.
    forgotten: int
    projects: list[ProjectCount]
    #: The newest, not all.
    sessions: list[SessionCount]


class RecallInput(BaseModel):
    model_config = ConfigDict(extra="forbid")

    query: Text = Field(max_length=LONGEST_QUERY)
    scopes: list[Scope] | None = Field(None, description="default: all")
    project: Project | None = None
    budget: int = Field(DEFAULT_BUDGET, ge=1, le=100_000, description="tokens")


class RecalledView(BaseModel):
    id: str
    store: str
    content: str
    scope: Scope
    owner: str | None
    project: str | None
    evidence: str | None
    importance: Importance
    created_at: datetime
    updated_at: datetime
    last_used_at: datetime | None
    use_count: int
    relevance: float
    score: float


class RecallView(BaseModel):
    items: list[RecalledView]
    tokens: int
    budget: int
    #: Relevant, but over the budget.
    left_out: int
    #: Stores that could not be asked.
    unavailable: list[str]

    @classmethod
    def of(cls, recollection: "Recollection") -> Self:
        return cls(
            items=[RecalledView(**asdict(r.item), score=r.score) for r in recollection.ranked],
            tokens=recollection.tokens,
            budget=recollection.budget,
            left_out=recollection.left_out,
            unavailable=list(recollection.unavailable),
        )
