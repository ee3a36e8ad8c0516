"""The little Markdown that OpenSpec means something by: lines, fences, headings.

The `openspec` CLI reads its files line by line with rules of its own, not as CommonMark, and what
it accepts is what counts. So this follows the CLI: a fence may be indented, and one that is never
closed runs to the end of the file. Patterns are kept linear: files come from anywhere.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

BOM = "\ufeff"

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)")


def lines_of(text: str) -> list[str]:
    """The lines without their ends, whichever ends the file uses."""
    return text.removeprefix(BOM).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def fence_mask(lines: Sequence[str]) -> list[bool]:
    """For each line whether it is code: part of a fenced block, the fences included."""
    return _fences(lines)[0]


def closed_fence_mask(lines: Sequence[str]) -> tuple[list[bool], int | None]:
    """The same, but a fence that nobody closed hides nothing; and the index where one opens."""
    mask, opened = _fences(lines)
    if opened is None:
        return mask, None
    return mask[:opened] + [False] * (len(lines) - opened), opened


def _fences(lines: Sequence[str]) -> tuple[list[bool], int | None]:
    mask = [False] * len(lines)
    fence, opened = "", None
    for index, line in enumerate(lines):
        found = _FENCE.match(line)
        mask[index] = bool(fence or found)
        if not fence and found:
            fence, opened = found.group(1), index
        elif found and line.strip() == found.group(1) and found.group(1).startswith(fence):
            fence, opened = "", None
    return mask, opened


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    title: str
    #: Index of the heading's own line, and of the first line that is no longer below it.
    start: int
    end: int


def headings(lines: Sequence[str]) -> list[Heading]:
    """Every heading with what stands below it, down to the next of its level or higher."""
    mask = fence_mask(lines)
    found = [
        (len(match.group(1)), match.group(2).strip(), index)
        for index, line in enumerate(lines)
        if not mask[index] and (match := _HEADING.match(line))
    ]
    ends = [len(lines)] * len(found)
    open_ones: list[int] = []
    for position, (level, _, index) in enumerate(found):
        while open_ones and found[open_ones[-1]][0] >= level:
            ends[open_ones.pop()] = index
        open_ones.append(position)
    return [
        Heading(level, title, index, end)
        for (level, title, index), end in zip(found, ends, strict=True)
    ]


def section(lines: Sequence[str], title: str) -> str:
    """The text of the first section of that name, at any level; empty if there is none."""
    for heading in headings(lines):
        if heading.title.lower() == title.lower():
            return "\n".join(lines[heading.start + 1 : heading.end]).strip()
    return ""


def without_closing_hashes(title: str) -> str:
    """`Foo ###` is shown as `Foo`; the `#` of `C#` belongs to the name."""
    bare = title.rstrip(" \t")
    name = bare.rstrip("#")
    return name.strip() if name != bare and name.endswith((" ", "\t")) else bare.strip()


def outside_code(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines that are no code, with their index."""
    mask = fence_mask(lines)
    return ((index, line) for index, line in enumerate(lines) if not mask[index])
