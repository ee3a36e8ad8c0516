"""What ships: `python -m training.export FOLDER` writes `cross_encoder.npz` and `.json`.

Weights become whole numbers of a byte, in groups of 64 with a scale. The JSON says how scores
become chances, by Platt's scaling on the documents left out, and from where on these are sure: a
chance means what it says then, so the bounds are the chances themselves. A second argument chooses
the student, of which `student` (claims only) ships; a third another folder than the package's.
"""

import json
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from bottega.core.readers import cross_encoder
from bottega.core.readers.encoder import GROUP
from training.pair import ANSWERED, CLAIM_LABELS, SUPPORTED

Numbers = NDArray[np.float64]
#: Below the first no, from the second on yes, in between unsure.
BOUNDS = {"claim": (0.2, 0.8), "answer": (0.25, 0.75)}
#: The heads of each student that are good enough to ship.
HEADS = {"student": ("claim",), "student_answers": ("claim", "answer")}
PARTS = {"claim": ("pool", "claim"), "answer": ("inner", "answer")}
#: So little is held back of the fit that it is the plain one.
PENALTY = 1e-6


def main() -> None:
    folder = Path(sys.argv[1])
    name = sys.argv[2] if len(sys.argv) > 2 else "student"
    target = Path(sys.argv[3]) if len(sys.argv) > 3 else cross_encoder.WEIGHTS.parent
    heads = HEADS[name]
    unused = {module for head, parts in PARTS.items() if head not in heads for module in parts}
    with np.load(folder / f"{name}.npz") as held:
        np.savez(target / cross_encoder.WEIGHTS.name, **packed(held, unused))
    fitted = calibration(json.loads((folder / f"{name}.json").read_text("utf-8")))
    about = {
        "calibration": {head: fitted[head] for head in heads},
        "bounds": {head: BOUNDS[head] for head in heads},
    }
    lines = ",\n".join(f'  "{part}": {json.dumps(each)}' for part, each in about.items())
    path = (target / cross_encoder.WEIGHTS.name).with_suffix(".json")
    path.write_text(f"{{\n{lines}\n}}\n", "utf-8")
    print(path.read_text("utf-8"))


def packed(held: Mapping[str, NDArray[np.float32]], unused: Collection[str] = ()) -> dict[str, Any]:
    """Under the names that the package reads, without the modules that it does not use."""
    tensors: dict[str, Any] = {}
    for name, tensor in held.items():
        module, _, part = name.replace("layers.", "l").rpartition(".")
        short = f"{module}.{part[0]}"
        if module in unused:
            continue
        if tensor.ndim < 2:
            tensors[short] = tensor.astype(np.float32)
            continue
        groups = tensor.reshape(len(tensor), -1, GROUP)
        scales = np.abs(groups).max(-1) / 127 + 1e-12
        tensors[short] = np.round(groups / scales[..., None]).astype(np.int8).reshape(tensor.shape)
        tensors[f"{short}:scales"] = scales.astype(np.float32)
    return tensors


def calibration(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[float, float]]:
    """For each head the slope and the shift of its scores."""
    claims = [row for row in rows if row["label"] in CLAIM_LABELS]
    questions = [row for row in rows if row["label"] not in CLAIM_LABELS]
    return {
        "claim": _platt([row["claim"][0] for row in claims], _are(claims, SUPPORTED)),
        "answer": _platt([row["answer"] for row in questions], _are(questions, ANSWERED)),
    }


def _are(rows: Sequence[Mapping[str, Any]], label: str) -> list[bool]:
    return [row["label"] == label for row in rows]


def _platt(chances: Sequence[float], truth: Sequence[bool]) -> tuple[float, float]:
    clipped = np.clip(np.array(chances, np.float64), 1e-6, 1 - 1e-6)
    scores: Numbers = np.log(clipped / (1 - clipped))
    model = LogisticRegression(C=1 / PENALTY).fit(scores[:, None], truth)
    return round(float(model.coef_[0, 0]), 3), round(float(model.intercept_[0]), 3)


if __name__ == "__main__":
    main()
