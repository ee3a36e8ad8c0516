"""The rows of a document, written inside somebody's transaction."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core import clock
from bottega.core.ids import new_id
from bottega.errors import NotFound
from bottega.library.filling.comparing import Change, paragraph_id
from bottega.library.reading.document import Document, Paragraph
from bottega.library.repository import batches
from bottega.library.tables import (
    Library,
    LibraryDocument,
    LibraryParagraph,
    LibraryRejection,
    LibraryTerm,
)
from bottega.library.views import Rejected


async def write_document(session: AsyncSession, library_id: str, change: Change) -> None:
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


async def _update_paragraphs(session: AsyncSession, change: Change) -> None:
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
    for some in batches(paths):
        await session.execute(
            delete(LibraryRejection).where(
                LibraryRejection.library_id == library_id, LibraryRejection.path.in_(some)
            )
        )


async def paragraph_ids(session: AsyncSession, document_ids: Sequence[str]) -> list[str]:
    return [row.id for rows in (await paragraphs(session, document_ids)).values() for row in rows]


async def paragraphs(
    session: AsyncSession, document_ids: Sequence[str]
) -> dict[str, list[LibraryParagraph]]:
    found: defaultdict[str, list[LibraryParagraph]] = defaultdict(list)
    for some in batches(document_ids):
        for row in await session.scalars(
            select(LibraryParagraph).where(LibraryParagraph.document_id.in_(some))
        ):
            found[row.document_id].append(row)
    return found


async def owners(session: AsyncSession, library_id: str, refs: Iterable[str]) -> dict[str, str]:
    """Which document has each of these references, of those that are there."""
    found: dict[str, str] = {}
    for some in batches(refs):
        rows = await session.execute(
            select(LibraryParagraph.ref, LibraryParagraph.document_id).where(
                LibraryParagraph.library_id == library_id, LibraryParagraph.ref.in_(some)
            )
        )
        found.update((ref, document_id) for ref, document_id in rows)
    return found


def _document_values(change: Change) -> dict[str, Any]:
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


async def delete_paragraphs(session: AsyncSession, ids: Iterable[str]) -> None:
    for some in batches(ids):
        await session.execute(delete(LibraryParagraph).where(LibraryParagraph.id.in_(some)))


async def delete_documents(session: AsyncSession, ids: Iterable[str]) -> None:
    for some in batches(ids):
        await session.execute(delete(LibraryDocument).where(LibraryDocument.id.in_(some)))


async def note_rejections(
    session: AsyncSession, library_id: str, rejected: Mapping[str, Rejected]
) -> None:
    await forget_rejections(session, library_id, rejected)
    rows = [
        {"id": new_id(), "library_id": library_id, "path": path, "reason": each.message}
        for path, each in rejected.items()
    ]
    await _insert(session, LibraryRejection, rows)
