"""How likely it is that each of some passages answers a question.

The default weighs how much of the question a passage takes up and how near granite finds the two,
by a logistic model whose weights `training/` fits on public questions. What a question asks for by
its form, a number or a time, is one more piece of evidence.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from bottega.core.readers.logistic import Logistic, read_file
from bottega.core.readers.windows import (
    Asked,
    Granite,
    Nearness,
    Window,
    find_windows,
    weighted,
)
from bottega.core.readers.wordllama import WordLlamaEmbedder
from bottega.core.search_types import Fit


@dataclass(frozen=True, slots=True)
class AnswerReading:
    #: That the passage answers.
    probability: float
    #: The sentence, or two, that answer best.
    sentence: str = ""


def fit_of(probability: float) -> Fit:
    bounds = read_file("answer_reader")["bounds"]
    if probability >= bounds["likely"]:
        return Fit.LIKELY
    return Fit.MAY if probability >= bounds["may"] else Fit.NOTHING


class AnswerReader(Protocol):
    @property
    def name(self) -> str:
        """Which model reads; it is told beside each probability."""
        ...

    async def read(self, question: str, passages: Sequence[str]) -> list[AnswerReading]:
        """One reading a passage, in their order."""
        ...


_NUMBER = (
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|dozen|once|twice)\b"
)
#: Forms of a question, and what a passage has that answers it.
SOUGHT = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(said, re.IGNORECASE))
    for asked, said in (
        (r"\bhow (?:many|much|long|often|old|far|high|large|big|fast|deep|wide|tall)\b", _NUMBER),
        (
            r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|time)\b",
            rf"{_NUMBER}|\b(?:before|after|until|when|while|during|once|if|day|month|year)\b",
        ),
        (r"\bwhy\b", r"\b(?:because|since|so that|in order|therefore|reason|due to|to)\b"),
    )
)


def gather(asked: Asked, window: Window, near: Nearness) -> dict[str, float]:
    return {
        "whole": near.whole,
        "tokens": near.tokens,
        "worst": near.worst,
        "near": weighted(window.matches, asked.rarities),
        "sought": _sought(asked.text, window.text),
    }


def _sought(question: str, text: str) -> float:
    for asks, has in SOUGHT:
        if asks.search(question):
            return float(bool(has.search(text)))
    return 0.5


class FittedAnswerReader:
    name: ClassVar[str] = "granite and words, fitted"

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
        (answers,) = Logistic.load("answer_reader", "answers")
        readings = []
        for found in self.evidence([(question, passage) for passage in passages]):
            likely = [(round(answers(evidence), 4), window.text) for window, evidence in found]
            readings.append(AnswerReading(*max(likely, default=(0.0, ""))))
        return readings

    def evidence(
        self, pairs: Sequence[tuple[str, str]]
    ) -> list[list[tuple[Window, Mapping[str, float]]]]:
        """For each question and passage its best windows, each with what was found there."""
        all_asked = find_windows(self._static, [(question, [text]) for question, text in pairs])
        texts = [each.text for each in all_asked]
        texts += [window.text for each in all_asked for window in each.windows]
        granite = Granite(texts)
        return [
            [
                (window, gather(asked, window, granite.nearness(asked.text, window.text)))
                for window in asked.windows
            ]
            for asked in all_asked
        ]
