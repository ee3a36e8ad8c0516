"""Edges out of the words of documents: looked for in each as it comes in, and once more in all
when an ingest is done, because a document may cite one that comes after it."""

import asyncio
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.library import repository
from bottega.library.filling.comparing import paragraph_id
from bottega.library.graph.edges import Edge, EdgeKind, Resolve, edges_of
from bottega.library.reading.document import Document, Format, Kind, Paragraph, Unit
from bottega.library.reading.references import ancestors, normalise_ref, resolve_ref
from bottega.library.repository import batches
from bottega.library.tables import LibraryDocument, LibraryEdge, LibraryParagraph

WRITTEN = (EdgeKind.CITES, EdgeKind.MAPS_TO)


async def link_document(session: AsyncSession, library_id: str, document: Document) -> None:
    """Replace the edges that the document's words make; its paragraphs are in the rows already."""
    own = {each.ref for each in document.paragraphs}
    cited = await asyncio.to_thread(_cited, document)
    known = own | await _known(session, library_id, cited - own)
    numbers = await repository.numbers(session, library_id)
    resolve = _resolver(known, document.prefix)
    edges = await asyncio.to_thread(edges_of, document, resolve, numbers)
    for some in batches(paragraph_id(library_id, ref) for ref in own):
        await session.execute(
            delete(LibraryEdge).where(
                LibraryEdge.source_id.in_(some), LibraryEdge.kind.in_(WRITTEN)
            )
        )
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
    rows: list[dict[str, Any]] = []
    for edge in edges:
        source, target = _ends(library_id, edge)
        row = {"source_id": source, "target_id": target, "kind": edge.kind.value}
        rows.append(row | {"library_id": library_id, "weight": edge.weight})
    if rows:
        await session.execute(insert(LibraryEdge), rows)


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


def _cited(document: Document) -> set[str]:
    """Every reference that the document cites, and what contains it."""
    cited: set[str] = set()

    def note(ref: str) -> None:
        normal = normalise_ref(ref)
        cited.update((normal, *ancestors(normal), normal.removeprefix(f"{document.prefix}.")))

    edges_of(document, note)
    return cited


async def _known(session: AsyncSession, library_id: str, refs: set[str]) -> set[str]:
    known: set[str] = set()
    for some in batches(sorted(refs)):
        known.update(
            await session.scalars(
                select(LibraryParagraph.ref).where(
                    LibraryParagraph.library_id == library_id, LibraryParagraph.ref.in_(some)
                )
            )
        )
    return known


def _ends(library_id: str, edge: Edge) -> tuple[str, str]:
    return paragraph_id(library_id, edge.source_ref), paragraph_id(library_id, edge.target_ref)
