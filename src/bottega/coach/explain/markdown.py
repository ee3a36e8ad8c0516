"""Facts about code, written up as markdown for one of the five stages.

Beginners are walked through line by line, with each idea explained. The competent are told why, and
what to look at twice. The proficient and the expert get the contract, the effects and the cost.
"""

from collections.abc import Sequence

from bottega.coach.enums import Stage
from bottega.coach.explain.facts import Concept, Facts, Step, Topic, lesson, warning
from bottega.coach.explain.phrases import (
    QUOTE_LENGTH,
    code,
    codes,
    counted,
    described,
    first_sentence,
    joined,
    name_in_words,
    sentence,
    short_codes,
    signature,
    titled,
)
from bottega.core.code.model import Definition

_MOST_STEPS = 40
_UNKNOWN = "That cannot be told from these lines alone."
_MOST_DEFINITIONS = 8
_MOST_CONCEPTS = 8

#: What comes of the code, in the order in which to say it.
_IN_THE_END = {
    Topic.YIELDS: "hands out {}",
    Topic.RETURNS: "gives back {}",
    Topic.MUTATES: "changes {}",
    Topic.RAISES: "can fail with {}",
}
#: What code that defines nothing does.
_ON_THE_WAY = {
    Topic.ASSIGNS: "sets {}",
    Topic.LOOPS: "goes through {}",
    Topic.CALLS: "calls {}",
    Topic.CATCHES: "catches {}",
}


def summary(facts: Facts) -> str:
    """What the code is for: in its author's words or by its name, by what it takes and gives, by
    who uses it."""
    outer = outer_definitions(facts)
    told = [*_purpose(facts, outer)]
    if outer:
        told.append(sentence(f"this is {'; '.join(map(described, outer))}"))
    elif facts.around:
        told.insert(0, _part_of(facts.around))
    if done := _doings(facts, outer):
        told.append(sentence(f"it {joined(done)}"))
    if not told:
        names = codes([one.name for one in facts.imports])
        told = [f"It makes {names} available to the code below." if names else _UNKNOWN]
    return " ".join(filter(None, ["**What it is for.**", *told, *_users(facts)]))


def _doings(facts: Facts, outer: Sequence[Definition]) -> list[str]:
    """What comes of one function, or what lines without a definition do."""
    if len(outer) > 1 or (outer and not outer[0].kind.is_callable):
        return []
    topics = _IN_THE_END if outer else _ON_THE_WAY | _IN_THE_END
    said = {topic: short_codes(facts.about(topic)) for topic in topics}
    said[Topic.RETURNS] = joined(facts.results)
    return [words.format(said[topic]) for topic, words in topics.items() if said[topic]]


def _purpose(facts: Facts, outer: Sequence[Definition]) -> list[str]:
    if purposes := facts.about(Topic.PURPOSE):
        return [f"In its author's words: {code(purposes[0], QUOTE_LENGTH)}."]
    if len(outer) == 1 and (words := name_in_words(outer[0].name)):
        return [f"Nobody wrote down what it is for; its name reads “{words}”."]
    return []


def _part_of(around: Definition) -> str:
    purpose = first_sentence(around.doc)
    said = f" ({code(purpose, QUOTE_LENGTH)})" if purpose else ""
    return f"These lines are a part of {titled(around)}{said}."


def _users(facts: Facts) -> list[str]:
    tests = [one.caller for one in facts.callers if one.caller.lower().startswith("test")]
    others = [one for one in facts.callers if one.caller not in tests]
    users = [f"{code(one.caller)} (line {one.line})" for one in others]
    told = [sentence(f"it is used by {joined(users)}")] if users else []
    return [*told, *([sentence(f"it is tested by {codes(tests)}")] if tests else [])]


def outer_definitions(facts: Facts) -> list[Definition]:
    """Those that do not stand in another one."""
    outer: list[Definition] = []
    for one in facts.definitions:
        if not outer or one.line > outer[-1].last_line:
            outer.append(one)
    return outer[:_MOST_DEFINITIONS]


def _listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"**{title}**", "", *lines]) if lines else ""


def steps(facts: Facts) -> str:
    lines = [_step(step) for step in facts.steps[:_MOST_STEPS]]
    left = len(facts.steps) - _MOST_STEPS
    if left > 0:
        lines.append(
            f"- {counted(left, 'more step follows', 'more steps follow')} in the same way."
        )
    return _listed("Step by step", lines)


def _step(step: Step) -> str:
    is_one = step.line == step.last_line
    lines = f"Line {step.line}" if is_one else f"Lines {step.line}–{step.last_line}"
    end = "" if step.words.endswith(":") else "."
    return f"{'  ' * step.depth}- {lines}: {step.words}{end}"


def ideas(shown: Sequence[Concept]) -> str:
    lines = [f"- **{sentence(concept)[:-1]}**: {lesson(concept).what}" for concept in shown]
    return _listed("The ideas in it", lines)


def reasons(shown: Sequence[Concept]) -> str:
    lines = [f"- **{sentence(concept)[:-1]}**: {lesson(concept).why}" for concept in shown]
    return _listed("Why it is built this way", lines)


def origins(facts: Facts) -> str:
    """Where the names come from that the selection does not make."""
    reads = set(facts.about(Topic.READS))
    used = [one for one in facts.imports if one.name in reads]
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
    return _listed("Where its names come from", lines)


def risks(facts: Facts, most: int) -> str:
    lines = [
        f"- Line {risk.line}, {code(risk.code)} ({risk.danger.value}): {warning(risk.danger)}."
        for risk in facts.risks[:most]
    ]
    return _listed("Worth a second look", lines)


def contract(facts: Facts, concepts: Sequence[Concept] = ()) -> str:
    said = {
        "For": "".join(code(one, QUOTE_LENGTH) for one in facts.about(Topic.PURPOSE)[:1]),
        "Contract": _contract(facts),
        "Preconditions": _phrases(facts, (Topic.GUARDS, "turns away"), (Topic.ASSERTS, "asserts")),
        "Control flow": _phrases(
            facts,
            (Topic.BRANCHES, "branches on"),
            (Topic.LOOPS, "over"),
            (Topic.REPEATS, "while"),
        ),
        "Effects": _effects(facts),
        "Depends on": _dependencies(facts),
        "Cost": _cost(facts),
        "Uses": ", ".join(concepts),
        "Check": ", ".join(f"{risk.danger.value} (line {risk.line})" for risk in facts.risks),
    }
    return "\n".join(f"- **{name}:** {words}." for name, words in said.items() if words)


def _contract(facts: Facts) -> str:
    told = [signature(definition) for definition in outer_definitions(facts)]
    told.append(
        _phrases(
            facts,
            (Topic.ASSIGNS, "sets"),
            (Topic.RETURNS, "returns"),
            (Topic.YIELDS, "yields"),
            (Topic.RAISES, "raises"),
            (Topic.CATCHES, "catches"),
        )
    )
    return "; ".join(filter(None, told))


def _phrases(facts: Facts, *topics: tuple[Topic, str]) -> str:
    told = [(words, facts.about(topic)) for topic, words in topics]
    return "; ".join(f"{words} {short_codes(pieces)}" for words, pieces in told if pieces)


def _effects(facts: Facts) -> str:
    told = _phrases(
        facts,
        (Topic.MUTATES, "writes"),
        (Topic.AWAITS, "suspends at"),
        (Topic.OPENS, "holds"),
        (Topic.CALLS, "calls"),
    )
    if facts.about(Topic.MUTATES):
        return told
    return "; ".join(filter(None, ["writes nothing outside itself in plain sight", told]))


def _dependencies(facts: Facts) -> str:
    modules = list(dict.fromkeys(one.module for one in facts.imports))
    imported = {one.name for one in facts.imports}
    free = [name for name in facts.about(Topic.READS) if name not in imported]
    told = [codes(modules)] if modules else []
    return "; ".join([*told, *([f"free names {codes(free)}"] if free else [])])


def _cost(facts: Facts) -> str:
    if facts.loop_depth == 0:
        return "no loop of its own; callees not counted"
    if facts.loop_depth == 1:
        return "one level of loops, linear in what they run over; callees not counted"
    return (
        f"loops {facts.loop_depth} deep, the product of what they run over at worst; "
        "callees not counted"
    )


def write(facts: Facts, stage: Stage) -> str:
    """The explanation as markdown."""
    concepts = concepts_for(facts, stage)
    match stage:
        case Stage.NOVICE | Stage.ADVANCED_BEGINNER:
            parts = [
                summary(facts),
                steps(facts),
                ideas(concepts),
                origins(facts),
                # One thing to watch is enough on the way up; a novice has enough to read.
                risks(facts, most=stage.rank),
            ]
        case Stage.COMPETENT:
            parts = [
                summary(facts),
                reasons(concepts),
                origins(facts),
                risks(facts, most=6),
            ]
        case Stage.PROFICIENT:
            parts = [contract(facts, concepts)]
        case Stage.EXPERT:
            parts = [contract(facts)]
    return "\n\n".join(filter(None, parts))


def concepts_for(facts: Facts, stage: Stage) -> list[Concept]:
    """Which concepts are worth naming at this stage."""
    news = [concept for concept in facts.concepts if not lesson(concept).is_basic]
    if stage is Stage.NOVICE or (stage is Stage.ADVANCED_BEGINNER and not news):
        return list(facts.concepts[:_MOST_CONCEPTS])
    return news[:_MOST_CONCEPTS]


def analogy_for(facts: Facts, stage: Stage) -> str | None:
    """One picture, for beginners: that of the main concept, as far as it has one."""
    if stage.rank >= Stage.COMPETENT.rank:
        return None
    return next(filter(None, (lesson(concept).analogy for concept in facts.concepts)), None)
