"""Whether a passage says what a claim says: supported, contradicted, or unknown.

The default weighs what `evidence` finds by two logistic models. Their weights are in
`claim_reader.json`; `training/` fits them, and no piece of evidence may count against its meaning:
saying more of a claim's words never makes it less likely. It is a modest reader, and its
probabilities say so: what is in the middle is unsure.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

from bottega.core.readers.evidence import (
    Asked,
    Granite,
    Nearness,
    Window,
    find_windows,
    weighted,
)
from bottega.core.readers.guards import (
    MODALITY,
    NEGATION,
    NUMBERS,
    Objection,
    denials,
    find_objections,
    opposed,
)
from bottega.core.readers.logistic import Logistic, read_file
from bottega.core.readers.wordllama import WordLlamaEmbedder
from bottega.core.text.words import words


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
ONLY = re.compile(r"\b(?:only|solely|exclusively|sole)\b", re.IGNORECASE)
ALL = re.compile(r"\b(?:all|every|each|always|any|everyone|everybody|never|none)\b", re.IGNORECASE)
CONDITION = re.compile(
    r"\b(?:if|unless|when|whenever|except|provided|until|only|where|while|otherwise)\b",
    re.IGNORECASE,
)
#: Compared letter by letter: `/usr/bin`, `X-Version`, `SIGTERM`, `--force`.
NAME = re.compile(r"[\w/.~+#@$%-]*(?:[A-Z0-9_/.~+#@$-][a-z0-9]*[A-Z_/]|--?[a-z]+)[\w/-]*")


def gather(asked: Asked, window: Window, nearness: Nearness) -> dict[str, float]:
    """What speaks for and against; names that begin with `no_` speak against."""
    claim, text, paragraph = asked.text, window.text, asked.paragraphs[window.place]
    objections = {each.guard for each in find_objections(claim, text, paragraph)}
    return {
        "whole": nearness.whole,
        "tokens": nearness.tokens,
        "worst": nearness.worst,
        "least": nearness.least,
        "near": weighted(window.matches, asked.rarities),
        "no_name": float(bool(_names(claim) - _names(paragraph) - set(words(paragraph)))),
        "no_number": float(NUMBERS in objections),
        "no_denial": float(NEGATION in objections),
        "no_parity": float(denials(claim) % 2 != denials(text) % 2),
        "no_modality": float(MODALITY in objections),
        "no_direction": float(bool(opposed(claim, text))),
        "no_only": float(bool(ONLY.search(claim)) > bool(ONLY.search(text))),
        "no_all": float(bool(ALL.search(claim)) > bool(ALL.search(text))),
        "no_condition": float(bool(CONDITION.search(text)) > bool(CONDITION.search(claim))),
    }


def _names(text: str) -> set[str]:
    return {name.strip(".,") for name in NAME.findall(text)}


class FittedClaimReader:
    name: ClassVar[str] = "granite and words, fitted"

    def __init__(self) -> None:
        self._static = WordLlamaEmbedder()

    @property
    def bounds(self) -> tuple[float, float]:
        chosen = read_file("claim_reader")["bounds"]
        return chosen["unsupported"], chosen["supported"]

    async def warm(self) -> None:
        await self._static.warm()

    async def read(self, pairs: Sequence[ClaimPair]) -> list[ClaimReading]:
        if not pairs:
            return []
        await self.warm()
        return await asyncio.to_thread(self._read, pairs)

    def _read(self, pairs: Sequence[ClaimPair]) -> list[ClaimReading]:
        supports, contradicts = Logistic.load("claim_reader", "supported", "contradicted")
        return [
            _reading(asked, found, supports, contradicts) for asked, found in self.evidence(pairs)
        ]

    def evidence(
        self, pairs: Sequence[ClaimPair]
    ) -> list[tuple[Asked, list[tuple[Window, Mapping[str, float]]]]]:
        """For each pair its best windows, each with what was found there."""
        all_asked = find_windows(self._static, pairs)
        texts = [each.text for each in all_asked]
        texts += [window.text for each in all_asked for window in each.windows]
        granite = Granite(texts)
        return [
            (
                asked,
                [
                    (window, gather(asked, window, granite.nearness(asked.text, window.text)))
                    for window in asked.windows
                ],
            )
            for asked in all_asked
        ]


def _reading(
    asked: Asked,
    found: Sequence[tuple[Window, Mapping[str, float]]],
    supports: Logistic,
    contradicts: Logistic,
) -> ClaimReading:
    if not found:
        return ClaimReading(0.0, 0.0)
    window, evidence = max(found, key=lambda each: supports(each[1]))
    supported = supports(evidence)
    objections = find_objections(asked.text, window.text, asked.paragraphs[window.place])
    return ClaimReading(
        round(supported, 4),
        round((1 - supported) * contradicts(evidence), 4),
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
