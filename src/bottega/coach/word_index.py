"""Which entries of a small collection a few words mean.

Words are compared by their stems, and a word counts the more the fewer entries have it: in
"async error handling", `async` says more than `error`, and `handling` says nothing.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bottega.core.text.words import content_words, stem

#: What gaps are called by beside their subject.
FILLER_WORDS = frozenset(
    """
    basic basics code concept concepts correct correctly fundamentals general get getting good
    handle handling knowledge language make making practice practices problem problems programming
    python skill skills thing things understand understanding use used using work working write
    writing
    """.split()  # noqa: SIM905 - as in the stop words, a list would be a page
)


class IndexEntry(NamedTuple):
    """What an entry is about, and in its second place what it touches."""

    subject: str
    touches: Sequence[str]


class WordIndex:
    """Scores the entries by the words asked for; what an entry is about counts most."""

    SUBJECT = 1.5
    TOUCHED = 1.0

    def __init__(self, entries: Mapping[str, IndexEntry]) -> None:
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

    def _weigh(self, entry: IndexEntry) -> dict[str, float]:
        touched = dict.fromkeys(stems(*entry.touches), self.TOUCHED)
        return touched | dict.fromkeys(stems(entry.subject), self.SUBJECT)


def stems(*texts: str) -> frozenset[str]:
    return frozenset(
        stem(word) for text in texts for word in content_words(text) if word not in FILLER_WORDS
    )
