"""What a session showed that someone cannot do yet, and katas to practise it (FR-118).

Without a model gaps are found by counting. Each sign weighs something, and a phase is a struggle
from a certain weight on: one question is no gap. What is said of a gap are the counts themselves.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, Field

from bottega.coach.enums import Severity
from bottega.coach.file_roles import language_name, role_of
from bottega.coach.model_calls import as_json
from bottega.coach.practice.catalogue import best_for, catalogue
from bottega.coach.skills.concepts import concepts_in
from bottega.coach.skills.tables import KnowledgeGap
from bottega.coach.word_index import stems
from bottega.coach.wrapup.evidence import PhaseEvidence, SessionEvidence
from bottega.core.llm.tasks import Task, Tier

#: From these weights on a phase shows a gap of that severity.
SEVERITIES = ((8, Severity.HIGH), (4, Severity.MEDIUM), (2, Severity.LOW))
#: Minutes after which an unfinished phase is a sign.
LONG = 20


class StruggleSign(NamedTuple):
    weight: int
    #: What was counted, in words.
    words: str


class GapFound(BaseModel):
    topic: str = Field(min_length=1)
    evidence: str = Field(description="What was counted or seen in the session.")
    severity: Severity
    related_concepts: list[str]


def find_struggles(evidence: SessionEvidence, known_topics: Iterable[str] = ()) -> list[GapFound]:
    """Severe first. One that is known already keeps the name that it has."""
    known = {words: topic for topic in known_topics if (words := stems(topic))}
    merged: dict[str, list[tuple[PhaseEvidence, list[StruggleSign]]]] = {}
    for phase in evidence.phases:
        signs = list(_signs(phase))
        topic = topic_of(phase)
        if topic and sum(sign.weight for sign in signs) >= SEVERITIES[-1][0]:
            merged.setdefault(known.get(stems(topic), topic), []).append((phase, signs))
    found = [_struggle(topic, places) for topic, places in merged.items()]
    return sorted(found, key=lambda struggle: -struggle.severity.rank)


def topic_of(phase: PhaseEvidence) -> str | None:
    """What the phase is about: what it is a chance to learn, or the files that were hard.

    `None` where nothing tells: a gap in we know not what helps nobody.
    """
    if phase.opportunities:
        return phase.opportunities[0]
    if concepts := concepts_in(phase.title, most=1):
        return concepts[0]
    looped = (loop.path for loop in phase.edit_loops)
    asked_about = (path for path, _ in phase.explained.most_common())
    path = next(filter(None, (*looped, *asked_about, *phase.files)), None)
    if path is None:
        return None
    language = language_name(path)
    return f"{language}: {role_of(path)}" if language else role_of(path).capitalize()


def _struggle(topic: str, places: Sequence[tuple[PhaseEvidence, list[StruggleSign]]]) -> GapFound:
    weight = sum(sign.weight for _, signs in places for sign in signs)
    severity = next(severity for least, severity in SEVERITIES if weight >= least)
    related = dict.fromkeys(word for phase, _ in places for word in phase.opportunities)
    related |= dict.fromkeys(
        filter(None, (language_name(path) for phase, _ in places for path in phase.files))
    )
    related.pop(topic, None)
    return GapFound(
        topic=topic,
        evidence="; ".join(_sentence(*place) for place in places) + ".",
        severity=severity,
        related_concepts=list(related),
    )


def _sentence(phase: PhaseEvidence, signs: Sequence[StruggleSign]) -> str:
    where = f"In phase {phase.number} ({phase.title})" if phase.number else "Outside of any phase"
    return f"{where}: " + ", ".join(sign.words for sign in signs)


def _signs(phase: PhaseEvidence) -> Iterator[StruggleSign]:
    if phase.escalations:
        yield StruggleSign(2 * phase.escalations, f"raised the hints {_times(phase.escalations)}")
    if phase.close_hints_used > 1:
        yield StruggleSign(1, f"followed {phase.close_hints_used} hints at regions or lines")
    for path, times in phase.explained.most_common():
        if times > 1:
            yield StruggleSign(times, f"asked for explanations of {times} pieces of {path}")
    for loop in phase.edit_loops:
        yield StruggleSign(
            2,
            f"edited {loop.path} {loop.edits} times in {loop.rounds} rounds for a net change of "
            f"{abs(loop.gain)} characters",
        )
    if phase.failed_reviews:
        yield StruggleSign(
            2 * phase.failed_reviews,
            f"{phase.failed_reviews} of {phase.reviews_requested} reviews found it not done yet",
        )
    if phase.idle_stretches > 1:
        yield StruggleSign(1, f"paused {_times(phase.idle_stretches)}")
    if phase.stuck_nudges:
        yield StruggleSign(phase.stuck_nudges, f"was nudged {_times(phase.stuck_nudges)}")
    if phase.number and not phase.complete and phase.minutes >= LONG:
        yield StruggleSign(1, f"was not finished after {phase.minutes:.0f} minutes")


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def mastered(
    open_gaps: Sequence[KnowledgeGap], evidence: SessionEvidence, met: Collection[str]
) -> list[KnowledgeGap]:
    """Those whose topic came up in phases of this session, all done without help or struggle.

    `met` are the gaps (ids) that this session showed again.
    """
    return [gap for gap in open_gaps if gap.id not in met and _is_shown(gap.topic, evidence.worked)]


def _is_shown(topic: str, phases: Sequence[PhaseEvidence]) -> bool:
    about = [phase for phase in phases if _is_about(phase, topic)]
    return bool(about) and all(phase.independent for phase in about)


def _is_about(phase: PhaseEvidence, topic: str) -> bool:
    wanted = stems(topic)
    said = [stems(text) for text in (*phase.opportunities, topic_of(phase) or "")]
    return any(words and wanted and (words <= wanted or wanted <= words) for words in said)


INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")

MOST_KATAS = 3


class KataWritten(BaseModel):
    gap_topic: str
    catalogue_slug: str | None = Field(description="One of `ready_katas`, or null.")
    title: str
    description: str
    scaffolding_code: str
    instructor_notes: str
    test_cases: list[str]
    constraints: list[str]
    follow_up_constraint: str | None


class SessionSummary(BaseModel):
    phases_completed: int = Field(ge=0)
    total_time_minutes: float = Field(ge=0)
    hints_used: int = Field(ge=0)
    independent_completions: int = Field(ge=0)


class GapExtraction(BaseModel):
    knowledge_gaps: list[GapFound]
    kata_specs: list[KataWritten]
    session_summary: SessionSummary


@dataclass(frozen=True, slots=True)
class KnownGap:
    topic: str
    frequency: int


@dataclass(frozen=True, slots=True)
class GapInput:
    #: `{action_type, data, created_at}`, oldest first.
    actions: Sequence[dict[str, Any]]
    #: `{title, status, hint_level}`
    phases: Sequence[dict[str, Any]]
    known: Sequence[KnownGap]
    evidence: SessionEvidence
    #: Slugs of the katas that were given already.
    given: frozenset[str] = frozenset()


def prompt(asked: GapInput) -> str:
    ready = [kata for kata in catalogue() if kata.slug not in asked.given]
    return as_json(
        action_log=list(asked.actions),
        phases=list(asked.phases),
        existing_gaps=[asdict(gap) for gap in asked.known],
        ready_katas=[{"slug": kata.slug, "topic": kata.topic} for kata in ready],
    )


def offline(asked: GapInput) -> GapExtraction:
    struggles = find_struggles(asked.evidence, [gap.topic for gap in asked.known])
    evidence = asked.evidence
    return GapExtraction(
        knowledge_gaps=struggles,
        kata_specs=_katas(struggles[:MOST_KATAS], asked.given),
        session_summary=SessionSummary(
            phases_completed=len(evidence.completed),
            total_time_minutes=evidence.minutes,
            hints_used=evidence.hints_used,
            independent_completions=evidence.independent_completions,
        ),
    )


def _katas(struggles: Sequence[GapFound], given: frozenset[str]) -> list[KataWritten]:
    """One from the catalogue for each, none twice."""
    chosen: list[KataWritten] = []
    avoid = set(given)
    for struggle in struggles:
        for kata in best_for(struggle.topic, struggle.related_concepts, avoid=avoid):
            avoid.add(kata.slug)
            chosen.append(
                KataWritten(
                    gap_topic=struggle.topic,
                    catalogue_slug=kata.slug,
                    title=kata.title,
                    description=kata.description,
                    scaffolding_code=kata.scaffolding_code,
                    instructor_notes=kata.instructor_notes,
                    test_cases=list(kata.test_cases),
                    constraints=[constraint.description for constraint in kata.constraints],
                    follow_up_constraint=None,
                )
            )
    return chosen


gap_extraction = Task(
    "knowledge_gap_extraction", Tier.STRONG, INSTRUCTIONS, prompt, GapExtraction, offline
)
