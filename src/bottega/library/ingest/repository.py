"""The rows of a document, written inside somebody's transaction."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.errors import NotFound
from bottega.library.documents.repository import delete_in, rows_in
from bottega.library.documents.tables import (
    Library,
    LibraryDocument,
    LibraryParagraph,
    LibraryRejection,
    LibraryTerm,
    paragraph_id,
)
from bottega.library.ingest.changes import DocumentChange
from bottega.library.ingest.schemas import Rejected
from bottega.library.parsers.document import Document, Paragraph


async def write_document(session: AsyncSession, library_id: str, change: DocumentChange) -> None:
    values = _document_values(change)
    if change.is_new:
        await _insert(
            session,
            LibraryDocument,
            [{"id": change.document_id, "library_id": library_id, **values}],
        )
    else:
        await session.execute(
            update(LibraryDocument).where(LibraryDocument.id == change.document_id).values(values)
        )
        await _forget_terms(session, change.document_id)
    await _insert(
        session,
        LibraryParagraph,
        [
            {"id": key, "library_id": library_id, "document_id": change.document_id}
            | _paragraph_values(change.document, each)
            for key, each in change.new.items()
        ],
    )
    await _update_paragraphs(session, change)
    await _insert(
        session,
        LibraryTerm,
        [
            {
                "id": new_id(),
                "library_id": library_id,
                "paragraph_id": paragraph_id(library_id, each.ref),
                "term": each.term.lower(),
                "definition": each.definition,
            }
            for each in change.document.terms
        ],
    )


async def _update_paragraphs(session: AsyncSession, change: DocumentChange) -> None:
    still_there = {**change.changed, **change.kept}
    if still_there:
        connection = await session.connection()
        columns = ("ref", "position", "headings", "text", "start")
        await connection.execute(
            update(LibraryParagraph.__table__)  # type: ignore[arg-type]
            .where(LibraryParagraph.id == bindparam("known"))
            .values({name: bindparam(name) for name in columns}),
            [
                {"known": key, **_paragraph_values(change.document, each)}
                for key, each in still_there.items()
            ],
        )


async def advance(session: AsyncSession, library_id: str) -> None:
    """The library's next version; its row is locked until the transaction ends."""
    found = await session.scalar(
        update(Library)
        .where(Library.id == library_id)
        .values(version=Library.version + 1, updated_at=clock.now())
        .returning(Library.id)
    )
    if found is None:
        raise NotFound("The library was removed meanwhile.", library_id=library_id)


async def _insert(session: AsyncSession, table: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        await session.execute(insert(table), list(rows))


async def _forget_terms(session: AsyncSession, document_id: str) -> None:
    mine = select(LibraryParagraph.id).where(LibraryParagraph.document_id == document_id)
    await session.execute(delete(LibraryTerm).where(LibraryTerm.paragraph_id.in_(mine)))


async def forget_rejections(session: AsyncSession, library_id: str, paths: Iterable[str]) -> None:
    mine = LibraryRejection.library_id == library_id
    await delete_in(session, LibraryRejection, LibraryRejection.path, paths, mine)


async def paragraph_ids(session: AsyncSession, document_ids: Sequence[str]) -> list[str]:
    return [row.id for rows in (await paragraphs(session, document_ids)).values() for row in rows]


async def paragraphs(
    session: AsyncSession, document_ids: Sequence[str]
) -> dict[str, list[LibraryParagraph]]:
    found: defaultdict[str, list[LibraryParagraph]] = defaultdict(list)
    column = LibraryParagraph.document_id
    for (row,) in await rows_in(session, select(LibraryParagraph), column, document_ids):
        found[row.document_id].append(row)
    return found


async def owners(session: AsyncSession, library_id: str, refs: Iterable[str]) -> dict[str, str]:
    """Which document has each of these references, of those that are there."""
    query = select(LibraryParagraph.ref, LibraryParagraph.document_id).where(
        LibraryParagraph.library_id == library_id
    )
    return dict(await rows_in(session, query, LibraryParagraph.ref, refs))


def _document_values(change: DocumentChange) -> dict[str, Any]:
    document = change.document
    return {
        "path": change.incoming.path,
        "title": document.title,
        "kind": document.kind.value,
        "prefix": document.prefix,
        "content_hash": change.incoming.content_hash,
        "size": change.incoming.size,
        "paragraph_count": len(document.paragraphs),
        "problems": [problem.message for problem in document.problems],
        "ingested_at": clock.now(),
    }


def _paragraph_values(document: Document, paragraph: Paragraph) -> dict[str, Any]:
    return {
        "ref": paragraph.ref,
        "position": paragraph.order,
        "headings": list(paragraph.headings),
        "text": paragraph.text,
        "start": f"{document.unit} {paragraph.start}",
    }


async def note_rejections(
    session: AsyncSession, library_id: str, rejected: Mapping[str, Rejected]
) -> None:
    await forget_rejections(session, library_id, rejected)
    rows = [
        {"id": new_id(), "library_id": library_id, "path": path, "reason": each.message}
        for path, each in rejected.items()
    ]
    await _insert(session, LibraryRejection, rows)
