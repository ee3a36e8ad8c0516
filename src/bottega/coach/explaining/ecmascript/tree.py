"""A syntax tree of our own, copied from tree-sitter's.

Asking the binding's nodes for a row (`start_point`) frees memory too early in tree-sitter 0.26.0
and crashes the process (py-tree-sitter pull request 466). So this is the only module that touches
them: it walks the tree once, with a cursor, and asks for byte offsets only.
"""

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from bottega.coach.explaining.selection import Grammar

if TYPE_CHECKING:
    from tree_sitter import Language, Tree


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    #: As the grammar calls it; of a keyword or a sign, itself.
    type: str
    start_byte: int
    end_byte: int
    #: Counted from 0.
    row: int
    #: Not merely a keyword or a sign.
    is_named: bool
    #: Broken, or put in by the parser because it was missing.
    is_error: bool
    #: It or anything in it is.
    has_error: bool
    children: list["Node"] = field(default_factory=list)
    fields: dict[str, "Node"] = field(default_factory=dict)

    @property
    def named_children(self) -> list["Node"]:
        return [child for child in self.children if child.is_named]


def parse_cleanly(source: bytes, grammar: Grammar) -> Node | None:
    """The tree, or None if it has an error anywhere."""
    tree = _parse(source, grammar)
    return None if tree.root_node.has_error else _copy(tree, source)


def parse_tolerantly(source: bytes, grammar: Grammar) -> Node:
    """The tree with its errors in it."""
    return _copy(_parse(source, grammar), source)


def _parse(source: bytes, grammar: Grammar) -> "Tree":
    from tree_sitter import Parser

    # A parser is not to be shared between threads; it costs nothing to make.
    return Parser(_language(grammar)).parse(source)


@cache
def _language(grammar: Grammar) -> "Language":
    # Imported here: the server starts without them.
    import tree_sitter_javascript
    import tree_sitter_typescript
    from tree_sitter import Language

    if grammar is Grammar.JAVASCRIPT:
        return Language(tree_sitter_javascript.language())
    if grammar is Grammar.TSX:
        return Language(tree_sitter_typescript.language_tsx())
    return Language(tree_sitter_typescript.language_typescript())


def _copy(tree: "Tree", source: bytes) -> Node:
    cursor = tree.walk()
    row, reached = 0, 0
    above: list[Node] = []
    while True:
        original = cursor.node
        assert original is not None
        # Nodes come in the order of their beginnings.
        row += source.count(b"\n", reached, original.start_byte)
        reached = max(reached, original.start_byte)
        node = Node(
            original.type,
            original.start_byte,
            original.end_byte,
            row,
            original.is_named,
            original.is_error or original.is_missing,
            original.has_error,
        )
        if above:
            above[-1].children.append(node)
            if name := cursor.field_name:
                above[-1].fields.setdefault(name, node)
        if cursor.goto_first_child():
            above.append(node)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return above[0] if above else node
            node = above.pop()
            if not above:
                return node
