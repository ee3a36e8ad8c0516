"""What reading a file anew changes: paragraphs that are new, changed, kept or gone; and the rows
of a document, written inside somebody's transaction.

A paragraph's id follows from its library and its reference, so a new edition of a document leaves
the ids, and with them what leads to them, as they were.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.errors import NotFound
from bottega.library.documents.repository import delete_in, indexed_texts, rows_in
from bottega.library.documents.tables import (
    Library,
    LibraryDocument,
    LibraryParagraph,
    LibraryRejection,
    LibraryTerm,
    paragraph_id,
)
from bottega.library.ingest.schemas import Rejected
from bottega.library.parsers.document import Document, DocumentProblem, Paragraph
from bottega.library.parsers.references import STEP


@dataclass(frozen=True, slots=True)
class IncomingDocument:
    """A file that was read."""

    path: str
    content_hash: str
    size: int
    document: Document


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """One document as it will be, beside what is there of it."""

    incoming: IncomingDocument
    #: With references that nobody else in the library has.
    document: Document
    document_id: str
    is_new: bool
    #: By id.
    new: Mapping[str, Paragraph]
    changed: Mapping[str, Paragraph]
    #: Only their place may have changed.
    kept: Mapping[str, Paragraph]
    gone: Sequence[str]
    #: What the new and the changed are found by, by id.
    to_index: Mapping[str, str]


def compare(
    library_id: str,
    incoming: IncomingDocument,
    there: LibraryDocument | None,
    paragraphs: Sequence[LibraryParagraph],
    taken: Collection[str],
) -> DocumentChange:
    """`taken` are the references that other documents of the library have."""
    document = with_free_refs(incoming.document, incoming.path, taken)
    wanted = {paragraph_id(library_id, each.ref): each for each in document.paragraphs}
    texts = indexed_texts(document.title, document.paragraphs)
    old = {each.id: each for each in paragraphs}
    old_texts = indexed_texts(there.title, paragraphs) if there else {}
    # The kind is among what searches filter by.
    is_same_kind = there is not None and there.kind == document.kind
    kept = {
        key: each
        for key, each in wanted.items()
        if is_same_kind and key in old and old_texts[each.ref] == texts[each.ref]
    }
    return DocumentChange(
        incoming,
        document,
        there.id if there else new_id(),
        is_new=there is None,
        new={key: each for key, each in wanted.items() if key not in old},
        changed={key: each for key, each in wanted.items() if key in old and key not in kept},
        kept=kept,
        gone=[key for key in old if key not in wanted],
        to_index={key: texts[each.ref] for key, each in wanted.items() if key not in kept},
    )


def with_free_refs(document: Document, path: str, taken: Collection[str]) -> Document:
    """References that another document has already begin with this one's name instead."""
    named = {
        each.ref: f"{PurePosixPath(path).stem}{STEP}{each.ref}"
        for each in document.paragraphs
        if each.ref in taken
    }
    if not named:
        return document
    some = ", ".join(list(named)[:5]) + (" …" if len(named) > 5 else "")
    problem = DocumentProblem(
        f"{len(named)} references are those of another document ({some}); here they begin with "
        f"{PurePosixPath(path).stem!r}. Give the document a number of its own."
    )
    return replace(
        document,
        paragraphs=tuple(
            replace(each, ref=named.get(each.ref, each.ref)) for each in document.paragraphs
        ),
        terms=tuple(replace(each, ref=named.get(each.ref, each.ref)) for each in document.terms),
        anchors={name: named.get(ref, ref) for name, ref in document.anchors.items()},
        problems=(*document.problems, problem),
    )


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
