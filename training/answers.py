"""Fits the default answer reader: `python -m training.answers FOLDER` writes its weights.

Articles are folds. A passage "likely answers" from where three in four do; below where one in eight
does, "nothing fits".
"""

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bench._intervals import Bools, area_under_curve, interval
from bottega.core.readers import answer_reader
from bottega.core.readers.answer_reader import FittedAnswerReader
from training.fit import Numbers, Row, cross_validated, fit, reliability
from training.sources import QuestionExample, squad_questions

QUESTIONS = 400
BATCH = 40
#: The share of right answers from which a passage is held to answer, and below which not.
LIKELY, NOTHING = 0.75, 0.125


def main() -> None:
    folder = Path(sys.argv[1]) / "SQuAD-explorer" / "explore" / "v2.0" / "dev"
    examples = list(squad_questions(folder, QUESTIONS))
    reader = FittedAnswerReader()
    asyncio.run(reader.warm())
    rows = list(_rows(reader, examples))
    truth = np.array([row.is_true for row in rows])
    said = np.array(cross_validated(rows))
    low, high = interval(truth, said, area_under_curve)
    model = fit(rows)
    written = {
        "answers": {"weights": model.weights, "bias": model.bias},
        "bounds": bounds(truth, said),
        "fitted": {
            "on": datetime.now(UTC).date().isoformat(),
            "questions_and_passages": len(rows),
            "articles_left_out_auc": round(area_under_curve(truth, said), 3),
            "interval": [round(low, 3), round(high, 3)],
            "reliability": reliability(truth.tolist(), said.tolist()),
        },
    }
    path = Path(answer_reader.__file__).with_suffix(".json")
    path.write_text(json.dumps(written, indent=2) + "\n", "utf-8")
    print(path.read_text("utf-8"))


def _rows(reader: FittedAnswerReader, examples: Sequence[QuestionExample]) -> Iterator[Row]:
    for start in range(0, len(examples), BATCH):
        some = examples[start : start + BATCH]
        found = reader.evidence([(each.question, each.passage) for each in some])
        for example, windows in zip(some, found, strict=True):
            yield Row([each for _, each in windows], example.answers, example.document)


def bounds(truth: Bools, said: Numbers) -> dict[str, float]:
    """By the share of answers among what is held about as likely."""
    steps = np.arange(0.05, 0.96, 0.05)
    likely = next((s for s in steps if truth[said >= s].mean() >= LIKELY), 0.95)
    nothing = [s for s in steps if (said < s).any() and truth[said < s].mean() <= NOTHING]
    return {"likely": round(float(likely), 2), "may": round(float(max(nothing, default=0.05)), 2)}


if __name__ == "__main__":
    main()
