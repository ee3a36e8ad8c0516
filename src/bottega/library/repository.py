"""Queries about libraries; what changes them is in `filling/storing.py`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.textindex import TextDocument
from bottega.library.indexes import index_details, indexed_texts
from bottega.library.reading.document import Kind
from bottega.library.reading.references import ancestors, normalise_ref
from bottega.library.tables import (
    Library,
    LibraryDocument,
    LibraryEdge,
    LibraryParagraph,
    LibraryRejection,
    LibraryTerm,
)
from bottega.library.views import ParagraphView, TermView

#: Values in one `IN (…)`: under every SQLite's limit of variables.
AT_ONCE = 500


def batches(values: Iterable[str]) -> list[list[str]]:
    listed = list(values)
    return [listed[start : start + AT_ONCE] for start in range(0, len(listed), AT_ONCE)]


async def library(session: AsyncSession, name: str, user_id: str) -> Library | None:
    return await session.scalar(
        select(Library).where(Library.name == name, Library.user_id == user_id)
    )


async def libraries(session: AsyncSession, user_id: str) -> Sequence[Library]:
    query = select(Library).where(Library.user_id == user_id).order_by(Library.name)
    return (await session.scalars(query)).all()


async def sizes(session: AsyncSession, user_id: str) -> dict[str, tuple[int, int]]:
    """Of each library that has any: how many documents and paragraphs."""
    rows = await session.execute(
        select(
            LibraryDocument.library_id,
            func.count(),
            func.coalesce(func.sum(LibraryDocument.paragraph_count), 0),
        )
        .join(Library, Library.id == LibraryDocument.library_id)
        .where(Library.user_id == user_id)
        .group_by(LibraryDocument.library_id)
    )
    return {library_id: (documents, int(paragraphs)) for library_id, documents, paragraphs in rows}


async def documents(
    session: AsyncSession, library_id: str, kind: Kind | None = None
) -> Sequence[LibraryDocument]:
    query = (
        select(LibraryDocument)
        .where(LibraryDocument.library_id == library_id)
        .order_by(LibraryDocument.path)
    )
    if kind is not None:
        query = query.where(LibraryDocument.kind == kind)
    return (await session.scalars(query)).all()


async def documents_at(
    session: AsyncSession, library_id: str, paths: Iterable[str]
) -> dict[str, LibraryDocument]:
    found: dict[str, LibraryDocument] = {}
    for some in batches(paths):
        rows = await session.scalars(
            select(LibraryDocument).where(
                LibraryDocument.library_id == library_id, LibraryDocument.path.in_(some)
            )
        )
        found.update((row.path, row) for row in rows)
    return found


async def numbers(session: AsyncSession, library_id: str) -> set[str]:
    """What the documents are known by, those that have a number: `315`."""
    found = await session.scalars(
        select(LibraryDocument.prefix).where(LibraryDocument.library_id == library_id).distinct()
    )
    return {each for each in found if each}


async def rejections(session: AsyncSession, library_id: str) -> Sequence[LibraryRejection]:
    query = (
        select(LibraryRejection)
        .where(LibraryRejection.library_id == library_id)
        .order_by(LibraryRejection.path)
    )
    return (await session.scalars(query)).all()


async def paragraphs(
    session: AsyncSession, library_id: str, ids: Iterable[str]
) -> dict[str, ParagraphView]:
    """By id, of those that exist."""
    found: dict[str, ParagraphView] = {}
    for some in batches(ids):
        rows = await session.execute(_views().where(LibraryParagraph.id.in_(some)))
        # Looked at here: asked for in the query, SQLite would go through the whole library.
        mine = (row for row in rows if row.library_id == library_id)
        found.update((row.id, ParagraphView.model_validate(row)) for row in mine)
    return found


async def by_refs(
    session: AsyncSession, library_id: str, refs: Iterable[str]
) -> dict[str, ParagraphView]:
    found: dict[str, ParagraphView] = {}
    for some in batches(refs):
        rows = await session.execute(_views(library_id).where(LibraryParagraph.ref.in_(some)))
        found.update((row.ref, ParagraphView.model_validate(row)) for row in rows)
    return found


async def paragraph(
    session: AsyncSession, library_id: str, identifier: str
) -> ParagraphView | None:
    """By id, or by reference in any form: `para. 12 (a)` of standard 315 is `315.12(a)`."""
    by_id = await paragraphs(session, library_id, [identifier])
    if by_id:
        return by_id[identifier]
    wanted = list(dict.fromkeys([identifier.strip(), normalise_ref(identifier)]))
    by_ref = await by_refs(session, library_id, wanted)
    return next((by_ref[ref] for ref in wanted if ref in by_ref), None)


async def around(
    session: AsyncSession, found: ParagraphView, reach: int
) -> tuple[list[ParagraphView], list[ParagraphView]]:
    """What stands before and after it in its document, at most so many of each."""
    position = LibraryParagraph.position
    here = await session.scalar(select(position).where(LibraryParagraph.id == found.id))
    rows = await session.execute(
        _views()
        .where(LibraryParagraph.document_id == found.document_id)
        .where(position.between((here or 0) - reach, (here or 0) + reach))
        .order_by(position)
    )
    near = [ParagraphView.model_validate(row) for row in rows]
    at = next(index for index, each in enumerate(near) if each.id == found.id)
    return near[:at], near[at + 1 :]


async def refs_beginning(
    session: AsyncSession, library_id: str, typed: str, limit: int
) -> Sequence[str]:
    """In the order of their documents."""
    query = (
        select(LibraryParagraph.ref)
        .join(LibraryDocument, LibraryDocument.id == LibraryParagraph.document_id)
        .where(LibraryDocument.library_id == library_id)
        .where(LibraryParagraph.ref.startswith(typed, autoescape=True))
        .order_by(LibraryDocument.path, LibraryParagraph.position)
        .limit(limit)
    )
    return (await session.scalars(query)).all()


async def nearest_above(session: AsyncSession, library_id: str, ref: str) -> ParagraphView | None:
    """The paragraph that contains the reference, if that itself is not there."""
    above = list(ancestors(normalise_ref(ref)))
    found = await by_refs(session, library_id, above)
    return next((found[each] for each in above if each in found), None)


async def text_documents(session: AsyncSession, library_id: str) -> dict[str, TextDocument]:
    """Of every paragraph, what it is found by."""
    by_document: defaultdict[str, list[ParagraphView]] = defaultdict(list)
    for row in await session.execute(_views(library_id)):
        by_document[row.document_id].append(ParagraphView.model_validate(row))
    found: dict[str, TextDocument] = {}
    for document_id, paragraphs in by_document.items():
        texts = indexed_texts(paragraphs[0].document, paragraphs)
        details = index_details(document_id, paragraphs[0].kind)
        found.update(
            (each.id, TextDocument(each.id, texts[each.ref], details)) for each in paragraphs
        )
    return found


async def terms(session: AsyncSession, library_id: str) -> Sequence[LibraryTerm]:
    query = (
        select(LibraryTerm)
        .where(LibraryTerm.library_id == library_id)
        .order_by(LibraryTerm.term, LibraryTerm.id)
    )
    return (await session.scalars(query)).all()


async def defined_terms(session: AsyncSession, library_id: str) -> list[TermView]:
    """Every term with the paragraph that defines it, in the order of the alphabet."""
    rows = await session.execute(
        select(LibraryTerm.term, LibraryTerm.definition, LibraryParagraph.ref)
        .join(LibraryParagraph, LibraryParagraph.id == LibraryTerm.paragraph_id)
        .where(LibraryTerm.library_id == library_id)
        .order_by(LibraryTerm.term, LibraryTerm.id)
    )
    return [TermView.model_validate(row) for row in rows]


async def edges_from(session: AsyncSession, ids: Iterable[str]) -> list[LibraryEdge]:
    found: list[LibraryEdge] = []
    for some in batches(ids):
        found += await session.scalars(
            select(LibraryEdge)
            .where(LibraryEdge.source_id.in_(some))
            .order_by(LibraryEdge.source_id, LibraryEdge.target_id, LibraryEdge.kind)
        )
    return found


async def counts(session: AsyncSession, library_id: str) -> dict[str, int]:
    """How many paragraphs and terms, and documents by kind."""
    counted = {
        name: await session.scalar(
            select(func.count()).select_from(table).where(table.library_id == library_id)
        )
        or 0
        for name, table in (("paragraphs", LibraryParagraph), ("terms", LibraryTerm))
    }
    return counted | await _by_kind(session, LibraryDocument, library_id)


async def edge_counts(session: AsyncSession, library_id: str) -> Mapping[str, int]:
    return await _by_kind(session, LibraryEdge, library_id)


async def _by_kind(
    session: AsyncSession, table: type[LibraryDocument] | type[LibraryEdge], library_id: str
) -> dict[str, int]:
    rows = await session.execute(
        select(table.kind, func.count()).where(table.library_id == library_id).group_by(table.kind)
    )
    return {kind: count for kind, count in rows}  # noqa: C416 - `dict()` takes no rows, to mypy


def _views(library_id: str | None = None) -> Select[*tuple[Any, ...]]:
    query = select(
        LibraryParagraph.id,
        LibraryParagraph.library_id,
        LibraryParagraph.ref,
        LibraryParagraph.text,
        LibraryParagraph.headings,
        LibraryParagraph.start,
        LibraryParagraph.document_id,
        LibraryDocument.title.label("document"),
        LibraryDocument.path,
        LibraryDocument.kind,
    ).join(LibraryDocument, LibraryDocument.id == LibraryParagraph.document_id)
    return query if library_id is None else query.where(LibraryParagraph.library_id == library_id)
