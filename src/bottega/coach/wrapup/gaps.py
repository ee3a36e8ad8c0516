"""What a session showed that someone cannot do yet, and katas to practise it (FR-118)."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from bottega.coach.enums import Severity
from bottega.coach.practice.catalogue import best_for, catalogue
from bottega.coach.wrapup.evidence import SessionEvidence
from bottega.coach.wrapup.struggles import Struggle, find_struggles
from bottega.core.llm.tasks import Task, Tier

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")

MOST_KATAS = 3


class GapFound(BaseModel):
    topic: str = Field(min_length=1)
    evidence: str = Field(description="What was counted or seen in the session.")
    severity: Severity
    related_concepts: list[str]


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
    return json.dumps(
        {
            "action_log": list(asked.actions),
            "phases": list(asked.phases),
            "existing_gaps": [asdict(gap) for gap in asked.known],
            "ready_katas": [{"slug": kata.slug, "topic": kata.topic} for kata in ready],
        },
        ensure_ascii=False,
    )


def offline(asked: GapInput) -> GapExtraction:
    struggles = find_struggles(asked.evidence, [gap.topic for gap in asked.known])
    evidence = asked.evidence
    return GapExtraction(
        knowledge_gaps=[
            GapFound(
                topic=struggle.topic,
                evidence=struggle.evidence,
                severity=struggle.severity,
                related_concepts=list(struggle.related),
            )
            for struggle in struggles
        ],
        kata_specs=_katas(struggles[:MOST_KATAS], asked.given),
        session_summary=SessionSummary(
            phases_completed=len(evidence.completed),
            total_time_minutes=evidence.minutes,
            hints_used=evidence.hints_used,
            independent_completions=evidence.independent_completions,
        ),
    )


def _katas(struggles: Sequence[Struggle], given: frozenset[str]) -> list[KataWritten]:
    """One from the catalogue for each, none twice."""
    chosen: list[KataWritten] = []
    avoid = set(given)
    for struggle in struggles:
        for kata in best_for(struggle.topic, struggle.related, avoid=avoid):
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
