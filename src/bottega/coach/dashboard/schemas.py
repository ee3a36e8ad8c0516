"""The dashboard: what is known at once, and what arrives after it."""

from typing import ClassVar, Literal

from bottega.coach.editor.schemas import Iso, Outgoing
from bottega.coach.enums import Difficulty, Period, Stage
from bottega.coach.practice.schemas import KataSummary
from bottega.core.wire import Wired

Suitability = Literal["good_fit", "stretch", "too_advanced"]
Urgency = Literal["low", "medium", "high"]


class DashboardRequest(Wired):
    stats_period: Period = Period.ALL


class AssessedSkill(Wired):
    skill_area: str
    stage: Stage
    confidence: float
    assessed_at: Iso


class Stats(Wired):
    period: Period
    sessions_completed: int
    total_coaching_minutes: float
    issues_worked_on: int
    knowledge_gaps_identified: int
    knowledge_gaps_addressed: int
    hints_used: int
    api_cost_total: float


class InProgress(Wired):
    id: str
    issue_number: int | None
    issue_title: str | None
    started_at: Iso


class DashboardState(Outgoing):
    type: ClassVar[str] = "dashboard:state"
    dreyfus: list[AssessedSkill]
    stats: Stats
    in_progress_sessions: list[InProgress]
    katas: list[KataSummary]


class PriorityFactors(Wired):
    user_tagged: bool
    similar_to_recent_work: bool
    addresses_knowledge_gap: bool
    team_urgency: Urgency


class RankedIssue(Wired):
    number: int
    title: str
    summary: str
    labels: list[str]
    suitability: Suitability
    suitability_reason: str
    estimated_difficulty: Difficulty
    relevant_skills: list[str]
    priority_score: float
    priority_factors: PriorityFactors
    learning_opportunities: list[str]


class DashboardIssues(Outgoing):
    type: ClassVar[str] = "dashboard:issues"
    issues: list[RankedIssue]
    offline: bool = False
    #: `github`, or `files`: the project's own `issues/` folder.
    source: Literal["github", "files"] = "github"


class IssuesError(Outgoing):
    type: ClassVar[str] = "dashboard:issues_error"
    error: str


class Resource(Wired):
    type: Literal["documentation", "article", "video", "tutorial"]
    title: str
    url: str
    description: str
    relevance: Literal["direct", "deep_dive", "supplementary"]
    estimated_time: str


class Recommendation(Wired):
    knowledge_gap: str
    resources: list[Resource]
    study_order: str
    practice_connection: str | None


class DashboardMaterials(Outgoing):
    type: ClassVar[str] = "dashboard:materials"
    recommendations: list[Recommendation]
    offline: bool = False


class MaterialsError(Outgoing):
    type: ClassVar[str] = "dashboard:materials_error"
    error: str
