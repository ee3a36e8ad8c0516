"""Which import of the code around brings in a name."""

import ast
import re
from collections.abc import Iterator

from bottega.coach.explaining.facts import Import
from bottega.coach.explaining.phrasing import snippet
from bottega.coach.explaining.python.fragment import parse_whole

_IMPORT_LINE = re.compile(r"^[ \t]*((?:from|import)[ \t].+)$", re.MULTILINE)


def imports_of(text: str) -> Iterator[Import]:
    if tree := parse_whole(text):
        lines = text.split("\n")
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from _names(node, "\n".join(lines[node.lineno - 1 : node.end_lineno]))
        return
    for line in _IMPORT_LINE.findall(text):
        if tree := parse_whole(line):
            yield from _names(tree.body[0], line)


def _names(node: ast.AST, statement: str) -> Iterator[Import]:
    match node:
        case ast.Import(names=aliases):
            for alias in aliases:
                name = alias.asname or alias.name.partition(".")[0]
                yield Import(name, alias.name, snippet(statement))
        case ast.ImportFrom(names=aliases, module=module, level=level):
            start = "." * level + (module or "")
            for alias in aliases:
                # `from . import shapes` brings in a module, not a name of one.
                source = start if module else start + alias.name
                yield Import(alias.asname or alias.name, source, snippet(statement))
