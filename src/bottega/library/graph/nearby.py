"""What is near a few paragraphs in meaning, looked up for them alone: for a library that is too
large for somebody to wait until all its paragraphs have been compared."""

import asyncio
from collections.abc import Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.embeddings import Embedder
from bottega.core.vectors.index import VectorIndex
from bottega.core.vectors.store import Vector
from bottega.errors import Unavailable
from bottega.library.graph.edges import EdgeKind
from bottega.library.graph.nearness import NEAREST, unusual_nearness
from bottega.library.graph.traversal import Way
from bottega.library.tables import LibraryParagraph

#: Paragraphs that a walk looks around of: each costs a search.
MOST_PLACES = 8
#: Search's vectors hold the headings, too, so more are looked at than are wanted.
CANDIDATES = 4 * NEAREST
#: Paragraphs by which is told how near two of the library usually are.
SAMPLE = 1_000


class Nearby:
    """For one walk."""

    def __init__(
        self, session: AsyncSession, library_id: str, embedder: Embedder, index: VectorIndex
    ) -> None:
        self._session = session
        self._library_id = library_id
        self._embedder = embedder
        self._index = index
        self._places_left = MOST_PLACES
        self._threshold: float | None = None

    async def ways_from(self, ids: Sequence[str]) -> Mapping[str, Sequence[Way]]:
        """The ways on from the first few of these; none while vectors or embedder are away."""
        asked = ids[: self._places_left]
        self._places_left -= len(asked)
        try:
            return await self._look_around(asked) if asked else {}
        except Unavailable:
            return {}

    async def _look_around(self, ids: Sequence[str]) -> dict[str, list[Way]]:
        if self._threshold is None:
            self._threshold = await asyncio.to_thread(unusual_nearness, await self._sample())
        texts = {key: text for key, (_, text) in (await self._paragraphs(ids)).items()}
        vectors = dict(zip(texts, await self._embedder.embed(list(texts.values())), strict=True))
        found: dict[str, list[Way]] = {}
        for key, vector in vectors.items():
            near = await self._index.nearest(vector, limit=CANDIDATES + 1)
            found[key] = await self._ways(vector, [each for each in near if each != key])
        return found

    async def _ways(self, vector: Vector, candidates: Sequence[str]) -> list[Way]:
        rows = await self._paragraphs(candidates)
        vectors = await self._embedder.embed([text for _, text in rows.values()])
        ways = [
            Way(key, ref, EdgeKind.HOP, min(float(other @ vector), 1.0))
            for (key, (ref, _)), other in zip(rows.items(), vectors, strict=True)
        ]
        ways.sort(key=lambda way: (-way.weight, way.target_ref))
        return [way for way in ways[:NEAREST] if way.weight >= (self._threshold or 0.0)]

    async def _paragraphs(self, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Reference and text, by id."""
        rows = await self._session.execute(
            select(LibraryParagraph.id, LibraryParagraph.ref, LibraryParagraph.text).where(
                LibraryParagraph.id.in_(ids)
            )
        )
        return {key: (ref, text) for key, ref, text in rows}

    async def _sample(self) -> Vector:
        # An id says nothing of its paragraph, so the first ones are any.
        texts = await self._session.scalars(
            select(LibraryParagraph.text)
            .where(LibraryParagraph.library_id == self._library_id)
            .order_by(LibraryParagraph.id)
            .limit(SAMPLE)
        )
        return await self._embedder.embed(list(texts))
