"""Knowledge gaps told by counting: where help was needed or work went in circles.

Each sign weighs something, and a phase is a struggle from a certain weight on: one question is no
gap. What is said of a gap are the counts themselves.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bottega.coach.enums import Severity
from bottega.coach.matching import stems
from bottega.coach.planning.concepts import concepts_in, language_name, role_of
from bottega.coach.reflection.evidence import PhaseEvidence, SessionEvidence

#: From these weights on a phase shows a gap of that severity.
SEVERITIES = ((8, Severity.HIGH), (4, Severity.MEDIUM), (2, Severity.LOW))
#: Minutes after which an unfinished phase is a sign.
LONG = 20


class Sign(NamedTuple):
    weight: int
    #: What was counted, in words.
    words: str


@dataclass(frozen=True, slots=True)
class Struggle:
    topic: str
    severity: Severity
    evidence: str
    related: Sequence[str]


def find_struggles(evidence: SessionEvidence, known_topics: Iterable[str] = ()) -> list[Struggle]:
    """Severe first. One that is known already keeps the name that it has."""
    known = {words: topic for topic in known_topics if (words := stems(topic))}
    merged: dict[str, list[tuple[PhaseEvidence, list[Sign]]]] = {}
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


def _struggle(topic: str, places: Sequence[tuple[PhaseEvidence, list[Sign]]]) -> Struggle:
    weight = sum(sign.weight for _, signs in places for sign in signs)
    severity = next(severity for least, severity in SEVERITIES if weight >= least)
    related = dict.fromkeys(word for phase, _ in places for word in phase.opportunities)
    related |= dict.fromkeys(
        filter(None, (language_name(path) for phase, _ in places for path in phase.files))
    )
    related.pop(topic, None)
    return Struggle(
        topic, severity, "; ".join(_sentence(*place) for place in places) + ".", list(related)
    )


def _sentence(phase: PhaseEvidence, signs: Sequence[Sign]) -> str:
    where = f"In phase {phase.number} ({phase.title})" if phase.number else "Outside of any phase"
    return f"{where}: " + ", ".join(sign.words for sign in signs)


def _signs(phase: PhaseEvidence) -> Iterator[Sign]:
    if phase.escalations:
        yield Sign(2 * phase.escalations, f"raised the hints {_times(phase.escalations)}")
    if phase.close_hints_used > 1:
        yield Sign(1, f"followed {phase.close_hints_used} hints at regions or lines")
    for path, times in phase.explained.most_common():
        if times > 1:
            yield Sign(times, f"asked for explanations of {times} pieces of {path}")
    for loop in phase.edit_loops:
        yield Sign(
            2,
            f"edited {loop.path} {loop.edits} times in {loop.rounds} rounds for a net change of "
            f"{abs(loop.gain)} characters",
        )
    if phase.failed_reviews:
        yield Sign(
            2 * phase.failed_reviews,
            f"{phase.failed_reviews} of {phase.reviews_requested} reviews found it not done yet",
        )
    if phase.idle_stretches > 1:
        yield Sign(1, f"paused {_times(phase.idle_stretches)}")
    if phase.stuck_nudges:
        yield Sign(phase.stuck_nudges, f"was nudged {_times(phase.stuck_nudges)}")
    if phase.number and not phase.complete and phase.minutes >= LONG:
        yield Sign(1, f"was not finished after {phase.minutes:.0f} minutes")


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
