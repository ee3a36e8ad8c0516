"""The summary of the last run as later turns of the conversation see it."""

import re
from collections.abc import Iterator
from html import escape

from bottega.research.folders import SessionFolder
from bottega.research.talking.summary import EndedAs, PipelineSummary, read_summary

TAG = "orchestrator_prior_research"
LONGEST = 1_500

#: What XML cannot hold at all.
_UNWRITABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


async def prior_research_block(folder: SessionFolder) -> str:
    """Empty in a session in which no run has ended."""
    summary = await read_summary(folder)
    return format_block(summary) if summary else ""


def format_block(summary: PipelineSummary) -> str:
    """At most 1,500 characters; what does not fit is left out from the end, whole lines of it."""
    opening, closing = f"<{TAG}>", f"</{TAG}>"
    room = LONGEST - len(opening) - len(closing) - 1
    lines = []
    for line in _lines(summary):
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    return "\n".join([opening, *lines, closing])


def _lines(summary: PipelineSummary) -> Iterator[str]:
    """The most telling first."""
    partial = "yes" if summary.was_partial else "no"
    yield f"<run ended={_attribute(summary.exit_reason)} partial={_attribute(partial)}/>"
    yield _element("question", summary.original_query)
    if summary.error:
        yield _element("error", summary.error)
    if summary.answer_status:
        yield _element("answer_status", summary.answer_status)
    if scores := summary.verification_scores:
        told = (f"{name} {value:g}" for name, value in scores.model_dump().items())
        yield _element("verification", ", ".join(told))
    if summary.completed_stages:
        yield _element("completed_stages", ", ".join(map(str, summary.completed_stages)))
    yield from (_element("conclusion", text) for text in summary.conclusions)
    yield from (_element("finding", text) for text in summary.key_findings)
    for name in ("retrieval", "calibration"):
        if text := getattr(summary, name):
            yield _element(name, text)
    yield from (_element("looked_for", text) for text in summary.sub_queries)


def _element(name: str, text: str) -> str:
    return f"<{name}>{_escaped(text)}</{name}>"


def _attribute(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    # Quotes too, so that it is safe in an attribute.
    return escape(_UNWRITABLE.sub("", text), quote=True)


def tell_people(summary: PipelineSummary) -> str:
    """The same in plain words, where there is no model to put it into some."""
    ended = {
        EndedAs.COMPLETED: "was answered",
        EndedAs.PAUSED: "waits for you",
        EndedAs.ERROR: "had to stop",
        EndedAs.BREAKOUT: "was left before it was answered",
        EndedAs.CANCELLED: "was cancelled",
    }[summary.exit_reason]
    lines = [f"The research on “{summary.original_query}” {ended}."]
    if summary.error:
        lines.append(f"The reason: {summary.error}")
    for opening, items in (
        ("It found:", summary.key_findings),
        ("It concluded:", summary.conclusions),
        ("It set out to look for:", () if summary.key_findings else summary.sub_queries),
    ):
        if items:
            lines += ["", opening, *(f"- {item}" for item in items)]
    return "\n".join(lines)
