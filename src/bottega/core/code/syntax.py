"""What the query files find in a text: marks, each a piece of the source with its named parts.

The binding's nodes are asked for byte offsets only: asking one for its row frees memory too early
in tree-sitter 0.26.0 and crashes the process (py-tree-sitter pull request 466).
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bottega.core.code.grammars import Grammar, load_language, load_query

if TYPE_CHECKING:
    from tree_sitter import Tree

#: Captures that belong to the mark of their pattern; every other capture is a mark. Those with a
#: leading underscore are there for a pattern's own predicates.
_PARTS = (
    "name type default result async generator receiver header function owner module target "
    "operator value over condition error pattern"
)
PARTS = frozenset(_PARTS.split())
#: Bytes of one piece that are worth showing.
_LONGEST_PIECE = 2_000


@dataclass(frozen=True, slots=True)
class Span:
    #: In bytes.
    start: int
    end: int

    def holds(self, other: "Span") -> bool:
        return self.start <= other.start and other.end <= self.end


@dataclass(slots=True, eq=False)
class Mark:
    kind: str
    span: Span
    parts: dict[str, list[Span]] = field(default_factory=dict)
    #: The innermost block around it (a definition, a loop, a branch); None at the top of a file.
    block: "Mark | None" = None

    def part(self, name: str) -> Span | None:
        return next(iter(self.parts.get(name, ())), None)


class SourceText:
    """A text as the parser sees it: bytes, with the line of each."""

    def __init__(self, text: str) -> None:
        self.data = text.encode(errors="replace")
        self._line_starts = [0]
        position = self.data.find(b"\n")
        while position >= 0:
            self._line_starts.append(position + 1)
            position = self.data.find(b"\n", position + 1)

    def text(self, span: Span) -> str:
        """The piece as it was written, or the beginning of a long one."""
        end = min(span.end, span.start + _LONGEST_PIECE)
        # A cut may go through a character.
        return self.data[span.start : end].decode(errors="ignore")

    def line(self, offset: int) -> int:
        """Counted from 1."""
        return bisect_right(self._line_starts, offset)

    def lines(self, span: Span) -> tuple[int, int]:
        """The first and the last line of a piece."""
        return self.line(span.start), self.line(max(span.start, span.end - 1))

    def line_start(self, line: int) -> int:
        """Where a line begins; the end of the text for a line that it does not have."""
        return self._line_starts[line - 1] if line <= len(self._line_starts) else len(self.data)


class Syntax:
    """A parsed text that can be queried. What is broken in it has marks of its own."""

    def __init__(self, text: str, grammar: Grammar) -> None:
        from tree_sitter import Parser

        self.source = SourceText(text)
        self.grammar = grammar
        # A parser is not to be shared between threads; it costs nothing to make.
        self._tree: Tree = Parser(load_language(grammar)).parse(self.source.data)

    def marks(self, folder: Path) -> list[Mark]:
        """In source order, the outer first. Matches of one kind on the same piece are one mark."""
        from tree_sitter import QueryCursor

        found: dict[tuple[str, int, int], Mark] = {}
        cursor = QueryCursor(load_query(self.grammar, folder))
        for _, captures in cursor.matches(self._tree.root_node):
            spans = {
                name: [Span(node.start_byte, node.end_byte) for node in nodes]
                for name, nodes in captures.items()
            }
            parts = {name: held for name, held in spans.items() if name in PARTS}
            for kind, held in spans.items():
                if kind in PARTS or kind.startswith("_"):
                    continue
                for span in held:
                    mark = found.setdefault((kind, span.start, span.end), Mark(kind, span))
                    for name, pieces in parts.items():
                        known = mark.parts.setdefault(name, [])
                        known.extend(piece for piece in pieces if piece not in known)
        return sorted(found.values(), key=lambda mark: (mark.span.start, -mark.span.end))
