"""How likely it is that each of some passages answers a question.

The default reads question and passage together by a small model (`cross_encoder`).
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from bottega.core.readers import cross_encoder
from bottega.core.readers.windows import Window, find_windows
from bottega.core.readers.wordllama import WordLlamaEmbedder
from bottega.core.search_types import Fit


@dataclass(frozen=True, slots=True)
class AnswerReading:
    #: That the passage answers.
    probability: float
    #: The sentence, or two, that answer best.
    sentence: str = ""


def fit_of(probability: float) -> Fit:
    may, likely = cross_encoder.answer_bounds()
    if probability >= likely:
        return Fit.LIKELY
    return Fit.MAY if probability >= may else Fit.NOTHING


class AnswerReader(Protocol):
    @property
    def name(self) -> str:
        """Which model reads; it is told beside each probability."""
        ...

    async def read(self, question: str, passages: Sequence[str]) -> list[AnswerReading]:
        """One reading a passage, in their order."""
        ...


class CrossAnswerReader:
    """Reads the question with what stands around the best windows of each passage; the window
    that answers best decides."""

    name: ClassVar[str] = "granite cross-encoder"

    def __init__(self) -> None:
        self._static = WordLlamaEmbedder()

    async def warm(self) -> None:
        await self._static.warm()

    async def read(self, question: str, passages: Sequence[str]) -> list[AnswerReading]:
        if not passages:
            return []
        await self.warm()
        return await asyncio.to_thread(self._read, question, passages)

    def _read(self, question: str, passages: Sequence[str]) -> list[AnswerReading]:
        found = find_windows(self._static, [(question, [passage]) for passage in passages])
        distinct = list(dict.fromkeys(each.stretch for asked in found for each in asked.windows))
        chances = cross_encoder.load().read_answers([(question, each) for each in distinct])
        likely = dict(zip(distinct, chances, strict=True))
        return [_reading(asked.windows, likely) for asked in found]


def _reading(windows: Sequence[Window], likely: Mapping[str, float]) -> AnswerReading:
    if not windows:
        return AnswerReading(0.0)
    best = max(windows, key=lambda window: likely[window.stretch])
    return AnswerReading(round(float(likely[best.stretch]), 4), best.text)
