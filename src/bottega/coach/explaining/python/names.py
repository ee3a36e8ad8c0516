"""Which names a fragment takes from outside, and what it changes there."""

import ast
import builtins
from collections.abc import Iterator, Sequence

from bottega.coach.explaining.facts import Findings, Topic
from bottega.coach.explaining.python.fragment import Fragment

BUILTINS = frozenset(dir(builtins))
#: Methods of the built-in collections that change them.
_CHANGING = frozenset(
    {
        *("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"),
        *("add", "discard", "update", "setdefault", "popitem"),
    }
)


def tell_names(nodes: Sequence[ast.AST], fragment: Fragment, findings: Findings) -> None:
    parameters = {node.arg for node in nodes if isinstance(node, ast.arg)}
    # `count += 1` alone does not make `count`: it must have been there.
    added_to = {id(node.target) for node in nodes if isinstance(node, ast.AugAssign)}
    made = {name for node in nodes if id(node) not in added_to for name in _made(node)}
    shared = {
        name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
    }
    local = made - shared
    known = local | parameters | BUILTINS | {"self", "cls"}
    used = [node for node in nodes if isinstance(node, ast.Name)]
    for name in sorted(used, key=lambda name: (name.lineno, name.col_offset)):
        if name.id not in known:
            findings.tell(Topic.READS, name.id)
    outside = shared | {*findings.about(Topic.READS)}
    for node in nodes:
        for target in _changed(node, outside):
            if root(target) not in local - parameters:
                findings.tell(Topic.MUTATES, fragment.text(target))


def root(node: ast.AST) -> str | None:
    """The name at the beginning of a chain such as `self.items[0].name`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Starred):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _made(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
            yield name
        case ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in aliases)


def _changed(node: ast.AST, outside: set[str]) -> Iterator[ast.expr]:
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            yield from (part for target in targets for part in _parts(target, outside))
        case ast.AnnAssign(target=target, value=ast.expr()):
            yield from _parts(target, outside)
        case ast.AugAssign(target=target):
            yield from _parts(target, outside)
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in _CHANGING:
            if root(owner) is not None:
                yield owner


def _parts(target: ast.expr, outside: set[str]) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _parts(element, outside)
    elif isinstance(target, ast.Attribute | ast.Subscript) or (
        isinstance(target, ast.Name) and target.id in outside
    ):
        yield target
