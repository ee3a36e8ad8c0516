"""The gate, after the last repair: what of an answer goes out, and as what.

A supported claim stays. One that its sources do not bear out, or that cites nothing, is removed,
and the person is told. One that nobody could decide stays and is marked. One that names a source
which does not exist is removed whatever else it cites, and the answer is never called verified.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bottega.research.answering.framing import is_framing
from bottega.research.pipeline.outputs import (
    AnswerSection,
    AnswerStatus,
    Claim,
    JudgedClaim,
    Synthesis,
)

_FIGURE = re.compile(r"\d[\d.,:]*")


@dataclass(frozen=True, slots=True)
class Removed:
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Gated:
    #: What is left of the answer.
    synthesis: Synthesis
    #: The judgements of what is left.
    claims: tuple[JudgedClaim, ...]
    removed: tuple[Removed, ...]
    has_invented: bool

    @property
    def unconfirmed(self) -> frozenset[str]:
        """The texts of claims that nobody could decide."""
        return frozenset(each.claim.text for each in self.claims if each.verdict == "undecided")

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left that says anything."""
        return all(each.verdict == "uncited" for each in self.claims)


def pass_gate(synthesis: Synthesis, judged: Sequence[JudgedClaim], question: str) -> Gated:
    """`judged` has one entry a claim, in the order of `synthesis.claims`."""
    rest = iter(judged)
    summary = list(_staying(synthesis.summary, rest, question))
    found = [
        (each.heading, list(_staying(each.claims, rest, question))) for each in synthesis.sections
    ]
    sections = [(heading, claims) for heading, claims in found if claims]
    if not summary and sections:
        # The short answer went: what the sections begin with is the next best.
        summary = sections[0][1][:1]
    left = [*summary, *(each for _, claims in sections for each in claims)]
    delivered = synthesis.model_copy(
        update={
            "title": _checked_heading(synthesis.title, left, question) or question,
            "summary": [each.claim for each in summary],
            "sections": [
                AnswerSection(
                    heading=_checked_heading(heading, claims, question) or "More",
                    claims=[each.claim for each in claims],
                )
                for heading, claims in sections
            ],
        }
    )
    invented = any(each.invented for each in judged)
    return Gated(delivered, tuple(left), tuple(_removed(judged, left)), invented)


def decide_status(gated: Gated, *, whole_passed: bool, rest_passed: bool) -> AnswerStatus:
    """Verified is what held as a whole after the last repair, and holds as what is left of it."""
    if gated.is_empty:
        return AnswerStatus.REFUSED
    if whole_passed and rest_passed and not gated.has_invented:
        return AnswerStatus.VERIFIED
    return AnswerStatus.UNVERIFIED


def _staying(
    claims: Sequence[Claim], rest: Iterator[JudgedClaim], question: str
) -> Iterator[JudgedClaim]:
    for _ in claims:
        judged = next(rest)
        if _stays(judged, question):
            yield judged


def _stays(judged: JudgedClaim, question: str) -> bool:
    if judged.verdict == "uncited":
        return is_framing(judged.claim, question)
    return not judged.invented and judged.verdict != "unsupported"


def _removed(judged: Sequence[JudgedClaim], left: Sequence[JudgedClaim]) -> Iterator[Removed]:
    """Each once, and none that still stands elsewhere with a better citation."""
    told = {each.claim.text for each in left}
    for each in judged:
        text = each.claim.text
        if text.strip() and text not in told:
            told.add(text)
            yield Removed(text, _why(each))


def _why(judged: JudgedClaim) -> str:
    if judged.invented:
        # Not by name: what does not exist shall not stand in an answer, not even here.
        return "it cited something that the library does not have"
    return "; ".join(judged.reasons)


def _checked_heading(heading: str, claims: Sequence[JudgedClaim], question: str) -> str:
    """Nobody verifies headings, so a figure in one must stand below it, too."""
    said = [
        question,
        *(text for each in claims for text in (each.claim.text, *each.claim.citations)),
    ]
    figures = _FIGURE.findall(heading)
    return heading if all(figure.strip(".,:") in " ".join(said) for figure in figures) else ""
