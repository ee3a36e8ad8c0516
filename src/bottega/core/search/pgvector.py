"""Vectors in PostgreSQL, searched by its `vector` extension.

The rows are those of the embedded store with one more column, so that a database that gains the
extension later keeps what it has. The column has no fixed dimension, because collections differ;
the scan is exact.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import orjson
from sqlalchemy import (
    BindParameter,
    Column,
    ColumnElement,
    Float,
    MetaData,
    Table,
    bindparam,
    cast,
    func,
    literal,
    select,
    text,
    update,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import UserDefinedType

from bottega.core.db.advisory_locks import TAKE, AdvisoryLock
from bottega.core.db.database import Database
from bottega.core.readers.embedder import Vector
from bottega.core.search.filters import Where
from bottega.core.search.sql_vectors import SqlVectorStore, StoredVector, open_collection
from bottega.core.search.vector_store import VectorHit, VectorItem, check_vector
from bottega.errors import Unavailable

INSTALL = (
    "Install pgvector on the PostgreSQL server and run CREATE EXTENSION vector in this database "
    "as its owner, or set BOTTEGA_VECTORS=embedded."
)
PREPARE = (
    "CREATE EXTENSION IF NOT EXISTS vector",
    "ALTER TABLE vectors ADD COLUMN IF NOT EXISTS embedding vector",
    # In the row itself, where a scan finds it; the bytes and the document move out instead.
    "ALTER TABLE vectors ALTER COLUMN embedding SET STORAGE MAIN",
)
HAS_COLUMN = (
    "SELECT count(*) FROM information_schema.columns WHERE table_schema = current_schema() "
    "AND table_name = 'vectors' AND column_name = 'embedding'"
)
ROWS_AT_ONCE = 1_000


class Embedding(UserDefinedType[Vector]):
    """pgvector's type, written as text: no driver extension needed."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        return "vector"

    def bind_expression(self, bindvalue: BindParameter[Vector]) -> ColumnElement[Vector]:
        return cast(bindvalue, self)

    def bind_processor(self, dialect: object) -> Any:
        return lambda vector: orjson.dumps(vector, option=orjson.OPT_SERIALIZE_NUMPY).decode()


def _with_embedding() -> Table:
    table = StoredVector.metadata.tables["vectors"].to_metadata(MetaData())
    table.append_column(Column("embedding", Embedding()))
    return table


ROWS = _with_embedding()


async def has_extension(database: Database) -> bool:
    """Whether the server has `vector`, loaded into this database or not."""
    if database.dialect != "postgresql":
        return False
    query = text("SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'")
    async with database.read() as session:
        return bool(await session.scalar(query))


class PgVectorStore(SqlVectorStore):
    kind = "pgvector"
    _table = ROWS

    async def start(self) -> None:
        # Not a migration: the extension may come to a database that was migrated without it.
        if not await has_extension(self._database):
            raise Unavailable(f"This PostgreSQL has no `vector` extension. {INSTALL}")
        try:
            async with self._database.write() as session:
                await session.execute(TAKE, {"key": AdvisoryLock.VECTORS})
                if not await session.scalar(text(HAS_COLUMN)):
                    for statement in PREPARE:
                        await session.execute(text(statement))
        except DBAPIError as error:
            raise Unavailable(f"`vector` could not be set up: {error.orig}. {INSTALL}") from error
        while await self._fill():
            pass

    async def upsert(self, collection: str, items: Sequence[VectorItem]) -> None:
        await self._write(collection, items)

    async def query(
        self, collection: str, vector: Vector, *, limit: int = 10, where: Where | None = None
    ) -> list[VectorHit]:
        async with self._database.read() as session:
            found = await open_collection(session, collection)
            distance = _distance(check_vector(collection, vector, found.dimension))
            rows = await session.execute(
                select(ROWS.c.id, distance)
                .where(*self._matching(found, where))
                .order_by(distance, ROWS.c.id)
                .limit(limit)
            )
            return [VectorHit(*row) for row in rows]

    async def similarities(
        self, collection: str, vector: Vector, ids: Sequence[str]
    ) -> dict[str, float]:
        async with self._database.read() as session:
            found = await open_collection(session, collection)
            distance = _distance(check_vector(collection, vector, found.dimension))
            mine = (*self._matching(found), ROWS.c.id == func.any(list(ids)))
            rows = await session.execute(select(ROWS.c.id, distance).where(*mine))
            return {item_id: 1 - far for item_id, far in rows}

    def _more(self, vector: Vector) -> dict[str, Any]:
        return {"embedding": vector}

    async def _fill(self) -> int:
        """Give some rows that the embedded store wrote their embedding; how many they were."""
        key = (ROWS.c.collection_id, ROWS.c.id)
        async with self._database.write() as session:
            rows = (
                await session.execute(
                    select(*key, ROWS.c.vector)
                    .where(ROWS.c.embedding.is_(None))
                    .limit(ROWS_AT_ONCE)
                    .with_for_update()
                )
            ).all()
            if rows:
                await session.execute(
                    update(ROWS)
                    .where(key[0] == bindparam("c"), key[1] == bindparam("i"))
                    .values(embedding=bindparam("e")),
                    [
                        {"c": row[0], "i": row[1], "e": np.frombuffer(row[2], dtype="<f4")}
                        for row in rows
                    ],
                )
            return len(rows)


def _distance(vector: Vector) -> ColumnElement[float]:
    # The zero vector has no direction: pgvector says NaN, the other stores say 1.
    cosine = ROWS.c.embedding.op("<=>", return_type=Float())(literal(vector, Embedding()))
    return func.coalesce(func.nullif(cosine, float("nan")), 1.0)
