"""Figures with their intervals, by resampling."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
ROUNDS = 2_000


def balanced_accuracy(truth: Bools, said: Bools) -> float:
    """The mean of how often a yes and how often a no is right."""
    return float((said[truth].mean() + (~said[~truth]).mean()) / 2)


def area_under_curve(truth: Bools, likely: NDArray[Any]) -> float:
    """How often something true is held likelier than something false."""
    above = likely[truth][:, None] - likely[~truth]
    return float((above > 0).mean() + (above == 0).mean() / 2)


def interval(
    truth: Bools,
    said: NDArray[Any],
    figure: Callable[[Bools, Any], float] = balanced_accuracy,
) -> tuple[float, float]:
    """Where the figure lies for 95 of 100 sets that are drawn from this one."""
    chance = np.random.default_rng(0)
    found = []
    for _ in range(ROUNDS):
        rows = chance.integers(0, len(truth), len(truth))
        if truth[rows].any() and not truth[rows].all():
            found.append(figure(truth[rows], said[rows]))
    return float(np.quantile(found, 0.025)), float(np.quantile(found, 0.975))


def mean_interval(values: NDArray[Any]) -> tuple[float, float]:
    chance = np.random.default_rng(0)
    means = values[chance.integers(0, len(values), (ROUNDS, len(values)))].mean(1)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))
