"""What leads from one paragraph to another, and how strongly.

`cites` and `maps_to` (from a guide to what it explains) stand in the text, `hop` is nearness in
meaning, `belongs_to` is in the numbering: `315.12(a)` belongs to `315.12`. The last is derived
whenever it is needed and never stored.

Edges out of a document's words are looked for when it comes in, and once more in all documents when
an ingest is done, because a document may cite one that comes after it.
"""

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.library.documents import repository
from bottega.library.documents.tables import (
    LibraryDocument,
    LibraryEdge,
    LibraryParagraph,
    paragraph_id,
)
from bottega.library.graph.schemas import EdgeKind
from bottega.library.parsers.citations import may_be_here, paragraph_citations
from bottega.library.parsers.document import Document, Format, Kind, Paragraph, Unit
from bottega.library.parsers.references import ancestors, normalise_ref, resolve_ref

#: What is cited is there itself.
EXACT = 1.0
#: Only something that contains what is cited is there: `315.12` for `315.12(d)`.
CONTAINING = 0.8
#: Between a paragraph and the part of it that is numbered on its own, either way.
BELONGING = 0.9

#: Those that a document's own words make.
WRITTEN = (EdgeKind.CITES, EdgeKind.MAPS_TO)

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
        for cited in _citations(document, paragraph, numbers):
            target = resolve(cited)
            if target is None or target == paragraph.ref:
                continue
            points_out = document.kind is Kind.GUIDE and target not in own
            kind = EdgeKind.MAPS_TO if points_out else EdgeKind.CITES
            weight = CONTAINING if target in ancestors(normalise_ref(cited)) else EXACT
            edge = Edge(paragraph.ref, target, kind, weight)
            known = edges.get((paragraph.ref, target))
            if known is None or known.weight < edge.weight:
                edges[paragraph.ref, target] = edge
    return list(edges.values())


def _citations(
    document: Document, paragraph: Paragraph, numbers: Collection[str] | None
) -> Iterator[str]:
    for citation in paragraph_citations(paragraph, document):
        if numbers is None or may_be_here(citation, numbers):
            yield citation.target


async def link_document(session: AsyncSession, library_id: str, document: Document) -> None:
    """Replace the edges that the document's words make; its paragraphs are in the rows already."""
    own = {each.ref for each in document.paragraphs}
    cited = await asyncio.to_thread(_cited_refs, document)
    known = own | await _known(session, library_id, cited - own)
    numbers = await repository.numbers(session, library_id)
    resolve = _resolver(known, document.prefix)
    edges = await asyncio.to_thread(edges_of, document, resolve, numbers)
    sources = [paragraph_id(library_id, ref) for ref in own]
    is_written = LibraryEdge.kind.in_(WRITTEN)
    await repository.delete_in(session, LibraryEdge, LibraryEdge.source_id, sources, is_written)
    await add_edges(session, library_id, edges)


async def missing_edges(session: AsyncSession, library_id: str) -> list[Edge]:
    """What could not be resolved when its document came in, and can be now."""
    mine = LibraryParagraph.library_id == library_id
    known = set(await session.scalars(select(LibraryParagraph.ref).where(mine)))
    rows = await session.execute(
        select(LibraryEdge.source_id, LibraryEdge.target_id).where(
            LibraryEdge.library_id == library_id, LibraryEdge.kind.in_(WRITTEN)
        )
    )
    there = {(source, target) for source, target in rows}
    numbers = await repository.numbers(session, library_id)
    missing: list[Edge] = []
    for row in await session.scalars(
        select(LibraryDocument).where(LibraryDocument.library_id == library_id)
    ):
        document = await _from_rows(session, row)
        resolve = _resolver(known, document.prefix)
        found = await asyncio.to_thread(edges_of, document, resolve, numbers)
        missing += [edge for edge in found if _ends(library_id, edge) not in there]
    return missing


async def add_edges(session: AsyncSession, library_id: str, edges: Sequence[Edge]) -> None:
    rows = [
        edge_row(library_id, *_ends(library_id, edge), edge.kind, edge.weight) for edge in edges
    ]
    if rows:
        await session.execute(insert(LibraryEdge), rows)


def edge_row(
    library_id: str, source_id: str, target_id: str, kind: EdgeKind, weight: float
) -> dict[str, Any]:
    row = {"source_id": source_id, "target_id": target_id, "kind": kind.value}
    return {**row, "library_id": library_id, "weight": weight}


async def _from_rows(session: AsyncSession, row: LibraryDocument) -> Document:
    """A stored document, as far as its words go."""
    paragraphs = await session.execute(
        select(LibraryParagraph.ref, LibraryParagraph.text, LibraryParagraph.position)
        .where(LibraryParagraph.document_id == row.id)
        .order_by(LibraryParagraph.position)
    )
    return Document(
        name=row.path,
        title=row.title,
        kind=Kind(row.kind),
        format=Format.TEXT,
        prefix=row.prefix,
        language=None,
        metadata={},
        unit=Unit.BLOCK,
        paragraphs=tuple(
            Paragraph(ref, text, (), None, position, position) for ref, text, position in paragraphs
        ),
        terms=(),
        anchors={},
        problems=(),
    )


def _resolver(known: Collection[str], prefix: str | None) -> Resolve:
    def resolve(ref: str) -> str | None:
        # "Paragraph 7.2", said in document 8, may be 8.7.2 or the 7.2 of another.
        elsewhere = ref.removeprefix(f"{prefix}.") if prefix else ref
        return elsewhere if ref not in known and elsewhere in known else resolve_ref(ref, known)

    return resolve


def _cited_refs(document: Document) -> set[str]:
    """Every reference that the document cites, and what contains it."""
    cited: set[str] = set()

    def note(ref: str) -> None:
        normal = normalise_ref(ref)
        cited.update((normal, *ancestors(normal), normal.removeprefix(f"{document.prefix}.")))

    edges_of(document, note)
    return cited


async def _known(session: AsyncSession, library_id: str, refs: set[str]) -> set[str]:
    query = select(LibraryParagraph.ref).where(LibraryParagraph.library_id == library_id)
    rows = await repository.rows_in(session, query, LibraryParagraph.ref, sorted(refs))
    return {ref for (ref,) in rows}


def _ends(library_id: str, edge: Edge) -> tuple[str, str]:
    return paragraph_id(library_id, edge.source_ref), paragraph_id(library_id, edge.target_ref)
