"""Fits the weights of the library's judge on the tuning claims, and says how well they carry over.

Carried over means: to a document that none of the fitted claims is about. The rules themselves were
written with an eye on all of these documents, so only the held-out claims tell how good they are.

The held-out claims are not touched. What is printed belongs in `library/judging/evidence.py`; on
unchanged code and data it is what stands there already. Which statement a claim is compared with
depends on the weights, so fitting and judging alternate until nothing changes. To the labelled
claims come as many that cite a wrong paragraph: true ones, moved on to others of their document.
"""

from collections.abc import Sequence
from dataclasses import astuple, fields, replace

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict

from bottega.library.judging import evidence as weighed
from bottega.library.judging.judge import is_decided
from bottega.library.judging.verdicts import Evidence, Verdict
from tests.library.judging import labelled
from tests.library.judging.labelled import Claim, Judged

ROUNDS = 4
#: Strong enough that a feature which few claims have does not run away.
REGULARISATION = 1.0
#: How many paragraphs a true claim is moved on to become a wrong one.
MOVED = (1, 7)


def main() -> None:
    console = Console()
    claims = labelled.claims("claims_tuning") + labelled.claims("claims_foreign_tuning")
    if reason := labelled.unreadable(claims):
        console.print(f"left out: {reason}")
        return
    claims += misplaced(claims)
    shipped = weighed.WEIGHTS, weighed.BIAS
    for _ in range(ROUNDS):
        open_ones = [each for each in labelled.judge_all(claims) if not is_decided(each.judgement)]
        model = fit(open_ones)
        weighed.WEIGHTS = Evidence(*(round(float(weight), 2) for weight in model.coef_[0]))
        weighed.BIAS = round(float(model.intercept_[0]), 2)
    table = Table("evidence", "fitted", "shipped")
    for each in fields(Evidence):
        table.add_row(
            each.name, *(f"{getattr(w, each.name):.2f}" for w in (weighed.WEIGHTS, shipped[0]))
        )
    table.add_row("bias", f"{weighed.BIAS:.2f}", f"{shipped[1]:.2f}")
    console.print(table, f"{len(open_ones)} claims weighed; {_crossed(open_ones):.3f} right unseen")
    weighed.WEIGHTS, weighed.BIAS = shipped


def misplaced(claims: Sequence[Claim]) -> list[Claim]:
    found = []
    for claim in claims:
        refs = list(labelled.texts_of(claim).paragraphs)
        if claim.label is Verdict.SUPPORTED:
            place = refs.index(claim.ref)
            found += [
                replace(claim, ref=refs[(place + by) % len(refs)], label=Verdict.UNSUPPORTED)
                for by in MOVED
            ]
    return found


def fit(judged: Sequence[Judged]) -> LogisticRegression:
    return LogisticRegression(C=REGULARISATION, max_iter=5000).fit(*_matrix(judged))


def _crossed(judged: Sequence[Judged]) -> float:
    """The share that is right when each document is judged by weights fitted without it."""
    features, labels = _matrix(judged)
    documents = [each.claim.document or "" for each in judged if each.judgement.evidence]
    model = LogisticRegression(C=REGULARISATION, max_iter=5000)
    unseen = cross_val_predict(model, features, labels, groups=documents, cv=LeaveOneGroupOut())
    return float(np.mean(unseen == labels))


def _matrix(judged: Sequence[Judged]) -> tuple[np.ndarray, np.ndarray]:
    features = [astuple(each.judgement.evidence) for each in judged if each.judgement.evidence]
    labels = [each.claim.label is Verdict.SUPPORTED for each in judged if each.judgement.evidence]
    return np.array(features), np.array(labels)
