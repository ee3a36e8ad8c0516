"""What every embedder offers."""

from collections.abc import Sequence
from typing import Protocol

from bottega.core.vectors.store import Vector


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
