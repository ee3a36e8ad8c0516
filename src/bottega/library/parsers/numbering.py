"""Which of a document's plain numbers (`12.`) number its paragraphs, and which just a list.

A standard counts its paragraphs through from first to last, across its headings. An instruction
counts steps, and begins again at the next list. The first make references; the second stay with
the sentence that introduces them. A law counts anew in each article: `7(1)`. Items of a list in
HTML that says no number of its own count only there: elsewhere they are steps.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bottega.library.parsers.blocks import Block, BlockRole
from bottega.library.parsers.markers import Marker, MarkerStyle, find_marker


class Counting(StrEnum):
    #: Through the whole document.
    RUNNING = "running"
    #: Within the numbered heading above.
    WITHIN = "within"


#: How many numbers may be missing in a row ("15–17. (Deleted)").
_LARGEST_GAP = 5
#: Of all plain numbers, how many must be in the count for it to be the document's.
_SHARE = 2 / 3


@dataclass(slots=True)
class _Number:
    index: int
    value: int
    #: Which heading it stands below, and which numbered one.
    section: int
    numbered_section: int
    introduced: bool
    #: `12A.` comes after `12.`, and `12. (b)` after `12. (a)`.
    is_extended: bool


def plain_numbers(blocks: Sequence[Block], markers: Sequence[Marker | None]) -> dict[int, Counting]:
    """By the index of its block, how each plain number counts; those of mere lists are left out."""
    numbers = _numbers(blocks, markers)
    running = _running([number for number in numbers if not blocks[number.index].is_counted])
    if _is_documents_own(running, numbers, blocks):
        counting = {number.index: Counting.RUNNING for number in running}
    else:
        counting = {}
    # An appendix has numbers of its own beside those that run through the document.
    within = [
        number
        for number in numbers
        if number.numbered_section >= 0
        and number.index not in counting
        and (not counting or _has_style(markers[number.numbered_section], MarkerStyle.LABELLED))
        and not (
            blocks[number.index].is_counted
            and _has_style(markers[number.numbered_section], MarkerStyle.DOTTED, MarkerStyle.SIMPLE)
        )
    ]
    return counting | dict.fromkeys(_within_sections(within), Counting.WITHIN)


def _numbers(blocks: Sequence[Block], markers: Sequence[Marker | None]) -> list[_Number]:
    numbers: list[_Number] = []
    section = numbered_section = -1
    lead = ""
    for index, (block, marker) in enumerate(zip(blocks, markers, strict=True)):
        if block.role is BlockRole.HEADING:
            section, lead = index, ""
            if marker is not None:
                numbered_section = index
        elif (
            marker is not None
            and marker.style is MarkerStyle.SIMPLE
            and block.role is BlockRole.ITEM
        ):
            value = int("".join(filter(str.isdigit, marker.value.split("(")[0])))
            introduced = lead.rstrip().endswith(":")
            numbers.append(
                _Number(
                    index,
                    value,
                    section,
                    numbered_section,
                    introduced,
                    is_extended=not marker.value.isdigit(),
                )
            )
        elif block.role is BlockRole.TEXT:
            lead = block.text
    return numbers


def _running(numbers: Sequence[_Number]) -> list[_Number]:
    """The numbers that go on counting, from the first on."""
    running: list[_Number] = []
    for number in numbers:
        last = running[-1].value if running else number.value - 1
        goes_on = number.value == last + 1 or (number.value == last and number.is_extended)
        leaps = last < number.value <= last + _LARGEST_GAP and not number.introduced
        if goes_on or leaps:
            running.append(number)
    return running


def _is_documents_own(
    running: Sequence[_Number], numbers: Sequence[_Number], blocks: Sequence[Block]
) -> bool:
    if not running or len(running) < _SHARE * len(numbers):
        return False
    numbered_sections = {number.numbered_section for number in running}
    if len(numbered_sections) == 1 and -1 not in numbered_sections:
        return False  # it counts within an article
    if len({number.section for number in running}) > 1:
        return True
    texts = sum(block.role is BlockRole.TEXT for block in blocks)
    return not running[0].introduced and len(running) >= texts


def _has_style(marker: Marker | None, *styles: MarkerStyle) -> bool:
    return marker is not None and marker.style in styles


def _within_sections(numbers: Sequence[_Number]) -> list[int]:
    by_section: dict[int, list[_Number]] = {}
    for number in numbers:
        by_section.setdefault(number.numbered_section, []).append(number)
    return [
        number.index
        for section in by_section.values()
        if [number.value for number in section] == list(range(1, len(section) + 1))
        and not section[0].introduced
        for number in section
    ]


def find_markers(blocks: Sequence[Block]) -> list[Marker | None]:
    return [
        find_marker(block.text, heading=block.role is BlockRole.HEADING)
        if block.role in (BlockRole.HEADING, BlockRole.ITEM)
        else None
        for block in blocks
    ]


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
