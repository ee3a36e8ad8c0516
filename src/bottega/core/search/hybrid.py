"""Search by meaning, and hybrid search: words and meaning together.

When the embedder changes, a collection is built anew beside the old one, which stands until the
swap. A crash on the way leaves the old one as it was, and a half-built one that the next attempt
throws away.

Fusing only the ranks of the two halves is, with a small embedder, worse than words alone on some
sets. So the best of each half become candidates, every candidate is scored by both halves, and the
two scores, brought to the same range, are added by weight. `bench/search.py` measures it.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

import structlog

from bottega.core.readers.embedder import Embedder, Vector
from bottega.core.search.filters import Metadata, Where
from bottega.core.search.refinement import Refiner
from bottega.core.search.text_index import TextIndex
from bottega.core.search.vector_store import VectorHit, VectorItem, VectorStore
from bottega.core.search_types import SearchType as SearchType
from bottega.core.trust.admission import scrub_texts
from bottega.errors import ConfigurationError, Conflict, NotFound, Unavailable

log = structlog.get_logger()

ITEMS_AT_ONCE = 500


class VectorIndex:
    def __init__(
        self,
        store: VectorStore,
        embedder: Embedder,
        collection: str,
        refiner: Refiner | None = None,
    ) -> None:
        self.collection = collection
        self._store = store
        self._embedder = embedder
        self._is_ready = False
        self._preparing = asyncio.Lock()
        self.is_fine = False
        self._finer = None
        if refiner is not None:
            fine = VectorIndex(store, refiner.embedder, fine_collection(collection))
            fine.is_fine = True
            self._finer = refiner.beside(self, fine)

    async def finest(self) -> "VectorIndex":
        """The index with the finer vectors if it has all of them, otherwise this one.

        Cosines of the two cannot be compared: use one for a whole search.
        """
        if self._finer is not None and await self._finer.is_whole():
            return self._finer.fine
        return self

    async def prepare(self) -> None:
        """Make the collection, or re-embed it if another embedder filled it. Others wait for it."""
        async with self._preparing:
            if self._is_ready:
                return
            await recover(self._store, self.collection)
            try:
                await self._store.ensure_collection(
                    self.collection,
                    dimension=await self._dimension(),
                    embedder=self._embedder.name,
                )
            except Conflict:
                await reembed(self._store, self.collection, self._embedder)
            self._is_ready = True

    async def _dimension(self) -> int:
        """Loads the model only if it must be asked."""
        with suppress(ConfigurationError):
            return self._embedder.dimension
        await self._embedder.warm()
        return self._embedder.dimension

    async def add(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        metadata: Sequence[Metadata] | None = None,
    ) -> None:
        """Add texts; one with a known id is replaced."""
        await self.prepare()
        texts = await scrub_texts(texts)
        vectors = await self._embedder.embed(texts)
        details = metadata or [{}] * len(ids)
        items = [VectorItem(*parts) for parts in zip(ids, vectors, texts, details, strict=True)]
        if self._finer is not None:
            # Gone before the text changes: whatever happens now, a gap is all that can be left.
            await self._finer.fine.delete(ids=ids)
        await self._store.upsert(self.collection, items)
        if self._finer is not None:
            self._finer.put(list(ids))

    async def embed(self, text: str) -> Vector:
        vector: Vector = (await self._embedder.embed([text]))[0]
        return vector

    async def search(
        self, query: str | Vector, *, limit: int = 10, where: Where | None = None
    ) -> list[VectorHit]:
        """The nearest texts to a text, or to a vector that `embed` made of one."""
        await self.prepare()
        vector = await self.embed(query) if isinstance(query, str) else query
        return await self._store.query(self.collection, vector, limit=limit, where=where)

    async def nearest(
        self, query: Vector, *, limit: int = 10, where: Where | None = None
    ) -> Mapping[str, float]:
        """Ids and cosines of the nearest texts, nearest first."""
        hits = await self.search(query, limit=limit, where=where)
        return {hit.id: 1 - hit.distance for hit in hits}

    async def similarities(self, query: Vector, ids: Sequence[str]) -> Mapping[str, float]:
        """The cosine of each of these items, of those that exist, to the query."""
        await self.prepare()
        return await self._store.similarities(self.collection, query, ids)

    async def delete(self, *, ids: Sequence[str] | None = None, where: Where | None = None) -> None:
        await self.prepare()
        await self._store.delete(self.collection, ids=ids, where=where)
        if self._finer is not None:
            await self._finer.fine.delete(ids=ids, where=where)

    async def drop(self) -> None:
        """Remove the collection, and the finer one beside it."""
        await self._store.drop_collection(self.collection)
        if self._finer is not None:
            await self._finer.drop()


def fine_collection(collection: str) -> str:
    """The name of the collection with the finer vectors."""
    return f"{collection}.fine"


async def reembed(store: VectorStore, collection: str, embedder: Embedder) -> None:
    """Give every document of the collection its vector anew, by this embedder."""
    await embedder.warm()
    old = await store.collection(collection)
    if old is None:
        raise NotFound(f"There is no vector collection {collection!r} to re-embed.")
    log.info("vectors.reembedding", collection=collection, count=old.count, embedder=embedder.name)
    beside = _beside(collection)
    await store.drop_collection(beside)
    await store.ensure_collection(beside, dimension=embedder.dimension, embedder=embedder.name)
    done, last = 0, None
    while items := await store.scroll(collection, after=last, limit=ITEMS_AT_ONCE):
        vectors = await embedder.embed([item.document for item in items])
        await store.upsert(
            beside,
            [
                VectorItem(item.id, vector, item.document, item.metadata)
                for item, vector in zip(items, vectors, strict=True)
            ],
        )
        done, last = done + len(items), items[-1].id
    if await store.count(beside) != done:
        raise Conflict(f"Another process is re-embedding {collection!r}. Let it finish.")
    await store.rename_collection(beside, collection)


async def recover(store: VectorStore, collection: str) -> None:
    """Finish a swap that a crash cut in two, on a store that cannot swap at once.

    The old collection goes only when the new one is whole: if just the new one is there, it is.
    """
    beside = _beside(collection)
    if await store.collection(collection) is None and await store.collection(beside) is not None:
        await store.rename_collection(beside, collection)


def _beside(collection: str) -> str:
    return f"{collection}.next"


CANDIDATES = 100
#: The constant of reciprocal rank fusion.
RRF_K = 60


class SearchPath(StrEnum):
    KEYWORD = "keyword"
    VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class Weights:
    keyword: float = 0.8
    vector: float = 0.2
    #: The power of a keyword score's share of the best one; under 1 it brings the rest nearer.
    keyword_curve: float = 1.0

    def add(self, keyword: Mapping[str, float], vector: Mapping[str, float]) -> dict[str, float]:
        return {
            hit_id: self.keyword * keyword.get(hit_id, 0.0) ** self.keyword_curve
            + self.vector * vector.get(hit_id, 0.0)
            for hit_id in {**keyword, **vector}
        }


@dataclass(frozen=True, slots=True)
class AbsoluteWeights:
    """Scores that mean the same in every search, so that those of two can be compared.

    A text's words count by their share of what the words of the query weigh, so that a match of
    the rare ones weighs more than meaning, and of the frequent ones less; cosines count as they
    are, from `far` on.
    """

    keyword: float
    #: The power of that share: over 1, half of the words count for less than half.
    keyword_curve: float
    #: The cosine of texts that have nothing to do with one another.
    far: float
    vector: float = 2.0

    def add(self, shares: Mapping[str, float], cosines: Mapping[str, float]) -> dict[str, float]:
        return {
            hit_id: self.keyword * shares.get(hit_id, 0.0) ** self.keyword_curve
            + self.vector * (cosines.get(hit_id, self.far) - self.far)
            for hit_id in {**shares, **cosines}
        }


#: For vectors of a model that reads. Chosen on Cranfield and CoSQA (`python -m bench retrieval`).
FINE = AbsoluteWeights(0.125, 1.5, far=0.55)


@dataclass(frozen=True, slots=True)
class SearchHit:
    id: str
    #: What hits are ordered by: higher is better, comparable within one search only.
    score: float
    #: Reciprocal rank fusion of the two ranks, for those who compare with it.
    rrf_score: float
    #: Places among the best of each half, from 1; `None` if it is not among them.
    keyword_rank: int | None
    vector_rank: int | None

    @property
    def paths(self) -> tuple[SearchPath, ...]:
        """Which halves found it."""
        ranks = {SearchPath.KEYWORD: self.keyword_rank, SearchPath.VECTOR: self.vector_rank}
        return tuple(path for path, rank in ranks.items() if rank is not None)


@dataclass(frozen=True, slots=True)
class SearchResult:
    hits: Sequence[SearchHit]
    #: What was really searched: `keyword` if hybrid was asked for and vectors were away.
    search_type: SearchType
    #: Why it is not what was asked for.
    degraded: str | None = None


class HybridSearch:
    """Searches one collection of texts that a text index and a vector index both hold."""

    def __init__(
        self,
        texts: TextIndex,
        vectors: VectorIndex,
        collection: str,
        *,
        weights: Weights | AbsoluteWeights | None = None,
        fine_weights: AbsoluteWeights = FINE,
    ) -> None:
        self._texts = texts
        self._vectors = vectors
        self._collection = collection
        self._weights = weights or Weights()
        self._fine_weights = fine_weights

    async def search(
        self,
        query: str,
        *,
        limit: int = 20,
        where: Where | None = None,
        search_type: SearchType = SearchType.HYBRID,
    ) -> SearchResult:
        if search_type is SearchType.KEYWORD:
            return await self._by_keyword(query, limit, where)
        if search_type is SearchType.VECTOR:
            return await self._by_vector(query, limit, where)
        try:
            return await self._by_both(query, limit, where)
        except Unavailable as error:
            log.warning("search.degraded", collection=self._collection, why=error.message)
            return await self._by_keyword(query, limit, where, degraded=error.message)

    async def _by_keyword(
        self, query: str, limit: int, where: Where | None, degraded: str | None = None
    ) -> SearchResult:
        found = await self._texts.search(self._collection, query, limit=limit, where=where)
        best = {hit.id: hit.score for hit in found}
        hits = _ranked(_over_best(best), _ranks(best), {}, limit)
        return SearchResult(hits, SearchType.KEYWORD, degraded)

    async def _by_vector(self, query: str, limit: int, where: Where | None) -> SearchResult:
        vectors = await self._vectors.finest()
        vector = await vectors.embed(query)
        cosines = await vectors.nearest(vector, limit=limit, where=where)
        return SearchResult(_ranked(cosines, {}, _ranks(cosines), limit), SearchType.VECTOR)

    async def _by_both(self, query: str, limit: int, where: Where | None) -> SearchResult:
        wanted = max(limit, CANDIDATES)
        vectors = await self._vectors.finest()
        vector = await vectors.embed(query)
        (near, scored), found = await asyncio.gather(
            self._near(query, vectors, vector, wanted, where),
            self._texts.search(self._collection, query, limit=wanted, where=where),
        )
        best = {hit.id: hit.score for hit in found}
        # What one half alone found is scored by the other, too.
        unplaced = [hit_id for hit_id in best if hit_id not in near]
        cosines = {**near, **await vectors.similarities(vector, unplaced)}
        words = {**scored, **best}
        weights = self._fine_weights if vectors.is_fine else self._weights
        if isinstance(weights, AbsoluteWeights):
            rarity = await self._texts.rarity(self._collection, query)
            scores = weights.add(_shares(words, rarity), cosines)
        else:
            scores = weights.add(_over_best(words), _spread(cosines))
        hits = _ranked(scores, _ranks(best), _ranks(near), limit)
        return SearchResult(hits, SearchType.HYBRID)

    async def _near(
        self, query: str, vectors: VectorIndex, vector: Vector, limit: int, where: Where | None
    ) -> tuple[Mapping[str, float], Mapping[str, float]]:
        """The cosines of the nearest, and what their words score."""
        near = await vectors.nearest(vector, limit=limit, where=where)
        return near, await self._texts.scores(self._collection, query, list(near))


def _shares(scores: Mapping[str, float], whole: float) -> dict[str, float]:
    """Scores as shares of what the words weigh; a text that repeats them has no more than twice."""
    return {
        hit_id: min(max(score / whole, 0.0), 2.0) if whole > 0 else 0.0
        for hit_id, score in scores.items()
    }


def _over_best(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores as shares of the best one."""
    best = max(scores.values(), default=0.0)
    return {hit_id: score / best if best > 0 else 0.0 for hit_id, score in scores.items()}


def _spread(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores spread over 0 to 1: cosines of a small embedder lie close together."""
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    if high <= low:
        return dict.fromkeys(scores, 1.0)
    return {hit_id: (score - low) / (high - low) for hit_id, score in scores.items()}


def _ranks(best_first: Mapping[str, float]) -> dict[str, int]:
    return {hit_id: rank for rank, hit_id in enumerate(best_first, 1)}


def _ranked(
    scores: Mapping[str, float],
    keyword_ranks: Mapping[str, int],
    vector_ranks: Mapping[str, int],
    limit: int,
) -> list[SearchHit]:
    # Equal scores in order of id, so that a search gives the same list twice.
    best = sorted(scores, key=lambda hit_id: (-scores[hit_id], hit_id))[:limit]
    return [
        SearchHit(
            hit_id,
            scores[hit_id],
            sum(
                1 / (RRF_K + ranks[hit_id])
                for ranks in (keyword_ranks, vector_ranks)
                if hit_id in ranks
            ),
            keyword_ranks.get(hit_id),
            vector_ranks.get(hit_id),
        )
        for hit_id in best
    ]
