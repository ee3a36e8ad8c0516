"""Fits the default claim reader: `python -m training.claims FOLDER` writes its weights.

FOLDER has the clones that README.md names. Documents are folds: each claim is judged by a model
that has not seen its document, and from these judgements the bounds of "unsure" are chosen.
"""

import asyncio
import json
import random
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bench._intervals import Bools, area_under_curve, balanced_accuracy, interval
from bottega.core.readers import claim_reader
from bottega.core.readers.claim_reader import FittedClaimReader
from training.fit import Numbers, Row, cross_validated, fit, reliability
from training.sources import (
    CONTRADICTED,
    SUPPORTED,
    ClaimExample,
    manual_claims,
    public_claims,
)

#: Examples that are taken of each kind of source; more of them change the weights little.
MANUAL, PUBLIC = 1_200, 540
#: What a public pair counts beside one about a manual, which is what people check.
PUBLIC_WEIGHT = 0.3
#: What is outside "unsure" should be right this often.
SURE = 0.8
#: Pairs that are read at once.
BATCH = 50


def main() -> None:
    chance = random.Random(0)
    manual = _some(list(manual_claims()), MANUAL, chance)
    public = _some(list(public_claims(Path(sys.argv[1]))), PUBLIC, chance)
    reader = FittedClaimReader()
    asyncio.run(reader.warm())
    about_manuals = list(_rows(reader, manual, 1.0))
    rows = [*about_manuals, *_rows(reader, public, PUBLIC_WEIGHT)]
    examples = [*manual, *public]
    truth = np.array([row.is_true for row in about_manuals])
    said = np.array(cross_validated(rows)[: len(about_manuals)])
    low, high = interval(truth, said >= 0.5)
    unsupported, supported = bounds(truth, said)
    not_supported = [
        Row(row.windows, each.label == CONTRADICTED, row.document, row.weight)
        for row, each in zip(rows, examples, strict=True)
        if each.label != SUPPORTED
    ]
    models = {"supported": fit(rows), "contradicted": fit(not_supported, is_denial=True)}
    written = {
        name: {"weights": model.weights, "bias": model.bias} for name, model in models.items()
    } | {
        "bounds": {"unsupported": unsupported, "supported": supported},
        "fitted": {
            "on": datetime.now(UTC).date().isoformat(),
            "pairs_about_manuals": len(manual),
            "public_pairs": len(public),
            "documents_left_out_auc": round(area_under_curve(truth, said), 3),
            "documents_left_out_balanced_accuracy": round(balanced_accuracy(truth, said >= 0.5), 3),
            "interval": [round(low, 3), round(high, 3)],
            "reliability": reliability(truth.tolist(), said.tolist()),
        },
    }
    path = Path(claim_reader.__file__).with_suffix(".json")
    path.write_text(json.dumps(written, indent=2) + "\n", "utf-8")
    print(path.read_text("utf-8"))


def _some(examples: Sequence[ClaimExample], most: int, chance: random.Random) -> list[ClaimExample]:
    return chance.sample(examples, min(most, len(examples)))


def _rows(
    reader: FittedClaimReader, examples: Sequence[ClaimExample], weight: float
) -> Iterator[Row]:
    for start in range(0, len(examples), BATCH):
        some = examples[start : start + BATCH]
        found = reader.evidence([(each.claim, [each.passage]) for each in some])
        for example, (_, windows) in zip(some, found, strict=True):
            evidence = [each for _, each in windows]
            yield Row(evidence, example.label == SUPPORTED, example.document, weight)


def bounds(truth: Bools, said: Numbers) -> tuple[float, float]:
    """The widest yes and no that are right often enough; in between it is unsure."""
    steps = np.arange(0.5, 0.96, 0.05)
    supported = next((s for s in steps if truth[said >= s].mean() >= SURE), 0.95)
    unsupported = next((1 - s for s in steps if (~truth[said <= 1 - s]).mean() >= SURE), 0.05)
    return round(float(unsupported), 2), round(float(supported), 2)


if __name__ == "__main__":
    main()
