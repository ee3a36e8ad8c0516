"""Which files of a project an issue is probably about, by the words that they share.

Identifiers are cut into words (`priceOf`, `price_of`), words are compared by their stems, and one
that few files have says more than one that all have.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bottega.coach.file_roles import is_test
from bottega.coach.plans.plan_context import CodeDefinition, definitions_in, named_files
from bottega.core.text.words import STOP_WORDS, stem

MOST_PLACES = 5
MOST_TESTS = 3
#: Below this share of the best one's score a file is no clue any more.
WORTH_NAMING = 0.3
#: What a word weighs: anywhere in the issue, in its title, set as code.
IN_TEXT, IN_TITLE, AS_CODE = 1.0, 2.0, 3.0
#: A file's or function's name says more than what is in it.
IN_NAME = 2.0

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
CODE = re.compile(r"`([^`\n]+)`")
SHORTEST_WORD = 3

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class LikelyFile:
    """A file that the issue seems to speak of, and where in it to begin."""

    path: str
    #: The issue's words that are in it, the most telling first.
    words: tuple[str, ...] = ()
    definition: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Clues:
    #: The likeliest first.
    places: tuple[LikelyFile, ...] = ()
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Source:
    path: str
    text: str
    in_path: frozenset[str]
    in_text: frozenset[str]


def find_clues(title: str, summary: str, sources: Mapping[str, str]) -> Clues:
    """`sources` are texts by path. Takes a while: off the loop."""
    read = [_Source(path, text, stems(path), stems(text)) for path, text in sources.items()]
    telling = _telling(read)
    weights = _weigh(title, summary)
    asked = {word: weight * telling.get(word, 0.0) for word, weight in weights.items()}
    code = [source for source in read if source.text.strip() and not is_test(source.path)]
    named = named_files(f"{title}\n{summary}", sources)
    spoken = _spoken(title, summary)
    ranked = _ranked(code, asked, named)[:MOST_PLACES]
    places = tuple(_place(source, asked, spoken) for source in ranked)
    tests = [source for source in read if is_test(source.path)]
    return Clues(places, _tests_for(tests, places, asked))


def words(text: str) -> list[str]:
    found = (match.lower() for match in WORD.findall(text))
    return [word for word in found if len(word) >= SHORTEST_WORD and word not in STOP_WORDS]


def stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, set(words(text))))


def _spoken(title: str, summary: str) -> dict[str, str]:
    """Each stem as the issue writes it."""
    return {stem(word): word for word in reversed(words(f"{title}\n{summary}"))}


def _weigh(title: str, summary: str) -> dict[str, float]:
    weights = dict.fromkeys(stems(summary), IN_TEXT) | dict.fromkeys(stems(title), IN_TITLE)
    quoted = " ".join(CODE.findall(f"{title}\n{summary}"))
    return weights | dict.fromkeys(stems(quoted), AS_CODE)


def _telling(read: Sequence[_Source]) -> dict[str, float]:
    met = Counter(word for source in read for word in source.in_path | source.in_text)
    return {word: math.log(1 + len(read) / count) for word, count in met.items()}


def _score(asked: Weights, in_name: frozenset[str], in_text: frozenset[str]) -> float:
    return sum(
        weight * (IN_NAME * (word in in_name) + (word in in_text)) for word, weight in asked.items()
    )


def _ranked(read: Sequence[_Source], asked: Weights, named: Sequence[str]) -> list[_Source]:
    """A file that the issue names outright comes first."""
    scores = {source.path: _score(asked, source.in_path, source.in_text) for source in read}
    least = WORTH_NAMING * max(scores.values(), default=0.0)
    worth = [
        source
        for source in read
        if source.path in named or (scores[source.path] and scores[source.path] >= least)
    ]
    return sorted(
        worth, key=lambda source: (source.path not in named, -scores[source.path], source.path)
    )


def _place(source: _Source, asked: Weights, spoken: Mapping[str, str]) -> LikelyFile:
    shared = [word for word in asked if asked[word] and word in source.in_path | source.in_text]
    shared.sort(key=lambda word: (-asked[word], word))
    told = tuple(spoken[word] for word in shared if word in spoken)
    begin = _where_to_begin(source, asked)
    if begin is None:
        return LikelyFile(source.path, told)
    return LikelyFile(source.path, told, begin.name, begin.start)


def _where_to_begin(source: _Source, asked: Weights) -> CodeDefinition | None:
    """The function whose name and body fit best; a long one fits by chance."""
    lines = source.text.split("\n")
    best, highest = None, 0.0
    for found in definitions_in(source.path, source.text):
        body = "\n".join(lines[found.start - 1 : found.end])
        length = 1 + math.log(1 + found.end - found.start)
        score = _score(asked, stems(found.name), stems(body)) / length
        if score > highest:
            best, highest = found, score
    return best


def _tests_for(
    tests: Sequence[_Source], places: Sequence[LikelyFile], asked: Weights
) -> tuple[str, ...]:
    """Those named for the likeliest files first, then those that share words with the issue."""
    names = [PurePosixPath(place.path).stem.lower() for place in places]
    ranks: dict[str, tuple[int, float]] = {}
    for source in tests:
        own = PurePosixPath(source.path).name.lower()
        named_for = next((rank for rank, name in enumerate(names) if name in own), len(names))
        score = _score(asked, source.in_path, source.in_text)
        if score or named_for < len(names):
            ranks[source.path] = named_for, -score
    return tuple(sorted(ranks, key=lambda path: (ranks[path], path))[:MOST_TESTS])
