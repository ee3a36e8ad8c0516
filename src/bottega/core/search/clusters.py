"""Groups of vectors that lie close together, found without saying how many there are."""

import asyncio

import numpy as np
from numpy.typing import NDArray

from bottega.core.readers.embedder import Vector, unit

#: HDBSCAN slows down with every dimension; the first few principal ones hold what tells groups
#: apart. 10,000 × 256 takes 20 s as it is and 0.2 s so.
DIMENSIONS = 10
MIN_CLUSTER_SIZE = 5
MIN_SAMPLES = 3
#: What belongs to no group.
NOISE = -1

Labels = NDArray[np.int64]


async def cluster(vectors: Vector) -> Labels:
    """The group of each vector, from 0, or `NOISE`. The same vectors give the same groups."""
    return await asyncio.to_thread(_cluster, vectors)


def _cluster(vectors: Vector) -> Labels:
    if len(vectors) < MIN_CLUSTER_SIZE:
        return np.full(len(vectors), NOISE)
    from sklearn.cluster import HDBSCAN

    finder = HDBSCAN(min_cluster_size=MIN_CLUSTER_SIZE, min_samples=MIN_SAMPLES, copy=True)
    labels: Labels = finder.fit_predict(_reduced(unit(vectors))).astype(np.int64)
    return labels


def _reduced(vectors: Vector) -> Vector:
    """The vectors in their principal dimensions."""
    if vectors.shape[1] <= DIMENSIONS:
        return vectors
    centred = vectors - vectors.mean(axis=0)
    # Of the covariance, not of the vectors: exact, and quick for any number of them.
    _, axes = np.linalg.eigh(centred.T @ centred)
    reduced: Vector = centred @ axes[:, -DIMENSIONS:]
    return reduced
