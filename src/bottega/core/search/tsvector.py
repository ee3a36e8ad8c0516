"""The text index on PostgreSQL, ranked by BM25.

PostgreSQL finds documents by their words but ranks them without knowing which words are rare, and
loses a quarter of its precision by that. It does not say how often a word stands in a document
either, but its `ts_rank` for that word alone does: it is 0.1/ζ(2) times the sum of 1/i² over the
occurrences i, and that sum is all but ζ(2) - 1/(n + ½) for n of them, which is solved for n below.
"""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from sqlalchemy import Float, Integer, Subquery, column, delete, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.search.filters import Where, parse, postgresql_condition
from bottega.core.search.text_index import (
    IndexedText,
    TextDocument,
    TextHit,
    TextIndex,
    find,
    words,
)
from bottega.core.trust.admission import scrub_texts

#: A tsvector holds one megabyte; a text this long fits whatever it is made of.
MAX_CHARACTERS = 250_000
#: The planner misjudges a table that has just grown by this much, four times over in query time;
#: autovacuum would tell it so a minute later.
MANY = 500

_SQL: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
INDEX, RARITY, SCORED = (text(_SQL[name]) for name in ("index", "rarity", "scored"))


class TsvectorIndex(TextIndex):
    async def put(
        self,
        collection: str,
        documents: Sequence[TextDocument],
        *,
        session: AsyncSession | None = None,
    ) -> None:
        async with self._writing(session) as open_session:
            number = await self._make(open_session, collection)
            keys = await self._register(open_session, number, documents)
            texts = await scrub_texts([document.text for document in documents])
            rows = {
                keys[each.id]: _storable(text) for each, text in zip(documents, texts, strict=True)
            }
            if rows:
                await open_session.execute(
                    INDEX, [{"key": key, "content": content} for key, content in rows.items()]
                )
            if len(rows) >= MANY:
                await open_session.execute(text("ANALYZE text_documents"))

    async def delete(
        self, collection: str, ids: Sequence[str], *, session: AsyncSession | None = None
    ) -> None:
        async with self._writing(session) as open_session:
            number = await find(open_session, collection)
            await open_session.execute(
                delete(IndexedText).where(
                    IndexedText.collection_id == number, IndexedText.id.in_(ids)
                )
            )

    async def search(
        self, collection: str, query: str, *, limit: int = 20, where: Where | None = None
    ) -> list[TextHit]:
        condition = parse(where)
        async with self._database.read() as session:
            number = await find(session, collection)
            scored = _scored(number, query)
            statement = (
                select(IndexedText.id, scored.c.score)
                .join(scored, scored.c.key == IndexedText.key)
                .order_by(scored.c.score.desc(), IndexedText.key)
                .limit(limit)
            )
            if condition is not None:
                metadata = IndexedText.__table__.c.metadata
                statement = statement.where(postgresql_condition(condition, metadata))
            return [TextHit(*row) for row in await session.execute(statement)]

    async def scores(self, collection: str, query: str, ids: Sequence[str]) -> Mapping[str, float]:
        async with self._database.read() as session:
            scored = _scored(await find(session, collection), query)
            rows = await session.execute(
                select(IndexedText.id, scored.c.score)
                .join(scored, scored.c.key == IndexedText.key)
                .where(IndexedText.id.in_(ids))
            )
            return {row.id: row.score for row in rows}

    async def rarity(self, collection: str, query: str) -> float:
        async with self._database.read() as session:
            number = await find(session, collection)
            given = {"collection_id": number, "asked": " ".join(words(query))}
            return float((await session.execute(RARITY, given)).scalar_one())


def _scored(number: int | None, query: str) -> Subquery:
    """Key and score of every document of the collection that has a word of the query."""
    statement = SCORED.bindparams(collection_id=number, asked=" ".join(words(query)))
    return statement.columns(column("key", Integer), column("score", Float)).subquery()


def _storable(content: str) -> str:
    return content[:MAX_CHARACTERS].replace("\x00", " ")
