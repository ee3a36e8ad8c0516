"""The words and vectors of what is remembered, kept in step with the rows.

Every change is written to the row first and raises its version; `settle` then brings the
indexes up to the newest versions and notes in the rows what it has. There is no other path: a new
item, an edit, a forgotten one, a crash between the two writes, a store that was away, a
collection that somebody deleted and a new embedder all end as rows to settle.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial

import structlog

from bottega.core import clock
from bottega.core.db.database import Database
from bottega.core.readers.embedder import Embedder
from bottega.core.search.filters import Metadata, Where
from bottega.core.search.hybrid import AbsoluteWeights, HybridSearch, SearchHit, VectorIndex
from bottega.core.search.refinement import Refiner
from bottega.core.search.text_index import TextDocument, TextIndex
from bottega.core.search.vector_store import VectorHit, VectorStore
from bottega.errors import NotFound, Unavailable
from bottega.memory import repository
from bottega.memory.projects import folder_of
from bottega.memory.tables import MemoryItem

COLLECTION = "paige_memories"
#: Memories are short: a name or a number that matches says more than in a paragraph. Chosen on the
#: first five conversations of LoCoMo (`python -m bench locomo`).
WEIGHTS = AbsoluteWeights(1.0, 1.0, far=0.0, vector=1.0)
FINE_WEIGHTS = AbsoluteWeights(1.0, 1.0, far=0.55)
#: Written in one call (EC-51); Chroma takes some thousands at most.
BATCH = 1_000

log = structlog.get_logger()


class MemoryIndex:
    def __init__(
        self,
        database: Database,
        texts: TextIndex,
        vectors: VectorStore,
        embedder: Embedder,
        refiner: Refiner | None,
    ) -> None:
        self._database = database
        self._texts = texts
        self._store = vectors
        self._make_vectors = partial(VectorIndex, vectors, embedder, COLLECTION, refiner=refiner)
        self._vectors = self._make_vectors()
        self._settling = asyncio.Lock()
        self._is_open = False

    async def settle(self) -> None:
        """Bring the indexes up to the rows; `Unavailable` if the vectors' store is away."""
        async with self._settling, self._noticing_failure():
            if not self._is_open:
                await self._open()
            while rows := await self._unindexed():
                await self.index(rows)

    async def try_settle(self, operation: str) -> bool:
        """The same; a store that is away costs a warning, no more."""
        try:
            await self.settle()
        except Unavailable as error:
            log.warning("memory.unavailable", operation=operation, error=error.message)
            return False
        return True

    async def find(self, text: str, *, limit: int, where: Where) -> Sequence[SearchHit]:
        """The best by words and by meaning."""
        hybrid = HybridSearch(
            *(self._texts, self._vectors, COLLECTION), weights=WEIGHTS, fine_weights=FINE_WEIGHTS
        )
        async with self._noticing_failure():
            hits = (await hybrid.search(text, limit=limit, where=where)).hits
        if not hits:
            # Perhaps somebody emptied the collection: the next call looks.
            self._is_open = False
        return hits

    def reopen(self) -> None:
        """Have the next call look whether anything is missing."""
        self._is_open = False

    async def query(self, text: str, *, limit: int, where: Where) -> list[VectorHit]:
        """The nearest by the static vectors."""
        async with self._noticing_failure():
            hits = await self._vectors.search(text, limit=limit, where=where)
        if not hits:
            # Perhaps somebody emptied the collection: the next call looks.
            self._is_open = False
        return hits

    async def near(self, text: str, *, where: Where, limit: int = 5) -> list[str]:
        """The ids of the nearest by the static vectors; none while the store is away."""
        try:
            await self.settle()
            return [hit.id for hit in await self.query(text, limit=limit, where=where)]
        except Unavailable as error:
            log.warning("memory.unavailable", operation="near", error=error.message)
            return []

    async def remove(self, item_id: str) -> None:
        """Drop one whose row is gone; what a store that is away still has of it is not found."""
        try:
            await self._remove([item_id])
        except (Unavailable, NotFound) as error:
            log.warning("memory.unavailable", operation="remove", error=error.message)

    async def is_available(self) -> bool:
        try:
            return await self._store.collection(COLLECTION) is not None
        except Unavailable:
            return False

    @asynccontextmanager
    async def _noticing_failure(self) -> AsyncIterator[None]:
        """FR-106, EC-53: whatever failed, the next call opens the collection anew."""
        try:
            yield
        except (Unavailable, NotFound) as error:
            self._is_open = False
            raise Unavailable(f"Memories cannot be searched now: {error.message}") from error

    async def _open(self) -> None:
        """FR-097."""
        self._vectors = self._make_vectors()
        await self._vectors.prepare()
        await self._restore_what_was_lost()
        self._is_open = True

    async def _restore_what_was_lost(self) -> None:
        """A collection with fewer items than it should have was deleted or is another's."""
        async with self._database.read() as session:
            expected = await repository.count_indexed(session)
        # Counted second: what another server adds in between is no loss.
        held = min(await self._store.count(COLLECTION), await self._texts.count(COLLECTION))
        if held < expected:
            log.warning("memory.vectors_lost", held=held, expected=expected)
            async with self._database.write() as session:
                await repository.mark_all_unindexed(session)

    async def _unindexed(self) -> Sequence[MemoryItem]:
        async with self._database.read() as session:
            return await repository.unindexed(session, BATCH)

    async def index(self, rows: Sequence[MemoryItem]) -> None:
        """Give these rows what they are found by, and nothing to those that are forgotten."""
        living = [row for row in rows if row.forgotten_at is None]
        forgotten = [row.id for row in rows if row.forgotten_at is not None]
        if living:
            await self._vectors.add(
                [row.id for row in living],
                [row.text for row in living],
                [metadata_of(row) for row in living],
            )
        if forgotten:
            await self._remove(forgotten)
        await self._put_words(rows)
        async with self._database.write() as session:
            gone = await repository.mark_indexed(session, {row.id: row.version for row in rows})
        if gone:
            await self._remove(sorted(gone))

    async def _put_words(self, rows: Sequence[MemoryItem]) -> None:
        """Of these, and of their neighbours, whose neighbours they are."""
        changed = {row.id for row in rows}
        around = changed.union(*map(neighbours, changed))
        async with self._database.read() as session:
            known = await repository.living(session, around.union(*map(neighbours, around)))
        documents = [
            TextDocument(row.id, said_around(row, known), metadata_of(row))
            for row in known.values()
            if row.id in around
        ]
        if documents:
            await self._texts.put(COLLECTION, documents)

    async def _remove(self, ids: Sequence[str]) -> None:
        await self._texts.delete(COLLECTION, ids)
        await self._vectors.delete(ids=ids)


def neighbours(id: str) -> tuple[str, ...]:
    """The ids before and after it in its session, if it is of one (FR-100)."""
    session, _, index = id.rpartition("_")
    if not session.startswith("mem_") or not index.isdigit():
        return ()
    return tuple(f"{session}_{int(index) + step}" for step in (-1, 1))


def said_around(row: MemoryItem, known: Mapping[str, MemoryItem]) -> str:
    """Its words, and those before and after it: in a conversation an answer often lacks the words
    of its question. Its own count three times."""
    near = [known[each] for each in neighbours(row.id) if each in known]
    ours = [each for each in near if (each.user_id, each.project) == (row.user_id, row.project)]
    return "\n".join([row.text] * 3 + [each.text for each in ours])


def metadata_of(row: MemoryItem) -> Metadata:
    """FR-099, FR-107: primitives only, so tags are one text and what is absent is empty."""
    return {
        "kind": row.kind,
        "user_id": row.user_id or "",
        "scope": row.scope,
        "session_id": row.session_id or "",
        "project": row.project or "",
        "project_folder": folder_of(row.project or ""),
        "project_id": row.project_id or "",
        "created_at": clock.iso(row.created_at),
        "importance": row.rank,
        "tags": ",".join(row.tags),
    }
