"""What callers get: the answers of the tools, and with them of the routes."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from bottega.core import clock
from bottega.journal.entry import Entry, Evidence, Iteration, Lesson, RootCause
from bottega.journal.enums import Axis, Domain, Outcome, RootCauseCategory, Strategy, Tier


class View(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class LikelyCause(View):
    """A root cause that brought down similar hypotheses."""

    category: RootCauseCategory
    #: Its part of what went wrong with similar ones, 0 to 1.
    share: float
    #: How it went wrong before, the most similar first.
    examples: list[str]
    #: The entries that say so.
    evidence: list[str]


class Started(View):
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


class Updated(View):
    success: bool = True
    iteration_count: int


class Resolved(View):
    id: str
    status: Outcome
    confidence_tier: Tier
    resolved_at: datetime


class Active(View):
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


class EntrySummary(View):
    id: str
    domain: Domain
    strategy: Strategy
    goal: str
    outcome_status: Outcome | None
    confidence_tier: Tier | None
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


class EntryList(View):
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


class OrphanList(View):
    results: list[OrphanView]
    count: int


class ExperienceView(View):
    id: str
    ghap_id: str
    goal: str
    hypothesis: str
    action: str
    prediction: str
    outcome_status: Outcome
    outcome_result: str
    surprise: str | None
    root_cause: RootCause | None
    lesson: Lesson | None
    confidence_tier: Tier
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


class SearchResults(View):
    results: list[ScoredExperience]
    count: int


class ClusterView(View):
    cluster_id: str
    label: int
    size: int
    avg_weight: float


class ClusterList(View):
    axis: Axis
    clusters: list[ClusterView]
    count: int
    noise_count: int


class MapPoint(View):
    """An experience on the plane."""

    id: str
    goal: str
    outcome_status: Outcome
    confidence_tier: Tier
    x: float
    y: float
    #: None of them, where it is alone.
    cluster_id: str | None


class JournalMap(ClusterList):
    points: list[MapPoint]
    #: How many experiences there are on the axis, and how many it takes.
    experiences: int
    needed: int


class MemberList(View):
    cluster_id: str
    axis: Axis
    members: list[ExperienceView]
    count: int


class Validation(View):
    valid: bool
    similarity: float | None
    centroid_distance: float
    threshold_distance: float
    reason: str | None


class ValueView(View):
    id: str
    text: str
    axis: Axis
    cluster_id: str
    cluster_size: int
    similarity_to_centroid: float
    created_at: datetime


class ValueList(View):
    results: list[ValueView]
    count: int


class ContextItem(View):
    kind: str
    id: str
    content: str
    #: What it rests on.
    evidence: str
    score: float


class Context(View):
    items: list[ContextItem]
    tokens: int
    budget_tokens: int
    #: Worth knowing, but over the budget.
    left_out: int


class Bin(View):
    """The predictions made with about the same confidence."""

    from_confidence: float
    to_confidence: float
    count: int
    mean_confidence: float
    #: How many of them came true, 0 to 1.
    confirmed: float


class Calibration(View):
    domain: Domain | None
    count: int
    #: 0 is perfect, 0.25 is what always saying "fifty-fifty" gets.
    brier_score: float
    curve: list[Bin]


class CalibrationReport(View):
    overall: Calibration | None
    domains: list[Calibration]


class Synced(View):
    stored: int
    failed: dict[str, str]
    reindexed: int


class Transferred(View):
    imported: int
    skipped: int
