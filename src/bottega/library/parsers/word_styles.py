"""Paragraph styles of a Word document: which are headings, which are numbered, and how."""

import re
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from bottega.library.parsers.markers import printed_number

#: Styles build on each other; a circle of them must end.
_MOST_STEPS = 20
_HEADING = re.compile(r"heading ([1-9])$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WordStyle:
    #: Of a heading, 1 and up.
    level: int = 0
    is_title: bool = False
    #: The list that numbers it, and how deep in it.
    number_id: str = ""
    depth: int = 0


class WordStyles:
    def __init__(self, tree: Element | None) -> None:
        elements = () if tree is None else tree.iter(f"{W}style")
        self._elements = {element.get(f"{W}styleId", ""): element for element in elements}
        self._resolved: dict[str, WordStyle] = {}

    def of(self, properties: Element | None) -> WordStyle:
        """The style of a paragraph, with what the paragraph itself says on top."""
        if properties is None:
            return WordStyle()
        named = properties.find(f"{W}pStyle")
        style = WordStyle() if named is None else self._named(named.get(f"{W}val", ""))
        return _with(style, properties)

    def _named(self, style_id: str) -> WordStyle:
        if style_id not in self._resolved:
            chain: list[Element] = []
            element = self._elements.get(style_id)
            while element is not None and len(chain) < _MOST_STEPS:
                chain.append(element)
                base = element.find(f"{W}basedOn")
                element = None if base is None else self._elements.get(base.get(f"{W}val", ""))
            style = WordStyle()
            for element in reversed(chain):
                style = _with(_by_name(style, element), element.find(f"{W}pPr"))
            self._resolved[style_id] = style
        return self._resolved[style_id]


def _by_name(style: WordStyle, element: Element) -> WordStyle:
    name = element.find(f"{W}name")
    said = "" if name is None else name.get(f"{W}val", "")
    if said.lower() == "title":
        return replace(style, level=1, is_title=True)
    found = _HEADING.match(said)
    return replace(style, level=int(found.group(1))) if found else style


def _with(style: WordStyle, properties: Element | None) -> WordStyle:
    if properties is None:
        return style
    outline = properties.find(f"{W}outlineLvl")
    if outline is not None:
        level = number_of(outline, "val", 9)
        style = replace(style, level=level + 1 if level < 9 else 0)
    numbers = properties.find(f"{W}numPr")
    if numbers is not None:
        number_id, depth = numbers.find(f"{W}numId"), numbers.find(f"{W}ilvl")
        if number_id is not None:
            said = number_id.get(f"{W}val", "")
            style = replace(style, number_id="" if said == "0" else said)
        if depth is not None:
            style = replace(style, depth=number_of(depth, "val", 0))
    return style


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
    """The numbers that Word prints and no text holds, counted as Word counts them."""

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
