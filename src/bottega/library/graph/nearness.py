"""Which paragraphs are near each other in meaning: all of a library's, compared at once, or those
around a few, looked up for one traversal.

Every pair of texts is compared while that is quick. Beyond it each is put into a few cells around a
sample of them, and only those that share a cell are compared: that misses few, and keeps two
hundred thousand texts within a minute.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.readers.embedder import Embedder, Vector
from bottega.core.search.hybrid import VectorIndex
from bottega.errors import Unavailable
from bottega.library.documents.tables import LibraryParagraph
from bottega.library.graph.schemas import EdgeKind
from bottega.library.graph.traversal import Neighbour

#: Neighbours of one text.
NEAREST = 5
#: How far above the usual nearness of two texts a pair has to be, in standard deviations. A fixed
#: cosine would mean something else for every embedder.
DEVIATIONS = 3.0
#: Texts of which all pairs are compared.
ALL_PAIRS = 8_000
ROWS_AT_ONCE = 512
#: Cells that one text is put into.
CELLS = 4
#: Texts of one cell at most: of thousands of near copies any five will do.
LARGEST_CELL = 20_000

Pair: TypeAlias = tuple[int, int, float]
Rows: TypeAlias = NDArray[np.intp]


def nearest_pairs(vectors: Vector) -> list[Pair]:
    """Pairs of rows, the lower first, with their cosine: each row's nearest above the threshold."""
    count = len(vectors)
    if count < 2:
        return []
    others: Rows = np.full((count, NEAREST), -1, dtype=np.intp)
    cosines: Vector = np.full((count, NEAREST), -2, dtype=np.float32)
    compared = all_pairs(vectors) if count <= ALL_PAIRS else by_cells(vectors)
    for rows, candidates in compared:
        _keep_nearest(vectors, rows, candidates, others, cosines)
    near = cosines >= unusual_nearness(vectors)
    one, other = np.nonzero(near)[0], others[near]
    codes, first = np.unique(
        np.minimum(one, other) * count + np.maximum(one, other), return_index=True
    )
    kept = np.minimum(cosines[near][first], 1.0)
    return [
        (code // count, code % count, cosine)
        for code, cosine in zip(codes.tolist(), kept.tolist(), strict=True)
    ]


def unusual_nearness(vectors: Vector) -> float:
    """The cosine from which on two of these texts are unusually near.

    Mean and deviation of all pairs, without making them: the cosines of V add up to |ΣV|², their
    squares to |VᵀV|².
    """
    count = len(vectors)
    pairs = max(count * (count - 1), 1)
    squares = np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64)
    total = vectors.sum(axis=0, dtype=np.float64)
    mean = (total @ total - squares.sum()) / pairs
    products = (vectors.T @ vectors).astype(np.float64)
    mean_square = ((products**2).sum() - (squares**2).sum()) / pairs
    # A hair less, so that rounding does not part texts that are all the same.
    return float(mean + DEVIATIONS * np.sqrt(max(mean_square - mean**2, 0.0))) - 1e-6


def _keep_nearest(
    vectors: Vector, rows: Rows, candidates: Rows, others: Rows, cosines: Vector
) -> None:
    """Put the best of the candidates among the nearest that each of the rows has so far."""
    found = vectors[rows] @ vectors[candidates].T
    found[rows[:, None] == candidates] = -2
    count = min(NEAREST, len(candidates))
    places = np.argpartition(-found, count - 1, axis=1)[:, :count]
    new = candidates[places]
    new_cosines = np.take_along_axis(found, places, axis=1)
    new_cosines[(new[:, :, None] == others[rows][:, None, :]).any(axis=2)] = -2
    all_others = np.concatenate([others[rows], new], axis=1)
    all_cosines = np.concatenate([cosines[rows], new_cosines], axis=1)
    best = np.argsort(-all_cosines, axis=1, kind="stable")[:, :NEAREST]
    others[rows] = np.take_along_axis(all_others, best, axis=1)
    cosines[rows] = np.take_along_axis(all_cosines, best, axis=1)


def all_pairs(vectors: Vector) -> Iterator[tuple[Rows, Rows]]:
    """Some rows at a time, and the rows to compare them with: all."""
    everything = np.arange(len(vectors))
    for start in range(0, len(vectors), ROWS_AT_ONCE):
        yield everything[start : start + ROWS_AT_ONCE], everything


def by_cells(vectors: Vector) -> Iterator[tuple[Rows, Rows]]:
    """Some rows at a time, and the rows to compare them with: those of the same cell."""
    count = int(np.sqrt(len(vectors)))
    chosen = np.random.default_rng(0).choice(len(vectors), count, replace=False)
    centres = vectors[chosen]
    nearest = [
        np.argpartition(-(vectors[start : start + ROWS_AT_ONCE] @ centres.T), CELLS - 1, axis=1)
        for start in range(0, len(vectors), ROWS_AT_ONCE)
    ]
    cells = np.concatenate([some[:, :CELLS] for some in nearest]).ravel()
    order = np.argsort(cells, kind="stable")
    bounds = np.searchsorted(cells[order], np.arange(count + 1))
    for cell in range(count):
        members = order[bounds[cell] : bounds[cell + 1]] // CELLS
        for start in range(0, len(members), ROWS_AT_ONCE):
            yield members[start : start + ROWS_AT_ONCE], members[:LARGEST_CELL]


#: Paragraphs that a walk looks around of: each costs a search.
MOST_PLACES = 8
#: Search's vectors hold the headings, too, so more are looked at than are wanted.
CANDIDATES = 4 * NEAREST
#: Paragraphs by which is told how near two of the library usually are.
SAMPLE = 1_000


class NearbyParagraphs:
    """What is near a few paragraphs in meaning, looked up for one traversal.

    For a library so large that nobody can wait until all its paragraphs have been compared.
    """

    def __init__(
        self, session: AsyncSession, library_id: str, embedder: Embedder, index: VectorIndex
    ) -> None:
        self._session = session
        self._library_id = library_id
        self._embedder = embedder
        self._index = index
        self._places_left = MOST_PLACES
        self._threshold: float | None = None

    async def neighbours_of(self, ids: Sequence[str]) -> Mapping[str, Sequence[Neighbour]]:
        """Neighbours of the first few of these; none while vectors or embedder are unavailable."""
        asked = ids[: self._places_left]
        self._places_left -= len(asked)
        try:
            return await self._look_around(asked) if asked else {}
        except Unavailable:
            return {}

    async def _look_around(self, ids: Sequence[str]) -> dict[str, list[Neighbour]]:
        if self._threshold is None:
            self._threshold = await asyncio.to_thread(unusual_nearness, await self._sample())
        texts = {key: text for key, (_, text) in (await self._paragraphs(ids)).items()}
        vectors = dict(zip(texts, await self._embedder.embed(list(texts.values())), strict=True))
        found: dict[str, list[Neighbour]] = {}
        for key, vector in vectors.items():
            near = await self._index.nearest(vector, limit=CANDIDATES + 1)
            found[key] = await self._neighbours(vector, [each for each in near if each != key])
        return found

    async def _neighbours(self, vector: Vector, candidates: Sequence[str]) -> list[Neighbour]:
        rows = await self._paragraphs(candidates)
        vectors = await self._embedder.embed([text for _, text in rows.values()])
        neighbours = [
            Neighbour(key, ref, EdgeKind.HOP, min(float(other @ vector), 1.0))
            for (key, (ref, _)), other in zip(rows.items(), vectors, strict=True)
        ]
        neighbours.sort(key=lambda neighbour: (-neighbour.weight, neighbour.target_ref))
        return [
            neighbour
            for neighbour in neighbours[:NEAREST]
            if neighbour.weight >= (self._threshold or 0.0)
        ]

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
