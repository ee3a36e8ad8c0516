"""Logistic models whose evidence may not count against its meaning, and how good they are.

A weight is never of the wrong sign: whoever writes a false claim copies a sentence and changes a
word, so in every set more copied words make a claim more likely false, and in no library.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bottega.core.readers.logistic import Logistic

Evidence = Mapping[str, float]
Numbers = NDArray[np.float64]
#: How much a weight costs in the fit, so that a few examples do not decide it.
PENALTY = 1.0
#: The windows of a text are chosen by the model that is fitted on the chosen windows.
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Row:
    """What was found in each window of a text, and whether it is true."""

    windows: Sequence[Evidence]
    is_true: bool
    #: Rows of one document are together in a fold.
    document: str
    weight: float = 1.0


def speaks_against(name: str) -> bool:
    return name.startswith("no_")


def fit(rows: Sequence[Row], *, is_denial: bool = False) -> Logistic:
    """`is_denial`: what speaks against a claim speaks for it to be contradicted."""
    rows = [row for row in rows if row.windows]
    chosen = [row.windows[0] for row in rows]
    for _ in range(ROUNDS):
        model = _fit(rows, chosen, is_denial)
        chosen = [max(row.windows, key=model) for row in rows]
    return model


def _fit(rows: Sequence[Row], chosen: Sequence[Evidence], is_denial: bool) -> Logistic:
    names = list(chosen[0])
    values = np.array([[evidence[name] for name in names] for evidence in chosen])
    truth = np.array([row.is_true for row in rows], np.float64)
    weights = np.array([row.weight for row in rows])
    mean, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    scaled = (values - mean) / spread

    def loss(solution: Numbers) -> tuple[float, Numbers]:
        likely = 1 / (1 + np.exp(-(scaled @ solution[:-1] + solution[-1])))
        error = weights * (likely - truth)
        cost = -(weights * np.log(np.where(truth == 1, likely, 1 - likely) + 1e-12)).sum()
        cost += PENALTY * (solution[:-1] ** 2).sum() / 2
        gradient = np.append(scaled.T @ error + PENALTY * solution[:-1], error.sum())
        return float(cost), gradient

    bounds: list[Any] = [
        (None, 0) if speaks_against(name) and not is_denial else (0, None) for name in names
    ]
    found = minimize(
        loss, np.zeros(len(names) + 1), jac=True, bounds=[*bounds, (None, None)], method="L-BFGS-B"
    )
    slopes = found.x[:-1] / spread
    rounded = {name: round(float(slope), 3) for name, slope in zip(names, slopes, strict=True)}
    return Logistic(rounded, round(float(found.x[-1] - slopes @ mean), 3))


def likely(model: Logistic, row: Row) -> float:
    return max((model(evidence) for evidence in row.windows), default=0.0)


def cross_validated(rows: Sequence[Row], folds: int = 6) -> list[float]:
    """For each row what a model says that has not seen its document."""
    documents = sorted({row.document for row in rows})
    said = [0.0] * len(rows)
    for fold in range(folds):
        left_out = set(documents[fold::folds])
        model = fit([row for row in rows if row.document not in left_out])
        for place, row in enumerate(rows):
            if row.document in left_out:
                said[place] = likely(model, row)
    return said


def reliability(truth: Sequence[bool], said: Sequence[float], bins: int = 5) -> list[list[float]]:
    """By how likely it was held: how many, how likely on average, how often true."""
    table = []
    for low in np.linspace(0, 1, bins, endpoint=False):
        inside = [
            (each, is_true)
            for each, is_true in zip(said, truth, strict=True)
            if low <= each < low + 1 / bins or (each == 1 and low + 1 / bins >= 1)
        ]
        if inside:
            held, true = zip(*inside, strict=True)
            shares = (round(float(np.mean(each)), 3) for each in (held, true))
            table.append([len(inside), *shares])
    return table
