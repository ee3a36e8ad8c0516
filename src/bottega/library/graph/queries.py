"""What the graph asks the database."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import and_, delete, false, func, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from bottega.library.graph.edges import BELONGING, EdgeKind
from bottega.library.graph.traversal import Way
from bottega.library.reading.references import ancestors, parent_ref
from bottega.library.tables import LibraryDocument, LibraryEdge, LibraryParagraph

#: Ways on from one place: a definition that everything cites must not fill the memory.
MAX_WAYS = 200
#: How far behind a paragraph its sub-paragraphs are looked for.
SUBPARAGRAPHS = 60
#: To what cites is not quite as good a way as to what is cited.
BACKWARDS = 0.8


async def document_kind(session: AsyncSession, paragraph_id: str) -> str | None:
    return await session.scalar(
        select(LibraryDocument.kind)
        .join(LibraryParagraph, LibraryParagraph.document_id == LibraryDocument.id)
        .where(LibraryParagraph.id == paragraph_id)
    )


async def ways_from(session: AsyncSession, ids: Sequence[str]) -> dict[str, list[Way]]:
    """All ways on from each, the strongest first; of two to the same place, the stronger."""
    found: dict[str, list[Way]] = {paragraph_id: [] for paragraph_id in ids}
    await _add_stored(session, found, LibraryEdge.source_id, LibraryEdge.target_id)
    await _add_stored(session, found, LibraryEdge.target_id, LibraryEdge.source_id)
    await _add_belonging(session, found)
    return {paragraph_id: strongest(ways) for paragraph_id, ways in found.items()}


def strongest(ways: Iterable[Way]) -> list[Way]:
    best: dict[str, Way] = {}
    for way in sorted(ways, key=lambda way: (-way.weight, way.kind, way.backwards, way.target_ref)):
        best.setdefault(way.target_id, way)
    return list(best.values())[:MAX_WAYS]


async def _add_stored(
    session: AsyncSession,
    found: dict[str, list[Way]],
    here: InstrumentedAttribute[str],
    there: InstrumentedAttribute[str],
) -> None:
    place = func.row_number().over(
        partition_by=here, order_by=(LibraryEdge.weight.desc(), LibraryEdge.kind, there)
    )
    edges = (
        select(here.label("here"), there.label("there"), LibraryEdge.kind, LibraryEdge.weight)
        .add_columns(place.label("place"))
        .where(here.in_(found))
        .subquery()
    )
    rows = await session.execute(
        select(edges, LibraryParagraph.ref)
        .join(LibraryParagraph, LibraryParagraph.id == edges.c.there)
        .where(edges.c.place <= MAX_WAYS)
    )
    for row in rows:
        kind = EdgeKind(row.kind)
        # Nearness has no direction.
        backwards = here is LibraryEdge.target_id and kind is not EdgeKind.HOP
        weight = row.weight * (BACKWARDS if backwards else 1)
        found[row.here].append(Way(row.there, row.ref, kind, weight, backwards))


async def _add_belonging(session: AsyncSession, found: dict[str, list[Way]]) -> None:
    columns = select(
        LibraryParagraph.id,
        LibraryParagraph.ref,
        LibraryParagraph.document_id,
        LibraryParagraph.position,
    )
    places = (await session.execute(columns.where(LibraryParagraph.id.in_(found)))).all()
    near = [
        and_(
            LibraryParagraph.document_id == place.document_id,
            or_(
                LibraryParagraph.ref.in_(list(ancestors(place.ref))),
                LibraryParagraph.position.between(
                    place.position + 1, place.position + SUBPARAGRAPHS
                ),
            ),
        )
        for place in places
    ]
    around = (await session.execute(columns.where(or_(false(), *near)))).all()
    for place in places:
        mine = {row.ref: row.id for row in around if row.document_id == place.document_id}
        found[place.id] += [
            Way(row_id, ref, EdgeKind.BELONGS_TO, BELONGING, backwards=True)
            for ref, row_id in mine.items()
            if parent_ref(ref) == place.ref
        ]
        container = next((ref for ref in ancestors(place.ref) if ref in mine), None)
        if container is not None:
            found[place.id].append(Way(mine[container], container, EdgeKind.BELONGS_TO, BELONGING))


async def paragraph_texts(session: AsyncSession, library_id: str) -> dict[str, str]:
    """The text of every paragraph, in order of id."""
    rows = await session.execute(
        select(LibraryParagraph.id, LibraryParagraph.text)
        .where(LibraryParagraph.library_id == library_id)
        .order_by(LibraryParagraph.id)
    )
    return {row.id: row.text for row in rows}


async def remove_nearness(session: AsyncSession, library_id: str) -> None:
    await session.execute(
        delete(LibraryEdge).where(
            LibraryEdge.library_id == library_id, LibraryEdge.kind == EdgeKind.HOP
        )
    )


async def add_nearness(
    session: AsyncSession, library_id: str, pairs: Iterable[tuple[str, str, float]]
) -> None:
    rows: Sequence[dict[str, Any]] = [
        {
            "library_id": library_id,
            "source_id": source_id,
            "target_id": target_id,
            "kind": EdgeKind.HOP.value,
            "weight": weight,
        }
        for source_id, target_id, weight in pairs
    ]
    if not rows:
        return
    # `ON CONFLICT` is the same on both, but each dialect has its own construct for it.
    dialect: Any = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    await session.execute(dialect.insert(LibraryEdge).on_conflict_do_nothing(), rows)
