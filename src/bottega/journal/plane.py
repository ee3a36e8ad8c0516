"""A journal laid out on a plane, to be looked at: what is alike lies close together."""

import numpy as np
from numpy.typing import NDArray

from bottega.core.vectors.store import Vector

Plane = NDArray[np.float64]


def lay_out(vectors: Vector, centres: Vector) -> Plane:
    """Each vector as a point, always the same for the same data.

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
