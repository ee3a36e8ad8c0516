"""The vectors of memories, kept in step with the rows.

Every change is written to the row first and raises its version; `settle` then brings the vector
store up to the newest versions and notes in the rows what it has. There is no other path: a new
memory, an edit, a forgotten one, a crash between the two writes, a store that was away, a
collection that somebody deleted and a new embedder all end as rows to settle.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import structlog

from bottega.core import clock
from bottega.core.database import Database
from bottega.core.embeddings import Embedder
from bottega.core.vectors.store import Metadata, VectorHit, VectorItem, VectorStore, Where
from bottega.errors import Conflict, NotFound, Unavailable
from bottega.memory import repository
from bottega.memory.tables import Memory

COLLECTION = "paige_memories"
#: Written in one call (EC-51); Chroma takes some thousands at most.
BATCH = 1_000

log = structlog.get_logger()


class MemoryVectors:
    def __init__(self, database: Database, vectors: VectorStore, embedder: Embedder) -> None:
        self._database = database
        self._vectors = vectors
        self._embedder = embedder
        self._settling = asyncio.Lock()
        self._is_open = False

    async def settle(self) -> None:
        """Bring the store up to the rows; `Unavailable` if it does not answer."""
        async with self._settling, self._noticing_failure():
            if not self._is_open:
                await self._open()
            while rows := await self._unindexed():
                await self.index(rows)

    async def query(self, text: str, *, limit: int, where: Where) -> list[VectorHit]:
        async with self._noticing_failure():
            vector = (await self._embedder.embed([text]))[0]
            hits = await self._vectors.query(COLLECTION, vector, limit=limit, where=where)
        if not hits:
            # Perhaps somebody emptied the collection: the next call looks.
            self._is_open = False
        return hits

    async def is_available(self) -> bool:
        try:
            return await self._vectors.collection(COLLECTION) is not None
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
        # Some embedders know their dimension only once they are loaded.
        await self._embedder.warm()
        try:
            await self._ensure_collection()
        except Conflict:
            log.info("memory.embedder_changed", embedder=self._embedder.name)
            await self._vectors.drop_collection(COLLECTION)
            await self._ensure_collection()
        await self._restore_lost_vectors()
        self._is_open = True

    async def _ensure_collection(self) -> None:
        """FR-097."""
        embedder = self._embedder
        await self._vectors.ensure_collection(
            COLLECTION, dimension=embedder.dimension, embedder=embedder.name
        )

    async def _restore_lost_vectors(self) -> None:
        """A collection with fewer vectors than it should have was deleted or is another's."""
        async with self._database.read() as session:
            expected = await repository.count_indexed(session)
        # Counted second: what another server adds in between is no loss.
        held = await self._vectors.count(COLLECTION)
        if held < expected:
            log.warning("memory.vectors_lost", held=held, expected=expected)
            async with self._database.write() as session:
                await repository.mark_all_unindexed(session)

    async def _unindexed(self) -> Sequence[Memory]:
        async with self._database.read() as session:
            return await repository.unindexed(session, BATCH)

    async def index(self, rows: Sequence[Memory]) -> None:
        """Give these rows the vectors they need, and none to those that are forgotten."""
        living = [row for row in rows if row.forgotten_at is None]
        forgotten = [row.id for row in rows if row.forgotten_at is not None]
        if living:
            embedded = await self._embedder.embed([row.content for row in living])
            items = [
                VectorItem(row.id, vector, row.content, metadata_of(row))
                for row, vector in zip(living, embedded, strict=True)
            ]
            await self._vectors.upsert(COLLECTION, items)
        if forgotten:
            await self._vectors.delete(COLLECTION, ids=forgotten)
        async with self._database.write() as session:
            gone = await repository.mark_indexed(session, {row.id: row.version for row in rows})
        if gone:
            await self._vectors.delete(COLLECTION, ids=sorted(gone))


def metadata_of(memory: Memory) -> Metadata:
    """FR-099, FR-107: primitives only, so tags are one text and what is absent is empty."""
    return {
        "user_id": memory.user_id,
        "scope": memory.scope,
        "session_id": memory.session_id or "",
        "project": memory.project or "",
        "created_at": clock.iso(memory.created_at),
        "importance": memory.importance,
        "tags": ",".join(memory.tags),
    }
