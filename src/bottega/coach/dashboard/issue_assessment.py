"""Which of the open issues this learner would gain most from (FR-173)."""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from bottega.coach.enums import Difficulty, Stage
from bottega.coach.word_index import stems
from bottega.core.llm.tasks import Task, Tier

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

Fit = Literal["good_fit", "stretch", "too_advanced"]
Urgency = Literal["low", "medium", "high"]


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
    team_urgency: Literal["low", "medium", "high"]


class AssessedIssue(BaseModel):
    number: int = Field(gt=0)
    title: str
    summary: str = Field(description="What it asks for, for someone at this stage.")
    suitability: Literal["good_fit", "stretch", "too_advanced"]
    suitability_reason: str
    estimated_difficulty: Difficulty
    relevant_skills: list[str]
    priority_score: float = Field(ge=0, le=1)
    priority_factors: Factors
    learning_opportunities: list[str]


class IssueAssessment(BaseModel):
    issues: list[AssessedIssue] = Field(max_length=10)


def prompt(profile: Profile) -> str:
    return json.dumps(
        {
            "github_issues": [asdict(issue) for issue in profile.issues],
            "user_dreyfus_stages": [asdict(skill) for skill in profile.skills],
            "recent_sessions": [asdict(recent) for recent in profile.recent_sessions],
            "knowledge_gaps": [asdict(gap) for gap in profile.gaps],
            "related_memories": [{"content": memory} for memory in profile.memories],
        },
        ensure_ascii=False,
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


def _fit(difficulty: Difficulty, learner: Learner) -> Fit:
    above = tuple(Difficulty).index(difficulty) - learner.strength
    if above <= 0.5:
        return "good_fit"
    return "stretch" if above <= 1.5 else "too_advanced"


def _urgency(issue: OpenIssue) -> Urgency:
    words = stems(issue.title, *issue.labels)
    if words & URGENT:
        return "high"
    return "medium" if words & PRESSING or issue.comments > 5 else "low"


def _reason(fit: Fit, difficulty: Difficulty, learner: Learner, gaps: Iterable[OpenGap]) -> str:
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
    from bottega.coach.practice.catalogue import catalogue

    found = [gap.topic for gap in gaps]
    found += [kata.topic for kata in catalogue() if len(stems(kata.topic) & words) >= ALIKE]
    return list(dict.fromkeys(found))[:3]


issue_assessment = Task(
    "issue_assessment", Tier.STRONG, INSTRUCTIONS, prompt, IssueAssessment, rank
)
