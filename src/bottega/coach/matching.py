"""Which entries of a small collection a few words mean.

Words are compared by their stems, and a word counts the more the fewer entries have it: in
"async error handling", `async` says more than `error`, and `handling` says nothing.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from bottega.core.textindex.stopwords import STOP_WORDS

WORD = re.compile(r"[a-z0-9]+")
#: What gaps are called by beside their subject.
FILLER_WORDS = frozenset(
    """
    basic basics code concept concepts correct correctly fundamentals general get getting good
    handle handling knowledge language make making practice practices problem problems programming
    python skill skills thing things understand understanding use used using work working write
    writing
    """.split()  # noqa: SIM905 - as in the stop words, a list would be a page
)
#: A longer one stands before those that it ends with.
SUFFIXES = tuple(
    """
    izations ization ations ation ators ating ator ates ated ate izing izes ized ize ives ive
    ings ing ions ion ers er ed es s e
    """.split()  # noqa: SIM905
)
SHORTEST_STEM = 3


class Entry(NamedTuple):
    """What an entry is about, and in its second place what it touches."""

    subject: str
    touches: Sequence[str]


class WordIndex:
    """Scores the entries by the words asked for; what an entry is about counts most."""

    SUBJECT = 1.5
    TOUCHED = 1.0

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._importance = {key: self._weigh(entry) for key, entry in entries.items()}
        met = Counter(word for words in self._importance.values() for word in words)
        self._telling = {word: math.log(1 + len(entries) / count) for word, count in met.items()}

    def scores(self, words: Mapping[str, float]) -> dict[str, float]:
        """How well each entry fits the stems, each asked for with its weight; 0 for not at all."""
        return {
            key: sum(
                asked * importance.get(word, 0.0) * self._telling.get(word, 0.0)
                for word, asked in words.items()
            )
            for key, importance in self._importance.items()
        }

    def _weigh(self, entry: Entry) -> dict[str, float]:
        touched = dict.fromkeys(stems(*entry.touches), self.TOUCHED)
        return touched | dict.fromkeys(stems(entry.subject), self.SUBJECT)


def stems(*texts: str) -> frozenset[str]:
    return frozenset(stem(word) for text in texts for word in _words(text))


def stem(word: str) -> str:
    """`sorting`, `sorted` and `sorts` are one; so are `iterator` and `iteration`."""
    if word.endswith("ies"):
        return word.removesuffix("ies") + "y"
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= SHORTEST_STEM:
            return _undouble(word.removesuffix(suffix))
    return word


def _words(text: str) -> Iterable[str]:
    found = WORD.findall(text.lower())
    return (word for word in found if word not in STOP_WORDS and word not in FILLER_WORDS)


def _undouble(word: str) -> str:
    """`logg(ing)` is `log`."""
    return word[:-1] if len(word) > SHORTEST_STEM and word[-1] == word[-2] else word
