"""Does `answerable` know what the example standards do not say?

Half of the questions fit its coefficients, the other half judges them. Printed are what the shipped
coefficients are worth on each half, and what fitting them anew would give: to be copied into
`library/searching/answerable.py` when the evidence has changed.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bottega.library.searching.answerable import COEFFICIENTS, likelihood
from bottega.library.searching.evidence import Evidence, weigh
from bottega.library.searching.findings import Searcher
from tests.library.bookcase import put_standards
from tests.library.house import open_house
from tests.library.questions import questions

TARGET = 0.85
#: How much a coefficient costs in the fit, so that a few questions do not decide it.
PENALTY = 1.0

Numbers: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    answerable: bool
    domain: str
    split: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Score:
    balanced_accuracy: float
    #: The area under the ROC curve: how often an answerable question is the likelier of two.
    auc: float
    #: Brier score: the mean squared error of the confidence.
    brier: float
    #: The share of right judgements by domain.
    right: dict[str, float]


async def main() -> None:
    judged = await judge_questions()
    table = Table("questions", "balanced accuracy", "ROC AUC", "Brier", "right by domain", "")
    fitted = [each for each in judged if each.split == "fit"]
    held_out = [each for each in judged if each.split == "held_out"]
    in_its_words = [each for each in held_out if each.domain != "reworded"]
    for name, some in (
        ("fit", fitted),
        ("held out", held_out),
        ("held out, in the library's words", in_its_words),
    ):
        result = score(some, likelihood)
        met = result.balanced_accuracy >= TARGET
        table.add_row(
            f"{name} ({len(some)})",
            f"{result.balanced_accuracy:.3f}",
            f"{result.auc:.3f}",
            f"{result.brier:.3f}",
            "\n".join(f"{domain} {share:.2f}" for domain, share in result.right.items()),
            "" if some is fitted else f"≥ {TARGET} {'met' if met else 'missed'}",
        )
    console = Console()
    console.print(table)
    names, coefficients, intercept = fit(fitted)
    console.print("Fitted anew:")
    for name, value in zip(names, coefficients, strict=True):
        console.print(f'    "{name}": {value:.2f},')
    console.print(f"INTERCEPT = {intercept:.2f}")


async def judge_questions() -> list[Judged]:
    judged = []
    with tempfile.TemporaryDirectory() as folder:
        async with open_house(Path(folder)) as house:
            library = await put_standards(house)
            searcher = Searcher(house.core)
            for asked in questions():
                evidence = weigh(await searcher.findings(library, asked.question))
                judged.append(Judged(asked.answerable, asked.domain, asked.split, evidence))
    return judged


def score(judged: Sequence[Judged], likely: Callable[[Evidence], float]) -> Score:
    confidence = np.array([likely(each.evidence) for each in judged])
    truth = np.array([each.answerable for each in judged])
    domains = np.array([each.domain for each in judged])
    right = (confidence >= 0.5) == truth
    above = confidence[truth][:, None] - confidence[~truth]
    return Score(
        float((right[truth].mean() + right[~truth].mean()) / 2),
        float((above > 0).mean() + (above == 0).mean() / 2),
        float(((confidence - truth) ** 2).mean()),
        {str(name): float(right[domains == name].mean()) for name in dict.fromkeys(domains)},
    )


def fit(judged: Sequence[Judged]) -> tuple[list[str], Numbers, float]:
    """Coefficients that are never negative: more evidence must not speak against an answer."""
    names = list(COEFFICIENTS)
    values = np.array([[each.evidence.values()[name] for name in names] for each in judged])
    truth = np.array([each.answerable for each in judged], dtype=np.float64)
    kept = list(range(len(names)))
    while True:
        coefficients, intercept = _logistic(values[:, kept], truth)
        if (coefficients >= 0).all():
            break
        kept.pop(int(coefficients.argmin()))
    every = np.zeros(len(names))
    every[kept] = coefficients
    return names, every, intercept


def _logistic(values: Numbers, truth: Numbers) -> tuple[Numbers, float]:
    """Newton's method on standardised values."""
    mean, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    rows = np.column_stack([(values - mean) / spread, np.ones(len(values))])
    penalty = np.diag([PENALTY] * values.shape[1] + [0.0])
    solution = np.zeros(rows.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-rows @ solution))
        gradient = rows.T @ (likely - truth) + penalty @ solution
        curvature = (rows * (likely * (1 - likely))[:, None]).T @ rows + penalty
        solution -= np.linalg.solve(curvature, gradient)
    coefficients = solution[:-1] / spread
    return coefficients, float(solution[-1] - coefficients @ mean)
