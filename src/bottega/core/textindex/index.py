"""The seam behind which texts are indexed by their words.

A query is what somebody typed, never a query language: each of its words may match, rare words
weigh more, and no character in it has a meaning of its own.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.textindex.stopwords import STOP_WORDS
from bottega.core.vectors.store import Metadata, Where

#: Words of a query that count; the rest of a pasted page adds time, not meaning.
MAX_WORDS = 64


@dataclass(frozen=True, slots=True)
class TextDocument:
    id: str
    text: str
    #: What `where` filters by, in the language of `vectors/where.py`.
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextHit:
    id: str
    #: Higher is better; comparable within one search only.
    score: float


class TextIndex(Protocol):
    """Every method joins the caller's transaction if it is given a `session`."""

    async def put(
        self,
        collection: str,
        documents: Sequence[TextDocument],
        *,
        session: AsyncSession | None = None,
    ) -> None:
        """Add documents; one with a known id is replaced. The collection need not exist."""
        ...

    async def delete(
        self, collection: str, ids: Sequence[str], *, session: AsyncSession | None = None
    ) -> None: ...

    async def drop(self, collection: str, *, session: AsyncSession | None = None) -> None:
        """Remove every document of the collection."""
        ...

    async def search(
        self,
        collection: str,
        query: str,
        *,
        limit: int = 20,
        where: Where | None = None,
        session: AsyncSession | None = None,
    ) -> list[TextHit]:
        """The documents with any of the query's words, best first."""
        ...

    async def scores(
        self,
        collection: str,
        query: str,
        ids: Sequence[str],
        *,
        session: AsyncSession | None = None,
    ) -> Mapping[str, float]:
        """What `search` would score these documents, of those that match at all."""
        ...

    async def count(self, collection: str, *, session: AsyncSession | None = None) -> int: ...


def words(query: str) -> list[str]:
    """The distinct words of a query that say something: letters, marks and digits of any script."""
    kept = "".join(
        character if unicodedata.category(character)[0] in "LMN" else " "
        for character in query.lower()
    )
    distinct = list(dict.fromkeys(kept.split()))
    return [word for word in distinct if word not in STOP_WORDS][:MAX_WORDS]
