"""Gaps that a later session shows to be closed."""

from collections.abc import Collection, Sequence

from bottega.coach.matching import stems
from bottega.coach.reflection.evidence import PhaseEvidence, SessionEvidence
from bottega.coach.reflection.struggles import topic_of
from bottega.coach.tables import KnowledgeGap


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
