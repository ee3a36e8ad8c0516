"""Skills and knowledge gaps as their learner sees them."""

from datetime import datetime
from typing import ClassVar

from bottega.coach.editor.schemas import Outgoing
from bottega.coach.enums import Severity, Stage
from bottega.core.wire import Wired


class SkillPoint(Wired):
    """One spoke of the radar; the score is 0 to 1."""

    name: str
    stage: Stage
    score: float


class DreyfusRadar(Outgoing):
    type: ClassVar[str] = "dashboard:dreyfus"
    skill_areas: list[SkillPoint]
    overall_stage: Stage


class GapView(Wired):
    id: str
    topic: str
    severity: Severity
    evidence: str
    related_concepts: list[str]
    frequency: int
    last_encountered_at: datetime
    addressed: bool


class Addressed(Wired):
    addressed: bool


class GapMark(Addressed):
    id: str


class GapsRequest(Wired):
    addressed: bool | None = None
