"""A logistic model whose weights lie in a JSON file beside this one."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Logistic:
    weights: Mapping[str, float]
    bias: float

    def __call__(self, evidence: Mapping[str, float]) -> float:
        total = self.bias + sum(
            weight * evidence[name] for name, weight in self.weights.items() if weight
        )
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))

    @classmethod
    def load(cls, file: str, *names: str) -> "tuple[Logistic, ...]":
        """The models of these names, as they were fitted."""
        read = read_file(file)
        return tuple(cls(read[name]["weights"], read[name]["bias"]) for name in names)


@lru_cache(maxsize=8)
def read_file(file: str) -> dict[str, Any]:
    """What `training/` has written, thresholds included."""
    path = Path(__file__).with_name(f"{file}.json")
    loaded: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return loaded
