"""The lists beside this file: words, or phrases one a line; `#` begins a comment."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

LISTS = Path(__file__).parent / "lists"


@cache
def words(name: str) -> frozenset[str]:
    """Every word of a list, in lower case."""
    return frozenset(word for line in lines(name) for word in line.casefold().split())


@cache
def lines(name: str) -> tuple[str, ...]:
    """Every line of a list as it is."""
    return tuple(_read(name))


def phrase_pattern(name: str) -> re.Pattern[str]:
    """Finds any line of a list of regular expressions, as whole words in any case."""
    return re.compile(rf"\b(?:{'|'.join(lines(name))})\b", re.IGNORECASE)


def _read(name: str) -> Iterator[str]:
    for line in (LISTS / f"{name}.txt").read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.strip()
