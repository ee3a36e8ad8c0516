"""Queries about libraries; what changes them is in `ingest/repository.py`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy import Select, delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.search.filters import Metadata
from bottega.core.search.text_index import TextDocument
from bottega.library.documents.schemas import ParagraphView, TermView
from bottega.library.documents.tables import (
    Library,
    LibraryDocument,
    LibraryEdge,
    LibraryParagraph,
    LibraryRejection,
    LibraryTerm,
)
from bottega.library.parsers.document import Kind
from bottega.library.parsers.references import ancestors, normalise_ref

#: Values in one `IN (…)`: under every SQLite's limit of variables.
AT_ONCE = 500


def batches(values: Iterable[str]) -> list[list[str]]:
    listed = list(values)
    return [listed[start : start + AT_ONCE] for start in range(0, len(listed), AT_ONCE)]


async def rows_in(
    session: AsyncSession, query: Select[*tuple[Any, ...]], column: Any, values: Iterable[str]
) -> list[Any]:
    """The rows whose column has one of the values, asked for in batches."""
    found: list[Any] = []
    for some in batches(values):
        found += await session.execute(query.where(column.in_(some)))
    return found


async def delete_in(
    session: AsyncSession, table: Any, column: Any, values: Iterable[str], *also: Any
) -> None:
    """Delete the rows whose column has one of the values, and for which all else holds."""
    for some in batches(values):
        await session.execute(delete(table).where(column.in_(some), *also))


async def library(session: AsyncSession, name: str, user_id: str) -> Library | None:
    return await session.scalar(select(Library).filter_by(name=name, user_id=user_id))


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
    query = select(LibraryDocument).filter_by(library_id=library_id)
    if kind is not None:
        query = query.filter_by(kind=kind)
    return (await session.scalars(query.order_by(LibraryDocument.path))).all()


async def documents_at(
    session: AsyncSession, library_id: str, paths: Iterable[str]
) -> dict[str, LibraryDocument]:
    query = select(LibraryDocument).where(LibraryDocument.library_id == library_id)
    rows = await rows_in(session, query, LibraryDocument.path, paths)
    return {row.path: row for (row,) in rows}


async def numbers(session: AsyncSession, library_id: str) -> set[str]:
    """What the documents are known by, those that have a number: `315`."""
    found = await session.scalars(
        select(LibraryDocument.prefix).where(LibraryDocument.library_id == library_id).distinct()
    )
    return {each for each in found if each}


async def rejections(session: AsyncSession, library_id: str) -> Sequence[LibraryRejection]:
    query = select(LibraryRejection).filter_by(library_id=library_id)
    return (await session.scalars(query.order_by(LibraryRejection.path))).all()


async def paragraphs(
    session: AsyncSession, library_id: str, ids: Iterable[str]
) -> dict[str, ParagraphView]:
    """By id, of those that exist."""
    rows = await rows_in(session, _views(), LibraryParagraph.id, ids)
    # Looked at here: asked for in the query, SQLite would go through the whole library.
    return {
        row.id: ParagraphView.model_validate(row) for row in rows if row.library_id == library_id
    }


async def by_refs(
    session: AsyncSession, library_id: str, refs: Iterable[str]
) -> dict[str, ParagraphView]:
    rows = await rows_in(session, _views(library_id), LibraryParagraph.ref, refs)
    return {row.ref: ParagraphView.model_validate(row) for row in rows}


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


class IndexedParagraph(Protocol):
    """What is indexed of a paragraph, parsed or stored."""

    @property
    def ref(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def headings(self) -> Sequence[str]: ...


def indexed_texts(title: str, paragraphs: Iterable[IndexedParagraph]) -> dict[str, str]:
    """The text that each paragraph of a document is indexed by, by its reference.

    Their words, the headings that say what they are about, and of `12(a)` the words of 12 that lead
    to it: "at least 72 hours before" alone is about nothing.
    """
    listed = list(paragraphs)
    texts = {each.ref: each.text for each in listed}
    return {
        each.ref: "\n".join(
            [*dict.fromkeys((title, *each.headings)), *_leads(each.ref, texts), each.text]
        )
        for each in listed
    }


def _leads(ref: str, texts: Mapping[str, str]) -> list[str]:
    above = [each for each in ancestors(ref) if ref.startswith(f"{each}(")] if "(" in ref else []
    return [texts[each] for each in reversed(above) if each in texts]


def index_details(document_id: str, kind: str) -> Metadata:
    """What searches filter by."""
    return {"document_id": document_id, "kind": str(kind)}


async def text_documents(session: AsyncSession, library_id: str) -> dict[str, TextDocument]:
    """The indexed text of every paragraph, by its id."""
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
    query = select(LibraryTerm).filter_by(library_id=library_id)
    return (await session.scalars(query.order_by(LibraryTerm.term, LibraryTerm.id))).all()


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
    order = (LibraryEdge.source_id, LibraryEdge.target_id, LibraryEdge.kind)
    rows = await rows_in(session, select(LibraryEdge).order_by(*order), LibraryEdge.source_id, ids)
    return [edge for (edge,) in rows]


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
