"""What of a session is worth knowing in the next one (FR-122)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.coach.enums import PhaseStatus, Severity
from bottega.coach.model_calls import as_json
from bottega.coach.skills.tables import KnowledgeGap
from bottega.coach.wrapup.evidence import FinishedSession, without_middle
from bottega.core.llm.tasks import Task, Tier
from bottega.memory.schemas import LONGEST_CONTENT, MemoryInput
from bottega.memory.stores import Importance

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")

MOST_TAGS, LONGEST_TAG = 20, 100


class SummarisedMemory(BaseModel):
    content: str = Field(min_length=1)
    tags: list[str]
    importance: Importance


class MemorySummary(BaseModel):
    memories: list[SummarisedMemory]


@dataclass(frozen=True, slots=True)
class PhaseDone:
    title: str
    description: str
    #: Without help and without going in circles.
    independent: bool = False
    opportunities: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class GapSeen:
    topic: str
    severity: Severity
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class SummaryInput:
    transcript: str
    #: The issue's title, with its number if it has one.
    issue: str
    project: str
    completed: Sequence[PhaseDone]
    gaps: Sequence[GapSeen]
    #: Titles of phases that are still to do.
    open_phases: Sequence[str] = ()
    minutes: float = 0.0
    languages: Sequence[str] = field(default=())
    #: Whether anything at all was done.
    active: bool = True


def prompt(asked: SummaryInput) -> str:
    return as_json(
        transcript=asked.transcript,
        issue=asked.issue,
        project=asked.project,
        phases=[{"title": p.title, "description": p.description} for p in asked.completed],
        open_phases=list(asked.open_phases),
        gaps=[{"topic": gap.topic, "severity": gap.severity} for gap in asked.gaps],
    )


def offline(asked: SummaryInput) -> MemorySummary:
    """Up to four notes, all of them facts that were counted."""
    return MemorySummary(memories=list(_notes(asked)) if asked.active else [])


def _notes(asked: SummaryInput) -> Iterator[SummarisedMemory]:
    languages = [language.lower() for language in asked.languages]
    total = len(asked.completed) + len(asked.open_phases)
    done = f" Finished: {'; '.join(p.title for p in asked.completed)}." if asked.completed else ""
    yield SummarisedMemory(
        content=f"Worked on {asked.issue} in {asked.project} for {asked.minutes:.0f} minutes and "
        f"completed {len(asked.completed)} of {total} phases.{done}",
        tags=["session", *languages],
        importance=Importance.MEDIUM,
    )
    if asked.gaps:
        worst = max(gap.severity.rank for gap in asked.gaps)
        yield SummarisedMemory(
            content=f"Hard while working on {asked.issue}: "
            + " ".join(f"{gap.topic}. {gap.evidence}" for gap in asked.gaps[:3]),
            tags=["struggle", *(gap.topic.lower() for gap in asked.gaps[:3])],
            importance=Importance.HIGH if worst else Importance.MEDIUM,
        )
    if alone := [phase for phase in asked.completed if phase.independent]:
        shown = dict.fromkeys(word.lower() for phase in alone for word in phase.opportunities)
        yield SummarisedMemory(
            content=f"Did without help: {'; '.join(phase.title for phase in alone)}.",
            tags=["strength", *shown, *languages],
            importance=Importance.MEDIUM,
        )
    if asked.open_phases:
        yield SummarisedMemory(
            content=f"Left open in {asked.issue}: {'; '.join(asked.open_phases)}.",
            tags=["next", *languages],
            importance=Importance.LOW,
        )


memory_summary = Task(
    "memory_summarisation", Tier.FAST, INSTRUCTIONS, prompt, MemorySummary, offline
)


def summary_input(
    finished: FinishedSession, transcript: str, gaps: Sequence[KnowledgeGap]
) -> SummaryInput:
    """Without a transcript the log tells what happened."""
    alone = {phase.number for phase in finished.evidence.phases if phase.independent}
    return SummaryInput(
        transcript=without_middle(transcript.strip() or finished.story()),
        issue=finished.issue,
        project=finished.project,
        completed=[
            PhaseDone(row.title, row.description, row.number in alone, row.opportunities)
            for row in finished.phases
            if row.status == PhaseStatus.COMPLETE
        ],
        gaps=[GapSeen(gap.topic, Severity(gap.severity), gap.evidence) for gap in gaps],
        open_phases=finished.open_phases,
        minutes=finished.evidence.minutes,
        languages=finished.languages,
        active=finished.evidence.active,
    )


def memory_inputs(found: MemorySummary) -> list[MemoryInput]:
    """Cut to what the memory takes: one note that is too long must not lose the others."""
    return [
        MemoryInput(
            content=note.content[:LONGEST_CONTENT],
            tags=[tag[:LONGEST_TAG] for tag in note.tags[:MOST_TAGS]],
            importance=note.importance,
        )
        for note in found.memories
        if note.content.strip()
    ]
