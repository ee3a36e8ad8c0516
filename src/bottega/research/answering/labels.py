"""The labels of web pages (`[W1]`) and of prior research (`[P1]`) in an answer.

Models forget them, and pin them where they do not belong. So code decides: every source stands at
one sentence at least that it really has words in common with, and in one list of sources; one that
fits no sentence was consulted, but is not cited. Nothing but words is compared: it takes
microseconds, and doing it twice changes nothing.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bottega.core.textindex.stopwords import STOP_WORDS
from bottega.research.pipeline.outputs import AnswerSection, Claim, Synthesis, WebSource
from bottega.research.talking.prior import PriorSection

#: The share of a sentence's words that a source must have, and how many at the least.
FLOOR = 0.4
LEAST_WORDS = 2

_INLINE = re.compile(r"\s*\[\s*([WP]\d+(?:\s*[,;]\s*[WP]\d+)*)\s*\]")
_WORD = re.compile(r"[^\W_]+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True)
class Source:
    """What a label stands for."""

    label: str
    keywords: frozenset[str]
    #: Of prior research: the paragraphs that it cited.
    citations: frozenset[str] = frozenset()

    @classmethod
    def of_web(cls, page: WebSource) -> "Source":
        return cls(page.label, _keywords(f"{page.title} {page.excerpt}"))

    @classmethod
    def of_prior(cls, section: PriorSection) -> "Source":
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


def sources_of(web: Sequence[WebSource], prior: Sequence[PriorSection]) -> list[Source]:
    return [*map(Source.of_web, web), *map(Source.of_prior, prior)]


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


def _checked(claim: Claim, sources: dict[str, Source]) -> Claim:
    """With those of its labels that stand for something, and for something that bears it."""
    claim = lift_labels(claim)
    labels = [
        label
        for label in dict.fromkeys(claim.labels)
        if label in sources and sources[label].bears(claim)
    ]
    return claim if labels == claim.labels else claim.model_copy(update={"labels": labels})


def _is_pinned(source: Source, areas: Iterable[Sequence[Claim]]) -> bool:
    return any(source.label in claim.labels for area in areas for claim in area)


def _pin(source: Source, areas: Sequence[list[Claim]]) -> None:
    """To the best sentence of the best section that has one; the short answer comes last."""
    fitting = [area for area in areas if any(map(source.bears, area))]
    if not fitting:
        return
    area = max(fitting, key=lambda area: (area is not areas[0], _area_overlap(source, area)))
    place = max(range(len(area)), key=lambda n: (source.bears(area[n]), source.overlap(area[n])))
    best = area[place]
    area[place] = best.model_copy(update={"labels": [*best.labels, source.label]})


def _best_area(source: Source, areas: Sequence[Sequence[Claim]]) -> int:
    """Where its entry stands: in the section that it fits best of those that name it."""
    naming = [n for n, area in enumerate(areas) if _is_pinned(source, [area])]
    return max(naming, key=lambda n: (n > 0, _area_overlap(source, areas[n])))


def _area_overlap(source: Source, claims: Sequence[Claim]) -> float:
    said = frozenset[str]().union(*(_keywords(claim.text) for claim in claims))
    return len(said & source.keywords) / len(said) if said else 0.0


@lru_cache(maxsize=4_000)
def _keywords(text: str) -> frozenset[str]:
    return frozenset(
        _singular(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS
    )


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
