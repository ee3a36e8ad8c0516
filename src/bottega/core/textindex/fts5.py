"""The text index on SQLite.

Each collection is an FTS5 table of its own: BM25 weighs a word by how rare it is, and how rare it
is among another collection's documents must not count.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Result,
    TableClause,
    column,
    delete,
    insert,
    literal_column,
    select,
    table,
    text,
)
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.textindex.index import TextDocument, TextHit, words
from bottega.core.textindex.sql import SqlTextIndex, batches, find
from bottega.core.textindex.tables import IndexedText
from bottega.core.vectors.json1 import as_sql
from bottega.core.vectors.store import Where
from bottega.core.vectors.where import parse


class Fts5Index(SqlTextIndex):
    async def put(
        self,
        collection: str,
        documents: Sequence[TextDocument],
        *,
        session: AsyncSession | None = None,
    ) -> None:
        async with self._writing(session) as open_session:
            number = await self._make(open_session, collection)
            await open_session.execute(text(CREATE.format(number=number)))
            keys = await self._register(open_session, number, documents)
            rows = {keys[document.id]: document.text for document in documents}
            if rows:
                await open_session.execute(
                    insert(_fts(number)).prefix_with("OR REPLACE"),
                    [{"rowid": key, "text": content} for key, content in rows.items()],
                )

    async def delete(
        self, collection: str, ids: Sequence[str], *, session: AsyncSession | None = None
    ) -> None:
        async with self._writing(session) as open_session:
            number = await find(open_session, collection)
            if number is None:
                return
            keys = list((await self._keys(open_session, number, ids)).values())
            for some in batches(keys):
                await open_session.execute(delete(_fts(number)).where(column("rowid").in_(some)))
                await open_session.execute(delete(IndexedText).where(IndexedText.key.in_(some)))

    async def drop(self, collection: str, *, session: AsyncSession | None = None) -> None:
        async with self._writing(session) as open_session:
            number = await find(open_session, collection)
            if number is not None:
                await open_session.execute(text(DROP.format(number=number)))
            await super().drop(collection, session=open_session)

    async def search(
        self,
        collection: str,
        query: str,
        *,
        limit: int = 20,
        where: Where | None = None,
        session: AsyncSession | None = None,
    ) -> list[TextHit]:
        condition, asked = parse(where), words(query)
        async with self._reading(session) as open_session:
            number = await find(open_session, collection)
            if number is None or not asked:
                return []
            best: Any = select(column("rowid"), column("rank")).select_from(_fts(number))
            best = best.where(_match(asked))
            if condition is None:
                best = best.order_by(column("rank")).limit(limit)
            ranked = best.subquery()
            statement = (
                select(IndexedText.id, ranked.c.rank)
                .join(ranked, ranked.c.rowid == IndexedText.key)
                .order_by(ranked.c.rank, IndexedText.key)
                .limit(limit)
            )
            if condition is not None:
                statement = statement.where(as_sql(condition, IndexedText.details))
            rows = await open_session.execute(statement)
            return [TextHit(row.id, -row.rank) for row in rows]

    async def scores(
        self,
        collection: str,
        query: str,
        ids: Sequence[str],
        *,
        session: AsyncSession | None = None,
    ) -> Mapping[str, float]:
        asked = words(query)
        async with self._reading(session) as open_session:
            number = await find(open_session, collection)
            if number is None or not asked:
                return {}
            keys = await self._keys(open_session, number, ids)
            scored: dict[int, float] = {}
            for some in batches(list(keys.values())):
                # The plus keeps FTS5 from starting a search, and its statistics, for each row.
                found: Result[Any] = await open_session.execute(
                    select(column("rowid"), column("rank"))
                    .select_from(_fts(number))
                    .where(_match(asked), literal_column("+rowid").in_(some))
                )
                scored.update((row.rowid, -row.rank) for row in found)
        return {item_id: scored[key] for item_id, key in keys.items() if key in scored}


CREATE = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS text_index_{number} "
    "USING fts5(text, tokenize='porter unicode61 remove_diacritics 2')"
)
DROP = "DROP TABLE IF EXISTS text_index_{number}"


def _fts(number: int) -> TableClause:
    return table(f"text_index_{number}", column("rowid"), column("text"))


def _match(asked: Sequence[str]) -> ColumnElement[bool]:
    # In quotes a word is only a word: AND, NEAR and * mean nothing.
    return column("text").op("MATCH", is_comparison=True)(
        " OR ".join(f'"{word}"' for word in asked)
    )
