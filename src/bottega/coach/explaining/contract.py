"""The terse form, for people who read code faster than prose: contract, effects, cost."""

from collections.abc import Sequence

from bottega.coach.explaining.concepts import Concept
from bottega.coach.explaining.facts import Facts, Topic
from bottega.coach.explaining.phrasing import codes
from bottega.coach.explaining.sections import outer_definitions
from bottega.coach.explaining.wording import signature


def contract(facts: Facts, concepts: Sequence[Concept] = ()) -> str:
    said = {
        "Contract": _contract(facts),
        "Preconditions": _preconditions(facts),
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
    return "; ".join(
        f"{words} {codes(facts.about(topic))}" for topic, words in topics if facts.about(topic)
    )


def _preconditions(facts: Facts) -> str:
    return _phrases(facts, (Topic.GUARDS, "turns away"), (Topic.ASSERTS, "asserts"))


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
