"""Which words of a query select documents, and which only weigh.

A document that has nothing of a query but its frequent words cannot be among the best, once enough
are known that score higher than all those words together. That is the rule of MaxScore; its bound
on a word is what even a document of that word alone would get, here it is what a usual one gets.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

#: Documents that are ranked about as quickly as it is found out which of them need not be.
FEW = 5_000
#: BM25 gives a word its rarity times 2.2 at most, and times 1 in a text of mean length that has it
#: once. With 2.2 the result is exact, with 1.5 it was on the bench, too; with this one in a hundred
#: of the best hundred differs there and none of the best ten, in half the time.
USUAL_WEIGHT = 1.0


@dataclass(frozen=True, slots=True)
class Rarity:
    documents: int
    #: Of the query, those that stand anywhere, the rarest first.
    words: tuple[str, ...]
    #: How many documents have each of them.
    counts: tuple[int, ...]

    @classmethod
    def of(cls, documents: int, counts: Mapping[str, int]) -> "Rarity":
        words = sorted((word for word in counts if counts[word]), key=lambda word: counts[word])
        return cls(documents, tuple(words), tuple(counts[word] for word in words))

    def first(self, wanted: int) -> int:
        """How many of the words to begin with: they are likely to find more than is wanted."""
        if sum(self.counts) <= FEW:
            return len(self.words)
        found = 0
        for place, count in enumerate(self.counts, 1):
            found += count
            if found >= 2 * wanted:
                return place
        return len(self.words)

    def needed(self, threshold: float) -> int:
        """How many of the words have to select: the others alone do not reach the threshold."""
        together = 0.0
        for place in range(len(self.words), 0, -1):
            together += USUAL_WEIGHT * self._weight(self.counts[place - 1])
            if together >= threshold:
                return place
        return 0

    def _weight(self, count: int) -> float:
        """As FTS5 weighs a word; one that stands in more than half of all counts for nothing."""
        return max(math.log((self.documents - count + 0.5) / (count + 0.5)), 0.0)
