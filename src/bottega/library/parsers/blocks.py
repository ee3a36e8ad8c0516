"""Blocks: the one shape that every format is turned into before anything is numbered.

Markdown, plain text, reStructuredText and PDF say what every line is; `gather` puts together the
lines that belong together. A line belongs to exactly one block, so nothing is lost or read twice.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from bottega.library.parsers.document import DocumentProblem, Link, Unit
from bottega.library.parsers.markers import MarkerStyle, find_marker


class BlockRole(StrEnum):
    HEADING = "heading"
    TEXT = "text"
    #: Begins with a number or a letter: `12.`, `(a)`.
    ITEM = "item"
    BULLET = "bullet"
    CODE = "code"
    TABLE = "table"
    FOOTNOTE = "footnote"


@dataclass(slots=True)
class Block:
    role: BlockRole
    #: With its number; a bullet with its dash.
    text: str
    start: int
    #: Of a heading, 1 and up.
    level: int = 0
    #: How far in it stands: columns, or depth of lists.
    indent: int = 0
    links: list[Link] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    #: What it defines, where the markup says so.
    term: str = ""
    #: Of an item: its number is only its place in a list, and nobody wrote it.
    is_counted: bool = False


@dataclass(slots=True)
class ParsedContent:
    """A file as blocks, with what it says about itself."""

    blocks: list[Block]
    unit: Unit
    title: str = ""
    language: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    problems: list[DocumentProblem] = field(default_factory=list)


BULLET = re.compile(r"[-*+•◦▪‣·](?:\s+|$)")
_TAB = 4
_LONGEST_TERM = 60
_RUNNING = frozenset({BlockRole.TEXT, BlockRole.ITEM, BlockRole.BULLET, BlockRole.FOOTNOTE})
#: A wrapped line may begin with a number too; a new item follows the end of something.
_ENDED = re.compile(r"[.;:!?…”\"’)\]—–][*_`]*$|\b(?:and|or|und|oder|et|ou)$")
_ENDED_IN_LIST = re.compile(r",$")


@dataclass(slots=True)
class Line:
    number: int
    text: str
    indent: int = 0
    #: `None` is a blank line.
    role: BlockRole | None = BlockRole.TEXT
    level: int = 0
    #: What the line defines, where the markup says so.
    term: str = ""
    anchors: tuple[str, ...] = ()


def plain_line(number: int, raw: str) -> Line:
    """A line of running text, as what it looks like: blank, a bullet, a numbered item, text."""
    text = raw.strip()
    if not text:
        return Line(number, "", role=None)
    bullet = BULLET.match(text)
    if bullet:
        said = f"- {text[bullet.end() :]}".rstrip()
        return Line(number, said, indent_of(raw), BlockRole.BULLET)
    role = BlockRole.ITEM if find_marker(text) else BlockRole.TEXT
    return Line(number, text, indent_of(raw), role)


def indent_of(raw: str) -> int:
    spaces = raw[: len(raw) - len(raw.lstrip())]
    return len(spaces.expandtabs(_TAB)) if "\t" in spaces else len(spaces)


def gather(lines: Iterable[Line]) -> list[Block]:
    blocks: list[Block] = []
    group: list[Line] = []
    for line in lines:
        if group and (line.role is None or not _continues(group, line)):
            blocks.append(_block(group))
            group = []
        if line.role is not None:
            group.append(line)
    if group:
        blocks.append(_block(group))
    return blocks


def _continues(group: Sequence[Line], line: Line) -> bool:
    role = group[0].role
    if line.term:
        return False
    if line.role is BlockRole.TEXT:
        return role in _RUNNING
    if line.role is BlockRole.ITEM:
        return role in _RUNNING and not _begins_item(group, line)
    return line.role in (BlockRole.CODE, BlockRole.TABLE) and role is line.role


def _begins_item(group: Sequence[Line], line: Line) -> bool:
    previous = group[-1].text
    if _ENDED.search(previous):
        return True
    marker = find_marker(line.text)
    nested = marker is not None and marker.style is MarkerStyle.NESTED
    return nested and (group[0].role is BlockRole.ITEM or bool(_ENDED_IN_LIST.search(previous)))


def _block(group: Sequence[Line]) -> Block:
    first = group[0]
    assert first.role is not None
    block = Block(first.role, "", first.number, first.level, first.indent, term=first.term)
    block.anchors = [anchor for line in group for anchor in line.anchors]
    if first.role in (BlockRole.CODE, BlockRole.TABLE):
        block.text = "\n".join(line.text for line in group)
    elif block.term or _is_definition(group):
        block.term = block.term or first.text
        block.text = f"{first.text}\n{_joined(group[1:])}"
    else:
        block.text = _joined(group)
    return block


def _joined(lines: Sequence[Line]) -> str:
    return " ".join(" ".join(line.text for line in lines).split())


def _is_definition(group: Sequence[Line]) -> bool:
    """By its shape: a short line with an indented text below it."""
    first = group[0]
    return (
        first.role is BlockRole.TEXT
        and len(group) > 1
        and len(first.text) <= _LONGEST_TERM
        and all(line.indent > first.indent for line in group[1:])
    )
