"""The issues worth doing next: fetched, judged against the learner, ranked (FR-173)."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.coach.dashboard.schemas import (
    DashboardIssues,
    PriorityFactors,
    RankedIssue,
    Suitability,
    Urgency,
)
from bottega.coach.editor.state import EditorState
from bottega.coach.enums import Difficulty, Stage
from bottega.coach.model_calls import AnswerCache, as_json
from bottega.coach.plans.issues import Issues
from bottega.coach.plans.schemas import Issue, Source
from bottega.coach.practice.catalogue import catalogue
from bottega.coach.skills import repository as skill_records
from bottega.coach.word_index import stems
from bottega.core import clock
from bottega.core.llm.tasks import Answer, Task, Tier
from bottega.core.services import Core
from bottega.core.sessions.session import SessionKind, SessionStatus
from bottega.memory.service import SemanticMemories

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")

MOST = 10
EASY = stems("good first issue beginner easy starter trivial typo documentation docs wording")
HARD = stems(
    "architecture refactor redesign performance latency concurrency race deadlock thread security "
    "migration protocol distributed memory leak cache scheduler compiler flaky epic breaking"
)
URGENT = stems("critical urgent blocker security p0 outage crash hotfix regression data-loss")
PRESSING = stems("bug p1 important priority broken error fails")
#: A body this long describes more than one thing.
LONG_BODY = 1_200
#: Stems in common with recent work that make an issue similar to it.
ALIKE = 2

#: What each factor adds to the score; in the order in which they should matter.
TAGGED, GAP, RECENT = 0.3, 0.25, 0.15
FIT = {"good_fit": 0.2, "stretch": 0.1, "too_advanced": 0.0}
URGENCY = {"high": 0.1, "medium": 0.05, "low": 0.0}


@dataclass(frozen=True, slots=True)
class OpenIssue:
    number: int
    title: str
    body: str
    labels: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()
    comments: int = 0
    #: The learner is assigned to it, or named in it.
    user_tagged: bool = False


@dataclass(frozen=True, slots=True)
class SkillStage:
    skill_area: str
    stage: Stage
    confidence: float


@dataclass(frozen=True, slots=True)
class RecentIssue:
    issue_title: str | None
    completed_at: str | None


@dataclass(frozen=True, slots=True)
class OpenGap:
    topic: str
    severity: str
    related_concepts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """The issues, and whom they are for."""

    issues: tuple[OpenIssue, ...]
    skills: tuple[SkillStage, ...] = ()
    recent_sessions: tuple[RecentIssue, ...] = ()
    gaps: tuple[OpenGap, ...] = ()
    memories: tuple[str, ...] = ()


class Factors(BaseModel):
    user_tagged: bool
    similar_to_recent_work: bool
    addresses_knowledge_gap: bool
    team_urgency: Urgency


class AssessedIssue(BaseModel):
    number: int = Field(gt=0)
    title: str
    summary: str = Field(description="What it asks for, for someone at this stage.")
    suitability: Suitability
    suitability_reason: str
    estimated_difficulty: Difficulty
    relevant_skills: list[str]
    priority_score: float = Field(ge=0, le=1)
    priority_factors: Factors
    learning_opportunities: list[str]


class IssueAssessment(BaseModel):
    issues: list[AssessedIssue] = Field(max_length=10)


def prompt(profile: Profile) -> str:
    return as_json(
        github_issues=[asdict(issue) for issue in profile.issues],
        user_dreyfus_stages=[asdict(skill) for skill in profile.skills],
        recent_sessions=[asdict(recent) for recent in profile.recent_sessions],
        knowledge_gaps=[asdict(gap) for gap in profile.gaps],
        related_memories=[{"content": memory} for memory in profile.memories],
    )


@dataclass(frozen=True, slots=True)
class Learner:
    strength: float
    gaps: tuple[OpenGap, ...]
    recent: frozenset[str]
    skills: tuple[str, ...]


def rank(profile: Profile) -> IssueAssessment:
    learner = _learner(profile)
    assessed = [_assess(issue, learner) for issue in profile.issues]
    best = sorted(assessed, key=lambda issue: (-issue.priority_score, issue.number))
    return IssueAssessment(issues=best[:MOST])


def _learner(profile: Profile) -> Learner:
    sure = sum(skill.confidence for skill in profile.skills)
    mean = (
        sum(skill.stage.rank * skill.confidence for skill in profile.skills) / sure if sure else 0.0
    )
    titles = [recent.issue_title or "" for recent in profile.recent_sessions]
    return Learner(
        # Stages are five and difficulties three.
        strength=mean * (len(Difficulty) - 1) / (len(Stage) - 1),
        gaps=profile.gaps,
        recent=stems(*titles, *profile.memories),
        skills=tuple(skill.skill_area for skill in profile.skills),
    )


def _assess(issue: OpenIssue, learner: Learner) -> AssessedIssue:
    words = stems(issue.title, issue.body, *issue.labels)
    difficulty = estimate_difficulty(issue)
    gaps = [gap for gap in learner.gaps if stems(gap.topic) & words]
    similar = len(stems(issue.title) & learner.recent) >= ALIKE
    urgency = _urgency(issue)
    fit = _fit(difficulty, learner)
    score = FIT[fit] + URGENCY[urgency]
    score += TAGGED * issue.user_tagged + GAP * bool(gaps) + RECENT * similar
    return AssessedIssue(
        number=issue.number,
        title=issue.title,
        summary=_summary(issue),
        suitability=fit,
        suitability_reason=_reason(fit, difficulty, learner, gaps),
        estimated_difficulty=difficulty,
        relevant_skills=[skill for skill in learner.skills if stems(skill) & words],
        priority_score=round(score, 3),
        priority_factors=Factors(
            user_tagged=issue.user_tagged,
            similar_to_recent_work=similar,
            addresses_knowledge_gap=bool(gaps),
            team_urgency=urgency,
        ),
        learning_opportunities=_opportunities(gaps, words),
    )


def estimate_difficulty(issue: OpenIssue) -> Difficulty:
    """By labels first; then by the words of hard work, and by how much there is to read."""
    labels = stems(*issue.labels)
    if labels & EASY:
        return Difficulty.BEGINNER
    hard = len(stems(issue.title, *issue.labels) & HARD) * 2 + len(stems(issue.body) & HARD)
    if hard >= 2:
        return Difficulty.ADVANCED
    if hard or len(issue.body) > LONG_BODY or issue.comments > 10:
        return Difficulty.INTERMEDIATE
    return Difficulty.BEGINNER


def _fit(difficulty: Difficulty, learner: Learner) -> Suitability:
    above = tuple(Difficulty).index(difficulty) - learner.strength
    if above <= 0.5:
        return "good_fit"
    return "stretch" if above <= 1.5 else "too_advanced"


def _urgency(issue: OpenIssue) -> Urgency:
    words = stems(issue.title, *issue.labels)
    if words & URGENT:
        return "high"
    return "medium" if words & PRESSING or issue.comments > 5 else "low"


def _reason(
    fit: Suitability, difficulty: Difficulty, learner: Learner, gaps: Iterable[OpenGap]
) -> str:
    stage = tuple(Stage)[round(learner.strength * (len(Stage) - 1) / (len(Difficulty) - 1))]
    known = f"you are {_article(stage.words)}" if learner.skills else "nothing is known of you yet"
    reason = {
        "good_fit": f"It looks {difficulty}, and {known}.",
        "stretch": f"It looks {difficulty}, a step up: {known}.",
        "too_advanced": f"It looks {difficulty}, and {known}: leave it for later.",
    }[fit]
    topics = [gap.topic for gap in gaps]
    return f"{reason} It exercises {', '.join(topics)}." if topics else reason


def _article(words: str) -> str:
    if words == "competent" or words == "proficient":
        return words
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def _summary(issue: OpenIssue) -> str:
    """Its first sentences, without the markup."""
    prose = re.sub(r"```.*?```|<!--.*?-->", " ", issue.body, flags=re.DOTALL)
    text = re.sub(r"[#>*`]+", "", prose)
    sentences = re.split(r"(?<=[.!?])\s+", " ".join(text.split()))
    short = " ".join(sentences[:2]).strip()
    return (short[:279] + "…" if len(short) > 280 else short) or issue.title


def _opportunities(gaps: Iterable[OpenGap], words: frozenset[str]) -> list[str]:
    """Topics that it would exercise: gaps first, then what the catalogue has katas about."""
    found = [gap.topic for gap in gaps]
    found += [kata.topic for kata in catalogue() if len(stems(kata.topic) & words) >= ALIKE]
    return list(dict.fromkeys(found))[:3]


issue_assessment = Task(
    "issue_assessment", Tier.STRONG, INSTRUCTIONS, prompt, IssueAssessment, rank
)


#: Of each issue's text; fifty of them are enough to read (FR-182).
BODY_CHARACTERS = 2_000
RECENT_SESSIONS = 10


class IssueAssessor:
    def __init__(self, core: Core, memories: SemanticMemories, issues: Issues) -> None:
        self._core = core
        self._memories = memories
        self._issues = issues
        self._answers = AnswerCache(self._judge)

    async def assess(self, editor: EditorState, *, anew: bool = False) -> DashboardIssues:
        """`anew` asks again even if nothing has changed since."""
        listed = await self._issues.list()
        login = await self._issues.login() if listed.source == Source.GITHUB else None
        found = [_open_issue(issue, login) for issue in listed.issues]
        profile = await self._profile(editor, found)
        answer = await self._answers.answer(
            profile, user_id=editor.user_id, session_id=editor.session_id, anew=anew
        )
        return DashboardIssues(
            issues=_known(answer.output.issues, listed.issues),
            offline=answer.offline,
            source=listed.source.value,
        )

    async def _judge(self, profile: Profile, session_id: str | None) -> Answer[IssueAssessment]:
        return await self._core.gateway.call(
            issue_assessment, profile, retry=True, session_id=session_id
        )

    async def _profile(self, editor: EditorState, issues: list[OpenIssue]) -> Profile:
        """FR-174."""
        recent = await self._core.sessions.list(
            user_id=editor.user_id,
            kind=SessionKind.COACHING,
            status=SessionStatus.COMPLETED,
            limit=RECENT_SESSIONS,
        )
        async with self._core.database.read() as session:
            skills = await skill_records.assessments(session, editor.user_id)
            gaps = await skill_records.gaps(session, editor.user_id, addressed=False)
        return Profile(
            issues=tuple(issues),
            skills=tuple(
                SkillStage(row.skill_area, Stage(row.stage), row.confidence) for row in skills
            ),
            recent_sessions=tuple(
                RecentIssue(row.issue_title, clock.iso(row.ended_at) if row.ended_at else None)
                for row in recent
            ),
            gaps=tuple(
                OpenGap(gap.topic, gap.severity, tuple(gap.related_concepts)) for gap in gaps
            ),
            memories=await self._remembered(editor, issues),
        )

    async def _remembered(self, editor: EditorState, issues: list[OpenIssue]) -> tuple[str, ...]:
        """What earlier sessions had to do with these; nothing while memory is away (FR-172)."""
        if not issues:
            return ()
        topics = "; ".join(issue.title for issue in issues)
        found = await self._memories.query_memories(topics[:4_000], user_id=editor.user_id)
        return tuple(memory.content for memory in found)


def _open_issue(issue: Issue, login: str | None) -> OpenIssue:
    return OpenIssue(
        number=issue.number,
        title=issue.title,
        body=issue.body[:BODY_CHARACTERS],
        labels=issue.labels,
        assignees=issue.assignees,
        comments=len(issue.comments),
        user_tagged=login is not None and issue.concerns(login),
    )


def _known(assessed: list[AssessedIssue], listed: list[Issue]) -> list[RankedIssue]:
    """Those that there are, each once, by their own titles, the best first."""
    by_number = {issue.number: issue for issue in listed}
    best: dict[int, AssessedIssue] = {}
    for issue in sorted(assessed, key=lambda issue: -issue.priority_score):
        if issue.number in by_number:
            best.setdefault(issue.number, issue)
    return [
        RankedIssue(
            **issue.model_dump(exclude={"title", "priority_factors"}),
            title=by_number[number].title,
            labels=list(by_number[number].labels),
            priority_factors=PriorityFactors(**issue.priority_factors.model_dump()),
        )
        for number, issue in best.items()
    ]
