"""A selection as a syntax tree.

People mark half a function, an `else` without its `if`, a line from its middle. So the selection
is read in several ways, from plain to repaired, then inside the code around it, and at last as
far as it can be read at all.
"""

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from bottega.coach.explaining.phrasing import code

#: How far back from a broken line to look for a beginning that can be read.
_STEPS_BACK = 8
#: A clause alone, and what it would continue.
_OPENINGS = {
    "elif": "if 0:\n ...\n",
    "else": "if 0:\n ...\n",
    "except": "try:\n ...\n",
    "finally": "try:\n ...\n",
}
_TOO_DEEP = "It is nested too deeply to be read."
_WITHIN = "It is a part of something larger, so it was read within the code around it."


@dataclass(frozen=True, slots=True)
class Fragment:
    tree: ast.Module
    lines: list[str]
    #: Which lines of the tree's text are the selection.
    first: int
    last: int
    note: str | None = None

    def holds(self, node: ast.AST) -> bool:
        return self.first <= getattr(node, "lineno", 0) <= self.last

    def line(self, node: ast.AST) -> int:
        """Counted from the selection's first line."""
        return int(getattr(node, "lineno", self.first)) - self.first + 1

    def text(self, node: ast.expr | ast.stmt | ast.pattern | ast.arg) -> str:
        """The node as it was written."""
        end = node.end_lineno or node.lineno
        line = self.lines[node.lineno - 1]
        if end == node.lineno and line.isascii():
            return line[node.col_offset : node.end_col_offset]
        # Columns count bytes.
        lines = [line.encode() for line in self.lines[node.lineno - 1 : end]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"\n".join(lines).decode(errors="replace")


def parse(text: str, context: str) -> Fragment:
    text, context = _with_plain_newlines(text), _with_plain_newlines(context)
    return _alone(text) or _within(text, context) or _beginning(text)


def parse_whole(text: str) -> ast.Module | None:
    """The tree, or None if it is no Python, or nested too deeply for the parser."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parse_around(context: str) -> ast.Module | None:
    """The tree of a window of a file, whose first and last statements may be cut off."""
    lines = textwrap.dedent(context).split("\n")
    starts = [n for n, line in enumerate(lines) if line[:1] not in ("", *" \t#)]}")] or [0]
    for first, last in ((0, len(lines)), (starts[0], len(lines)), (starts[0], starts[-1])):
        # Empty lines keep the numbers of those that follow.
        if tree := parse_whole("\n" * first + "\n".join(lines[first:last])):
            return tree
    return None


def _with_plain_newlines(text: str) -> str:
    # The parser counts lines by these alone; lone surrogates would stop it.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.encode(errors="replace").decode()


def _alone(text: str) -> Fragment | None:
    for opening, body in _readings(text):
        if tree := parse_whole(opening + body):
            lines = (opening + body).split("\n")
            return Fragment(tree, lines, opening.count("\n") + 1, len(lines))
    return None


def _readings(text: str) -> Iterator[tuple[str, str]]:
    """What the selection may have been meant to be: lines before it, and itself."""
    first, _, rest = text.partition("\n")
    # Marked from the middle of a line, the first line has lost its indentation.
    for body in (textwrap.dedent(text), f"{first.strip()}\n{textwrap.dedent(rest)}"):
        word = re.match(r"\s*(\w*)", body)
        opening = _OPENINGS.get(word[1] if word else "", "")
        if word and word[1] == "case":
            opening, body = "match 0:\n", textwrap.indent(body, " ")
        yield opening, body
        if body.rstrip().endswith(":"):
            yield opening, body.rstrip() + " ..."


def _within(text: str, context: str) -> Fragment | None:
    start = context.find(text.strip()) if text.strip() else -1
    tree = parse_around(context) if start >= 0 else None
    if tree is None:
        return None
    first = context.count("\n", 0, start) + 1
    last = first + text.strip().count("\n")
    lines = textwrap.dedent(context).split("\n")
    fragment = Fragment(tree, lines, first, last, _WITHIN)
    return fragment if any(fragment.holds(node) for node in ast.walk(tree)) else None


def _beginning(text: str) -> Fragment:
    """What stands before the line that cannot be read."""
    lines = textwrap.dedent(text).split("\n")
    broken = _broken_line(lines)
    if broken is None:
        return Fragment(ast.Module([], []), lines, 1, len(lines), _TOO_DEEP)
    note = f"It does not parse as Python: the reading stops at line {broken}"
    if shown := lines[broken - 1].strip():
        note += f", {code(shown)}"
    for end in range(broken - 1, max(0, broken - 1 - _STEPS_BACK), -1):
        if (tree := parse_whole("\n".join(lines[:end]))) and tree.body:
            note += ". What follows is about the lines before it."
            return Fragment(tree, lines, 1, end, note)
    return Fragment(ast.Module([], []), lines, 1, len(lines), note + ".")


def _broken_line(lines: list[str]) -> int | None:
    try:
        ast.parse("\n".join(lines))
    except SyntaxError as error:
        return min(max(error.lineno or 1, 1), len(lines))
    except (ValueError, RecursionError, MemoryError):
        pass
    return None
