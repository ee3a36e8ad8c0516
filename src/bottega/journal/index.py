"""Experiences by meaning and by words, on each axis; and values by meaning.

Each axis is a collection of its own, of vectors and of texts. Both follow from the rows, so that
whatever is lost of them can be made again (`restore`).
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.database import Database
from bottega.core.embeddings import Embedder
from bottega.core.search import HybridSearch, SearchHit
from bottega.core.textindex import TextDocument, TextIndex
from bottega.core.vectors.index import VectorIndex
from bottega.core.vectors.store import Metadata, Vector, VectorHit, VectorStore, Where
from bottega.errors import NotFound, Unavailable
from bottega.journal import repository
from bottega.journal.axes import axes_of, axis_text
from bottega.journal.entry import Entry
from bottega.journal.enums import Axis
from bottega.journal.repository import Owner
from bottega.journal.rows import as_entry
from bottega.journal.tables import Value

T = TypeVar("T")

VALUES = "values"
#: Items written and read in one call; Chroma takes some thousands at most.
BATCH = 1_000
READ_BATCH = 5_000

log = structlog.get_logger()


class OwnVectors(VectorIndex):
    """One owner's part of a collection."""

    def __init__(self, whole: VectorIndex, owner: Owner) -> None:
        self.collection = whole.collection
        self._whole = whole
        self._owned = owned_by(owner)

    async def prepare(self) -> None:
        await self._whole.prepare()

    async def embed(self, text: str) -> Vector:
        return await self._whole.embed(text)

    async def search(
        self, query: str | Vector, *, limit: int = 10, where: Where | None = None
    ) -> list[VectorHit]:
        return await self._whole.search(query, limit=limit, where=self._own(where))

    async def nearest(
        self, query: Vector, *, limit: int = 10, where: Where | None = None
    ) -> Mapping[str, float]:
        return await self._whole.nearest(query, limit=limit, where=self._own(where))

    async def similarities(self, query: Vector, ids: Sequence[str]) -> Mapping[str, float]:
        return await self._whole.similarities(query, ids)

    def _own(self, where: Where | None) -> Where:
        return {"$and": [self._owned, where]} if where else self._owned


class JournalIndex:
    def __init__(
        self, database: Database, vectors: VectorStore, texts: TextIndex, embedder: Embedder
    ) -> None:
        self._database = database
        self._vectors = vectors
        self._texts = texts
        self._embedder = embedder
        self._open()

    def _open(self) -> None:
        self._axes = {
            axis: VectorIndex(self._vectors, self._embedder, axis.collection) for axis in Axis
        }
        self._values = VectorIndex(self._vectors, self._embedder, VALUES)

    async def put_vectors(self, owner: Owner, entries: Sequence[Entry]) -> None:
        details = {entry.id: details_of(owner, entry) for entry in entries}
        for axis, index in self._axes.items():
            those = [entry for entry in entries if axis in axes_of(entry)]
            if those:
                await self._noticing_loss(
                    index.add(
                        [entry.id for entry in those],
                        [axis_text(entry, axis) for entry in those],
                        [details[entry.id] for entry in those],
                    )
                )

    async def put_texts(
        self, owner: Owner, entries: Sequence[Entry], session: AsyncSession
    ) -> None:
        """In the transaction that writes the rows."""
        for axis in Axis:
            documents = [
                TextDocument(entry.id, axis_text(entry, axis), details_of(owner, entry))
                for entry in entries
                if axis in axes_of(entry)
            ]
            if documents:
                await self._texts.put(text_collection(owner, axis), documents, session=session)

    async def search(
        self, owner: Owner, axis: Axis, query: str, *, limit: int, where: Where | None
    ) -> Sequence[SearchHit]:
        """Best first, by words and meaning; by words alone while vectors are away."""
        vectors = OwnVectors(self._axes[axis], owner)
        hybrid = HybridSearch(self._texts, vectors, text_collection(owner, axis))
        found = await self._noticing_loss(hybrid.search(query, limit=limit, where=where))
        return found.hits

    async def nearest(
        self, axis: Axis, text: str, *, limit: int, where: Where
    ) -> Sequence[VectorHit]:
        return await self._noticing_loss(self._axes[axis].search(text, limit=limit, where=where))

    async def put_value(self, value: Value) -> None:
        details = {"user_id": value.user_id, "project": value.project, "axis": value.axis}
        await self._noticing_loss(self._values.add([value.id], [value.text], [details]))

    async def nearest_values(self, text: str, *, limit: int, where: Where) -> Sequence[VectorHit]:
        return await self._noticing_loss(self._values.search(text, limit=limit, where=where))

    async def embed(self, text: str) -> Vector:
        return await self._values.embed(text)

    async def vectors_of(self, owner: Owner, axis: Axis) -> tuple[list[str], Vector]:
        """Every experience on the axis, as ids and rows of a matrix."""
        index, where = self._axes[axis], owned_by(owner)
        await index.prepare()
        ids: list[str] = []
        rows: list[Vector] = []
        while True:
            items = await self._noticing_loss(
                self._vectors.scroll(
                    index.collection,
                    after=ids[-1] if ids else None,
                    limit=READ_BATCH,
                    where=where,
                )
            )
            ids += [item.id for item in items]
            rows += [item.vector for item in items]
            if len(items) < READ_BATCH:
                break
        if not ids:
            return [], np.empty((0, self._embedder.dimension), dtype=np.float32)
        return ids, await asyncio.to_thread(np.stack, rows)

    async def restore(self) -> int:
        """Make again the vectors that are missing; returns of how many experiences."""
        for axis, index in self._axes.items():
            await index.prepare()
            async with self._database.read() as session:
                expected = await repository.count(session, axis)
            # Counted second: what another process adds in between is no loss.
            held = await self._noticing_loss(self._vectors.count(index.collection))
            if held < expected:
                log.warning("journal.vectors_lost", axis=axis, held=held, expected=expected)
                return await self._put_all_vectors()
        return 0

    async def restore_values(self) -> int:
        await self._values.prepare()
        async with self._database.read() as session:
            values = await repository.every_value(session)
        held = await self._noticing_loss(self._vectors.count(VALUES))
        if held >= len(values):
            return 0
        log.warning("journal.vectors_lost", axis=VALUES, held=held, expected=len(values))
        for value in values:
            await self.put_value(value)
        return len(values)

    async def put_all_texts(self) -> None:
        """Make the words of every experience findable, whether they are or not."""
        async for owner, entries in self._every_entry():
            async with self._database.write() as session:
                await self.put_texts(owner, entries, session)

    async def _put_all_vectors(self) -> int:
        done = 0
        async for owner, entries in self._every_entry():
            await self.put_vectors(owner, entries)
            done += len(entries)
        return done

    async def _every_entry(self) -> AsyncIterator[tuple[Owner, list[Entry]]]:
        last = None
        while True:
            async with self._database.read() as session:
                rows = await repository.page(session, None, last, BATCH)
            if not rows:
                return
            for owner in {Owner(row.user_id, row.project) for row in rows}:
                theirs = [row for row in rows if Owner(row.user_id, row.project) == owner]
                yield owner, [as_entry(row) for row in theirs]
            last = rows[-1].id

    async def _noticing_loss(self, work: Awaitable[T]) -> T:
        """A collection that somebody deleted is made anew by the next call."""
        try:
            return await work
        except NotFound as error:
            self._open()
            raise Unavailable(
                f"Experiences cannot be searched now: {error.message} `bottega journal sync` "
                "makes their vectors again."
            ) from error


def details_of(owner: Owner, entry: Entry) -> Metadata:
    assert entry.resolution is not None
    return {
        "user_id": owner.user_id,
        "project": owner.project,
        "domain": entry.domain.value,
        "outcome": entry.resolution.status.value,
        "has_lesson": entry.resolution.lesson is not None,
    }


def owned_by(owner: Owner) -> Where:
    return {"$and": [{"user_id": owner.user_id}, {"project": owner.project}]}


def text_collection(owner: Owner, axis: Axis) -> str:
    """One for each owner: how rare a word is in another's journal must not count in this one."""
    return f"{axis.collection} {owner.user_id} {owner.project}"
