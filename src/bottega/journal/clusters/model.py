"""Clusters as data: how they are found, labelled, measured and laid out on a plane. No I/O."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bottega.core.readers.embedder import Vector, unit
from bottega.journal.entries.enums import Axis

#: HDBSCAN slows down with every dimension; the first few principal ones hold what tells groups
#: apart. 10,000 × 256 takes 20 s as it is and 0.2 s so.
DIMENSIONS = 10
MIN_CLUSTER_SIZE = 5
MIN_SAMPLES = 3
#: What belongs to no group.
NOISE = -1

Labels = NDArray[np.int64]
Plane = NDArray[np.float64]
#: Each known label with the ids of its members.
Members = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Cluster:
    axis: Axis
    label: int
    #: Nearest to the centroid first.
    members: Sequence[str]
    #: The weighted mean of the members, at length 1.
    centroid: Vector
    #: Mean + 1 standard deviation of the members' cosine distances to the centroid.
    threshold: float
    average_weight: float

    @property
    def id(self) -> str:
        return f"cluster_{self.axis}_{self.label}"

    @property
    def size(self) -> int:
        return len(self.members)

    def distance(self, vector: Vector) -> float:
        return 1.0 - float(self.centroid @ vector)


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    fingerprint: str
    clusters: Mapping[int, Cluster]
    noise_count: int
    next_label: int

    @property
    def labels(self) -> dict[str, int]:
        return {member: c.label for c in self.clusters.values() for member in c.members}


def relabel(
    ids: Sequence[str], found: Labels, before: Members, next_label: int
) -> tuple[Labels, int]:
    """Labels for the clusters found: that of the cluster they were before, else a fresh one.

    A cluster is the same if they share over half the members of either; the largest share first.
    """
    old = {entry_id: int(label) for label, some in before.items() for entry_id in some}
    sizes = Counter(int(label) for label in found if label != NOISE)
    shared = Counter(
        (int(label), old[entry_id])
        for entry_id, label in zip(ids, found, strict=True)
        if label != NOISE and entry_id in old
    )
    names: dict[int, int] = {}
    for (new, known), count in sorted(shared.items(), key=lambda pair: (-pair[1], pair[0])):
        is_same = 2 * count > min(sizes[new], len(before[str(known)]))
        if is_same and new not in names and known not in names.values():
            names[new] = known
    for new, _ in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
        if new not in names:
            names[new], next_label = next_label, next_label + 1
    labels = [names.get(int(label), NOISE) for label in found]
    return np.array(labels, dtype=np.int64), next_label


def measure(
    axis: Axis, ids: Sequence[str], vectors: Vector, weights: Vector, labels: Labels
) -> dict[int, Cluster]:
    """The clusters of these labels, with their extent in the full space."""
    clusters: dict[int, Cluster] = {}
    for label in sorted(set(labels.tolist()) - {NOISE}):
        rows = np.flatnonzero(labels == label)
        centroid = unit(np.average(vectors[rows], axis=0, weights=weights[rows]))
        distances = 1.0 - vectors[rows] @ centroid
        nearest_first = rows[np.argsort(distances, kind="stable")]
        clusters[label] = Cluster(
            axis=axis,
            label=label,
            members=[ids[row] for row in nearest_first],
            centroid=centroid,
            threshold=float(distances.mean() + distances.std()),
            average_weight=float(weights[rows].mean()),
        )
    return clusters


def lay_out(vectors: Vector, centres: Vector) -> Plane:
    """Each vector as a point, similar ones close together; deterministic.

    The plane is the one that keeps the centres of clusters furthest apart; where there are too
    few of them to span one, that along which the vectors themselves differ most.
    """
    spread = centres if len(centres) > 2 else vectors
    middle = spread.mean(axis=0)
    _, _, directions = np.linalg.svd((spread - middle).astype(np.float64), full_matrices=False)
    axes = np.zeros((2, vectors.shape[1]))
    axes[: min(2, len(directions))] = directions[:2]
    # Which end is up is arbitrary; the largest part of each direction decides.
    largest = np.abs(axes).argmax(axis=1)
    signs = np.sign(axes[np.arange(2), largest])
    points: Plane = (vectors - middle) @ (axes * np.where(signs == 0, 1, signs)[:, None]).T
    return points


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
