"""Whether a passage says what a claim says: supported, contradicted, or unknown.

The default reads the two together by a small model (`cross_encoder`). Its probabilities are
calibrated on documents that it did not learn from: what is in the middle is unsure.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

from bottega.core.readers import cross_encoder
from bottega.core.readers.embedder import Vector
from bottega.core.readers.guards import Objection, find_objections
from bottega.core.readers.windows import Asked, Window, find_windows, weighted
from bottega.core.readers.wordllama import WordLlamaEmbedder


class ClaimLabel(StrEnum):
    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ClaimReading:
    supported: float
    contradicted: float
    #: What of the passage it was held against, and in which of its paragraphs that stands.
    window: str = ""
    place: int = 0
    #: The share of the claim's words that it takes up, rare ones first, and those it does not.
    coverage: float = 0.0
    missing: tuple[str, ...] = ()
    objections: tuple[Objection, ...] = ()

    @property
    def unknown(self) -> float:
        return max(0.0, 1 - self.supported - self.contradicted)

    @property
    def label(self) -> ClaimLabel:
        """The likeliest of the three."""
        chances = {
            ClaimLabel.SUPPORTED: self.supported,
            ClaimLabel.CONTRADICTED: self.contradicted,
            ClaimLabel.UNKNOWN: self.unknown,
        }
        return max(chances, key=lambda label: chances[label])


#: A claim, and the paragraphs of the passage that it is held against.
ClaimPair = tuple[str, Sequence[str]]


class ClaimReader(Protocol):
    @property
    def name(self) -> str:
        """Which model reads; it is told beside each probability."""
        ...

    @property
    def bounds(self) -> tuple[float, float]:
        """Up to the first it says no, from the second on yes; in between it is unsure."""
        ...

    async def read(self, pairs: Sequence[ClaimPair]) -> list[ClaimReading]:
        """One reading a pair, in their order; a pair without any text is unknown."""
        ...


#: From here on a paragraph is held to say a word, if in another one.
SAID = 0.5


class CrossClaimReader:
    """Reads a claim with what stands around the best windows of its passage; the window that
    supports it most decides. What `guards` object to stands beside the probabilities."""

    name: ClassVar[str] = "granite cross-encoder"

    def __init__(self) -> None:
        self._static = WordLlamaEmbedder()

    @property
    def bounds(self) -> tuple[float, float]:
        return cross_encoder.claim_bounds()

    async def warm(self) -> None:
        await self._static.warm()

    async def read(self, pairs: Sequence[ClaimPair]) -> list[ClaimReading]:
        if not pairs:
            return []
        await self.warm()
        return await asyncio.to_thread(self._read, pairs)

    def _read(self, pairs: Sequence[ClaimPair]) -> list[ClaimReading]:
        asked = find_windows(self._static, pairs)
        wanted = [(each.text, window.stretch) for each in asked for window in each.windows]
        distinct = list(dict.fromkeys(wanted))
        read = dict(zip(distinct, cross_encoder.load().read_claims(distinct), strict=True))
        return [_reading(each, read) for each in asked]


def _reading(asked: Asked, read: Mapping[cross_encoder.TextPair, Vector]) -> ClaimReading:
    if not asked.windows or not asked.words:
        return ClaimReading(0.0, 0.0)
    window = max(asked.windows, key=lambda each: read[asked.text, each.stretch][0])
    supported, contradicted, _ = read[asked.text, window.stretch]
    objections = find_objections(asked.text, window.text, asked.paragraphs[window.place])
    return ClaimReading(
        round(float(supported), 4),
        round(float(contradicted), 4),
        window.text,
        window.place,
        weighted(window.paragraph_matches, asked.rarities),
        tuple(_missing(asked, window)),
        tuple(objections),
    )


def _missing(asked: Asked, window: Window) -> Iterator[str]:
    for word, match in zip(asked.words, window.paragraph_matches, strict=True):
        if match < SAID:
            yield word
