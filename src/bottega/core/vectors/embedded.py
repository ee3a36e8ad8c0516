"""Vectors in the database, searched exactly in memory: the store that needs nothing else.

A collection is read into one float32 matrix on first use and changed with every write of this
process. Writes of others are noticed by the collection's revision, which a query reads together
with the documents it found: if the revision has moved on, the missing rows are fetched and the
search is made again. A query at numpy's own speed leaves time for one statement, not for two.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from sqlalchemy import Select, and_, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.database import Database
from bottega.core.vectors.matrix import Matrix
from bottega.core.vectors.sql import (
    INLINE_ITEMS,
    SqlVectorStore,
    as_item,
    bump,
    chunks,
    delete_rows,
    open_collection,
)
from bottega.core.vectors.store import Metadata, Vector, VectorHit, VectorItem, Where, check_vector
from bottega.core.vectors.tables import StoredVector, VectorCollection
from bottega.core.vectors.where import Condition, parse
from bottega.errors import InvalidInput

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
        condition = parse(where)
        if ids is None and condition is None:
            raise InvalidInput("Say which items to delete: `ids`, `where` or both.")
        if condition is not None:
            matching = await self._matching(collection, condition)
            ids = matching if ids is None else list(set(ids).intersection(matching))
        async with self._database.write() as session:
            found = await bump(session, collection)
            await delete_rows(session, found.id, ids or [])
        async with self._turns[collection]:
            if (matrix := self._next_revision(found)) is not None:
                await self._change(collection, len(ids or []), partial(matrix.remove, ids or []))

    async def query(
        self, collection: str, vector: Vector, *, limit: int = 10, where: Where | None = None
    ) -> list[VectorHit]:
        condition = parse(where)
        async with self._turns[collection], self._database.read() as session:
            matrix = self._matrices.get(collection)
            if matrix is None or vector.shape != (matrix.dimension,):
                matrix = await self._current(session, collection)
            vector = check_vector(collection, vector, matrix.dimension)
            while True:
                nearest = await _nearest(matrix, vector, limit, condition)
                hits = await _hits(session, collection, matrix, nearest)
                if hits is not None:
                    return hits
                matrix = await self._current(session, collection)
                vector = check_vector(collection, vector, matrix.dimension)

    async def nearest(
        self, collection: str, vector: Vector, *, limit: int = 10, where: Where | None = None
    ) -> dict[str, float]:
        condition = parse(where)
        async with self._turns[collection]:
            matrix = await self._read_current(collection)
            vector = check_vector(collection, vector, matrix.dimension)
            return dict(await _nearest(matrix, vector, limit, condition))

    async def similarities(
        self, collection: str, vector: Vector, ids: Sequence[str]
    ) -> dict[str, float]:
        async with self._turns[collection]:
            matrix = self._matrices.get(collection)
            if matrix is None or time.monotonic() - matrix.compared_at > NEW_FOR:
                matrix = await self._read_current(collection)
            return matrix.cosines(check_vector(collection, vector, matrix.dimension), ids)

    async def scroll(
        self,
        collection: str,
        *,
        after: str | None = None,
        limit: int = 100,
        where: Where | None = None,
    ) -> list[VectorItem]:
        condition = parse(where)
        if condition is not None:
            matching = sorted(await self._matching(collection, condition))
            ids = [item_id for item_id in matching if item_id > (after or "")]
            return await self.get(collection, ids[:limit])
        async with self._database.read() as session:
            found = await open_collection(session, collection)
            rows = await session.scalars(
                select(StoredVector)
                .where(StoredVector.collection_id == found.id, StoredVector.id > (after or ""))
                .order_by(StoredVector.id)
                .limit(limit)
            )
            return [as_item(row) for row in rows]

    async def count(self, collection: str, where: Where | None = None) -> int:
        condition = parse(where)
        if condition is not None:
            return len(await self._matching(collection, condition))
        async with self._database.read() as session:
            found = await open_collection(session, collection)
            return await _count(session, found.id)

    async def _matching(self, collection: str, condition: Condition) -> list[str]:
        async with self._turns[collection]:
            matrix = await self._read_current(collection)
            return await asyncio.to_thread(matrix.matching, condition)

    async def _read_current(self, collection: str) -> Matrix:
        async with self._database.read() as session:
            return await self._current(session, collection)

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
            rows = await _count(session, found.id)
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
        if len(matrix) != await _count(session, matrix.collection_id):
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


async def _hits(
    session: AsyncSession, collection: str, matrix: Matrix, nearest: Sequence[tuple[str, float]]
) -> list[VectorHit] | None:
    """What was found, with documents; `None` if the matrix is older than the database."""
    documents: dict[str, tuple[str, Metadata]] = {}
    for ids in chunks([item_id for item_id, _ in nearest]) or [()]:
        rows = (await session.execute(_documents(collection, ids))).all()
        if not rows or tuple(rows[0][:2]) != (matrix.collection_id, matrix.revision):
            return None
        documents.update((row[2], (row[3], row[4])) for row in rows)
    return [
        VectorHit(item_id, *documents[item_id], distance=1 - cosine)
        for item_id, cosine in nearest
        if item_id in documents
    ]


def _documents(collection: str, ids: Sequence[str]) -> Select[Any]:
    """Collection id, revision, item id, document, metadata: one row or more if it exists."""
    mine = and_(StoredVector.collection_id == VectorCollection.id, StoredVector.id.in_(ids))
    return (
        select(
            VectorCollection.id,
            VectorCollection.revision,
            StoredVector.id,
            StoredVector.document,
            StoredVector.details,
        )
        .outerjoin(StoredVector, mine)
        .where(VectorCollection.name == collection)
    )


async def _count(session: AsyncSession, collection_id: int) -> int:
    return (
        await session.scalar(
            select(func.count()).where(StoredVector.collection_id == collection_id)
        )
        or 0
    )
