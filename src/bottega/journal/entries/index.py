"""Vectors and search texts of experiences on each axis, and vectors of values.

Each axis is a collection of vectors and one of texts. Both are derived from the rows, so that what
is lost of them can be rebuilt (`restore`).

The text that is compared on an axis holds only what the author wrote, without labels such as
`Goal:` and without line breaks: an embedder reads those as words, which would make all experiences
alike and values, which have none, unlike them all.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.db.database import Database
from bottega.core.readers.embedder import Embedder, Vector
from bottega.core.search.filters import Metadata, Where
from bottega.core.search.hybrid import HybridSearch, SearchHit, VectorIndex
from bottega.core.search.refinement import Refiner
from bottega.core.search.text_index import TextDocument, TextIndex
from bottega.core.search.vector_store import VectorHit, VectorStore
from bottega.errors import NotFound, Unavailable
from bottega.journal.entries import repository
from bottega.journal.entries.enums import Axis, JournalOutcome
from bottega.journal.entries.model import Entry, Lesson, Resolution
from bottega.journal.entries.repository import Owner


def axes_of(entry: Entry) -> list[Axis]:
    """All axes for a falsified entry; the others have no surprise and no root cause."""
    resolution = _resolution(entry)
    is_falsified = resolution.status is JournalOutcome.FALSIFIED
    return [axis for axis in Axis if is_falsified or not axis.falsified_only]


def axis_text(entry: Entry, axis: Axis) -> str:
    resolution = _resolution(entry)
    return " ".join(part for part in _parts(entry, resolution, axis) if part)


def _resolution(entry: Entry) -> Resolution:
    assert entry.resolution is not None, f"{entry.id} is not resolved: it has no axes yet"
    return entry.resolution


def _parts(entry: Entry, resolution: Resolution, axis: Axis) -> Iterable[str | None]:
    outcome = f"{resolution.status}: {resolution.result}"
    cause = resolution.root_cause
    match axis:
        case Axis.FULL:
            return (
                *(entry.goal, entry.hypothesis, entry.action, entry.prediction, outcome),
                *(resolution.surprise, _lesson(resolution.lesson)),
            )
        case Axis.STRATEGY:
            iterations = f"iterations: {entry.iteration_count}"
            return entry.strategy, entry.goal, outcome, iterations, _lesson(resolution.lesson)
        case Axis.SURPRISE:
            why = cause.description if cause else None
            return entry.prediction, resolution.result, resolution.surprise, why
        case Axis.ROOT_CAUSE:
            category, why = (cause.category, cause.description) if cause else (None, None)
            return category, why, entry.domain, entry.strategy, entry.hypothesis


def _lesson(lesson: Lesson | None) -> str | None:
    if lesson is None:
        return None
    return " ".join(part for part in (lesson.what_worked, lesson.takeaway) if part)


T = TypeVar("T")

VALUES = "values"
#: Items written and read in one call; Chroma takes some thousands at most.
BATCH = 1_000
READ_BATCH = 5_000

log = structlog.get_logger()


class JournalIndex:
    def __init__(
        self,
        database: Database,
        vectors: VectorStore,
        texts: TextIndex,
        embedder: Embedder,
        refiner: Refiner | None = None,
    ) -> None:
        self._refiner = refiner
        self._database = database
        self._vectors = vectors
        self._texts = texts
        self._embedder = embedder
        self._open()

    def _open(self) -> None:
        self._axes = {
            axis: VectorIndex(self._vectors, self._embedder, axis.collection, refiner=self._refiner)
            for axis in Axis
        }
        self._values = VectorIndex(self._vectors, self._embedder, VALUES)

    async def put_vectors(self, owner: Owner, entries: Sequence[Entry]) -> None:
        details = {entry.id: details_of(owner, entry) for entry in entries}
        for axis, index in self._axes.items():
            those = [entry for entry in entries if axis in axes_of(entry)]
            if those:
                await self._handle_loss(
                    index.add(
                        [entry.id for entry in those],
                        [axis_text(entry, axis) for entry in those],
                        [details[entry.id] for entry in those],
                    )
                )

    async def put_texts(
        self, owner: Owner, entries: Sequence[Entry], session: AsyncSession
    ) -> None:
        """Runs in the transaction that writes the rows."""
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
        """Best first, by words and meaning; by words alone without the vector store."""
        hybrid = HybridSearch(self._texts, self._axes[axis], text_collection(owner, axis))
        own = {"$and": [owned_by(owner), where]} if where else owned_by(owner)
        found = await self._handle_loss(hybrid.search(query, limit=limit, where=own))
        return found.hits

    async def nearest(
        self, axis: Axis, text: str, *, limit: int, where: Where
    ) -> Sequence[VectorHit]:
        return await self._handle_loss(self._axes[axis].search(text, limit=limit, where=where))

    async def put_value(self, value_id: str, text: str, details: Metadata) -> None:
        await self._handle_loss(self._values.add([value_id], [text], [details]))

    async def prepare_values(self) -> None:
        await self._values.prepare()

    async def count_values(self) -> int:
        return await self._handle_loss(self._vectors.count(VALUES))

    async def nearest_values(self, text: str, *, limit: int, where: Where) -> Sequence[VectorHit]:
        return await self._handle_loss(self._values.search(text, limit=limit, where=where))

    async def embed(self, text: str) -> Vector:
        return await self._values.embed(text)

    async def vectors_of(self, owner: Owner, axis: Axis) -> tuple[list[str], Vector]:
        """The ids of every experience on the axis, and their vectors as rows of a matrix."""
        index, where = self._axes[axis], owned_by(owner)
        await index.prepare()
        ids: list[str] = []
        rows: list[Vector] = []
        while True:
            items = await self._handle_loss(
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
        """Rebuild missing vectors; returns the number of experiences indexed again."""
        for axis, index in self._axes.items():
            await index.prepare()
            expected = await self._database.ask(repository.count, axis)
            # Counted second: what another process adds in between is no loss.
            held = await self._handle_loss(self._vectors.count(index.collection))
            if held < expected:
                log.warning("journal.vectors_lost", axis=axis, held=held, expected=expected)
                return await self._put_all_vectors()
        return 0

    async def put_all_texts(self) -> None:
        """Rebuild the search texts of every experience."""
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
            rows = await self._database.ask(repository.page, None, last, BATCH)
            if not rows:
                return
            for owner in {Owner(row.user_id, row.project) for row in rows}:
                theirs = [row for row in rows if Owner(row.user_id, row.project) == owner]
                yield owner, [repository.as_entry(row) for row in theirs]
            last = rows[-1].id

    async def _handle_loss(self, work: Awaitable[T]) -> T:
        """Raise `Unavailable` if the collection was deleted; the next call creates it again."""
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
