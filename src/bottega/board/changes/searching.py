"""Finding changes by a few words, typed in a hurry."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from bottega.board.tables import Change

#: How alike two words must be to pass for the same, mistyped.
ALIKE = 0.75

_WORD = re.compile(r"\w+")


def matching(changes: Iterable[Change], search: str) -> list[Change]:
    """Those whose title or id has every word, or one much like it."""
    wanted = _WORD.findall(search.lower())
    return [change for change in changes if _has_all(change, wanted)]


def _has_all(change: Change, wanted: list[str]) -> bool:
    text = f"{change.title} {change.id}".lower()
    words = _WORD.findall(text)
    return all(word in text or any(_is_like(word, other) for other in words) for word in wanted)


def _is_like(word: str, other: str) -> bool:
    # A short word is like too many.
    return len(word) > 3 and SequenceMatcher(None, word, other).ratio() >= ALIKE
