"""Hybrid search: words and meaning together.

Fusing only the ranks of the two halves is, with a small embedder, worse than words alone on some
sets. So the best of each half become candidates, every candidate is scored by both halves, and the
two scores, brought to the same range, are added by weight. `bench/search.py` measures it.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import structlog

from bottega.core.textindex.index import TextIndex
from bottega.core.vectors.index import VectorIndex
from bottega.core.vectors.store import Vector, Where
from bottega.errors import Unavailable

log = structlog.get_logger()

CANDIDATES = 100
#: The constant of reciprocal rank fusion.
RRF_K = 60


class SearchType(StrEnum):
    HYBRID = "hybrid"
    KEYWORD = "keyword"
    VECTOR = "vector"


class SearchPath(StrEnum):
    KEYWORD = "keyword"
    VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class Weights:
    keyword: float = 0.8
    vector: float = 0.2
    #: The power of a keyword score's share of the best one; under 1 it brings the rest nearer.
    keyword_curve: float = 1.0


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
        weights: Weights | None = None,
    ) -> None:
        self._texts = texts
        self._vectors = vectors
        self._collection = collection
        self._weights = weights or Weights()

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
        vector = await self._vectors.embed(query)
        cosines = await self._vectors.nearest(vector, limit=limit, where=where)
        return SearchResult(_ranked(cosines, {}, _ranks(cosines), limit), SearchType.VECTOR)

    async def _by_both(self, query: str, limit: int, where: Where | None) -> SearchResult:
        wanted = max(limit, CANDIDATES)
        vector = await self._vectors.embed(query)
        (near, scored), found = await asyncio.gather(
            self._near(query, vector, wanted, where),
            self._texts.search(self._collection, query, limit=wanted, where=where),
        )
        best = {hit.id: hit.score for hit in found}
        # What one half alone found is scored by the other, too.
        unplaced = [hit_id for hit_id in best if hit_id not in near]
        cosines = {**near, **await self._vectors.similarities(vector, unplaced)}
        scores = self._weigh(_over_best({**scored, **best}), _spread(cosines))
        hits = _ranked(scores, _ranks(best), _ranks(near), limit)
        return SearchResult(hits, SearchType.HYBRID)

    async def _near(
        self, query: str, vector: Vector, limit: int, where: Where | None
    ) -> tuple[Mapping[str, float], Mapping[str, float]]:
        """The cosines of the nearest, and what their words score."""
        near = await self._vectors.nearest(vector, limit=limit, where=where)
        return near, await self._texts.scores(self._collection, query, list(near))

    def _weigh(self, keyword: Mapping[str, float], vector: Mapping[str, float]) -> dict[str, float]:
        return {
            hit_id: self._weights.keyword * keyword.get(hit_id, 0.0) ** self._weights.keyword_curve
            + self._weights.vector * vector.get(hit_id, 0.0)
            for hit_id in {**keyword, **vector}
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
