"""What speaks for a library holding the answer to a question, in numbers.

Search always finds something, so the best score says little. What tells is how much of the question
one paragraph takes up, rare words above all: by the same word, or by one near to it in meaning.
Tried and left out, because they told nothing more on the questions this was fitted on: the best
score of each half of search, how far the halves agree, and names and numbers of their own.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from bottega.core.textindex.index import words
from bottega.library.searching.sought import has_what_is_sought

#: Words that only ask. What they ask for is looked at apart, in `sought.py`.
ASKING = frozenset(
    """
    many much long often old early late soon far quickly high may might must shall need needs can
    could would get gets give gives given do done make makes made go goes take takes taking bring
    happen happens tell say says said know explain mean means meaning called please kind sort want
    wants also us let there right few together people person somebody someone anybody anyone nobody
    everybody everyone
    """.split()  # noqa: SIM905 - a list of them would be a page
)
#: Words of a question that are looked at: more of them add time, not certainty.
MAX_WORDS = 16
#: What a word counts that nothing takes up: a product of zeros would forget all the others.
LEAST_MATCH = 0.05


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    #: Those that say what it is about.
    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Question":
        content = [word for word in words(text) if word not in ASKING and len(word) > 1]
        return cls(text, tuple(content[:MAX_WORDS]))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A paragraph that may hold the answer."""

    ref: str
    text: str
    #: For each word of the question, how well it is taken up: 1 is the word itself in any form,
    #: less is how near the nearest word is.
    matches: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Findings:
    """What search has to say about a question."""

    question: Question
    candidates: Sequence[Candidate]
    #: How rare each word of the question is in the library; more is rarer.
    rarity: Mapping[str, float]
    #: The words that the library does not have at all.
    unknown: frozenset[str]
    #: Of the nearest paragraphs, nearest first.
    cosines: Sequence[float]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Each from 0 to 1; more speaks for an answer."""

    #: How well the best paragraph takes up the question's words on average, rare ones first.
    echoed: float
    #: The same as a geometric mean, which one word that nothing takes up brings down.
    carried: float
    #: The share of the question's words that the library has anywhere.
    known: float
    #: How far the nearest paragraph stands out from what the question is near to anyway, in tens
    #: of deviations.
    margin: float
    #: Whether the best paragraph has what is asked for: a sum, a number, a time.
    sought: float

    def values(self) -> dict[str, float]:
        return asdict(self)


def best_candidate(findings: Findings) -> Candidate | None:
    """The paragraph that takes up most of the question."""
    return max(
        findings.candidates, key=lambda each: _mean(findings.rarity, each.matches), default=None
    )


def weigh(findings: Findings) -> Evidence:
    question, best = findings.question, best_candidate(findings)
    matches = best.matches if best else dict.fromkeys(question.words, 0.0)
    logs = {word: math.log(max(match, LEAST_MATCH)) for word, match in matches.items()}
    known = {word: float(word not in findings.unknown) for word in question.words}
    sought = has_what_is_sought(question.text, best.text) if best else False
    return Evidence(
        echoed=_mean(findings.rarity, matches),
        carried=math.exp(_mean(findings.rarity, logs)) if question.words else 0.0,
        known=_mean(findings.rarity, known),
        margin=_margin(findings.cosines),
        sought=0.5 if sought is None else float(sought),
    )


def _mean(rarity: Mapping[str, float], values: Mapping[str, float]) -> float:
    """Over the question's words, rare ones counting more."""
    total = sum(rarity.values())
    return sum(rarity[word] * values[word] for word in rarity) / total if total else 0.0


def _margin(cosines: Sequence[float]) -> float:
    if len(cosines) < 2:
        return 0.0
    background = np.array(cosines[1:])
    # Texts that are all alike have no spread to stand out from.
    spread = max(float(background.std()), 0.02)
    return float(np.clip((cosines[0] - background.mean()) / spread / 10, 0.0, 1.0))
