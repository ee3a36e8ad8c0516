"""Which words of a claim a source says: the same, a form, a synonym, or one near in meaning.

Vectors of single words tell synonyms (`delete`, `erase`: 0.55) from words of the same field
(`skipper`, `pilot`: 0.06) better than vectors of sentences do, so meaning is compared word by word.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bottega.library.judging.quantities import find_quantities
from bottega.library.judging.thesaurus import are_related
from bottega.library.judging.vocabulary import OPPOSITES
from bottega.library.judging.words import KEPT_TEXTS, Word, concept, words

#: Blocking: one row a text, of length 1.
Embed: TypeAlias = Callable[[Sequence[str]], NDArray[np.float32]]

#: Below this two words have nothing to do with each other, from this on they mean the same.
UNRELATED, SYNONYMOUS = 0.2, 0.5
#: What a word counts if the paragraph says it, but not the statement in question.
ELSEWHERE = 0.8
SHORTEST_ROOT = 5
LONGEST_ENDING = 4


class Nearness:
    """How near words are in meaning; asks the embedder once for all of them."""

    def __init__(self, embed: Embed | None, vocabulary: Iterable[Word]):
        spoken = dict.fromkeys(word.text.lower() for word in vocabulary if not word.is_name)
        self._rows = {text: row for row, text in enumerate(spoken)}
        self._vectors = embed(list(self._rows)) if embed and self._rows else None
        # The same two words meet over and over: in each pair of statements that have them.
        self._compared: dict[tuple[str, str], float] = {}

    def of_words(self, one: Word, other: Word) -> float:
        """From 0 (unrelated, or opposite) to 1 (the same)."""
        if one.concept == other.concept:
            return 1.0
        pair = one.text, other.text
        if (near := self._compared.get(pair)) is None:
            near = self._compared[pair] = self._compare(one, other)
        return near

    def _compare(self, one: Word, other: Word) -> float:
        if one.is_name or other.is_name:
            return 0.9 if _is_part(one, other) or _is_part(other, one) else 0.0
        if are_opposite(one, other):
            return 0.0
        if are_related(one.text, other.text):
            return 0.9
        if _share_root(one.text.lower(), other.text.lower()) or negates(one, other):
            return 0.9
        similarity = self._similarity(one.text.lower(), other.text.lower())
        return 0.9 * min(1.0, max(0.0, (similarity - UNRELATED) / (SYNONYMOUS - UNRELATED)))

    def _similarity(self, one: str, other: str) -> float:
        if self._vectors is None or one not in self._rows or other not in self._rows:
            return 0.0
        return float(self._vectors[self._rows[one]] @ self._vectors[self._rows[other]])

    def best(self, word: Word, among: Iterable[Word]) -> tuple[float, Word | None]:
        best: tuple[float, Word | None] = (0.0, None)
        for other in among:
            if (near := self.of_words(word, other)) > best[0]:
                best = (near, other)
                if near == 1.0:
                    break
        return best

    def coverage(
        self, asked: Sequence[Word], said: Sequence[Word], elsewhere: Sequence[Word] = ()
    ) -> float:
        """The share of the asked words that is said; 1 if nothing is asked."""
        weight = sum(word.weight for word in asked)
        if not weight:
            return 1.0
        found = 0.0
        for word in asked:
            near = self.best(word, said)[0]
            if near < 1.0 and elsewhere:
                near = max(near, ELSEWHERE * self.best(word, elsewhere)[0])
            found += word.weight * near
        return found / weight


@lru_cache(maxsize=KEPT_TEXTS)
def content(text: str) -> tuple[Word, ...]:
    """The words of a text that are not part of a measure: "two hours", but "two *persons*"."""
    taken = [(each.start, each.end) for each in find_quantities(text) if each.is_measure]
    return tuple(
        word
        for word in words(text)
        if not any(start <= word.position < end for start, end in taken)
    )


def are_opposite(one: Word, other: Word) -> bool:
    return other.concept in _OPPOSITE_CONCEPTS.get(one.concept, ())


def opposites(word: Word) -> frozenset[str]:
    return _OPPOSITE_CONCEPTS.get(word.concept, frozenset())


def _share_root(one: str, other: str) -> bool:
    """`announce` and `announcement`, `depart` and `departure`."""
    length = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    return length >= SHORTEST_ROOT and max(len(one), len(other)) - length <= LONGEST_ENDING


def negates(one: Word, other: Word) -> bool:
    """`uncleaned` is about cleaning; that it denies it is for the checks to say."""
    return other.concept in _denied(one.text.lower()) or one.concept in _denied(other.text.lower())


@lru_cache(maxsize=20_000)
def _denied(word: str) -> frozenset[str]:
    """The concepts that a word may deny by its prefix."""
    return frozenset(
        concept(word[len(prefix) :])
        for prefix in ("un", "non", "dis", "ir", "il", "im", "in")
        if word.startswith(prefix) and len(word) - len(prefix) >= SHORTEST_ROOT - 1
    )


def _is_part(name: Word, word: Word) -> bool:
    """`hyphen/minus` says `hyphen`."""
    parts = name.concept.split("/")
    return len(parts) > 1 and all(map(str.isalpha, parts)) and word.concept in map(concept, parts)


_OPPOSITE_CONCEPTS: dict[str, frozenset[str]] = {}
for _word, _others in OPPOSITES.items():
    _key = concept(_word)
    _OPPOSITE_CONCEPTS[_key] = _OPPOSITE_CONCEPTS.get(_key, frozenset()) | {
        concept(other) for other in _others
    } - {_key}
