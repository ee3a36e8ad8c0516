"""Paragraph styles of a Word document: which are headings, and which are numbered."""

import re
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from bottega.library.reading.word_numbering import W, number_of

#: Styles build on each other; a circle of them must end.
_MOST_STEPS = 20
_HEADING = re.compile(r"heading ([1-9])$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Style:
    #: Of a heading, 1 and up.
    level: int = 0
    is_title: bool = False
    #: The list that numbers it, and how deep in it.
    number_id: str = ""
    depth: int = 0


class Styles:
    def __init__(self, tree: Element | None) -> None:
        elements = () if tree is None else tree.iter(f"{W}style")
        self._elements = {element.get(f"{W}styleId", ""): element for element in elements}
        self._resolved: dict[str, Style] = {}

    def of(self, properties: Element | None) -> Style:
        """The style of a paragraph, with what the paragraph itself says on top."""
        if properties is None:
            return Style()
        named = properties.find(f"{W}pStyle")
        style = Style() if named is None else self._named(named.get(f"{W}val", ""))
        return _with(style, properties)

    def _named(self, style_id: str) -> Style:
        if style_id not in self._resolved:
            chain: list[Element] = []
            element = self._elements.get(style_id)
            while element is not None and len(chain) < _MOST_STEPS:
                chain.append(element)
                base = element.find(f"{W}basedOn")
                element = None if base is None else self._elements.get(base.get(f"{W}val", ""))
            style = Style()
            for element in reversed(chain):
                style = _with(_by_name(style, element), element.find(f"{W}pPr"))
            self._resolved[style_id] = style
        return self._resolved[style_id]


def _by_name(style: Style, element: Element) -> Style:
    name = element.find(f"{W}name")
    said = "" if name is None else name.get(f"{W}val", "")
    if said.lower() == "title":
        return replace(style, level=1, is_title=True)
    found = _HEADING.match(said)
    return replace(style, level=int(found.group(1))) if found else style


def _with(style: Style, properties: Element | None) -> Style:
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
