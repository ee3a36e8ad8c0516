"""Where something stands in a text, as editors count."""

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    line: int
    column: int


class Lines:
    """Turns an offset into a line and a column, both from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(at + 1 for at, letter in enumerate(text) if letter == "\n")]

    def place(self, offset: int) -> Place:
        line = bisect_right(self._starts, offset)
        return Place(line, offset - self._starts[line - 1] + 1)
