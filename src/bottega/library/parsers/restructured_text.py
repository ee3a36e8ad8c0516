"""reStructuredText, as text with directives: nothing in it is ever run, included or fetched.

The reference implementation stops at what Sphinx adds (roles, `toctree`, `glossary`), which is in
most real files. Here an unknown directive is simply the text that stands in it.
"""

import re
from collections.abc import Iterator
from itertools import count

from bottega.library.parsers.blocks import Block, BlockRole, Line, ParsedContent, gather, indent_of
from bottega.library.parsers.document import DocumentProblem, Link, Unit
from bottega.library.parsers.markdown import heading_anchor
from bottega.library.parsers.plain_text import TextLines

_DIRECTIVE = re.compile(r"\.\. (?:\|[^|]+\| )?([\w:.+-]+)::(?:\s+(.*))?$")
_TARGET = re.compile(r"\.\. _`?([^`:]{1,200})`?:(?:\s+(\S.*))?$")
_FOOTNOTE = re.compile(r"\.\. \[(#?[\w-]{0,40}|\*)\]\s*")
_OPTION = re.compile(r":[\w-]{1,40}:(?:\s|$)")
_SIMPLE_TABLE_RULE = re.compile(r"\s*=+(?: +=+)+\s*$")
_COLUMNS = re.compile(r"\s{2,}")
#: Would bring in other files or raw markup: left out, and told.
_REFUSED = frozenset({"include", "literalinclude", "raw"})
#: Say how to print, not what.
_PRINTING = frozenset({"highlight", "sectnum", "class", "tabularcolumns", "header", "footer"})
_INDEXING = frozenset({"toctree", "contents", "index", "meta", "target-notes", "currentmodule"})
_NAMING = frozenset({"replace", "unicode", "date", "role", "default-role"})
_SILENT = _PRINTING | _INDEXING | _NAMING | {"image"}
_LITERAL = frozenset({"parsed-literal", "productionlist", "doctest", "math"})
_CODE = _LITERAL | {"code", "code-block", "sourcecode"}


def read_restructured_text(text: str, first_line: int = 1) -> ParsedContent:
    reading = _RestructuredLines(text.split("\n"), first_line)
    blocks = gather(reading.lines())
    seen: dict[str, int] = {}
    footnotes = count(1)
    for block in blocks:
        clean_block(block, reading.targets, footnotes)
        if block.role is BlockRole.HEADING:
            block.anchors.append(heading_anchor(block.text, seen))
    return ParsedContent(blocks, Unit.LINE, problems=reading.problems)


class _RestructuredLines(TextLines):
    def __init__(self, raw: list[str], first_line: int) -> None:
        super().__init__(raw, first_line)
        self.targets: dict[str, str] = {}
        self.problems: list[DocumentProblem] = []
        self._anchors: list[str] = []
        #: `[#]` counts by itself.
        self._footnotes = count(1)
        self._in_options = False
        self._in_table = False
        #: How far in the text stands that a literal block belongs to, while within one.
        self._literal_below: int | None = None

    def _next(self, number: int, source: str) -> Line | None:
        line = self._explicit(number, source) if source.strip() else None
        if line is None:
            line = super()._next(number, source)
        if line is not None and line.role is not None and self._anchors:
            line.anchors = tuple(self._anchors)
            self._anchors = []
        return line

    def _explicit(self, number: int, source: str) -> Line | None:
        """What begins with two dots, options below it, a literal block, a simple table."""
        text = source.strip()
        if self._in_options and _OPTION.match(text):
            return self._used(Line(number, "", role=None))
        self._in_options = False
        if _SIMPLE_TABLE_RULE.match(source):
            self._in_table = bool(self._at(self._index + 1).strip())
            return self._used(Line(number, "", role=None))
        if self._in_table:
            return self._used(Line(number, " | ".join(_COLUMNS.split(text)), role=BlockRole.TABLE))
        if self._is_literal(source):
            return self._used(Line(number, source.rstrip(), indent_of(source), BlockRole.CODE))
        return self._with_dots(number, text, source) if text.startswith("..") else None

    def _with_dots(self, number: int, text: str, source: str) -> Line | None:
        if target := _TARGET.match(text):
            if target.group(2):
                self.targets[target.group(1).lower()] = target.group(2)
            else:
                self._anchors.append(target.group(1))
            return self._used(Line(number, "", role=None))
        if footnote := _FOOTNOTE.match(text):
            label = footnote.group(1).lstrip("#") or str(next(self._footnotes))
            said = f"[{label}] {text[footnote.end() :]}"
            return self._used(Line(number, said, role=BlockRole.FOOTNOTE))
        directive = _DIRECTIVE.match(text)
        if directive:
            return self._directive(number, source, directive.group(1), directive.group(2) or "")
        if text == ".." or text.startswith(".. "):  # a comment
            return self._skipped(number, source)
        return None

    def _directive(self, number: int, source: str, name: str, argument: str) -> Line | None:
        if name in _REFUSED:
            message = f"`{name}` is never followed: {argument[:100]} was left out"
            self.problems.append(DocumentProblem(message, number))
        if name in _REFUSED or name in _SILENT:
            return self._skipped(number, source)
        self._in_options = True
        if name in _CODE:
            self._literal_below = indent_of(source)
            return self._used(Line(number, "", role=None))
        return self._used(Line(number, argument, role=BlockRole.TEXT if argument else None))

    def _skipped(self, number: int, source: str) -> Line:
        outside = indent_of(source)
        self._index += 1
        while self._index < len(self._raw):
            following = self._raw[self._index]
            if following.strip() and indent_of(following) <= outside:
                break
            self._index += 1
        return Line(number, "", role=None)

    def _is_literal(self, source: str) -> bool:
        if self._previous.role is None and self._said.text.endswith("::"):
            self._literal_below = self._said.indent
        if self._literal_below is not None and indent_of(source) <= self._literal_below:
            self._literal_below = None
        return self._literal_below is not None

    def _used(self, line: Line) -> Line:
        self._index += 1
        return line


_MARKED = re.compile(r"[*`_|\\]|::$")
_LITERAL_MARK = re.compile(r"``([^`]+)``")
_ROLE = re.compile(r"(?::[\w.+-]+)?:([\w.+-]+):`~?!?([^`<>]{0,500}?)(?:\s?<([^`<>]{1,500})>)?`")
_EMBEDDED = re.compile(r"`([^`<>]{0,500}?)\s?<([^`<>]{1,500})>`__?")
_PHRASE = re.compile(r"`([^`<>]+)`__?(?!\w)")
_INTERPRETED = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"(?<![\w`])([A-Za-z][\w.-]*[A-Za-z0-9])_(?![\w`])")
_FOOTNOTE_MARK = re.compile(r"\[(#?[\w-]*|\*)\]_(?!\w)")
_STRONG = re.compile(r"\*\*(?=\S)([^*]+)(?<=\S)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+)(?<=\S)\*(?![\w*])")
_ESCAPED = re.compile(r"\\(\S)")
#: Roles that lead somewhere, and the sign that their targets begin with.
_LEADING = {"ref": "#", "numref": "#", "doc": "", "download": ""}


def clean_block(block: Block, targets: dict[str, str], footnotes: Iterator[int]) -> None:
    if block.role is BlockRole.CODE or not _MARKED.search(block.text):
        return
    literals: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        literals.append(f"`{found.group(1)}`")
        return f"\0{len(literals) - 1}\0"

    def leading(text: str, target: str) -> str:
        block.links.append(Link(text, target))
        return text

    def role(found: re.Match[str]) -> str:
        name, text, target = found.groups()
        sign = _LEADING.get(name)
        return text if sign is None else leading(text or target, sign + (target or text))

    def named(found: re.Match[str]) -> str:
        text = found.group(1)
        return leading(text, targets.get(text.lower()) or f"#{text}")

    def footnote(found: re.Match[str]) -> str:
        return f"[{found.group(1).lstrip('#') or next(footnotes)}]"

    # Literals keep their signs; NUL cannot stand in a decoded text.
    text = _LITERAL_MARK.sub(put_aside, block.text)
    text = _ROLE.sub(role, text)
    text = _EMBEDDED.sub(
        lambda found: leading(found.group(1) or found.group(2), found.group(2)), text
    )
    text = _PHRASE.sub(named, text)
    text = _FOOTNOTE_MARK.sub(footnote, text)
    text = _NAME.sub(named, text)
    text = _INTERPRETED.sub(r"\1", text)
    text = _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", text))
    text = _ESCAPED.sub(r"\1", text)
    text = re.sub(r"\0(\d+)\0", lambda found: literals[int(found.group(1))], text)
    block.text = f"{text[:-2].rstrip()}:" if text.endswith("::") else text
    if block.term:
        block.term = block.text.split("\n", 1)[0]
