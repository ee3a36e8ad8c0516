"""The numbers that Word prints and no text holds: counted here as Word counts them."""

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from bottega.library.reading.html_lists import printed_number

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PLACE = re.compile(r"%(\d)")
_KINDS = {"lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}
_LEVELS = 9


@dataclass(frozen=True, slots=True)
class _Level:
    format: str
    #: As Word writes it: `%1.%2`, `(%3)`.
    text: str
    start: int


class WordNumbering:
    def __init__(self, tree: Element | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, str] = {}
        self._counters: dict[str, list[int | None]] = {}
        if tree is None:
            return
        for kind in tree.iter(f"{W}abstractNum"):
            levels = {number_of(level, "ilvl", 0): _level(level) for level in kind.iter(f"{W}lvl")}
            self._levels[kind.get(f"{W}abstractNumId", "")] = levels
        for number in tree.iter(f"{W}num"):
            kind_of = number.find(f"{W}abstractNumId")
            if kind_of is not None:
                self._lists[number.get(f"{W}numId", "")] = kind_of.get(f"{W}val", "")

    def next(self, number_id: str, depth: int) -> str:
        """What Word prints before the next paragraph of this list; `-` for a bullet."""
        kind = self._lists.get(number_id)
        levels = self._levels.get(kind or "", {})
        level = levels.get(depth)
        if kind is None or level is None or not 0 <= depth < _LEVELS:
            return ""
        counters = self._counters.setdefault(kind, [None] * _LEVELS)
        last = counters[depth]
        counters[depth] = level.start if last is None else last + 1
        counters[depth + 1 :] = [None] * (_LEVELS - depth - 1)
        if level.format in ("bullet", "none"):
            return "-" if level.format == "bullet" else ""

        def count(found: re.Match[str]) -> str:
            place = int(found.group(1)) - 1
            other = levels.get(place)
            value = counters[place] if 0 <= place < _LEVELS else None
            if value is None:
                value = other.start if other else 1
            kind = _KINDS.get(other.format, "1") if other else "1"
            return printed_number(value, kind).strip("().")

        return _PLACE.sub(count, level.text).strip()


def _level(element: Element) -> _Level:
    start = element.find(f"{W}start")
    return _Level(
        _value(element, "numFmt", "decimal"),
        _value(element, "lvlText", ""),
        1 if start is None else number_of(start, "val", 1),
    )


def _value(element: Element, child: str, otherwise: str) -> str:
    found = element.find(f"{W}{child}")
    return otherwise if found is None else found.get(f"{W}val", otherwise)


def number_of(element: Element, attribute: str, otherwise: int) -> int:
    text = element.get(f"{W}{attribute}", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else otherwise
