"""Does research answer what the example standards say, and refuse what they do not?

Labelled questions go offline through all stages of a quick run. They were written here, about the
example, so their figures say little about other libraries; `docs/judgements.md` tells which do.
Near questions use the library's own words for facts that it lacks.
"""

import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bottega.research.answers.claim_filter import place_labels
from bottega.research.pipeline.schemas import (
    AnswerSection,
    AnswerStatus,
    Claim,
    Synthesis,
    WebSource,
)
from bottega.research.pipeline.views import ResearchAnswer
from tests.research.builders import open_research
from tests.research.labelled import Asked, answer, questions

#: For placing the labels of a section.
TARGET_US = 1_000


@dataclass(frozen=True, slots=True)
class Got:
    asked: Asked
    answer: ResearchAnswer

    @property
    def is_refused(self) -> bool:
        return self.answer.status is AnswerStatus.REFUSED


@dataclass(frozen=True, slots=True)
class Figures:
    refused: float
    near_refused: float
    wrongly_refused: float
    #: The share of cited paragraphs that belong to the matter.
    cited_relevant: float
    #: The share of answers that cite a paragraph with the answer.
    found: float
    #: The share of claims that stand word for word in a paragraph that they cite.
    borne_out: float
    #: The share of answers that went out as verified, and of those the wrong ones.
    verified: float
    wrongly_verified: float

    @classmethod
    def of(cls, got: Sequence[Got]) -> "Figures":
        with_answer = [each for each in got if each.asked.answerable]
        without = [each for each in got if not each.asked.answerable]
        near = [each for each in without if each.asked.domain == "near"]
        answered = [each for each in with_answer if not each.is_refused]
        verified = [each for each in got if each.answer.status is AnswerStatus.VERIFIED]
        cited = [
            citation.ref in (*each.asked.refs, *each.asked.also)
            for each in answered
            for citation in each.answer.citations
        ]
        return cls(
            _share([each.is_refused for each in without]),
            _share([each.is_refused for each in near]),
            _share([each.is_refused for each in with_answer]),
            _share(cited),
            _share([_cites_the_answer(each) for each in answered]),
            _share([held for each in answered for held in _held(each.answer)]),
            _share([each.answer.status is AnswerStatus.VERIFIED for each in answered]),
            _share([not _cites_the_answer(each) for each in verified], nothing=0.0),
        )


async def main() -> None:
    got = await ask(questions())
    console = Console()
    for split in ("tuning", "held_out"):
        console.print(show(split, [each for each in got if each.asked.split == split]))
    took = label_microseconds()
    met = "met" if took <= TARGET_US else "missed"
    console.print(f"labels: {took:.0f} µs a section (target ≤ {TARGET_US} µs, {met})")


async def ask(asked: Sequence[Asked]) -> list[Got]:
    got = []
    with tempfile.TemporaryDirectory() as folder:
        async with open_research(Path(folder)) as app:
            for each in asked:
                known = await answer(app, each.question)
                assert known.delivered is not None
                got.append(Got(each, ResearchAnswer.model_validate(known.delivered.answer)))
    return got


def show(split: str, got: Sequence[Got]) -> Table:
    figures = Figures.of(got)
    table = Table(f"{split} ({len(got)} questions)", "share")
    for name, share in (
        ("without an answer, refused", figures.refused),
        ("… of these near ones", figures.near_refused),
        ("with an answer, refused", figures.wrongly_refused),
        ("cited paragraphs that belong", figures.cited_relevant),
        ("claims in their source's words", figures.borne_out),
        ("answers that cite the answer", figures.found),
        ("answers that are verified", figures.verified),
        ("… of these wrong ones", figures.wrongly_verified),
    ):
        table.add_row(name, f"{share:.3f}")
    return table


def label_microseconds(sections: int = 20, claims: int = 8, pages: int = 8) -> float:
    """For one section of a long answer whose words were not seen before; the best of ten."""

    def text(start: int, length: int) -> str:
        return " ".join(f"word{(start * 7 + n * 3) % 400}" for n in range(length))

    def once(run: int) -> float:
        written = [
            AnswerSection(
                heading=f"Section {n}",
                claims=[
                    Claim(text=f"{text(run + n * 13 + m, 14)} run {run}") for m in range(claims)
                ],
            )
            for n in range(sections)
        ]
        web = [
            WebSource(label=f"W{n}", url="", title=text(run + n, 5), excerpt=text(run * 3 + n, 30))
            for n in range(1, pages + 1)
        ]
        started = time.perf_counter()
        place_labels(Synthesis(title="Long", summary=[], sections=written), web)
        return (time.perf_counter() - started) * 1e6 / sections

    return min(once(run) for run in range(10))


def _cites_the_answer(got: Got) -> bool:
    return any(citation.ref in got.asked.refs for citation in got.answer.citations)


def _held(answer: ResearchAnswer) -> list[bool]:
    texts = {citation.ref: _squeezed(citation.text) for citation in answer.citations}
    claims = [
        *answer.summary_claims,
        *(claim for section in answer.sections for claim in section.claims),
    ]
    return [
        any(_squeezed(claim.text) in texts[ref] for ref in claim.citations if ref in texts)
        for claim in claims
    ]


def _squeezed(text: str) -> str:
    """Without the pointers to other paragraphs that a quotation leaves out."""
    text = re.sub(r"\(see paragraphs? [^)]*\)|\b(?:of|under) paragraph [\w.]+(?:\(\w\))?", "", text)
    return " ".join(re.findall(r"\w+", text.lower()))


def _share(held: Sequence[bool], nothing: float = 1.0) -> float:
    return sum(held) / len(held) if held else nothing
