"""No answer, said well: what is missing, what is nearest, and what the person can do."""

import re
from collections.abc import Callable, Sequence

from bottega.research.answering.answer import Answer, Refusal
from bottega.research.answering.escaping import escape_line
from bottega.research.answering.gate import Removed
from bottega.research.answering.links import CitedParagraph
from bottega.research.pipeline.outputs import Retrieval, Synthesis

NEAREST = 3
#: Of a paragraph's text, what a line holds.
LINE = 160
LONGEST_REASON = 300

#: What speaks for an answer is no reason to refuse one.
_FOR_IT = re.compile(r" takes up: ")
_SENTENCE = re.compile(r"(?<=[.!?;:])\s")


def make_refusal(
    library: str,
    retrieval: Retrieval | None,
    synthesis: Synthesis | None = None,
    *,
    removed: Sequence[Removed] = (),
    unnamed: Sequence[str] = (),
) -> Refusal:
    if removed:
        missing = [_taken_out(len(removed))]
    elif unnamed:
        missing = [f"What was found does not mention: {', '.join(unnamed)}."]
    else:
        missing = _missing(retrieval, synthesis)
    return Refusal(
        missing=missing,
        nearest=_nearest(retrieval),
        advice=[
            "Ask in other words, or for one thing at a time: the library may call it differently.",
            f"Add documents that say it to the library “{library}”, and ask again.",
        ],
    )


def render_refusal(answer: Answer, cite: Callable[[str], str]) -> str:
    refusal = answer.refusal
    assert refusal is not None
    parts = [
        f"# {escape_line(answer.title[:LINE])}",
        f"> **No answer.** The library “{escape_line(answer.library)}” does not hold one, as far "
        "as could be seen, so none is made up.",
        "## What is missing",
        "\n".join(f"- {escape_line(each)}" for each in refusal.missing),
    ]
    if refusal.nearest:
        lines = [f"- {cite(each.ref)}: {escape_line(each.text)}" for each in refusal.nearest]
        parts += ["## What is nearest", "\n".join(lines)]
    parts += ["## What you can do", "\n".join(f"- {escape_line(each)}" for each in refusal.advice)]
    return "\n\n".join(parts)


def _taken_out(count: int) -> str:
    if count == 1:
        return "One statement was written and taken out: the library does not bear it out."
    return f"{count} statements were written and taken out: the library does not bear them out."


def _missing(retrieval: Retrieval | None, synthesis: Synthesis | None) -> list[str]:
    """The library's own reasons; where it saw none, those of whoever read what was found."""
    if retrieval is not None and not retrieval.answerable:
        reasons = [each for each in retrieval.reasons if not _FOR_IT.search(each)]
    elif retrieval is not None and not retrieval.paragraphs:
        reasons = ["The library has nothing that is near to the question."]
    else:
        said = synthesis.cannot_answer if synthesis else None
        # A model's own words go out unchecked: none that could carry a reference or a figure.
        is_safe = said and len(said) <= LONGEST_REASON and not re.search(r"\d", said)
        reasons = [said] if said and is_safe else []
    return reasons or ["What was found does not say it clearly enough."]


def _nearest(retrieval: Retrieval | None) -> list[CitedParagraph]:
    found = [each.paragraph for each in retrieval.paragraphs[:NEAREST]] if retrieval else []
    return [CitedParagraph.of(paragraph, _line(paragraph.text)) for paragraph in found]


def _line(text: str) -> str:
    first = _SENTENCE.split(" ".join(text.split()), maxsplit=1)[0]
    return first if len(first) <= LINE else f"{first[:LINE].rstrip()}…"
