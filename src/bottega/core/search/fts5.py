"""The text index on SQLite.

Each collection is an FTS5 table of its own: BM25 weighs a word by how rare it is, and how rare it
is among another collection's documents must not count.

FTS5 finds a document in a fraction of the time in which it ranks one. So in large collections it
ranks only documents that have one of the query's rarer words (`rarity.py` says which those are);
the frequent ones still weigh.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Select,
    TableClause,
    column,
    delete,
    exists,
    func,
    insert,
    select,
    table,
    text,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.db.database import Database, batches
from bottega.core.search.filters import Condition, Where, parse, sqlite_condition
from bottega.core.search.text_index import (
    IndexedText,
    Rarity,
    TextDocument,
    TextHit,
    TextIndex,
    find,
    words,
)
from bottega.core.text.words import bm25_rarity
from bottega.core.trust.admission import scrub_texts


class Fts5Index(TextIndex):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        #: By collection: how many documents it has, and how many of them have a word.
        self._counts: dict[int, tuple[int, Mapping[str, int]]] = {}

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
            texts = await scrub_texts([document.text for document in documents])
            rows = {keys[each.id]: text for each, text in zip(documents, texts, strict=True)}
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
        self, collection: str, query: str, *, limit: int = 20, where: Where | None = None
    ) -> list[TextHit]:
        condition, asked = parse(where), words(query)
        async with self._database.read() as session:
            number = await find(session, collection)
            if number is None or not asked:
                return []
            rarity = await self._rarity(session, number, asked)
            best = await _best(session, number, rarity, limit, condition)
            return [TextHit(row.id, -row.rank) for row in best]

    async def scores(self, collection: str, query: str, ids: Sequence[str]) -> Mapping[str, float]:
        asked = words(query)
        async with self._database.read() as session:
            number = await find(session, collection)
            if number is None or not asked or not ids:
                return {}
            parameters = {"query": _any(asked), "number": number, "ids": json.dumps(ids)}
            rows = await session.execute(text(SCORED.format(number=number)), parameters)
            return {item_id: -rank for item_id, rank in rows}

    async def rarity(self, collection: str, query: str) -> float:
        asked = words(query)
        async with self._database.read() as session:
            number = await find(session, collection)
            if number is None or not asked:
                return 0.0
            rarity = await self._rarity(session, number, asked)
        counts = [*rarity.counts, *[0] * (len(asked) - len(rarity.counts))]
        return sum(max(bm25_rarity(count, rarity.documents), LEAST_RARITY) for count in counts)

    async def _rarity(self, session: AsyncSession, number: int, asked: Sequence[str]) -> Rarity:
        """Counts are kept while the number of documents stays: nearly right is enough."""
        before, kept = self._counts.get(number, (0, {}))
        unknown = [word for word in asked if word not in kept]
        documents, counts = await _count(session, number, unknown)
        if documents != before:
            if kept:
                documents, counts = await _count(session, number, asked)
            kept = {}
        known = {**kept, **counts}
        if len(self._counts) > MOST_COLLECTIONS or len(known) > MOST_WORDS:
            self._counts.clear()
        # A word that is nowhere is looked for each time: it has to be found as soon as it is there.
        self._counts[number] = documents, {word: count for word, count in known.items() if count}
        return Rarity.of(documents, {word: known[word] for word in asked})


CREATE = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS text_index_{number} "
    "USING fts5(text, tokenize='porter unicode61 remove_diacritics 2')"
)
DROP = "DROP TABLE IF EXISTS text_index_{number}"
COUNT = ", (SELECT count(*) FROM text_index_{number} WHERE text MATCH :word{place})"
# The plus keeps FTS5 from starting a search, and its statistics, for each row.
SCORED = """
    SELECT (SELECT id FROM text_documents WHERE key = found.rowid), rank
    FROM text_index_{number} AS found
    WHERE text MATCH :query AND +rowid IN (
        SELECT key FROM text_documents
        WHERE collection_id = :number AND id IN (SELECT value FROM json_each(:ids))
    )
"""
#: What FTS5 gives a word that stands in more than half of all documents.
LEAST_RARITY = 1e-6
#: What is kept of how frequent words are.
MOST_COLLECTIONS, MOST_WORDS = 100, 10_000


class Ranked(NamedTuple):
    #: Lower is better.
    rank: float
    key: int
    id: str


async def _best(
    session: AsyncSession,
    number: int,
    rarity: Rarity,
    limit: int,
    condition: Condition | None,
) -> list[Ranked]:
    if not rarity.words or limit <= 0:
        return []

    async def rank(expression: str, weighing: Sequence[str]) -> list[Ranked]:
        found = await session.execute(_ranked(number, expression, weighing, limit, condition))
        return [Ranked(row.rank, row.key, row.id) for row in found]

    first = rarity.first(limit)
    selecting, rest = rarity.words[:first], rarity.words[first:]
    best = await rank(_any(selecting), rest)
    needed = rarity.needed(-best[-1].rank if len(best) == limit else 0.0)
    if needed > first:
        others = f"({_any(rarity.words[first:needed])}) NOT ({_any(selecting)})"
        best = sorted([*best, *await rank(others, rarity.words[needed:])])[:limit]
    return best


async def _count(
    session: AsyncSession, number: int, asked: Sequence[str]
) -> tuple[int, dict[str, int]]:
    """How many documents there are, and how many have each of the words."""
    having = "".join(COUNT.format(number=number, place=place) for place in range(len(asked)))
    # FTS5 keeps a row there for every document, and SQLite counts a table by its pages.
    statement = f"SELECT (SELECT count(*) FROM text_index_{number}_docsize){having}"  # noqa: S608
    parameters = {f"word{place}": _any([word]) for place, word in enumerate(asked)}
    [documents, *counts] = (await session.execute(text(statement), parameters)).one()
    return documents, dict(zip(asked, counts, strict=True))


def _ranked(
    number: int,
    expression: str,
    weighing: Sequence[str],
    limit: int,
    condition: Condition | None,
) -> Select[Any]:
    """The best documents of an expression; words that only weigh count where they stand."""
    found: Any = _found(number, expression, limit, condition)
    if weighing:
        # Ranked with these words and without: what has one of them comes twice, once too low.
        having_both = _found(number, f"({expression}) AND ({_any(weighing)})", limit, condition)
        either = union_all(*(select(each.subquery()) for each in (found, having_both))).subquery()
        rank = func.min(either.c.rank).label("rank")
        found = select(either.c.key, rank).group_by(either.c.key)
        found = found.order_by(rank, either.c.key).limit(limit)
    best = found.subquery()
    return (
        select(IndexedText.id, best.c.key, best.c.rank)
        .join(best, best.c.key == IndexedText.key)
        .order_by(best.c.rank, best.c.key)
    )


def _found(
    number: int, expression: str, limit: int, condition: Condition | None
) -> Select[tuple[int, float]]:
    fts = _fts(number)
    found = select(fts.c.rowid.label("key"), fts.c.rank).where(_match(fts, expression))
    if condition is not None:
        mine = IndexedText.key == fts.c.rowid
        found = found.where(exists().where(mine, sqlite_condition(condition, IndexedText.details)))
    # By the key too: by the rank alone FTS5 would sort, and sort everything that it finds.
    return found.order_by(fts.c.rank, fts.c.rowid).limit(limit)


def _fts(number: int) -> TableClause:
    return table(f"text_index_{number}", column("rowid"), column("text"), column("rank"))


def _any(asked: Sequence[str]) -> str:
    # In quotes a word is only a word: AND, NEAR and * mean nothing.
    return " OR ".join(f'"{word}"' for word in asked)


def _match(fts: TableClause, expression: str) -> ColumnElement[bool]:
    return fts.c.text.op("MATCH", is_comparison=True)(expression)
