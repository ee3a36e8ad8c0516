"""Lines into blocks: what markdown, plain text, reStructuredText and the text of a PDF share.

Each of those says what every line is; this puts together the lines that belong together. A line
belongs to exactly one block, so nothing is lost and nothing is read twice.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bottega.library.reading.blocks import Block, Role
from bottega.library.reading.markers import Style, find_marker

BULLET = re.compile(r"[-*+•◦▪‣·](?:\s+|$)")
_TAB = 4
_LONGEST_TERM = 60
_RUNNING = frozenset({Role.TEXT, Role.ITEM, Role.BULLET, Role.FOOTNOTE})
#: A wrapped line may begin with a number too; a new item follows the end of something.
_ENDED = re.compile(r"[.;:!?…”\"’)\]—–][*_`]*$|\b(?:and|or|und|oder|et|ou)$")
_ENDED_IN_LIST = re.compile(r",$")


@dataclass(slots=True)
class Line:
    number: int
    text: str
    indent: int = 0
    #: `None` is a blank line.
    role: Role | None = Role.TEXT
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
        return Line(number, said, indent_of(raw), Role.BULLET)
    role = Role.ITEM if find_marker(text) else Role.TEXT
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
    if line.role is Role.TEXT:
        return role in _RUNNING
    if line.role is Role.ITEM:
        return role in _RUNNING and not _begins_item(group, line)
    return line.role in (Role.CODE, Role.TABLE) and role is line.role


def _begins_item(group: Sequence[Line], line: Line) -> bool:
    previous = group[-1].text
    if _ENDED.search(previous):
        return True
    marker = find_marker(line.text)
    nested = marker is not None and marker.style is Style.NESTED
    return nested and (group[0].role is Role.ITEM or bool(_ENDED_IN_LIST.search(previous)))


def _block(group: Sequence[Line]) -> Block:
    first = group[0]
    assert first.role is not None
    block = Block(first.role, "", first.number, first.level, first.indent, term=first.term)
    block.anchors = [anchor for line in group for anchor in line.anchors]
    if first.role in (Role.CODE, Role.TABLE):
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
        first.role is Role.TEXT
        and len(group) > 1
        and len(first.text) <= _LONGEST_TERM
        and all(line.indent > first.indent for line in group[1:])
    )
