"""Vectors, and what every embedder offers."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]


class Embedder(Protocol):
    @property
    def name(self) -> str:
        """Who made a vector, model included; vectors of two names are never mixed."""
        ...

    @property
    def dimension(self) -> int:
        """Known from the start for the default, after `warm()` for the others."""
        ...

    async def warm(self) -> None:
        """Load the model now, so that the first text does not wait for it."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vector:
        """One row a text, float32, of length 1; zero for a text without content."""
        ...


def readable(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair, which no tokenizer takes."""
    return text.encode(errors="replace").decode()


def unit(vectors: NDArray[Any]) -> Vector:
    """The same directions at length 1, as float32; zero stays zero."""
    rows: Vector = np.asarray(vectors, dtype=np.float32)
    lengths: Vector = np.linalg.norm(rows, axis=-1, keepdims=True)
    lengths[lengths == 0] = 1
    return rows / lengths
