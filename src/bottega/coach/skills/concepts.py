"""What a piece of work is a chance to learn, found by the words that describe it.

The names are those by which gaps, skills and katas meet each other again.
"""

import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

CONCEPTS = Path(__file__).with_name("concepts.toml")
#: Beginnings of this length or more also match longer words: `validat` is `validation`.
PREFIX = 6


@cache
def _concepts() -> dict[str, list[str]]:
    """The beginnings of words that speak of each concept."""
    read = tomllib.loads(CONCEPTS.read_text(encoding="utf-8"))
    return {name: said.split() for name, said in read.items()}


def concepts_in(text: str, most: int = 3) -> list[str]:
    """The concepts that a text speaks of, those with the most words first."""
    words = set(re.findall(r"[a-z]+", text.lower()))
    met = Counter(
        {name: sum(_says(word, words) for word in said) for name, said in _concepts().items()}
    )
    return [name for name, count in met.most_common(most) if count]


def _says(word: str, words: set[str]) -> bool:
    return word in words or (len(word) >= PREFIX and any(w.startswith(word) for w in words))
