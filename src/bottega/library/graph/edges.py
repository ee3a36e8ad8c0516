"""What leads from one paragraph to another, and how strongly.

`cites` and `maps_to` (from a guide to what it explains) stand in the text, `hop` is nearness in
meaning, `belongs_to` is in the numbering: `315.12(a)` belongs to `315.12`. The last is derived
whenever it is needed and never stored.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from bottega.library.reading.citations import Citation, Reach, paragraph_citations
from bottega.library.reading.document import Document, Kind, Paragraph
from bottega.library.reading.references import ancestors, normalise_ref


class EdgeKind(StrEnum):
    CITES = "cites"
    MAPS_TO = "maps_to"
    BELONGS_TO = "belongs_to"
    HOP = "hop"


#: What is cited is there itself.
EXACT = 1.0
#: Only something that contains what is cited is there: `315.12` for `315.12(d)`.
CONTAINING = 0.8
#: Between a paragraph and the part of it that is numbered on its own, either way.
BELONGING = 0.9

#: The reference in the library that a cited one means: itself or, failing that, the nearest that
#: contains it.
Resolve: TypeAlias = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Edge:
    source_ref: str
    target_ref: str
    kind: EdgeKind
    weight: float


def edges_of(
    document: Document, resolve: Resolve, numbers: Collection[str] | None = None
) -> list[Edge]:
    """The edges that a document's own words make, one for each pair of paragraphs.

    `numbers` are those of the library's documents: the 8 of "UTF-8" is none of them.
    """
    own = {paragraph.ref for paragraph in document.paragraphs}
    edges: dict[tuple[str, str], Edge] = {}
    for paragraph in document.paragraphs:
        for cited in _cited(document, paragraph, numbers):
            target = resolve(cited)
            if target is None or target == paragraph.ref:
                continue
            points_out = document.kind is Kind.GUIDE and target not in own
            kind = EdgeKind.MAPS_TO if points_out else EdgeKind.CITES
            edge = Edge(paragraph.ref, target, kind, _weight(cited, target))
            known = edges.get((paragraph.ref, target))
            if known is None or known.weight < edge.weight:
                edges[paragraph.ref, target] = edge
    return list(edges.values())


def _cited(
    document: Document, paragraph: Paragraph, numbers: Collection[str] | None
) -> Iterator[str]:
    for citation in paragraph_citations(paragraph, document):
        if numbers is None or may_be_here(citation, numbers):
            yield citation.target


def may_be_here(citation: Citation, numbers: Collection[str]) -> bool:
    """Whether it cites its own document, or one whose number the library has."""
    if citation.reach is Reach.ELSEWHERE:
        return citation.target.partition(".")[0] in numbers
    return citation.reach is Reach.HERE


def _weight(cited: str, target: str) -> float:
    return CONTAINING if target in ancestors(normalise_ref(cited)) else EXACT
