"""An ordinary turn of a research conversation: a question answered from the library.

With a model it is a loop with tools (`chat_loop.py`), and this task lends it the instructions and,
as a block before the question, the summary of the last run. Without one, what the library says is
quoted, or it is said that it says nothing.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from bottega.core.llm.tasks import Task, Tier
from bottega.core.text.words import one_line, shorten
from bottega.research.agents.definition import Depth
from bottega.research.pipeline.schemas import Claim, PriorResearch, QueryPlan, Retrieved, SubQuery
from bottega.research.pipeline.state import EndedAs, PipelineSummary, read_summary
from bottega.research.sessions.files import SessionFolder
from bottega.research.stages.extraction import extract

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")
#: Of what is near, what is shown where nothing answers.
MOST_NEAR = 3
LONGEST_NEAREST = 160

_ABOUT_THE_RUN = re.compile(
    r"\b(?:what happened|what went wrong|so far|summar(?:y|ise|ize)"
    r"|(?:did|have) (?:you|we) f(?:i|ou)nd|the (?:run|research|pipeline|result))\b",
    re.IGNORECASE,
)
TAG = "orchestrator_prior_research"
LONGEST = 1_500
#: What XML cannot hold at all.
_UNWRITABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    question: str
    #: The library's name; `None` if there is none to ask.
    library: str | None = None
    #: Best first.
    found: Sequence[Retrieved] = ()
    #: Whether the library holds an answer, in its own judgement, and why it thinks so.
    answerable: bool = False
    reasons: Sequence[str] = ()
    #: What the last run came to, for people.
    prior: str = ""


def prompt(asked: ChatQuestion) -> str:
    texts = {each.paragraph.ref: each.paragraph.text for each in asked.found}
    told = {"question": asked.question, "library": asked.library, "paragraphs": texts}
    return json.dumps(told | {"prior_research": asked.prior}, ensure_ascii=False)


def offline(asked: ChatQuestion) -> str:
    if asked.prior and _ABOUT_THE_RUN.search(asked.question):
        return asked.prior
    if asked.library is None:
        return (
            "There is no library to look in, and no model is configured to answer from elsewhere. "
            "Choose a library for this session, or make one: `bottega library add`."
        )
    claims = _extract(asked) if asked.answerable else []
    return _quote(asked, claims) if claims else _nothing(asked)


def _extract(asked: ChatQuestion) -> list[Claim]:
    """As a run without a model answers: the sentences that say it."""
    plan = QueryPlan(
        original_query=asked.question,
        clarity_score=1,
        recommended_action="proceed",
        sub_queries=[SubQuery(query=asked.question)],
    )
    return extract(plan, asked.found, PriorResearch(), Depth.QUICK).claims


def _quote(asked: ChatQuestion, claims: Sequence[Claim]) -> str:
    documents = {each.paragraph.ref: each.paragraph.document for each in asked.found}
    lines = [f"From the library `{asked.library}`, in its own words and without a model:", ""]
    for claim in claims:
        ref = claim.citations[0]
        lines += [f"> {claim.text}", f"> — {documents[ref]} [{ref}]", ""]
    lines.append("For more than quotations, ask `@deep-research` with the same question.")
    return "\n".join(lines)


def _nothing(asked: ChatQuestion) -> str:
    lines = [f"The library `{asked.library}` does not hold an answer to that.", *asked.reasons]
    if asked.found:
        nearest = [each.paragraph for each in asked.found[:MOST_NEAR]]
        lines += ["", "Nearest to it:"]
        lines += [
            f"- [{each.ref}] {shorten(one_line(each.text), LONGEST_NEAREST)}" for each in nearest
        ]
    lines += [
        "",
        "You can put the question differently, add a document that has it, or set a model's key: "
        "without one I can only look in the library.",
    ]
    return "\n".join(lines)


chat = Task("research_chat", Tier.STRONG, INSTRUCTIONS, prompt, str, offline)


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
