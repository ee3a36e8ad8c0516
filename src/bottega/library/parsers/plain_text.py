"""Plain text: headings by underline, by number or by capitals; indented blocks after a colon."""

import re
from collections.abc import Iterator, Sequence

from bottega.library.parsers.blocks import (
    BULLET,
    BlockRole,
    Line,
    ParsedContent,
    gather,
    plain_line,
)
from bottega.library.parsers.document import Unit
from bottega.library.parsers.markers import MarkerStyle, find_marker

_ADORNMENT = re.compile(r"([=\-~^*#+_`'\"<>:.])\1{2,}\s*$")
_GRID_RULE = re.compile(r"\s*\+(?:[-=]+\+)+\s*$")
_FOOTNOTE = re.compile(r"\[(\d{1,4}|[A-Za-z]{1,3})\]\s+(?=\S)")
_LONGEST_HEADING = 100
_FEWEST_CAPITALS = 4
_CODE_INDENT = 3


def read_plain_text(text: str, first_line: int = 1) -> ParsedContent:
    return ParsedContent(gather(TextLines(text.split("\n"), first_line).lines()), Unit.LINE)


class TextLines:
    """The lines of a plain text, each as what it is; reStructuredText says more about some."""

    def __init__(self, raw: Sequence[str], first_line: int) -> None:
        self._raw = raw
        self._first_line = first_line
        self._index = 0
        #: Underlines in the order of their first use: the first is the highest level.
        self._adornments: list[str] = []
        self._previous = Line(0, "", role=None)
        #: The last line that was not blank.
        self._said = self._previous

    def lines(self) -> Iterator[Line]:
        while self._index < len(self._raw):
            line = self._next(self._first_line + self._index, self._raw[self._index])
            if line is not None:
                self._previous = line
                if line.role is not None:
                    self._said = line
                yield line

    def _next(self, number: int, source: str) -> Line | None:
        if source.strip() and self._previous.role in (None, BlockRole.HEADING):
            heading = self._adorned(number) or self._by_look(number, source)
            if heading is not None:
                return heading
        self._index += 1
        return self._running(number, source)

    def _adorned(self, number: int) -> Line | None:
        """A title with a line of signs below it, or above and below."""
        first, second, third = (self._at(self._index + step) for step in range(3))
        over, under = _ADORNMENT.match(first), _ADORNMENT.match(second)
        if over and second.strip() and not under and third.rstrip() == first.rstrip():
            title, key, used = second.strip(), over.group(1) * 2, 3
        elif under and not over and first[:1].strip() and len(first) <= 2 * len(second.strip()):
            title, key, used = first.strip(), under.group(1), 2
        else:
            return None
        if BULLET.match(title):
            return None
        if key not in self._adornments:
            self._adornments.append(key)
        self._index += used
        return Line(number, title, role=BlockRole.HEADING, level=self._adornments.index(key) + 1)

    def _by_look(self, number: int, source: str) -> Line | None:
        """A short line that stands alone and is numbered as a section, or all in capitals."""
        level, title = look_of_heading(source), source.strip()
        following, after = self._at(self._index + 1), self._at(self._index + 2)
        if not level:
            return None
        if following.strip():
            # "Article 7", and its title on a line of its own.
            marker = find_marker(title, heading=True)
            is_titled = not after.strip() and _is_title(following.strip())
            if marker is None or marker.rest or not is_titled:
                return None
            title = f"{title} {following.strip()}"
            self._index += 1
        self._index += 1
        return Line(number, title, role=BlockRole.HEADING, level=level)

    def _running(self, number: int, source: str) -> Line | None:
        line = plain_line(number, source)
        if _GRID_RULE.match(source):
            return (
                Line(number, "", role=None) if self._previous.role is not BlockRole.TABLE else None
            )
        if line.text.startswith("|") and line.text.endswith("|") and len(line.text) > 1:
            cells = " | ".join(cell.strip() for cell in line.text.strip("|").split("|"))
            return Line(number, cells, line.indent, BlockRole.TABLE)
        if line.role is not BlockRole.TEXT:
            return line
        if (found := _FOOTNOTE.match(line.text)) and self._previous.role in (
            None,
            BlockRole.FOOTNOTE,
        ):
            text = f"[{found.group(1)}] {line.text[found.end() :]}"
            return Line(number, text, line.indent, BlockRole.FOOTNOTE)
        if self._is_example(line):
            return Line(number, source.rstrip(), line.indent, BlockRole.CODE)
        return line

    def _is_example(self, line: Line) -> bool:
        if line.indent < _CODE_INDENT or line.indent <= self._said.indent - _CODE_INDENT:
            return False
        introduced = self._previous.role is None and self._said.text.endswith(":")
        return self._said.role is BlockRole.CODE or (introduced and line.indent > self._said.indent)

    def _at(self, index: int) -> str:
        return self._raw[index] if index < len(self._raw) else ""


def look_of_heading(source: str) -> int:
    """The level of a line that looks like a heading by its number or its capitals, or 0."""
    text = source.strip()
    if not _is_title(text):
        return 0
    marker = find_marker(text, heading=True)
    said = text if marker is None else marker.rest
    if said.isupper() and sum(map(str.isalpha, said)) >= _FEWEST_CAPITALS:
        return 1 if marker is None else 1 + marker.value.count(".")
    if marker is None:
        return 0
    if marker.style is MarkerStyle.DOTTED:
        return 1 + marker.value.count(".") if said[:1].isupper() else 0
    if marker.style in (MarkerStyle.NAMED, MarkerStyle.LABELLED) and (
        not said or not said[0].islower()
    ):
        return 1
    return 0


def _is_title(text: str) -> bool:
    return len(text) <= _LONGEST_HEADING and not text.endswith((".", ";", ":", ",", "?", "!"))
