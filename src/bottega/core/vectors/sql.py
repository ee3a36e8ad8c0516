"""What the two stores that live in the database share: the collections and the rows."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import FromClause, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.database import Database
from bottega.core.vectors.store import (
    Collection,
    Vector,
    VectorItem,
    check_items,
    check_name,
)
from bottega.core.vectors.tables import StoredVector, VectorCollection
from bottega.errors import Conflict, NotFound

#: Ids in one `IN (…)`: under every SQLite's limit of variables.
IDS_AT_ONCE = 500
KEY = ("collection_id", "id")
#: Items that take about a millisecond to handle: more than that go to a thread.
INLINE_ITEMS = 200


class SqlVectorStore:
    #: The rows of every collection.
    _table: FromClause = StoredVector.__table__

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def available(self) -> bool:
        return True

    async def start(self) -> None:
        return None

    async def stop(self) -> None:
        return None

    async def ensure_collection(self, name: str, *, dimension: int, embedder: str) -> None:
        check_name(name)
        async with self._database.read() as session:
            found = await _find(session, name)
        if found is None:
            insert = _insert(self._database)
            row = {"name": name, "dimension": dimension, "embedder": embedder, "revision": 0}
            async with self._database.write() as session:
                await session.execute(insert(VectorCollection).values(row).on_conflict_do_nothing())
                found = await open_collection(session, name)
        if (found.dimension, found.embedder) != (dimension, embedder):
            raise Conflict(
                f"The collection {name!r} has vectors of {found.embedder!r} with "
                f"{found.dimension} dimensions, not of {embedder!r} with {dimension}. "
                "Re-embed it, or use another name."
            )

    async def collection(self, name: str) -> Collection | None:
        return next(iter(await self._list(name)), None)

    async def collections(self) -> list[Collection]:
        return await self._list()

    async def _list(self, name: str | None = None) -> list[Collection]:
        statement = (
            select(VectorCollection, func.count(StoredVector.id))
            .outerjoin(StoredVector, StoredVector.collection_id == VectorCollection.id)
            .group_by(VectorCollection.id)
            .order_by(VectorCollection.name)
        )
        if name is not None:
            statement = statement.where(VectorCollection.name == name)
        async with self._database.read() as session:
            rows = (await session.execute(statement)).all()
        return [Collection(row.name, row.dimension, row.embedder, count) for row, count in rows]

    async def drop_collection(self, name: str) -> None:
        async with self._database.write() as session:
            await session.execute(delete(VectorCollection).where(VectorCollection.name == name))

    async def rename_collection(self, name: str, to: str) -> None:
        check_name(to)
        async with self._database.write() as session:
            found = await open_collection(session, name)
            await session.execute(delete(VectorCollection).where(VectorCollection.name == to))
            await session.execute(
                update(VectorCollection).where(VectorCollection.id == found.id).values(name=to)
            )

    async def get(self, collection: str, ids: Sequence[str]) -> list[VectorItem]:
        async with self._database.read() as session:
            found = await open_collection(session, collection)
            rows = await rows_of(session, found.id, ids)
        return [as_item(rows[item_id]) for item_id in ids if item_id in rows]

    async def _write(
        self, name: str, items: Sequence[VectorItem]
    ) -> tuple[VectorCollection, list[VectorItem], Vector]:
        """Add or replace the rows; the collection comes back with its new revision."""
        async with self._database.read() as session:
            dimension = (await open_collection(session, name)).dimension
        # Before the transaction, which others wait for.
        if len(items) <= INLINE_ITEMS:
            unique, vectors = check_items(name, items, dimension)
        else:
            unique, vectors = await asyncio.to_thread(check_items, name, items, dimension)
        async with self._database.write() as session:
            found = await bump(session, name)
            if found.dimension != dimension:
                raise Conflict(f"The collection {name!r} was just re-embedded. Embed once more.")
            rows = [
                {
                    "collection_id": found.id,
                    "id": item.id,
                    "vector": vector.tobytes(),
                    "document": item.document,
                    "metadata": dict(item.metadata),
                    "revision": found.revision,
                    **self._more(vector),
                }
                for item, vector in zip(unique, vectors, strict=True)
            ]
            if rows:
                await session.execute(self._put(rows[0].keys()), rows)
        return found, unique, vectors

    def _more(self, vector: Vector) -> dict[str, Any]:
        """What a store keeps of a vector beside its bytes."""
        return {}

    def _put(self, columns: Iterable[str]) -> Any:
        statement = _insert(self._database)(self._table)
        return statement.on_conflict_do_update(
            index_elements=["collection_id", "id"],
            set_={name: statement.excluded[name] for name in columns if name not in KEY},
        )


async def open_collection(session: AsyncSession, name: str) -> VectorCollection:
    found = await _find(session, name)
    if found is None:
        raise NotFound(f"There is no vector collection {name!r}. Make it first.")
    return found


async def bump(session: AsyncSession, name: str) -> VectorCollection:
    """The collection, one revision on; its row is locked until the transaction ends."""
    found = await session.scalar(
        update(VectorCollection)
        .where(VectorCollection.name == name)
        .values(revision=VectorCollection.revision + 1)
        .returning(VectorCollection)
    )
    return found if found is not None else await open_collection(session, name)


async def rows_of(
    session: AsyncSession, collection_id: int, ids: Iterable[str]
) -> dict[str, StoredVector]:
    rows: dict[str, StoredVector] = {}
    for some in chunks(list(ids)):
        found = await session.scalars(
            select(StoredVector).where(
                StoredVector.collection_id == collection_id, StoredVector.id.in_(some)
            )
        )
        rows.update((row.id, row) for row in found)
    return rows


async def delete_rows(session: AsyncSession, collection_id: int, ids: Sequence[str]) -> None:
    for some in chunks(ids):
        await session.execute(
            delete(StoredVector).where(
                StoredVector.collection_id == collection_id, StoredVector.id.in_(some)
            )
        )


def chunks(ids: Sequence[str]) -> list[Sequence[str]]:
    return [ids[start : start + IDS_AT_ONCE] for start in range(0, len(ids), IDS_AT_ONCE)]


def as_item(row: StoredVector) -> VectorItem:
    return VectorItem(row.id, np.frombuffer(row.vector, dtype="<f4"), row.document, row.details)


async def _find(session: AsyncSession, name: str) -> VectorCollection | None:
    return await session.scalar(select(VectorCollection).where(VectorCollection.name == name))


def _insert(database: Database) -> Any:
    # `ON CONFLICT` is the same on both, but each dialect has its own construct for it.
    return sqlite.insert if database.dialect == "sqlite" else postgresql.insert
