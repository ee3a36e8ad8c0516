"""A plan without a model: steps that fit the kind of issue, at the places that share its words."""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from bottega.coach.planning.clues import Clues, Place, words

MOST_WORDS = 5
NOTE = (
    "*Drafted without a model, from the issue's words and the names in this project. Change "
    "whatever does not fit.*"
)


class Kind(StrEnum):
    BUG = "bug"
    FEATURE = "feature"
    DOCS = "docs"


LABELS = {
    Kind.BUG: {"bug", "fix", "defect", "regression", "crash"},
    Kind.DOCS: {"docs", "documentation", "doc"},
    Kind.FEATURE: {"feature", "enhancement", "improvement"},
}
#: What titles say where labels say nothing; the first that is found decides.
SPOKEN = {
    Kind.DOCS: re.compile(r"\b(?:docs?|document\w*|readme|typos?)\b", re.IGNORECASE),
    Kind.BUG: re.compile(
        r"\b(?:bugs?|crash\w*|errors?|exception|traceback|wrong|incorrect\w*|broken|breaks?|"
        r"fail\w*|lost|lose[sn]?|missing|off by|raises?|leaks?|hangs?|never|cannot|can't|"
        r"doesn't|does not|should not|shouldn't)\b",
        re.IGNORECASE,
    ),
}


class Scene(NamedTuple):
    """What a step may speak of, in words that stand in a sentence."""

    test: str
    begin: str
    change: str
    readme: str


class Step(NamedTuple):
    title: str
    #: With the scene's names in braces.
    text: str


STEPS = {
    Kind.BUG: (
        Step(
            "See it fail",
            "Find the smallest call that shows the problem and write it down as a test {test}. It "
            "should fail now, and for the reason that the issue gives.",
        ),
        Step(
            "Understand why",
            "{begin} Say in one sentence where the wrong result comes from before you change "
            "anything.",
        ),
        Step(
            "Change as little as needed",
            "Put it right {change}, where the cause is and not where it shows. Keep everything "
            "else as it was.",
        ),
        Step(
            "Prove it",
            "Run the test from the first step: it should pass now. Add one more case at the edge "
            "(nothing, one, very many) {test}, and run all the others.",
        ),
        Step(
            "Tidy up",
            "Read your own diff from top to bottom, as if somebody else had written it. Names, "
            "comments and {readme} should say what the code does now.",
        ),
    ),
    Kind.FEATURE: (
        Step(
            "Say what it should do",
            "Write one example of its use as a test {test}: what goes in, and what should come "
            "out. It fails, because nobody built it yet.",
        ),
        Step(
            "Find where it belongs",
            "{begin} Note what is there already that you can use, and who calls it today.",
        ),
        Step(
            "Build the smallest version",
            "Make the example work {change}, and nothing more. Whoever calls the code today should "
            "not have to change.",
        ),
        Step(
            "Cover the edges",
            "What if it gets nothing, too much, or the wrong thing? Decide each and write the "
            "decision down as a test {test}; then run all the others.",
        ),
        Step(
            "Tidy up",
            "Read your own diff from top to bottom and give things the names that you would look "
            "for. Describe the new part where people read about it: {readme}.",
        ),
    ),
    Kind.DOCS: (
        Step(
            "Read it as a newcomer",
            "Read {readme} as it is today and mark every sentence at which you would have to ask "
            "somebody.",
        ),
        Step(
            "Find out what is true",
            "{begin} Try what the text says, and note where the two disagree.",
        ),
        Step(
            "Write it anew",
            "Change only what is wrong or missing in {readme}, in the shortest words that are "
            "still exact. Show an example before you explain it.",
        ),
        Step(
            "Try it",
            "Follow your own text step by step, in a fresh copy if you can. Every command and "
            "every name in it should be right.",
        ),
    ),
}


def drafted_plan(
    title: str, summary: str, labels: Sequence[str], tree: Sequence[str], clues: Clues
) -> str:
    scene = _scene(title, summary, tree, clues)._asdict()
    steps = STEPS[kind_of(title, summary, labels)]
    numbered = (
        f"{number}. **{step.title}.** {step.text.format(**scene)}"
        for number, step in enumerate(steps, 1)
    )
    return "\n\n".join([f"# Plan: {_one_line(title)}", *numbered, NOTE]) + "\n"


def kind_of(title: str, summary: str, labels: Sequence[str]) -> Kind:
    said = {word for label in labels for word in re.findall(r"[a-z]+", label.lower())}
    by_label = next((kind for kind, known in LABELS.items() if said & known), None)
    if by_label is not None:
        return by_label
    for text in (title, summary):
        for kind, pattern in SPOKEN.items():
            if pattern.search(text):
                return kind
    return Kind.FEATURE


def _scene(title: str, summary: str, tree: Sequence[str], clues: Clues) -> Scene:
    readme = next((path for path in tree if path.lower() in ("readme.md", "readme.rst")), None)
    first, others = next(iter(clues.places), None), clues.places[1:]
    return Scene(
        test=f"in `{clues.tests[0]}`" if clues.tests else "in a new test file, for there is none",
        begin=_begin(first, others) if first else _search_for(title, summary),
        change=f"in `{first.path}`" if first else "at the place that you found",
        readme=f"`{readme}`" if readme else "the documentation",
    )


def _begin(place: Place, others: Sequence[Place]) -> str:
    begin = f"Read `{place.path}`"
    if place.definition:
        begin += f", beginning with `{place.definition}` (line {place.line})"
    if place.words:
        begin += f": it shares the words {_listed(place.words[:MOST_WORDS])} with the issue"
    also = " and ".join(f"`{other.path}`" for other in others[:2])
    return f"{begin}. {also} may have a part in it." if also else f"{begin}."


def _search_for(title: str, summary: str) -> str:
    wanted = list(dict.fromkeys(words(f"{title} {summary}")))[:MOST_WORDS]
    if not wanted:
        return "Nothing in the project shares a word with the issue: look at its files one by one."
    return (
        "No file shares words with the issue, so search the project for what it might say instead "
        f"of {_listed(wanted)}."
    )


def _listed(found: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in found)


def _one_line(title: str) -> str:
    return " ".join(title.split())
