"""Unified diffs between a saved file and its buffer, as `git apply` and `patch` accept them.

Computed here with `difflib`, without a shell (FR-032). Its cost can grow with the square of the
changed part and worse, so equal lines at both ends are set aside first, and where what remains
between them is still large, the diff shows it as one replaced block: longer, but as correct.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

#: Up to this many pairs of lines `difflib` is asked; 1,000 against 1,000.
MAX_COMPARISONS = 1_000_000

_CONTEXT = 3
_NO_NEWLINE = "\\ No newline at end of file\n"

#: tag, start and end in the old lines, start and end in the new ones; `difflib`'s own shape.
Opcode = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]
Hunk = list[tuple[str, int, int, int, int]]


def unified_diff(path: str, saved: str | None, buffer: str) -> str:
    """FR-031: what the buffer changes; empty if nothing. `saved` is None for a file that is not on
    disk, or no longer (EC-13)."""
    if (saved or "") == buffer:
        return ""
    old, new = _lines(saved or ""), _lines(buffer)
    before = "/dev/null" if saved is None else _header_name(f"a/{path}")
    diff = [f"--- {before}\n", f"+++ {_header_name(f'b/{path}')}\n"]
    for hunk in _hunks(old, new):
        diff += _render(hunk, old, new)
    return "".join(diff)


def _lines(text: str) -> list[str]:
    """Split at line feeds alone: a form feed or a lone carriage return is part of its line."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _hunks(old: list[str], new: list[str]) -> Iterator[Hunk]:
    """The changes with the lines around them, as `difflib` groups them."""
    head, tail = _equal_ends(old, new)
    grouped = _Grouping(
        [
            ("equal", 0, head, 0, head),
            *_changes(old, new, head, tail),
            ("equal", len(old) - tail, len(old), len(new) - tail, len(new)),
        ]
    )
    yield from grouped.get_grouped_opcodes(_CONTEXT)


def _changes(old: list[str], new: list[str], head: int, tail: int) -> list[Opcode]:
    old_end, new_end = len(old) - tail, len(new) - tail
    if (old_end - head) * (new_end - head) > MAX_COMPARISONS:
        return [("replace", head, old_end, head, new_end)]
    matcher = SequenceMatcher(None, old[head:old_end], new[head:new_end])
    return [
        (tag, head + a, head + b, head + c, head + d) for tag, a, b, c, d in matcher.get_opcodes()
    ]


def _equal_ends(old: list[str], new: list[str]) -> tuple[int, int]:
    """How many lines at the start and at the end are the same."""
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    return head, tail


class _Grouping(SequenceMatcher[str]):
    """A matcher that is told its result, for `get_grouped_opcodes`."""

    def __init__(self, opcodes: list[Opcode]) -> None:
        super().__init__()
        self._opcodes = opcodes

    def get_opcodes(self) -> list[Opcode]:
        return list(self._opcodes)


def _render(hunk: Hunk, old: list[str], new: list[str]) -> Iterator[str]:
    first, last = hunk[0], hunk[-1]
    yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
    for tag, old_start, old_end, new_start, new_end in hunk:
        if tag == "equal":
            yield from _marked(" ", old[old_start:old_end])
        else:
            yield from _marked("-", old[old_start:old_end])
            yield from _marked("+", new[new_start:new_end])


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n{_NO_NEWLINE}"


def _range(start: int, end: int) -> str:
    """Lines count from 1; an empty range names the line before it."""
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _header_name(name: str) -> str:
    """As git writes it: quoted where a bare name would be misread, a tab after one with blanks."""
    if name.isprintable() and '"' not in name and "\\" not in name:
        return f"{name}\t" if " " in name else name
    return '"' + "".join(_quoted(byte) for byte in name.encode()) + '"'


def _quoted(byte: int) -> str:
    return chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}"
