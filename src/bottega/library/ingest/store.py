"""Storing documents: rows, words and vectors, so that no reader sees half of one.

Rows and words change in one transaction. Vectors may live in another server, so they are written
before it and swept after it; what is found by a vector is shown only if its row is there.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.search.filters import Metadata
from bottega.core.search.text_index import TextDocument
from bottega.core.services import Core
from bottega.library.documents import repository
from bottega.library.documents.repository import index_details
from bottega.library.documents.service import Indexes, collection_of
from bottega.library.documents.tables import LibraryDocument, LibraryParagraph
from bottega.library.graph import edges as graph_edges
from bottega.library.ingest import repository as rows
from bottega.library.ingest.repository import DocumentChange, IncomingDocument, compare
from bottega.library.ingest.schemas import Rejected

log = structlog.get_logger()


class DocumentStore:
    def __init__(self, core: Core, indexes: Indexes) -> None:
        self._core = core
        self._indexes = indexes
        #: One change of a library at a time in this process; between processes its row is locked.
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def put(
        self,
        library_id: str,
        incoming: Sequence[IncomingDocument],
        rejected: Mapping[str, Rejected],
    ) -> list[DocumentChange]:
        """Add or replace documents, and note files that could not be read, by their path."""
        async with self._turns[library_id]:
            changes = await self._compare(library_id, incoming)
            await self._add_vectors(library_id, changes)
            async with self._core.database.write() as session:
                await self._write(session, library_id, changes, rejected)
            gone = {key for change in changes for key in change.gone}
            gone -= {key for change in changes for key in change.new}
            await self._delete_vectors(library_id, sorted(gone))
        return changes

    async def remove(self, library_id: str, paths: Sequence[str]) -> int:
        """Remove documents, and what was wrong with those files; returns how many were removed."""
        async with self._turns[library_id]:
            async with self._core.database.write() as session:
                documents = await repository.documents_at(session, library_id, paths)
                gone = await rows.paragraph_ids(session, [row.id for row in documents.values()])
                if documents:
                    await rows.advance(session, library_id)
                    ids = [row.id for row in documents.values()]
                    await repository.delete_in(session, LibraryDocument, LibraryDocument.id, ids)
                    await self._delete_words(session, library_id, gone)
                await rows.forget_rejections(session, library_id, paths)
            await self._delete_vectors(library_id, gone)
        return len(documents)

    async def link(self, library_id: str) -> None:
        """Add the edges to what came in after the document that cites it."""
        async with self._turns[library_id]:
            async with self._core.database.read() as session:
                edges = await graph_edges.missing_edges(session, library_id)
            if edges:
                async with self._core.database.write() as session:
                    await graph_edges.add_edges(session, library_id, edges)

    async def mend(self, library_id: str) -> None:
        """Add missing vectors and delete surplus ones, after a crash or the loss of the store."""
        index = self._indexes.vectors(library_id)
        async with self._turns[library_id]:
            await index.prepare()
            async with self._core.database.read() as session:
                expected = (await repository.counts(session, library_id))["paragraphs"]
                if await self._core.vectors.count(index.collection) == expected:
                    return
                texts = await repository.text_documents(session, library_id)
            log.warning("library.vectors_differ", library=library_id, expected=expected)
            held = await self._held(index.collection)
            await self._delete_vectors(library_id, sorted(held - texts.keys()))
            missing = sorted(texts.keys() - held)
            if missing:
                await index.add(
                    missing,
                    [texts[key].text for key in missing],
                    [texts[key].metadata for key in missing],
                )

    async def rebuild(self, library_id: str) -> None:
        """Write the words and vectors of every paragraph again."""
        async with self._turns[library_id], self._core.database.write() as session:
            words = list((await repository.text_documents(session, library_id)).values())
            if words:
                await self._core.text_index.put(collection_of(library_id), words, session=session)
        await self.mend(library_id)

    async def _held(self, collection: str) -> set[str]:
        held: set[str] = set()
        last = None
        while items := await self._core.vectors.scroll(collection, after=last, limit=1_000):
            last = items[-1].id
            held.update(item.id for item in items)
        return held

    async def _compare(
        self, library_id: str, incoming: Sequence[IncomingDocument]
    ) -> list[DocumentChange]:
        async with self._core.database.read() as session:
            there = await repository.documents_at(session, library_id, (i.path for i in incoming))
            old = await rows.paragraphs(session, [row.id for row in there.values()])
            refs = (each.ref for item in incoming for each in item.document.paragraphs)
            taken = await rows.owners(session, library_id, refs)
        ours = {row.id for row in there.values()}
        claimed = {ref for ref, owner in taken.items() if owner not in ours}
        return await asyncio.to_thread(_compare_all, library_id, incoming, there, old, claimed)

    async def _add_vectors(self, library_id: str, changes: Sequence[DocumentChange]) -> None:
        texts: dict[str, str] = {}
        details: list[Metadata] = []
        for change in changes:
            texts.update(change.to_index)
            details += [_details(change)] * len(change.to_index)
        if texts:
            index = self._indexes.vectors(library_id)
            await index.add(list(texts), list(texts.values()), details)

    async def _delete_vectors(self, library_id: str, ids: Sequence[str]) -> None:
        if ids:
            await self._indexes.vectors(library_id).delete(ids=ids)

    async def _delete_words(
        self, session: AsyncSession, library_id: str, ids: Sequence[str]
    ) -> None:
        if ids:
            name = collection_of(library_id)
            await self._core.text_index.delete(name, ids, session=session)

    async def _write(
        self,
        session: AsyncSession,
        library_id: str,
        changes: Sequence[DocumentChange],
        rejected: Mapping[str, Rejected],
    ) -> None:
        if changes:
            await rows.advance(session, library_id)
        # All that goes goes first: a paragraph may have moved from one document to another.
        gone = [key for change in changes for key in change.gone]
        await repository.delete_in(session, LibraryParagraph, LibraryParagraph.id, gone)
        await self._delete_words(session, library_id, gone)
        for change in changes:
            await rows.write_document(session, library_id, change)
        words = [
            TextDocument(key, text, _details(change))
            for change in changes
            for key, text in change.to_index.items()
        ]
        if words:
            await self._core.text_index.put(collection_of(library_id), words, session=session)
        for change in changes:
            await graph_edges.link_document(session, library_id, change.document)
        paths = [change.incoming.path for change in changes]
        await rows.forget_rejections(session, library_id, paths)
        await rows.note_rejections(session, library_id, rejected)


def _compare_all(
    library_id: str,
    incoming: Sequence[IncomingDocument],
    there: Mapping[str, LibraryDocument],
    old: Mapping[str, list[LibraryParagraph]],
    claimed: set[str],
) -> list[DocumentChange]:
    changes = []
    for item in incoming:
        row = there.get(item.path)
        change = compare(library_id, item, row, old[row.id] if row else [], claimed)
        claimed.update(each.ref for each in change.document.paragraphs)
        changes.append(change)
    return changes


def _details(change: DocumentChange) -> Metadata:
    return index_details(change.document_id, change.document.kind)
