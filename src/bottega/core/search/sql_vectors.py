"""What the two vector stores in the database share: the collections and the rows."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import (
    ColumnElement,
    ForeignKey,
    Index,
    LargeBinary,
    Select,
    Table,
    delete,
    func,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core.db.database import Base, ByteOrdered, Database, batches
from bottega.core.readers.embedder import Vector
from bottega.core.search.filters import (
    Metadata,
    Where,
    parse,
    postgresql_condition,
    sqlite_condition,
)
from bottega.core.search.vector_store import (
    Collection,
    VectorItem,
    check_deletion,
    check_items,
    check_name,
)
from bottega.errors import Conflict, NotFound

KEY = ("collection_id", "id")
#: Items that take about a millisecond to handle: more than that go to a thread.
INLINE_ITEMS = 200


class VectorCollection(Base):
    __tablename__ = "vector_collections"
    # An id is never used twice, so that a copy in memory cannot be taken for its successor.
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012 - SQLAlchemy reads it so

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    dimension: Mapped[int]
    embedder: Mapped[str]
    #: Goes up with every write; a process that has seen less reads what it missed.
    revision: Mapped[int] = mapped_column(default=0)


class StoredVector(Base):
    __tablename__ = "vectors"
    __table_args__ = (Index("ix_vectors_collection_revision", "collection_id", "revision"),)

    collection_id: Mapped[int] = mapped_column(
        ForeignKey("vector_collections.id", ondelete="CASCADE"), primary_key=True
    )
    id: Mapped[str] = mapped_column(ByteOrdered, primary_key=True)
    #: Little-endian float32 at unit length.
    vector: Mapped[bytes] = mapped_column(LargeBinary)
    document: Mapped[str]
    #: `metadata` is a word that SQLAlchemy keeps for itself.
    details: Mapped[dict[str, Any]] = mapped_column("metadata")
    #: The collection's revision in which it was last written.
    revision: Mapped[int]


class SqlVectorStore:
    #: The rows of every collection.
    _table: Table = StoredVector.metadata.tables["vectors"]

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
        found = await self._database.ask(_find, name)
        if found is None:
            row = {"name": name, "dimension": dimension, "embedder": embedder, "revision": 0}
            async with self._database.write() as session:
                await session.execute(
                    self._database.insert(VectorCollection).values(row).on_conflict_do_nothing()
                )
                found = await open_collection(session, name)
        if (found.dimension, found.embedder) != (dimension, embedder):
            raise Conflict(
                f"The collection {name!r} has vectors of {found.embedder!r} with "
                f"{found.dimension} dimensions, not of {embedder!r} with {dimension}. "
                "Re-embed it, or use another name."
            )

    async def collection(self, name: str) -> Collection | None:
        statement = (
            select(VectorCollection, func.count(StoredVector.id))
            .outerjoin(StoredVector, StoredVector.collection_id == VectorCollection.id)
            .where(VectorCollection.name == name)
            .group_by(VectorCollection.id)
        )
        async with self._database.read() as session:
            found = (await session.execute(statement)).first()
        if found is None:
            return None
        row, count = found
        return Collection(row.name, row.dimension, row.embedder, count)

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
        items: dict[str, VectorItem] = {}
        async with self._database.read() as session:
            mine = self._matching(await open_collection(session, collection))
            for some in batches(ids):
                rows = await session.execute(self._items(*mine, self._table.c.id.in_(some)))
                items.update((row.id, as_item(*row)) for row in rows)
        return [items[item_id] for item_id in ids if item_id in items]

    async def scroll(
        self,
        collection: str,
        *,
        after: str | None = None,
        limit: int = 100,
        where: Where | None = None,
    ) -> list[VectorItem]:
        item_id = self._table.c.id
        async with self._database.read() as session:
            mine = self._matching(await open_collection(session, collection), where)
            statement = self._items(*mine, item_id > (after or ""))
            rows = await session.execute(statement.order_by(item_id).limit(limit))
            return [as_item(*row) for row in rows]

    async def count(self, collection: str) -> int:
        async with self._database.read() as session:
            return await count_rows(session, (await open_collection(session, collection)).id)

    async def delete(
        self, collection: str, *, ids: Sequence[str] | None = None, where: Where | None = None
    ) -> None:
        await self._delete(collection, ids, where)

    async def _delete(
        self, name: str, ids: Sequence[str] | None, where: Where | None
    ) -> tuple[VectorCollection, list[str]]:
        """The collection with its new revision, and the ids that are gone."""
        check_deletion(ids, where)
        item_id = self._table.c.id
        gone: list[str] = []
        async with self._database.write() as session:
            found = await bump(session, name)
            statement = delete(self._table).where(*self._matching(found, where)).returning(item_id)
            if ids is None:
                gone += await session.scalars(statement)
            for some in batches(ids or []):
                gone += await session.scalars(statement.where(item_id.in_(some)))
        return found, gone

    def _items(self, *conditions: ColumnElement[bool]) -> Select[Any]:
        rows = self._table.c
        return select(rows.id, rows.vector, rows.document, rows.metadata).where(*conditions)

    def _matching(
        self, collection: VectorCollection, where: Where | None = None
    ) -> list[ColumnElement[bool]]:
        """What selects the collection's rows that pass the filter."""
        mine = self._table.c.collection_id == collection.id
        condition = parse(where)
        if condition is None:
            return [mine]
        is_sqlite = self._database.dialect == "sqlite"
        as_sql = sqlite_condition if is_sqlite else postgresql_condition
        return [mine, as_sql(condition, self._table.c.metadata)]

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
        statement = self._database.insert(self._table)
        return statement.on_conflict_do_update(
            index_elements=["collection_id", "id"],
            set_={name: statement.excluded[name] for name in columns if name not in KEY},
        )


async def count_rows(session: AsyncSession, collection_id: int) -> int:
    statement = select(func.count()).where(StoredVector.collection_id == collection_id)
    return await session.scalar(statement) or 0


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


def as_item(item_id: str, vector: bytes, document: str, metadata: Metadata) -> VectorItem:
    return VectorItem(item_id, np.frombuffer(vector, dtype="<f4"), document, metadata)


async def _find(session: AsyncSession, name: str) -> VectorCollection | None:
    return await session.scalar(select(VectorCollection).where(VectorCollection.name == name))
