"""A markdown text as paragraphs, list items, table rows and headings, each with its place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

_HEADING = re.compile(r"#{1,6}\s")
_ITEM = re.compile(r"(?P<indent>\s*)(?:[-*+•]|\d{1,3}[.)])\s+")
_ROW = re.compile(r"\s*\|")
_RULE = re.compile(r"\s*\|?[\s:|-]+\|?\s*$")
_FENCE = re.compile(r"\s*(?:```|~~~)")


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Block:
    kind: BlockKind
    start: int
    text: str
    indent: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def blocks_in(text: str) -> list[Block]:
    """Without code: what stands between fences is nobody's sentence."""
    found: list[Block] = []
    is_open = False
    for start, line, kind in _lines(text):
        if is_open and kind is BlockKind.PARAGRAPH:
            last = found[-1]
            found[-1] = Block(last.kind, last.start, last.text + line, last.indent)
        elif kind is not None:
            found.append(Block(kind, start, line, _indent(line)))
        is_open = kind in (BlockKind.PARAGRAPH, BlockKind.ITEM)
    return found


def _lines(text: str) -> Iterator[tuple[int, str, BlockKind | None]]:
    start, is_fenced = 0, False
    for line in text.splitlines(keepends=True):
        is_fence = _FENCE.match(line) is not None
        yield start, line, None if is_fenced or is_fence else _kind(line)
        is_fenced ^= is_fence
        start += len(line)


def _kind(line: str) -> BlockKind | None:
    if not line.strip() or _RULE.match(line):
        return None
    if _HEADING.match(line):
        return BlockKind.HEADING
    if _ROW.match(line):
        return BlockKind.ROW
    return BlockKind.ITEM if _ITEM.match(line) else BlockKind.PARAGRAPH


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
