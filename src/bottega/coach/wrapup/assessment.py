"""How far someone has come in each skill, judged by their last sessions (FR-120)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.enums import Stage
from bottega.coach.file_roles import language_name
from bottega.coach.manners import manners
from bottega.coach.model_calls import as_json
from bottega.coach.wrapup.evidence import PhaseEvidence, SessionEvidence, gather
from bottega.core.llm.tasks import Task, Tier
from bottega.core.sessions.session import Session, SessionKind, SessionStatus

#: What was shown longer ago says little about today.
SESSIONS = 11
#: Of fewer phases no trend can be told.
FEWEST_FOR_TREND = 4
#: By how much help a phase the halves must differ.
NOTICEABLE = 0.5


class Trend(StrEnum):
    FALLING = "falling"
    STEADY = "steady"
    RISING = "rising"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class SkillEvidence:
    skill_area: str
    sessions: int
    phases: int
    completed: int
    independent: int
    #: Close hints, escalations and explanations.
    help_taken: int
    hint_trend: Trend
    #: Whether the newest session had to do with it.
    recent: bool

    @property
    def completion_rate(self) -> float:
        return round(self.completed / self.phases, 2)

    @property
    def independence(self) -> float:
        """The share of completed phases that went without help."""
        return round(self.independent / self.completed, 2) if self.completed else 0.0


async def earlier_sessions(session: AsyncSession, than: Session) -> list[SessionEvidence]:
    """The same person's last ones before it, in any project, newest first."""
    query = (
        select(Session)
        .where(Session.user_id == than.user_id, Session.kind == SessionKind.COACHING)
        .where(Session.id != than.id, Session.started_at <= than.started_at)
        .order_by(Session.started_at.desc(), Session.id.desc())
        .limit(SESSIONS)
    )
    rows = (await session.scalars(query)).all()
    return [_finished(row, await gather(session, row)) for row in rows]


def skills_shown(newest_first: Sequence[SessionEvidence]) -> list[SkillEvidence]:
    """By language and by what phases were a chance to learn, in the order of their names."""
    seen: defaultdict[str, list[tuple[int, PhaseEvidence]]] = defaultdict(list)
    names: dict[str, str] = {}
    for age, evidence in reversed(list(enumerate(newest_first))):
        for phase in evidence.worked:
            for area in areas_of(phase):
                names.setdefault(area.lower(), area)
                seen[area.lower()].append((age, phase))
    return [_sum_up(names[key], seen[key]) for key in sorted(seen)]


def areas_of(phase: PhaseEvidence) -> list[str]:
    languages = filter(None, map(language_name, phase.files))
    return list(dict.fromkeys([*languages, *phase.opportunities]))


def _finished(row: Session, evidence: SessionEvidence) -> SessionEvidence:
    """An abandoned session's open phase was not failed; it may have been taken up elsewhere."""
    if row.status != SessionStatus.ABANDONED:
        return evidence
    done = [phase for phase in evidence.phases if phase.complete]
    return SessionEvidence(done, evidence.phases_total, evidence.minutes, evidence.active)


def _sum_up(area: str, oldest_first: Sequence[tuple[int, PhaseEvidence]]) -> SkillEvidence:
    phases = [phase for _, phase in oldest_first]
    ages = {age for age, _ in oldest_first}
    return SkillEvidence(
        skill_area=area,
        sessions=len(ages),
        phases=len(phases),
        completed=sum(phase.complete for phase in phases),
        independent=sum(phase.independent for phase in phases),
        help_taken=sum(phase.help_taken for phase in phases),
        hint_trend=_trend(phases),
        recent=0 in ages,
    )


def _trend(oldest_first: Sequence[PhaseEvidence]) -> Trend:
    if len(oldest_first) < FEWEST_FOR_TREND:
        return Trend.UNKNOWN
    half = len(oldest_first) // 2
    change = _mean_help(oldest_first[half:]) - _mean_help(oldest_first[:half])
    if abs(change) < NOTICEABLE:
        return Trend.STEADY
    return Trend.RISING if change > 0 else Trend.FALLING


def _mean_help(phases: Iterable[PhaseEvidence]) -> float:
    taken = [phase.help_taken for phase in phases]
    return sum(taken) / len(taken)


INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")


class SkillAssessment(BaseModel):
    skill_area: str = Field(min_length=1)
    stage: Stage
    previous_stage: Stage | None
    confidence: float = Field(ge=0, le=1)
    evidence: str
    recommendation: str


class DreyfusAssessments(BaseModel):
    assessments: list[SkillAssessment]


@dataclass(frozen=True, slots=True)
class CurrentSkill:
    skill_area: str
    stage: Stage
    confidence: float


@dataclass(frozen=True, slots=True)
class LatestSession:
    phases_completed: int = 0
    hints_used: int = 0
    independent_completions: int = 0


@dataclass(frozen=True, slots=True)
class AssessmentInput:
    evidence: Sequence[SkillEvidence]
    current: Sequence[CurrentSkill]
    recent: LatestSession


def prompt(asked: AssessmentInput) -> str:
    return as_json(
        accumulated_evidence=[
            {
                "skill_area": skill.skill_area,
                "sessions": skill.sessions,
                "hint_trend": skill.hint_trend,
                "completion_rate": skill.completion_rate,
                "phases": skill.phases,
                "independent_completions": skill.independent,
                "help_taken": skill.help_taken,
                "in_this_session": skill.recent,
            }
            for skill in asked.evidence
        ],
        current_assessments=[asdict(skill) for skill in asked.current],
        recent_session=asdict(asked.recent),
    )


@dataclass(frozen=True, slots=True)
class StageThreshold:
    """What a stage takes at least."""

    completed: int
    sessions: int
    completion_rate: float
    independence: float


#: Highest first.
STAGE_THRESHOLDS = {
    Stage.EXPERT: StageThreshold(20, 6, 0.95, 0.95),
    Stage.PROFICIENT: StageThreshold(10, 3, 0.85, 0.8),
    Stage.COMPETENT: StageThreshold(5, 2, 0.7, 0.6),
    Stage.ADVANCED_BEGINNER: StageThreshold(2, 1, 0.5, 0.3),
}
#: So much must have gone wrong before someone is moved back.
STEP_BACK = StageThreshold(completed=0, sessions=2, completion_rate=0.5, independence=0.2)
FEWEST_FOR_STEP_BACK = 5
#: How many phases make a judgement half sure.
HALF_SURE = 3
SUREST = 0.95


def offline(asked: AssessmentInput) -> DreyfusAssessments:
    current = {skill.skill_area.lower(): skill for skill in asked.current}
    judged = (
        _judge(skill, current.get(skill.skill_area.lower()))
        for skill in asked.evidence
        if skill.recent
    )
    return DreyfusAssessments(assessments=[one for one in judged if one is not None])


def _judge(skill: SkillEvidence, current: CurrentSkill | None) -> SkillAssessment | None:
    """One stage up or down at most; `None` where nothing new is known."""
    before = current.stage if current else None
    stage = _next_stage(skill, before or Stage.NOVICE)
    confidence = round(min(SUREST, skill.phases / (skill.phases + HALF_SURE)), 2)
    if current is not None and stage == before and confidence <= current.confidence:
        return None
    return SkillAssessment(
        skill_area=current.skill_area if current else skill.skill_area,
        stage=stage,
        previous_stage=before,
        confidence=confidence,
        evidence=_numbers(skill),
        recommendation=manners("recommendations")[stage],
    )


def _next_stage(skill: SkillEvidence, before: Stage) -> Stage:
    earned = next(
        (stage for stage, bar in STAGE_THRESHOLDS.items() if _clears(skill, bar)), Stage.NOVICE
    )
    if earned.rank > before.rank:
        return tuple(Stage)[before.rank + 1]
    if before.rank > 0 and _fell_behind(skill):
        return tuple(Stage)[before.rank - 1]
    return before


def _clears(skill: SkillEvidence, bar: StageThreshold) -> bool:
    return (
        skill.completed >= bar.completed
        and skill.sessions >= bar.sessions
        and skill.completion_rate >= bar.completion_rate
        and skill.independence >= bar.independence
    )


def _fell_behind(skill: SkillEvidence) -> bool:
    enough = skill.phases >= FEWEST_FOR_STEP_BACK and skill.sessions >= STEP_BACK.sessions
    poor = (
        skill.completion_rate < STEP_BACK.completion_rate
        or skill.independence < STEP_BACK.independence
    )
    return enough and poor and skill.hint_trend != Trend.FALLING


def _numbers(skill: SkillEvidence) -> str:
    sessions = "1 session" if skill.sessions == 1 else f"{skill.sessions} sessions"
    text = (
        f"In {sessions}: {skill.completed} of {skill.phases} phases completed, "
        f"{skill.independent} of them without help; help taken {skill.help_taken} times"
    )
    if skill.hint_trend in (Trend.FALLING, Trend.RISING):
        text += f", {skill.hint_trend} lately"
    return f"{text}."


dreyfus_assessment = Task(
    "dreyfus_assessment", Tier.STRONG, INSTRUCTIONS, prompt, DreyfusAssessments, offline
)
