"""Markdown, read line by line, with the numbers that standards use and CommonMark does not know.

To CommonMark `(a)` and `A23.` are plain words and an indented `(a)` may be code; to a reader of a
standard they are paragraphs. So the lines decide here, as they do for plain text.
"""

import re
import unicodedata
from collections.abc import Iterator

from bottega.library.parsers.blocks import (
    BULLET,
    Block,
    BlockRole,
    Line,
    ParsedContent,
    gather,
    plain_line,
)
from bottega.library.parsers.document import Link, Unit

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


def read_markdown(text: str, first_line: int = 1) -> ParsedContent:
    reading = _MarkdownLines(text.split("\n"), first_line)
    blocks = gather(reading.lines())
    seen: dict[str, int] = {}
    for block in blocks:
        clean_block(block, reading.targets)
        if block.role is BlockRole.HEADING:
            block.anchors.append(heading_anchor(block.text, seen))
    return ParsedContent(blocks, Unit.LINE)


class _MarkdownLines:
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
            return Line(number, source.rstrip(), role=BlockRole.CODE)
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
            return Line(number, title, role=BlockRole.HEADING if title else None, level=level)
        underline = _UNDERLINE.match(following)
        if underline and self._after_break() and source.strip() and not BULLET.match(source):
            self._index += 1
            level = 1 if "=" in underline.group(1) else 2
            return Line(number, source.strip(), role=BlockRole.HEADING, level=level)
        if _RULE.match(source) or _UNDERLINE.match(source):
            return Line(number, "", role=None)
        return None

    def _running(self, number: int, source: str) -> Line:
        footnote = _FOOTNOTE.match(source)
        if footnote:
            text = f"[{footnote.group(1)}] {source[footnote.end() :].strip()}"
            return Line(number, text, role=BlockRole.FOOTNOTE)
        definition = _DEFINITION.match(source)
        if definition and self._previous.role is BlockRole.TEXT:
            self._previous.term = self._previous.text
            return Line(number, source[definition.end() :].strip())
        line = plain_line(number, _without_strong_number(source))
        if line.role in (BlockRole.ITEM, BlockRole.BULLET):
            self._in_list = True
        elif line.role is BlockRole.TEXT and line.indent == 0:
            self._in_list = False
        elif line.role is BlockRole.TEXT and self._is_code(line):
            return Line(number, source.rstrip(), role=BlockRole.CODE)
        return line

    def _is_code(self, line: Line) -> bool:
        return line.indent >= _CODE_INDENT and self._after_break() and not self._in_list

    def _after_break(self) -> bool:
        return self._previous.role in (None, BlockRole.HEADING, BlockRole.CODE, BlockRole.TABLE)


def _without_closing_hashes(title: str) -> str:
    """`Foo ##` is shown as `Foo`; the `#` of `C#` belongs to the name."""
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else title


def _is_table_rule(source: str) -> bool:
    return "-" in source and not source.strip(" \t|:-")


def _row(number: int, source: str) -> Line:
    cells = (cell.strip() for cell in source.strip().strip("|").split("|"))
    return Line(number, " | ".join(cells), role=BlockRole.TABLE)


def _without_strong_number(source: str) -> str:
    """`**12.** The operator …`: the number is a number, however it is printed."""
    text = source.lstrip()
    if not text.startswith(("**", "__")):
        return source
    return source[: len(source) - len(text)] + _STRONG_NUMBER.sub(r"\2", text, count=1)


LinkTargets = dict[str, str]

_MARKED = re.compile(r"[*_`\[\\<{]")
_CODE = re.compile(r"`[^`]+`")
_LINK = re.compile(
    r"!?\[([^\[\]]{0,1000})\]\(\s*<?([^\s()<>]{0,2000}(?:\([^\s()]{0,200}\))?)>?"
    r"(?:\s+(?:\"[^\"]{0,500}\"|'[^']{0,500}'))?\s*\)"
)
_BY_NAME = re.compile(r"!?\[([^\[\]]{1,500})\](?:\[([^\[\]]{0,200})\])?")
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^\s<>]{1,2000})>")
_ANCHOR = re.compile(
    r"<(?:a|span)\s+(?:id|name)=[\"']([^\"'<>]{1,200})[\"']\s*/?>(?:</(?:a|span)>)?"
)
_HEADING_ID = re.compile(r"\s*\{#([\w:.-]{1,200})\}$")
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^*_]+|(?:(?!\1).){1,2000})(?<=\S)\1", re.DOTALL)
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+)(?<=\S)\*(?![\w*])")
_UNDERSCORED = re.compile(r"(?<!\w)_(?=[^\s_])([^_]+)(?<=\S)_(?!\w)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def clean_block(block: Block, targets: LinkTargets) -> None:
    """Take off the marks within lines: words stay, links and anchors are kept apart."""
    if block.role is BlockRole.CODE or not _MARKED.search(block.text):
        return
    if block.role is BlockRole.HEADING and (named := _HEADING_ID.search(block.text)):
        block.anchors.append(named.group(1))
        block.text = block.text[: named.start()]
    if "[" in block.text or "<" in block.text:
        _take_links(block, targets)
    block.text = _without_marks(block.text)
    block.term = _without_marks(block.term)


def _take_links(block: Block, targets: LinkTargets) -> None:
    def inline(found: re.Match[str]) -> str:
        return _kept(found.group(1), found.group(2))

    def by_name(found: re.Match[str]) -> str:
        target = targets.get((found.group(2) or found.group(1)).lower())
        return found.group() if target is None else _kept(found.group(1), target)

    def address(found: re.Match[str]) -> str:
        return _kept(found.group(1), found.group(1))

    def _kept(text: str, target: str) -> str:
        if target:
            block.links.append(Link(text, target))
        return text

    def anchor(found: re.Match[str]) -> str:
        block.anchors.append(found.group(1))
        return ""

    text = _ANCHOR.sub(anchor, block.text)
    text = _LINK.sub(inline, text)
    if targets:
        text = _BY_NAME.sub(by_name, text)
    block.text = _AUTOLINK.sub(address, text).strip()


def _without_marks(text: str) -> str:
    if not _MARKED.search(text):
        return text
    codes: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        codes.append(found.group())
        return f"\0{len(codes) - 1}\0"

    # Code keeps its stars and underscores; NUL cannot stand in a decoded text.
    text = _CODE.sub(put_aside, text)
    text = _STRONG.sub(r"\2", text)
    text = _EMPHASIS.sub(r"\1", text)
    text = _UNDERSCORED.sub(r"\1", text)
    text = _ESCAPED.sub(r"\1", text)
    return re.sub(r"\0(\d+)\0", lambda found: codes[int(found.group(1))], text)


def heading_anchor(title: str, seen: dict[str, int]) -> str:
    """The anchor that GitHub and most renderers give a heading; repeated ones are counted."""
    words = unicodedata.normalize("NFC", title).lower()
    slug = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
    count = seen.get(slug, 0)
    seen[slug] = count + 1
    return f"{slug}-{count}" if count else slug
