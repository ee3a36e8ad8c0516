"""A session as the keeper of memories gets it, and the notes as the memory takes them."""

from collections.abc import Sequence

from bottega.coach.enums import PhaseStatus, Severity
from bottega.coach.prompts.memory_summary import GapSeen, MemorySummary, PhaseDone, SummaryInput
from bottega.coach.reflection.sitting import Sitting, without_middle
from bottega.coach.tables import KnowledgeGap
from bottega.memory.schemas import LONGEST_CONTENT, MemoryInput

MOST_TAGS, LONGEST_TAG = 20, 100


def summary_input(sitting: Sitting, transcript: str, gaps: Sequence[KnowledgeGap]) -> SummaryInput:
    """Without a transcript the log tells what happened."""
    alone = {phase.number for phase in sitting.evidence.phases if phase.independent}
    return SummaryInput(
        transcript=without_middle(transcript.strip() or sitting.story()),
        issue=sitting.issue,
        project=sitting.project,
        completed=[
            PhaseDone(row.title, row.description, row.number in alone, row.opportunities)
            for row in sitting.phases
            if row.status == PhaseStatus.COMPLETE
        ],
        gaps=[GapSeen(gap.topic, Severity(gap.severity), gap.evidence) for gap in gaps],
        open_phases=sitting.open_phases,
        minutes=sitting.evidence.minutes,
        languages=sitting.languages,
        active=sitting.evidence.active,
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
