"""What of an answer goes out after the last repair, as what, and with which labels.

A supported claim stays. One that its sources do not bear out, or that cites nothing, is removed,
and the person is told. One that nobody could decide stays and is marked. One that names a source
which does not exist is removed whatever else it cites, and the answer is never called verified.
Sentences that only lead through an answer claim nothing and need no citation.

Models forget the labels of web pages (`[W1]`) and of prior research (`[P1]`), and pin them where
they do not belong. So code decides: every source stands at one sentence at least that it really has
words in common with, and in one list of sources; one that fits no sentence was consulted, but is
not cited. Nothing but words is compared: it takes microseconds, and doing it twice changes nothing.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bottega.core.search.text_index import words
from bottega.core.text.words import STOP_WORDS
from bottega.research.pipeline.schemas import (
    AnswerSection,
    AnswerStatus,
    Claim,
    JudgedClaim,
    PriorSection,
    Synthesis,
    WebSource,
)
from bottega.research.pipeline.views import Taken

#: The share of a sentence's words that a source must have, and how many at the least.
FLOOR = 0.4
LEAST_WORDS = 2

_INLINE = re.compile(r"\s*\[\s*([WP]\d+(?:\s*[,;]\s*[WP]\d+)*)\s*\]")
_WORD = re.compile(r"[^\W_]+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True)
class LabelledSource:
    """What a label stands for."""

    label: str
    keywords: frozenset[str]
    #: Of prior research: the paragraphs that it cited.
    citations: frozenset[str] = frozenset()

    @classmethod
    def of_web(cls, page: WebSource) -> "LabelledSource":
        return cls(page.label, _keywords(f"{page.title} {page.excerpt}"))

    @classmethod
    def of_prior(cls, section: PriorSection) -> "LabelledSource":
        text = f"{section.heading} {section.excerpt}"
        return cls(section.label, _keywords(text), frozenset(section.citations))

    def bears(self, claim: Claim) -> bool:
        """Whether it may be named for the claim."""
        return bool(self.citations.intersection(claim.citations)) or self.overlap(claim) >= FLOOR

    def overlap(self, claim: Claim) -> float:
        """The share of the claim's words that it has; none if a number is not among them."""
        said = _keywords(claim.text)
        shared = said & self.keywords
        has_other_numbers = any(word[0].isdigit() for word in said - shared)
        if len(shared) < LEAST_WORDS or has_other_numbers:
            return 0.0
        return len(shared) / len(said)


@dataclass(frozen=True, slots=True)
class Labelled:
    """An answer whose labels are right."""

    synthesis: Synthesis
    #: Labels whose sources are listed under the short answer, and under each section.
    under_summary: tuple[str, ...]
    under_sections: tuple[tuple[str, ...], ...]
    #: Those that fit no sentence.
    consulted: tuple[str, ...]


def sources_of(web: Sequence[WebSource], prior: Sequence[PriorSection]) -> list[LabelledSource]:
    return [*map(LabelledSource.of_web, web), *map(LabelledSource.of_prior, prior)]


def lift_labels(claim: Claim) -> Claim:
    """Labels that stand in the sentence belong beside it."""
    inline = [label for found in _INLINE.findall(claim.text) for label in re.split(r"\W+", found)]
    if not inline:
        return claim
    labels = list(dict.fromkeys([*claim.labels, *inline]))
    return claim.model_copy(update={"text": _INLINE.sub("", claim.text).strip(), "labels": labels})


def place_labels(
    synthesis: Synthesis, web: Sequence[WebSource] = (), prior: Sequence[PriorSection] = ()
) -> Labelled:
    sources = {source.label: source for source in sources_of(web, prior)}
    areas = [synthesis.summary, *(section.claims for section in synthesis.sections)]
    areas = [[_checked(claim, sources) for claim in area] for area in areas]
    under: list[list[str]] = [[] for _ in areas]
    consulted = []
    for source in sources.values():
        if not _is_pinned(source, areas):
            _pin(source, areas)
        if _is_pinned(source, areas):
            under[_best_area(source, areas)].append(source.label)
        else:
            consulted.append(source.label)
    sections = [
        AnswerSection(heading=section.heading, claims=claims)
        for section, claims in zip(synthesis.sections, areas[1:], strict=True)
    ]
    labelled = synthesis.model_copy(update={"summary": areas[0], "sections": sections})
    return Labelled(labelled, tuple(under[0]), tuple(map(tuple, under[1:])), tuple(consulted))


def _checked(claim: Claim, sources: dict[str, LabelledSource]) -> Claim:
    """With those of its labels that stand for something, and for something that bears it."""
    claim = lift_labels(claim)
    labels = [
        label
        for label in dict.fromkeys(claim.labels)
        if label in sources and sources[label].bears(claim)
    ]
    return claim if labels == claim.labels else claim.model_copy(update={"labels": labels})


def _is_pinned(source: LabelledSource, areas: Iterable[Sequence[Claim]]) -> bool:
    return any(source.label in claim.labels for area in areas for claim in area)


def _pin(source: LabelledSource, areas: Sequence[list[Claim]]) -> None:
    """To the best sentence of the best section that has one; the short answer comes last."""
    fitting = [area for area in areas if any(map(source.bears, area))]
    if not fitting:
        return
    area = max(fitting, key=lambda area: (area is not areas[0], _area_overlap(source, area)))
    place = max(range(len(area)), key=lambda n: (source.bears(area[n]), source.overlap(area[n])))
    best = area[place]
    area[place] = best.model_copy(update={"labels": [*best.labels, source.label]})


def _best_area(source: LabelledSource, areas: Sequence[Sequence[Claim]]) -> int:
    """Where its entry stands: in the section that it fits best of those that name it."""
    naming = [n for n, area in enumerate(areas) if _is_pinned(source, [area])]
    return max(naming, key=lambda n: (n > 0, _area_overlap(source, areas[n])))


def _area_overlap(source: LabelledSource, claims: Sequence[Claim]) -> float:
    said = frozenset[str]().union(*(_keywords(claim.text) for claim in claims))
    return len(said & source.keywords) / len(said) if said else 0.0


@lru_cache(maxsize=4_000)
def _keywords(text: str) -> frozenset[str]:
    return frozenset(
        _singular(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS
    )


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


_LISTED: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)
_OPENING = re.compile(rf"(?:{'|'.join(_LISTED['openings'])})\b", re.IGNORECASE)
_CLAIMS = re.compile(rf"\d|\b(?:{'|'.join(_LISTED['claiming'])})\b", re.IGNORECASE)
_LEADING_WORDS = frozenset(_LISTED["leading"])
_FIGURE = re.compile(r"\d[\d.,:]*")


def is_framing(claim: Claim, question: str) -> bool:
    """Whether it cites nothing and says nothing that the question did not."""
    if claim.citations or claim.labels or not _OPENING.match(claim.text.strip()):
        return False
    if _CLAIMS.search(claim.text):
        return False
    return set(words(claim.text)) <= _LEADING_WORDS.union(words(question))


@dataclass(frozen=True, slots=True)
class FilteredAnswer:
    #: What is left of the answer.
    synthesis: Synthesis
    #: The judgements of what is left.
    claims: tuple[JudgedClaim, ...]
    removed: tuple[Taken, ...]
    has_invented: bool

    @property
    def unconfirmed(self) -> frozenset[str]:
        """The texts of claims that nobody could decide."""
        return frozenset(each.claim.text for each in self.claims if each.verdict == "undecided")

    @property
    def answers(self) -> bool:
        """Whether something of it is what was asked, as far as that was judged."""
        judged = [each.answers for each in self.claims if each.answers is not None]
        return not judged or any(each.holds for each in judged)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left that says anything."""
        return all(each.verdict == "uncited" for each in self.claims)


def filter_claims(
    synthesis: Synthesis, judged: Sequence[JudgedClaim], question: str
) -> FilteredAnswer:
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
    return FilteredAnswer(delivered, tuple(left), tuple(_removed(judged, left)), invented)


def decide_status(gated: FilteredAnswer, *, whole_passed: bool, rest_passed: bool) -> AnswerStatus:
    """Verified is what held as a whole after the last repair, holds as what is left of it, and is
    what was asked: a quotation always agrees with itself."""
    if gated.is_empty:
        return AnswerStatus.REFUSED
    if whole_passed and rest_passed and gated.answers and not gated.has_invented:
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


def _removed(judged: Sequence[JudgedClaim], left: Sequence[JudgedClaim]) -> Iterator[Taken]:
    """Each once, and none that still stands elsewhere with a better citation."""
    told = {each.claim.text for each in left}
    for each in judged:
        text = each.claim.text
        if text.strip() and text not in told:
            told.add(text)
            yield Taken(text=text, why=_why(each))


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
