"""Where in a text a claim or a question is spoken of.

A text is looked at in windows of one or two sentences. Which words of what is asked a window takes
up, by the same stem or by one near in meaning, finds the best windows at hardly any cost; only
these are read, with what stands around them.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bottega.core.readers import granite
from bottega.core.readers.wordllama import WordLlamaEmbedder
from bottega.core.text.words import STOP_WORDS, sentences, stem, words

#: Below this two words have nothing to do with each other, from this on they mean the same.
UNRELATED, SYNONYMOUS = 0.2, 0.5
#: What a near word counts at most, beside the word itself.
NEAR = 0.9
#: Windows that are read of one text, and the words of each with what is around it.
READ_WINDOWS = 2
STRETCH = 60
#: A question's tokens of which this share is taken up worst tell what the text lacks.
WORST = 0.2
#: Sentences of a text that are looked at, characters of one, and words of a claim or a question.
MOST_SENTENCES, LONGEST_SENTENCE, MOST_WORDS = 200, 1_200, 64
_PART = re.compile(r"(?<=;)\s+|(?<=:)\s+(?=[(A-Z])")


@dataclass(frozen=True, slots=True)
class Window:
    #: The number of its paragraph, and its text.
    place: int
    text: str
    #: For each word of what is asked, how well the window takes it up; then the paragraph.
    matches: NDArray[np.float32]
    paragraph_matches: NDArray[np.float32]
    #: The rarity-weighted share of words that it takes up.
    coverage: float
    #: Its first sentence among those of its paragraph.
    number: int
    #: The sentences around it: all of a paragraph that is not long.
    stretch: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A claim or a question, with the best windows of what it is held against."""

    text: str
    words: tuple[str, ...]
    rarities: NDArray[np.float32]
    paragraphs: Sequence[str]
    windows: Sequence[Window]


@dataclass(frozen=True, slots=True)
class Nearness:
    """What granite makes of a window: the likeness of the wholes, and of token to token."""

    whole: float
    #: How near each token of the one finds one in the other: on average, the worst fifth of them,
    #: and the worst.
    tokens: float
    worst: float
    least: float


class Vocabulary:
    """Words with their static vectors, embedded at once for many texts."""

    def __init__(self, embedder: WordLlamaEmbedder, listed: Iterator[str]) -> None:
        self._rows = {word: row for row, word in enumerate(dict.fromkeys(listed))}
        self._vectors = embedder.embed_here(list(self._rows))
        self._stems = np.array([stem(word) for word in self._rows])

    def matches(self, asked: Sequence[str], said: Sequence[str]) -> NDArray[np.float32]:
        """One row a word that is asked, one column a word that is said; 1 is the same word."""
        rows, columns = self._places(asked), self._places(said)
        near = self._vectors[rows] @ self._vectors[columns].T
        scaled = NEAR * np.clip((near - UNRELATED) / (SYNONYMOUS - UNRELATED), 0, 1)
        same = self._stems[rows][:, None] == self._stems[columns]
        found: NDArray[np.float32] = np.where(same, np.float32(1), scaled.astype(np.float32))
        return found

    def _places(self, listed: Sequence[str]) -> list[int]:
        return [self._rows[word] for word in listed]


def content_words(text: str) -> tuple[str, ...]:
    found = (word for word in words(text) if word not in STOP_WORDS and len(word) > 1)
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=20_000)
def rarity(word: str) -> float:
    """From 0.2 to 1: a tokenizer has numbered the pieces of words by how often they were met."""
    tokenizer = granite.load().tokenizer
    pieces = tokenizer.encode(f" {word}", add_special_tokens=False).ids
    if len(pieces) != 1:
        return 1.0
    return max(0.2, min(1.0, math.log(pieces[0] / 200 + 1) / math.log(200)))


def split_sentences(text: str) -> list[str]:
    """Sentences, and the items of a list that stands in one."""
    parts = (part for each in sentences(text) for part in _PART.split(each))
    return [part[:LONGEST_SENTENCE] for part in parts if part.strip()]


def find_windows(
    embedder: WordLlamaEmbedder, pairs: Sequence[tuple[str, Sequence[str]]]
) -> list[Asked]:
    """Each text that is asked with the best windows of its paragraphs, best first."""
    asked = [content_words(text)[:MOST_WORDS] for text, _ in pairs]
    split: Mapping[str, list[str]] = {
        paragraph: split_sentences(paragraph) for _, paragraphs in pairs for paragraph in paragraphs
    }
    said = {each: content_words(each) for parts in split.values() for each in parts}
    vocabulary = Vocabulary(
        embedder, (word for listed in (*asked, *said.values()) for word in listed)
    )
    found = []
    for (text, paragraphs), listed in zip(pairs, asked, strict=True):
        rarities = np.array([rarity(word) for word in listed], np.float32)
        windows = [
            window
            for place, paragraph in enumerate(paragraphs)
            for window in _windows(place, split[paragraph], said, listed, rarities, vocabulary)
        ]
        windows.sort(key=lambda window: (-window.coverage, len(window.text)))
        chosen = [
            replace(each, stretch=_stretch(split[paragraphs[each.place]], each.number))
            for each in _apart(windows)
        ]
        found.append(Asked(text, listed, rarities, paragraphs, chosen))
    return found


def _stretch(parts: Sequence[str], number: int) -> str:
    """As many sentences on both sides as fit; nothing of them is cut."""
    first = last = number
    length = len(parts[number].split())
    while True:
        before = len(parts[first - 1].split()) if first > 0 else STRETCH
        after = len(parts[last + 1].split()) if last + 1 < len(parts) else STRETCH
        if length + min(before, after) > STRETCH:
            return " ".join(parts[first : last + 1])
        if after <= before:
            last += 1
        else:
            first -= 1
        length += min(before, after)


def _windows(
    place: int,
    parts: Sequence[str],
    said: Mapping[str, Sequence[str]],
    asked: Sequence[str],
    rarities: NDArray[np.float32],
    vocabulary: Vocabulary,
) -> Iterator[Window]:
    parts = parts[:MOST_SENTENCES]
    if not parts:
        return
    empty = np.zeros(len(asked), np.float32)
    matches = [
        vocabulary.matches(asked, said[each]).max(1) if asked and said[each] else empty
        for each in parts
    ]
    everything = np.max(matches, axis=0)
    for number, (text, match) in enumerate(zip(parts, matches, strict=True)):
        yield Window(place, text, match, everything, weighted(match, rarities), number)
        if number + 1 < len(parts):
            both = np.maximum(match, matches[number + 1])
            # Two sentences have to say clearly more than one of them.
            coverage = weighted(both, rarities) - 0.05
            text = f"{text} {parts[number + 1]}"
            yield Window(place, text, both, everything, coverage, number)


def _apart(windows: Sequence[Window]) -> list[Window]:
    """The best, none of which is part of another one."""
    chosen: list[Window] = []
    for window in windows:
        if len(chosen) == READ_WINDOWS:
            break
        if not any(window.text in each.text or each.text in window.text for each in chosen):
            chosen.append(window)
    return chosen


def weighted(matches: NDArray[np.float32], rarities: NDArray[np.float32]) -> float:
    total = float(rarities.sum())
    return float(matches @ rarities) / total if total else 0.0


class Granite:
    """The vectors of texts and their tokens, each text read once."""

    def __init__(self, texts: Sequence[str]) -> None:
        distinct = list(dict.fromkeys(each for each in texts if each.strip()))
        self._read = dict(zip(distinct, granite.read_tokens(distinct), strict=True))

    def nearness(self, one: str, other: str) -> Nearness:
        mine, theirs = self._read.get(one), self._read.get(other)
        if mine is None or theirs is None or min(len(mine.ids), len(theirs.ids)) < 3:
            return Nearness(0.0, 0.0, 0.0, 0.0)
        near = mine.vectors[1:-1] @ theirs.vectors[1:-1].T
        best = np.sort(near.max(1))
        worst = best[: max(1, round(WORST * len(best)))]
        return Nearness(
            whole=float(mine.vectors[0] @ theirs.vectors[0]),
            tokens=float(best.mean()),
            worst=float(worst.mean()),
            least=float(best[0]),
        )
