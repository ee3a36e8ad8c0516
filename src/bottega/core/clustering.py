"""Groups of vectors that lie close together, found without saying how many there are."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bottega.core.vectors.store import Vector, unit

#: HDBSCAN slows down with every dimension; the first few principal ones hold what tells groups
#: apart. 10,000 × 256 takes 20 s as it is and 0.2 s so.
DIMENSIONS = 10
#: What belongs to no group.
NOISE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    #: The group of each vector, from 0, or `NOISE`.
    labels: NDArray[np.int64]
    #: The weighted mean of each group, in the full space.
    centroids: Mapping[int, Vector]


async def cluster(
    vectors: Vector, weights: NDArray[Any], *, min_cluster_size: int = 5, min_samples: int = 3
) -> Clusters:
    """The same vectors give the same groups; `weights` say how much each counts in its centroid."""
    return await asyncio.to_thread(_cluster, vectors, weights, min_cluster_size, min_samples)


def _cluster(
    vectors: Vector, weights: NDArray[Any], min_cluster_size: int, min_samples: int
) -> Clusters:
    vectors = unit(vectors)
    if len(vectors) < min_cluster_size:
        return Clusters(np.full(len(vectors), NOISE), {})
    from sklearn.cluster import HDBSCAN

    finder = HDBSCAN(min_cluster_size=min_cluster_size, min_samples=min_samples, copy=True)
    labels = finder.fit_predict(_reduced(vectors)).astype(np.int64)
    return Clusters(
        labels,
        {
            label: np.average(vectors[labels == label], axis=0, weights=weights[labels == label])
            for label in sorted(set(labels.tolist()) - {NOISE})
        },
    )


def _reduced(vectors: Vector) -> Vector:
    """The vectors in their principal dimensions."""
    if vectors.shape[1] <= DIMENSIONS:
        return vectors
    centred = vectors - vectors.mean(axis=0)
    # Of the covariance, not of the vectors: exact, and quick for any number of them.
    _, axes = np.linalg.eigh(centred.T @ centred)
    reduced: Vector = centred @ axes[:, -DIMENSIONS:]
    return reduced
