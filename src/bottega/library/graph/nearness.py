"""Which texts are near to each other in meaning.

Every pair is compared while that is quick. Beyond it each text is put into a few cells around a
sample of the texts, and only those that share a cell are compared: that misses few, and keeps two
hundred thousand texts within a minute.
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bottega.core.vectors.store import Vector

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
