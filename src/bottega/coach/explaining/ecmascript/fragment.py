"""A selection as a syntax tree.

As for Python: read alone, repaired, within the code around it, and at last with its errors in it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bottega.coach.explaining.ecmascript.tree import Node, parse_cleanly, parse_tolerantly
from bottega.coach.explaining.phrasing import code
from bottega.coach.explaining.selection import Grammar

#: Bytes of one node that are worth showing.
_LONGEST = 2_000
#: Characters of a selection that is worth reading in several ways.
_LONGEST_REPAIRED = 5_000
_WITHIN = "It is a part of something larger, so it was read within the code around it."


@dataclass(frozen=True, slots=True)
class Fragment:
    root: Node
    source: bytes
    #: Where the selection is in the source, in bytes.
    start: int
    end: int
    #: The row of the selection's first line.
    first_row: int = 0
    note: str | None = None

    def holds(self, node: Node) -> bool:
        return self.start <= node.start_byte < self.end

    def line(self, node: Node) -> int:
        """Counted from the selection's first line."""
        return node.row - self.first_row + 1

    def text(self, node: Node) -> str:
        """The node as it was written, or the beginning of a long one."""
        end = min(node.end_byte, node.start_byte + _LONGEST)
        # A cut may go through a character.
        return self.source[node.start_byte : end].decode(errors="ignore")


def parse(text: str, around: Fragment, grammar: Grammar) -> Fragment:
    return _alone(text, grammar) or _within(text, around) or _broken(text, grammar)


def parse_whole(text: str, grammar: Grammar) -> Fragment:
    source = text.encode(errors="replace")
    return Fragment(parse_tolerantly(source, grammar), source, 0, len(source) or 1)


def _alone(text: str, grammar: Grammar) -> Fragment | None:
    for before, after in _surroundings(text):
        source = (before + text + after).encode(errors="replace")
        if root := parse_cleanly(source, grammar):
            end = len(source) - len(after)
            return Fragment(root, source, len(before), end, before.count("\n"))
    return None


def _surroundings(text: str) -> Iterator[tuple[str, str]]:
    """What may stand before and after a selection that does not parse alone."""
    yield "", ""
    if len(text) > _LONGEST_REPAIRED:
        return
    unclosed = text.count("{") - text.count("}")
    if unclosed > 0:
        yield "", "\n" + "}" * unclosed
    if re.match(r"\s*\}\s*else\b", text):
        yield "if (0) {\n", "\n" + "}" * (unclosed + 1)
    if re.match(r"\s*\}\s*(catch|finally)\b", text):
        yield "try {\n", "\n" + "}" * (unclosed + 1)
    # Methods, properties, markup, cases of a switch. Inside markup anything is text.
    yield "class _ {\n", "\n}" + "}" * unclosed
    yield "({\n", "\n})"
    if text.lstrip().startswith("<"):
        yield "<>\n", "\n</>"
    if re.match(r"\s*(case|default)\b", text):
        yield "switch (0) {\n", "\n}"


def _within(text: str, around: Fragment) -> Fragment | None:
    wanted = text.strip().encode(errors="replace")
    start = around.source.find(wanted) if wanted else -1
    end = start + len(wanted)
    if start < 0 or _smallest_around(around.root, start, end).has_error:
        return None
    row = around.source.count(b"\n", 0, start)
    return Fragment(around.root, around.source, start, end, row, _WITHIN)


def _smallest_around(node: Node, begin: int, end: int) -> Node:
    """The smallest node that has all of it."""
    inner: Node | None = node
    while inner:
        node = inner
        inner = next(
            (one for one in node.children if one.start_byte <= begin and end <= one.end_byte), None
        )
    return node


def _broken(text: str, grammar: Grammar) -> Fragment:
    whole = parse_whole(text, grammar)
    line = _first_error(whole.root)
    shown = text.split("\n")[line - 1].strip()
    note = f"It does not parse as {grammar.words}: the reading stumbles at line {line}"
    note += (f", {code(shown)}" if shown else "") + ". The rest was read as well as it goes."
    return Fragment(whole.root, whole.source, 0, len(whole.source) or 1, note=note)


def _first_error(root: Node) -> int:
    """The line of the first node that is wrong or missing."""
    node = root
    while not node.is_error:
        deeper = next((child for child in node.children if child.has_error), None)
        if deeper is None:
            break
        node = deeper
    return node.row + 1
