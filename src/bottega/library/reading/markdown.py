"""Markdown, read line by line, with the numbers that standards use and CommonMark does not know.

To CommonMark `(a)` and `A23.` are plain words and an indented `(a)` may be code; to a reader of a
standard they are paragraphs. So the lines decide here, as they do for plain text.
"""

import re
from collections.abc import Iterator

from bottega.library.reading.blocks import Content, Role
from bottega.library.reading.document import Unit
from bottega.library.reading.inline_markdown import LinkTargets, clean_block, heading_anchor
from bottega.library.reading.lines import BULLET, Line, gather, plain_line

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_QUOTE = re.compile(r"^(?: {0,3}>[ \t]?)+")
_FOOTNOTE = re.compile(r" {0,3}\[\^([^\]\s]{1,40})\]:[ \t]*")
_LINK_TARGET = re.compile(
    r" {0,3}\[([^\]^][^\]]{0,200})\]:[ \t]*<?([^\s<>]+)>?[ \t]*(?:[\"'(].*)?$"
)
_STRONG_NUMBER = re.compile(r"(\*\*|__)((?:[A-Z][a-z]+ |§ ?)?[\w.()§\\]{1,16})\1(?=\s|$)")
_DEFINITION = re.compile(r" {0,3}:[ \t]+(?=\S)")
_CODE_INDENT = 4


def read_markdown(text: str, first_line: int = 1) -> Content:
    reading = _Reading(text.split("\n"), first_line)
    blocks = gather(reading.lines())
    seen: dict[str, int] = {}
    for block in blocks:
        clean_block(block, reading.targets)
        if block.role is Role.HEADING:
            block.anchors.append(heading_anchor(block.text, seen))
    return Content(blocks, Unit.LINE)


class _Reading:
    def __init__(self, raw: list[str], first_line: int) -> None:
        self._raw = raw
        self._first_line = first_line
        self._index = 0
        self._fence = ""
        self._in_list = False
        self._in_table = False
        self._previous = Line(0, "", role=None)
        self.targets: LinkTargets = {}

    def lines(self) -> Iterator[Line]:
        while self._index < len(self._raw):
            line = self._next()
            if line is not None:
                self._previous = line
                yield line

    def _next(self) -> Line | None:
        number = self._first_line + self._index
        source, following = self._raw[self._index], ""
        self._index += 1
        if self._index < len(self._raw):
            following = self._raw[self._index]
        if self._is_fenced(source):
            return Line(number, source.rstrip(), role=Role.CODE)
        if target := _LINK_TARGET.match(source):
            self.targets.setdefault(target.group(1).lower(), target.group(2))
            return None
        source = _QUOTE.sub("", source)
        self._in_table = "|" in source and (self._in_table or _is_table_rule(following))
        if self._in_table:
            return None if _is_table_rule(source) else _row(number, source)
        return self._heading(number, source, following) or self._running(number, source)

    def _is_fenced(self, source: str) -> bool:
        found = _FENCE.match(source)
        if not self._fence:
            self._fence = found.group(1) if found else ""
            return bool(found)
        if found and found.group(1).startswith(self._fence) and not source.strip(" \t`~"):
            self._fence = ""
        return True

    def _heading(self, number: int, source: str, following: str) -> Line | None:
        found = _HEADING.match(source)
        if found:
            title = _without_closing_hashes((found.group(2) or "").strip())
            self._in_list = False
            level = len(found.group(1))
            return Line(number, title, role=Role.HEADING if title else None, level=level)
        underline = _UNDERLINE.match(following)
        if underline and self._after_break() and source.strip() and not BULLET.match(source):
            self._index += 1
            level = 1 if "=" in underline.group(1) else 2
            return Line(number, source.strip(), role=Role.HEADING, level=level)
        if _RULE.match(source) or _UNDERLINE.match(source):
            return Line(number, "", role=None)
        return None

    def _running(self, number: int, source: str) -> Line:
        footnote = _FOOTNOTE.match(source)
        if footnote:
            text = f"[{footnote.group(1)}] {source[footnote.end() :].strip()}"
            return Line(number, text, role=Role.FOOTNOTE)
        definition = _DEFINITION.match(source)
        if definition and self._previous.role is Role.TEXT:
            self._previous.term = self._previous.text
            return Line(number, source[definition.end() :].strip())
        line = plain_line(number, _without_strong_number(source))
        if line.role in (Role.ITEM, Role.BULLET):
            self._in_list = True
        elif line.role is Role.TEXT and line.indent == 0:
            self._in_list = False
        elif line.role is Role.TEXT and self._is_code(line):
            return Line(number, source.rstrip(), role=Role.CODE)
        return line

    def _is_code(self, line: Line) -> bool:
        return line.indent >= _CODE_INDENT and self._after_break() and not self._in_list

    def _after_break(self) -> bool:
        return self._previous.role in (None, Role.HEADING, Role.CODE, Role.TABLE)


def _without_closing_hashes(title: str) -> str:
    """`Foo ##` is shown as `Foo`; the `#` of `C#` belongs to the name."""
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else title


def _is_table_rule(source: str) -> bool:
    return "-" in source and not source.strip(" \t|:-")


def _row(number: int, source: str) -> Line:
    cells = (cell.strip() for cell in source.strip().strip("|").split("|"))
    return Line(number, " | ".join(cells), role=Role.TABLE)


def _without_strong_number(source: str) -> str:
    """`**12.** The operator …`: the number is a number, however it is printed."""
    text = source.lstrip()
    if not text.startswith(("**", "__")):
        return source
    return source[: len(source) - len(text)] + _STRONG_NUMBER.sub(r"\2", text, count=1)
