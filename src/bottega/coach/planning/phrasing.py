"""What Paige says of a phase when no model speaks for her: shorter, the further the learner is."""

import re
from dataclasses import dataclass
from enum import StrEnum

from bottega.coach.planning.plan_text import passages, plain, unnumbered
from bottega.coach.stages import Stage


class Kind(StrEnum):
    """What sort of work a step is."""

    UNDERSTAND = "understand"
    PROVE = "prove"
    TELL = "tell"
    PREPARE = "prepare"
    CHANGE = "change"
    BUILD = "build"


WRITING = r"(?:add|write|create|extend|update)\W+(?:\w+\W+){0,3}?"
#: "Add a test" is about the test, not about adding.
VERBS = (
    (Kind.PROVE, rf"{WRITING}tests?|tests?|reproduce|verify|check that|prove"),
    (Kind.TELL, rf"{WRITING}(?:docs?|documentation|readme|changelog|comments?)|document"),
    (Kind.CHANGE, r"fix|change|replace|rename|refactor|move|remove|update|convert|switch|migrate"),
    (Kind.BUILD, r"add|implement|create|write|build|introduce|extend|support|make"),
    (Kind.PREPARE, r"install|configure|set up|setup|scaffold"),
    (Kind.UNDERSTAND, r"read|find|locate|understand|investigate|explore|trace|look|study|review"),
)


@dataclass(frozen=True, slots=True)
class Advice:
    why: str
    first: str
    done: str
    watch: str


ADVICE = {
    Kind.UNDERSTAND: Advice(
        why="You can only change safely what you have read.",
        first="follow one example through it, on paper if you like",
        done="you can say in one sentence what the code does today and where that goes wrong",
        watch="do not change anything yet",
    ),
    Kind.PROVE: Advice(
        why="A test that fails today is how you will know tomorrow that the work is done.",
        first="write down one small input and what you expect of it",
        done="the test fails for the right reason without the change and passes with it",
        watch="see it fail once before you trust it",
    ),
    Kind.TELL: Advice(
        why="The next reader, perhaps you, was not here when you understood this.",
        first="write for someone who has never seen the code",
        done="a newcomer could use it from what is written",
        watch="say why, not only what",
    ),
    Kind.PREPARE: Advice(
        why="With the ground prepared, the steps after it stay small.",
        first="note how things stand before you touch them",
        done="everything still runs as it did before",
        watch="keep this apart from changes in behaviour",
    ),
    Kind.CHANGE: Advice(
        why="This is where the behaviour turns, so small moves pay off.",
        first="find the one place where it is decided today",
        done="the new behaviour shows and every older test still passes",
        watch="look for who else relies on the old behaviour",
    ),
    Kind.BUILD: Advice(
        why="The steps after it will lean on this piece.",
        first="settle its name, what goes in and what comes out before you write the body",
        done="a small example shows that it does what this step says",
        watch="think of the empty case and the odd one",
    ),
}

#: Fenced, to its end or to the end of the step.
CODE_BLOCK = re.compile(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
LONGEST_GOAL = 280
LONGEST_OPENING = 400


def kind_of(text: str) -> Kind:
    """By what the step says first; where two start at the same word, the narrower one."""
    opening = " ".join(text[:LONGEST_OPENING].lower().split()[:30])
    found = [(re.search(rf"\b(?:{verbs})\b", opening), kind) for kind, verbs in VERBS]
    starts = [(match.start(), kind) for match, kind in found if match]
    return min(starts, key=lambda start: start[0])[1] if starts else Kind.BUILD


def describe(text: str, kind: Kind, stage: Stage, place: str | None) -> str:
    """The phase's description; `place` says where to begin."""
    goal, advice = goal_of(text), ADVICE[kind]
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
