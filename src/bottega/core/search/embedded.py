"""Vectors in the database, searched exactly in memory: the store that needs nothing else.

A collection is read into one float32 matrix on first use and changed with every write of this
process. Writes of others are noticed by the collection's revision, which a query reads first: if
it has moved on, the missing rows are fetched. A query at numpy's own speed leaves time for that
one statement, not for two.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.db.database import Database
from bottega.core.readers.embedder import Vector
from bottega.core.search.filters import Condition, Where, parse
from bottega.core.search.matrix import Matrix
from bottega.core.search.sql_vectors import (
    INLINE_ITEMS,
    SqlVectorStore,
    StoredVector,
    VectorCollection,
    count_rows,
    open_collection,
)
from bottega.core.search.vector_store import VectorHit, VectorItem, check_vector

#: Multiplications that take about a millisecond: more than that goes to a thread.
INLINE_WORK = 1_000_000
ROWS_AT_ONCE = 1_000
#: Seconds in which a matrix that was compared with the database counts as new. Whoever asks how
#: similar some items are has just asked for the nearest.
NEW_FOR = 0.1


class EmbeddedVectorStore(SqlVectorStore):
    kind = "embedded"

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._matrices: dict[str, Matrix] = {}
        #: One use of a matrix at a time: a write may not move rows under a search in a thread.
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def stop(self) -> None:
        self._matrices.clear()

    async def drop_collection(self, name: str) -> None:
        await super().drop_collection(name)
        self._matrices.pop(name, None)

    async def rename_collection(self, name: str, to: str) -> None:
        await super().rename_collection(name, to)
        self._matrices.pop(name, None)
        self._matrices.pop(to, None)

    async def upsert(self, collection: str, items: Sequence[VectorItem]) -> None:
        found, unique, vectors = await self._write(collection, items)
        async with self._turns[collection]:
            if (matrix := self._next_revision(found)) is not None:
                ids = [item.id for item in unique]
                metadata = [item.metadata for item in unique]
                await self._change(
                    collection, len(ids), partial(matrix.put, ids, vectors, metadata)
                )

    async def delete(
        self, collection: str, *, ids: Sequence[str] | None = None, where: Where | None = None
    ) -> None:
        found, gone = await self._delete(collection, ids, where)
        async with self._turns[collection]:
            if (matrix := self._next_revision(found)) is not None:
                await self._change(collection, len(gone), partial(matrix.remove, gone))

    async def query(
        self, collection: str, vector: Vector, *, limit: int = 10, where: Where | None = None
    ) -> list[VectorHit]:
        condition = parse(where)
        async with self._turns[collection]:
            matrix = await self._read_current(collection)
            vector = check_vector(collection, vector, matrix.dimension)
            nearest = await _nearest(matrix, vector, limit, condition)
            return [VectorHit(item_id, 1 - cosine) for item_id, cosine in nearest]

    async def similarities(
        self, collection: str, vector: Vector, ids: Sequence[str]
    ) -> dict[str, float]:
        async with self._turns[collection]:
            matrix = self._matrices.get(collection)
            if matrix is None or time.monotonic() - matrix.compared_at > NEW_FOR:
                matrix = await self._read_current(collection)
            return matrix.cosines(check_vector(collection, vector, matrix.dimension), ids)

    async def _read_current(self, collection: str) -> Matrix:
        return await self._database.ask(self._current, collection)

    def _next_revision(self, found: VectorCollection) -> Matrix | None:
        """The matrix, if this write is the next thing it lacks; if not, it catches up later."""
        matrix = self._matrices.get(found.name)
        if matrix is None or matrix.collection_id != found.id:
            return None
        if matrix.revision != found.revision - 1:
            return None
        matrix.revision = found.revision
        return matrix

    async def _current(self, session: AsyncSession, collection: str) -> Matrix:
        """The collection in memory, as new as the database."""
        found = await open_collection(session, collection)
        matrix = self._matrices.get(collection)
        if matrix is None or matrix.collection_id != found.id:
            rows = await count_rows(session, found.id)
            matrix = Matrix(found.id, found.dimension, capacity=rows)
            self._matrices[collection] = matrix
        if matrix.revision < found.revision:
            await self._catch_up(session, collection, matrix)
            matrix.revision = found.revision
        matrix.compared_at = time.monotonic()
        return matrix

    async def _catch_up(self, session: AsyncSession, collection: str, matrix: Matrix) -> None:
        """Read what was written since the matrix's revision, then what was deleted."""
        mine = StoredVector.collection_id == matrix.collection_id
        result = await session.stream(
            select(StoredVector.id, StoredVector.vector, StoredVector.details).where(
                mine, StoredVector.revision > matrix.revision
            )
        )
        async for rows in result.partitions(ROWS_AT_ONCE):
            vectors = np.frombuffer(b"".join(row.vector for row in rows), dtype="<f4")
            vectors = vectors.reshape(len(rows), matrix.dimension)
            ids = [row.id for row in rows]
            metadata = [row.details for row in rows]
            await self._change(collection, len(ids), partial(matrix.put, ids, vectors, metadata))
        # The matrix now holds at least what the table holds; if it holds more, some were deleted.
        if len(matrix) != await count_rows(session, matrix.collection_id):
            left = set(await session.scalars(select(StoredVector.id).where(mine)))
            gone = [item_id for item_id in matrix.ids if item_id not in left]
            await self._change(collection, len(gone), partial(matrix.remove, gone))

    async def _change(self, collection: str, items: int, change: Callable[[], None]) -> None:
        """Put or remove items, many of them in a thread."""
        if items <= INLINE_ITEMS:
            return change()
        try:
            await asyncio.to_thread(change)
        except BaseException:
            # Cancelled, say: the thread goes on, with a matrix that nobody uses any more.
            self._matrices.pop(collection, None)
            raise


async def _nearest(
    matrix: Matrix, vector: Vector, limit: int, condition: Condition | None
) -> list[tuple[str, float]]:
    if len(matrix) * matrix.dimension <= INLINE_WORK:
        return matrix.nearest(vector, limit, condition)
    return await asyncio.to_thread(matrix.nearest, vector, limit, condition)
