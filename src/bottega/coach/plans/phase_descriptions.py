"""What Paige says of a phase when no model speaks for her: shorter, the further the learner is."""

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from bottega.coach.enums import Stage
from bottega.coach.plans.plan_text import passages, plain, unnumbered


class StepKind(StrEnum):
    """What sort of work a step is."""

    UNDERSTAND = "understand"
    PROVE = "prove"
    TELL = "tell"
    PREPARE = "prepare"
    CHANGE = "change"
    BUILD = "build"


ADVICE = Path(__file__).with_name("advice.toml")
WRITING = r"(?:add|write|create|extend|update)\W+(?:\w+\W+){0,3}?"
#: "Add a test" is about the test, not about adding.
VERBS = (
    (StepKind.PROVE, rf"{WRITING}tests?|tests?|reproduce|verify|check that|prove"),
    (StepKind.TELL, rf"{WRITING}(?:docs?|documentation|readme|changelog|comments?)|document"),
    (
        StepKind.CHANGE,
        r"fix|change|replace|rename|refactor|move|remove|update|convert|switch|migrate",
    ),
    (StepKind.BUILD, r"add|implement|create|write|build|introduce|extend|support|make"),
    (StepKind.PREPARE, r"install|configure|set up|setup|scaffold"),
    (
        StepKind.UNDERSTAND,
        r"read|find|locate|understand|investigate|explore|trace|look|study|review",
    ),
)


@dataclass(frozen=True, slots=True)
class Advice:
    why: str
    first: str
    done: str
    watch: str


@cache
def _advice(kind: StepKind) -> Advice:
    return Advice(**tomllib.loads(ADVICE.read_text(encoding="utf-8"))[kind])


#: Fenced, to its end or to the end of the step.
CODE_BLOCK = re.compile(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
LONGEST_GOAL = 280
LONGEST_OPENING = 400


def kind_of(text: str) -> StepKind:
    """By what the step says first; where two start at the same word, the narrower one."""
    opening = " ".join(text[:LONGEST_OPENING].lower().split()[:30])
    found = [(re.search(rf"\b(?:{verbs})\b", opening), kind) for kind, verbs in VERBS]
    starts = [(match.start(), kind) for match, kind in found if match]
    return min(starts, key=lambda start: start[0])[1] if starts else StepKind.BUILD


def describe(text: str, kind: StepKind, stage: Stage, place: str | None) -> str:
    """The phase's description; `place` says where to begin."""
    goal, advice = goal_of(text), _advice(kind)
    begin = f"Open {place} and {advice.first}." if place else f"{_capital(advice.first)}."
    match stage:
        case Stage.NOVICE:
            return (
                f"{goal}\n\nWhy now: {advice.why}\n\nYour first step: {begin} "
                f"On the way, {advice.watch}.\n\nYou are done when {advice.done}."
            )
        case Stage.ADVANCED_BEGINNER:
            return f"{goal} {begin} You are done when {advice.done}."
        case Stage.COMPETENT:
            where = f" Start from {place}." if place else ""
            return f"{goal}{where} {_capital(advice.watch)}."
        case Stage.PROFICIENT:
            return f"{_first_sentence(goal)} {_capital(advice.watch)}."
        case Stage.EXPERT:
            return _first_sentence(goal)


def goal_of(text: str) -> str:
    """The step in its own words, as prose. Code in a plan is not for the learner to copy."""
    said = [plain(unnumbered(passage)) for passage in passages(CODE_BLOCK.sub("", text))]
    words = ". ".join(_capital(one.rstrip(" .")) for one in said if one).replace(":. ", ": ")
    if len(words) > LONGEST_GOAL:
        words = words[:LONGEST_GOAL].rsplit(" ", 1)[0].rstrip(",;:. ") + "…"
    if not words:
        return "Do this step as the plan shows it."
    return words if words[-1] in "…!?" else f"{words}."


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?…])\s", text, maxsplit=1)[0]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
