"""What callers send and get for entries and experiences, at every door."""

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bottega.core import clock
from bottega.journal.entries.enums import (
    Axis,
    Domain,
    JournalOutcome,
    JournalTier,
    RootCauseCategory,
    Strategy,
)
from bottega.journal.entries.limits import (
    Account,
    Confidence,
    Cursor,
    EntryId,
    Note,
    Project,
    SearchQuery,
    SessionId,
    Since,
    Statement,
    UpTo50,
    UpTo100,
)
from bottega.journal.entries.model import Entry, Evidence, Iteration, Lesson, Resolution, RootCause


class JournalInput(BaseModel):
    model_config = ConfigDict(extra="forbid")


class JournalView(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class JournalSessionInput(JournalInput):
    session_id: SessionId | None = None


class JournalStartInput(JournalSessionInput):
    domain: Domain
    strategy: Strategy
    goal: Annotated[Statement, Field(description="the change you want")]
    hypothesis: Annotated[Statement, Field(description="what you believe")]
    action: Annotated[Statement, Field(description="what you do about it")]
    prediction: Annotated[Statement, Field(description="what you will see if you are right")]
    confidence: Confidence | None = None


class UpdateInput(JournalSessionInput):
    hypothesis: Statement | None = None
    action: Statement | None = None
    prediction: Statement | None = None
    strategy: Strategy | None = None
    note: Note | None = None
    confidence: Confidence | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.note is None and not self.changes():
            raise ValueError(
                "nothing to update: give at least one of hypothesis, action, prediction, "
                "strategy, note, confidence"
            )
        return self

    def changes(self) -> dict[str, Any]:
        said = {name: getattr(self, name) for name in type(self).model_fields}
        kept = ("note", "session_id")
        return {k: v for k, v in said.items() if v is not None and k not in kept}


class ResolveInput(JournalSessionInput):
    status: JournalOutcome
    result: Annotated[Account, Field(description="what happened")]
    surprise: Account | None = None
    root_cause: RootCause | None = None
    lesson: Lesson | None = None

    @model_validator(mode="after")
    def _falsified_is_explained(self) -> Self:
        needed = {"surprise": self.surprise, "root_cause": self.root_cause}
        missing = [name for name, value in needed.items() if value is None]
        if self.status is JournalOutcome.FALSIFIED and missing:
            raise ValueError(
                f"a falsified entry needs `surprise` and `root_cause`; missing: "
                f"{', '.join(missing)}"
            )
        return self

    def resolution(self) -> Resolution:
        return Resolution(**dict(self), resolved_at=clock.now())


class ListInput(JournalInput):
    limit: UpTo100 = 20
    domain: Domain | None = None
    outcome: JournalOutcome | None = None
    since: Since | None = None


class ListRequest(ListInput):
    after: Cursor | None = None
    project: Project | None = None


class EntryRequest(JournalInput):
    id: EntryId
    project: Project | None = None


class AdoptInput(JournalSessionInput):
    id: EntryId


class AbandonInput(JournalInput):
    result: Account = "Abandoned by hand: nobody went on with it."


class AbandonRequest(AbandonInput):
    id: EntryId


class EvidenceInput(JournalSessionInput):
    evidence: Evidence
    #: A resolved entry; without it, the session's open one.
    entry_id: EntryId | None = None


class SearchInput(JournalInput):
    query: SearchQuery
    axis: Axis = Axis.FULL
    domain: Domain | None = None
    outcome: JournalOutcome | None = None
    limit: UpTo50 = 10


class ExperienceSearch(SearchInput):
    project: Project | None = None


class LikelyCause(JournalView):
    """A root cause that brought down similar hypotheses."""

    category: RootCauseCategory
    #: Its part of what went wrong with similar ones, 0 to 1.
    share: float
    #: How it went wrong before, the most similar first.
    examples: list[str]
    #: The entries that say so.
    evidence: list[str]


class JournalStarted(JournalView):
    id: str
    domain: Domain
    strategy: Strategy
    goal: str
    hypothesis: str
    action: str
    prediction: str
    created_at: datetime
    #: Left out when there is nothing to warn of, or nothing similar went wrong.
    warning: str | None = None
    premortem: list[LikelyCause] | None = None


class Updated(JournalView):
    success: bool = True
    iteration_count: int


class Resolved(JournalView):
    id: str
    status: JournalOutcome
    confidence_tier: JournalTier
    resolved_at: datetime


class Active(JournalView):
    id: str | None = None
    domain: Domain | None = None
    strategy: Strategy | None = None
    goal: str | None = None
    hypothesis: str | None = None
    action: str | None = None
    prediction: str | None = None
    iteration_count: int | None = None
    created_at: datetime | None = None
    has_active: bool = False


class EntrySummary(JournalView):
    id: str
    domain: Domain
    strategy: Strategy
    goal: str
    outcome_status: JournalOutcome | None
    confidence_tier: JournalTier | None
    created_at: datetime
    resolved_at: datetime | None

    @classmethod
    def of(cls, entry: Entry) -> "EntrySummary":
        end = entry.resolution
        return cls(
            **entry.model_dump(include={"id", "domain", "strategy", "goal", "created_at"}),
            outcome_status=end.status if end else None,
            confidence_tier=end.confidence_tier if end else None,
            resolved_at=end.resolved_at if end else None,
        )


class EntryList(JournalView):
    results: list[EntrySummary]
    count: int


class EntryPage(EntryList):
    #: What to ask for next; nothing at the end.
    next: str | None

    @classmethod
    def of(cls, found: EntryList, limit: int) -> "EntryPage":
        last = found.results[-1] if len(found.results) == limit else None
        cursor = f"{clock.iso(last.created_at)} {last.id}" if last else None
        return cls(results=found.results, count=found.count, next=cursor)


class EntryView(EntrySummary):
    """One entry whole."""

    session_id: str | None
    hypothesis: str
    action: str
    prediction: str
    confidence: float | None
    iteration_count: int
    history: list[Iteration]
    evidence: list[Evidence]
    outcome_result: str | None
    surprise: str | None
    root_cause: RootCause | None
    lesson: Lesson | None

    @classmethod
    def of(cls, entry: Entry) -> "EntryView":
        end = entry.resolution
        fields: dict[str, Any] = dict(EntrySummary.of(entry))
        fields |= {name: getattr(entry, name) for name in cls.model_fields if hasattr(entry, name)}
        for name in ("surprise", "root_cause", "lesson"):
            fields[name] = getattr(end, name) if end else None
        return cls(**fields, outcome_result=end.result if end else None)


class OrphanView(EntrySummary):
    session_id: str | None


class OrphanList(JournalView):
    results: list[OrphanView]
    count: int


class ExperienceView(JournalView):
    id: str
    ghap_id: str
    goal: str
    hypothesis: str
    action: str
    prediction: str
    outcome_status: JournalOutcome
    outcome_result: str
    surprise: str | None
    root_cause: RootCause | None
    lesson: Lesson | None
    confidence_tier: JournalTier
    created_at: datetime

    @classmethod
    def fields_of(cls, row: Any) -> dict[str, Any]:
        """Of a row; one experience is one entry, so both ids are the same."""
        shared = {
            name: getattr(row, name) for name in ExperienceView.model_fields if name != "ghap_id"
        }
        return {**shared, "ghap_id": row.id}


class ScoredExperience(ExperienceView):
    score: float


class SearchResults(JournalView):
    results: list[ScoredExperience]
    count: int
