"""The parts of an explanation for people who want it told: summary, steps, ideas, reasons, origins,
risks. Each is a paragraph or a list with a heading, or nothing."""

from collections.abc import Sequence

from bottega.coach.explaining.concepts import Concept, lesson
from bottega.coach.explaining.facts import Definition, Facts, Kind, Topic
from bottega.coach.explaining.phrasing import QUOTE_LENGTH, code, codes, counted, joined, sentence
from bottega.coach.explaining.risks import DANGERS
from bottega.coach.explaining.wording import described

_MOST_STEPS = 40
_MOST_DEFINITIONS = 8

#: How each topic is said, in the order in which to say it: what happens on the way, and what
#: comes of it.
_ON_THE_WAY = {
    Topic.ASSIGNS: "sets {}",
    Topic.LOOPS: "goes through {}",
    Topic.REPEATS: "repeats while {} is true",
    Topic.BRANCHES: "decides by {}",
    Topic.GUARDS: "stops short if {}",
    Topic.ASSERTS: "insists on {}",
    Topic.OPENS: "works inside {}",
    Topic.CALLS: "calls {}",
    Topic.AWAITS: "waits for {}",
    Topic.CATCHES: "catches {}",
}
_IN_THE_END = {
    Topic.YIELDS: "hands out {}",
    Topic.RETURNS: "returns {}",
    Topic.RAISES: "raises {}",
    Topic.MUTATES: "changes {}",
}


def summary(facts: Facts) -> str:
    told = []
    if facts.definitions:
        shown = [described(one) for one in outer_definitions(facts)]
        told.append(sentence(f"this code defines {'; '.join(shown)}"))
    if purposes := facts.about(Topic.PURPOSE):
        told.append(f"In its author's words: {code(purposes[0], QUOTE_LENGTH)}.")
    for topics in (_ON_THE_WAY, _IN_THE_END):
        said = [
            words.format(codes(facts.about(one)))
            for one, words in topics.items()
            if facts.about(one)
        ]
        if said:
            told.append(sentence(f"it {joined(said)}"))
    return " ".join(told)


def outer_definitions(facts: Facts) -> list[Definition]:
    """Those that are not told as a member of another."""
    members = {name for one in facts.definitions for name in one.members}
    outer = [
        one for one in facts.definitions if one.kind is not Kind.METHOD or one.name not in members
    ]
    return outer[:_MOST_DEFINITIONS]


def steps(facts: Facts) -> str:
    if not facts.steps:
        return ""
    lines = [f"- Line {step.line} {step.words}." for step in facts.steps[:_MOST_STEPS]]
    left = len(facts.steps) - _MOST_STEPS
    if left > 0:
        lines.append(
            f"- {counted(left, 'more step follows', 'more steps follow')} in the same way."
        )
    return "\n".join(["**Line by line**", "", *lines])


def ideas(shown: Sequence[Concept]) -> str:
    if not shown:
        return ""
    lines = [f"- **{sentence(concept)[:-1]}**: {lesson(concept).what}" for concept in shown]
    return "\n".join(["**The ideas in it**", "", *lines])


def reasons(shown: Sequence[Concept]) -> str:
    if not shown:
        return ""
    lines = [f"- **{sentence(concept)[:-1]}**: {lesson(concept).why}" for concept in shown]
    return "\n".join(["**Why it is built this way**", "", *lines])


def origins(facts: Facts) -> str:
    """Where the names come from that the selection does not make."""
    used = [one for one in facts.imports if one.is_used]
    brought: dict[str, list[str]] = {}
    for one in used:
        brought.setdefault(one.statement, []).append(one.name)
    lines = [
        f"- {codes(names)} {'comes' if len(names) == 1 else 'come'} from {code(statement)}."
        for statement, names in brought.items()
    ]
    known = {one.name for one in used}
    if other := [name for name in facts.about(Topic.READS) if name not in known]:
        lines.append(f"- Made outside the selection: {codes(other)}.")
    return "\n".join(["**Where its names come from**", "", *lines]) if lines else ""


def risks(facts: Facts, most: int) -> str:
    if not facts.risks[:most]:
        return ""
    lines = [
        f"- Line {risk.line}, {code(risk.code)} ({risk.danger.value}): {DANGERS[risk.danger]}."
        for risk in facts.risks[:most]
    ]
    return "\n".join(["**Worth a second look**", "", *lines])
