"""Which of a document's plain numbers (`12.`) number its paragraphs, and which just a list.

A standard counts its paragraphs through from first to last, across its headings. An instruction
counts steps, and begins again at the next list. The first make references; the second stay with
the sentence that introduces them. A law counts anew in each article: `7(1)`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bottega.library.reading.blocks import Block, Role
from bottega.library.reading.markers import Marker, Style, find_marker


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
    running = _running(numbers)
    if _is_documents_own(running, numbers, blocks):
        counting = {number.index: Counting.RUNNING for number in running}
    else:
        counting = {}
    within = [
        number
        for number in numbers
        if number.numbered_section >= 0
        and number.index not in counting
        and (not counting or _is_labelled(markers[number.numbered_section]))
    ]
    return counting | dict.fromkeys(_within_sections(within), Counting.WITHIN)


def _numbers(blocks: Sequence[Block], markers: Sequence[Marker | None]) -> list[_Number]:
    numbers: list[_Number] = []
    section = numbered_section = -1
    lead = ""
    for index, (block, marker) in enumerate(zip(blocks, markers, strict=True)):
        if block.role is Role.HEADING:
            section, lead = index, ""
            if marker is not None:
                numbered_section = index
        elif marker is not None and marker.style is Style.SIMPLE and block.role is Role.ITEM:
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
        elif block.role is Role.TEXT:
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
    texts = sum(block.role is Role.TEXT for block in blocks)
    return not running[0].introduced and len(running) >= texts


def _is_labelled(marker: Marker | None) -> bool:
    """An appendix has numbers of its own beside those that run through the document."""
    return marker is not None and marker.style is Style.LABELLED


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
        find_marker(block.text, heading=block.role is Role.HEADING)
        if block.role in (Role.HEADING, Role.ITEM)
        else None
        for block in blocks
    ]
