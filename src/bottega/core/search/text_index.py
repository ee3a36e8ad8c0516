"""Texts indexed by their words, and what the indexes of both databases share.

A query is what somebody typed, never a query language: each of its words may match, rare words
weigh more, and no character in it has a meaning of its own.

A document that has nothing of a query but its frequent words cannot be among the best, once enough
are known that score higher than all those words together. That is the rule of MaxScore; its bound
on a word is what even a document of that word alone would get, here it is what a usual one gets.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ForeignKey, UniqueConstraint, delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core.db.database import Base, ByteOrdered, Database, batches
from bottega.core.search.filters import Metadata, Where
from bottega.core.text.words import bm25_rarity, content_words

#: Words of a query that count; the rest of a pasted page adds time, not meaning.
MAX_WORDS = 64


@dataclass(frozen=True, slots=True)
class TextDocument:
    id: str
    text: str
    #: What `where` filters by, in the language of `filters.py`.
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextHit:
    id: str
    #: Higher is better; comparable within one search only.
    score: float


def words(query: str) -> list[str]:
    """The distinct words of a query that say something."""
    return list(dict.fromkeys(content_words(query)))[:MAX_WORDS]


#: Documents that are ranked about as quickly as it is found out which of them need not be.
FEW = 5_000
#: BM25 gives a word its rarity times 2.2 at most, and times 1 in a text of mean length that has it
#: once. With 2.2 the result is exact, with 1.5 it was on the bench, too; with this one in a hundred
#: of the best hundred differs there and none of the best ten, in half the time.
USUAL_WEIGHT = 1.0


@dataclass(frozen=True, slots=True)
class Rarity:
    documents: int
    #: Of the query, those that stand anywhere, the rarest first.
    words: tuple[str, ...]
    #: How many documents have each of them.
    counts: tuple[int, ...]

    @classmethod
    def of(cls, documents: int, counts: Mapping[str, int]) -> "Rarity":
        words = sorted((word for word in counts if counts[word]), key=lambda word: counts[word])
        return cls(documents, tuple(words), tuple(counts[word] for word in words))

    def first(self, wanted: int) -> int:
        """How many of the words to begin with: they are likely to find more than is wanted."""
        if sum(self.counts) <= FEW:
            return len(self.words)
        found = 0
        for place, count in enumerate(self.counts, 1):
            found += count
            if found >= 2 * wanted:
                return place
        return len(self.words)

    def needed(self, threshold: float) -> int:
        """How many of the words have to select: the others alone do not reach the threshold."""
        together = 0.0
        for place in range(len(self.words), 0, -1):
            together += USUAL_WEIGHT * bm25_rarity(self.counts[place - 1], self.documents)
            if together >= threshold:
                return place
        return 0


class TextCollection(Base):
    __tablename__ = "text_collections"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012 - SQLAlchemy reads it so

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)


class IndexedText(Base):
    __tablename__ = "text_documents"
    __table_args__ = (UniqueConstraint("collection_id", "id"), {"sqlite_autoincrement": True})

    #: FTS5 knows a document by a number.
    key: Mapped[int] = mapped_column(primary_key=True)
    collection_id: Mapped[int] = mapped_column(
        ForeignKey("text_collections.id", ondelete="CASCADE")
    )
    id: Mapped[str] = mapped_column(ByteOrdered)
    #: `metadata` is a word that SQLAlchemy keeps for itself.
    details: Mapped[dict[str, Any]] = mapped_column("metadata")


class TextIndex(ABC):
    """A method that takes a `session` joins the caller's transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @abstractmethod
    async def put(
        self,
        collection: str,
        documents: Sequence[TextDocument],
        *,
        session: AsyncSession | None = None,
    ) -> None:
        """Add documents; one with a known id is replaced. The collection need not exist."""

    @abstractmethod
    async def delete(
        self, collection: str, ids: Sequence[str], *, session: AsyncSession | None = None
    ) -> None: ...

    @abstractmethod
    async def search(
        self, collection: str, query: str, *, limit: int = 20, where: Where | None = None
    ) -> list[TextHit]:
        """The documents with any of the query's words, best first."""

    @abstractmethod
    async def scores(self, collection: str, query: str, ids: Sequence[str]) -> Mapping[str, float]:
        """What `search` would score these documents, of those that match at all."""

    @abstractmethod
    async def rarity(self, collection: str, query: str) -> float:
        """What a usual document that has each word of the query once would score."""

    async def drop(self, collection: str, *, session: AsyncSession | None = None) -> None:
        """Remove every document of the collection."""
        async with self._writing(session) as open_session:
            await open_session.execute(
                delete(TextCollection).where(TextCollection.name == collection)
            )

    async def count(self, collection: str, *, session: AsyncSession | None = None) -> int:
        statement = (
            select(func.count())
            .select_from(IndexedText)
            .join(TextCollection, TextCollection.id == IndexedText.collection_id)
            .where(TextCollection.name == collection)
        )
        reading = self._database.read() if session is None else nullcontext(session)
        async with reading as open_session:
            return await open_session.scalar(statement) or 0

    def _writing(self, session: AsyncSession | None) -> AbstractAsyncContextManager[AsyncSession]:
        return self._database.write() if session is None else nullcontext(session)

    async def _make(self, session: AsyncSession, collection: str) -> int:
        """The number of a collection, which exists from now on."""
        await session.execute(
            self._database.insert(TextCollection).values(name=collection).on_conflict_do_nothing()
        )
        number = await find(session, collection)
        assert number is not None
        return number

    async def _register(
        self, session: AsyncSession, number: int, documents: Sequence[TextDocument]
    ) -> dict[str, int]:
        """Note the documents, new and known, and give the key of each."""
        rows = {
            document.id: {
                "collection_id": number,
                "id": document.id,
                "metadata": dict(document.metadata),
            }
            for document in documents
        }
        if rows:
            statement = self._database.insert(IndexedText.__table__)
            changed = {"metadata": statement.excluded["metadata"]}
            await session.execute(
                statement.on_conflict_do_update(
                    index_elements=["collection_id", "id"], set_=changed
                ),
                list(rows.values()),
            )
        return await self._keys(session, number, list(rows))

    async def _keys(self, session: AsyncSession, number: int, ids: Sequence[str]) -> dict[str, int]:
        keys: dict[str, int] = {}
        for some in batches(ids):
            found = await session.execute(
                select(IndexedText.id, IndexedText.key).where(
                    IndexedText.collection_id == number, IndexedText.id.in_(some)
                )
            )
            keys.update((item_id, key) for item_id, key in found)
        return keys


async def find(session: AsyncSession, collection: str) -> int | None:
    return await session.scalar(select(TextCollection.id).where(TextCollection.name == collection))
