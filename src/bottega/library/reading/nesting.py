"""Letters below a number: `(a)`, then `(i)`, then `(A)`; and whether `(i)` is a letter or a one."""

import re
from dataclasses import dataclass
from enum import StrEnum

_ROMAN = re.compile(r"(?=.)x{0,3}(?:ix|iv|v?i{0,3})$")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ONES = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")


class Series(StrEnum):
    LETTER = "letter"
    ROMAN = "roman"
    CAPITAL = "capital"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Level:
    series: Series
    value: str
    indent: int


class Nesting:
    """The letters that are open below the current number."""

    def __init__(self) -> None:
        self._levels: list[Level] = []

    def __bool__(self) -> bool:
        return bool(self._levels)

    def __str__(self) -> str:
        return "".join(f"({level.value})" for level in self._levels)

    def enter(self, value: str, indent: int, following: str | None = None) -> None:
        """A sibling if its series is open, else one level deeper."""
        series = self._series(value, following)
        open_series = [level.series for level in self._levels]
        if series in open_series:
            del self._levels[open_series.index(series) :]
        self._levels.append(Level(series, value, indent))

    def leave(self, indent: int) -> None:
        """A text as far out as a letter no longer belongs to it."""
        while self._levels and indent <= self._levels[-1].indent:
            self._levels.pop()

    def clear(self) -> None:
        self._levels.clear()

    def _series(self, value: str, following: str | None) -> Series:
        if value.isdigit():
            return Series.NUMBER
        if value.isupper():
            return Series.CAPITAL
        if not _ROMAN.match(value):
            return Series.LETTER
        last = {level.series: level.value for level in self._levels}
        if _follows(_ONES, last.get(Series.ROMAN), value):
            return Series.ROMAN
        if _follows(_LETTERS, last.get(Series.LETTER), value):
            # After (h) comes the letter (i), unless (ii) comes next.
            return Series.ROMAN if value == "i" and following == "ii" else Series.LETTER
        return Series.ROMAN if len(value) > 1 or value == "i" else Series.LETTER


def _follows(order: str | tuple[str, ...], last: str | None, value: str) -> bool:
    if last is None or last not in order or value not in order:
        return False
    return order.index(value) == order.index(last) + 1
