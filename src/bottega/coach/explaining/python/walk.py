"""Every node of a fragment in source order, with where it stands. Without recursion: code can be
nested more deeply than the interpreter's stack."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from bottega.coach.explaining.python.fragment import Fragment

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While


@dataclass(frozen=True, slots=True)
class Scope:
    function: Function | ast.Lambda
    #: How it would call itself.
    call: str
    #: What it makes itself: parameters, variables, inner functions.
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Place:
    parent: ast.AST | None = None
    #: The functions around a node, the innermost last.
    scopes: tuple[Scope, ...] = ()
    #: The loops around it within its function.
    loops: tuple[Loop, ...] = ()

    @property
    def is_method(self) -> bool:
        return isinstance(self.parent, ast.ClassDef)

    def is_captured(self, name: str) -> bool:
        """Whether a name used here is one that an outer function made."""
        return (
            len(self.scopes) > 1
            and name not in self.scopes[-1].names
            and any(name in scope.names for scope in self.scopes[:-1])
        )


def walk(fragment: Fragment) -> Iterator[tuple[ast.AST, Place]]:
    """Only nodes that begin in the selection; one without a position belongs to its parent."""
    waiting: list[tuple[ast.AST, Place]] = [(fragment.tree, Place())]
    while waiting:
        node, place = waiting.pop()
        if fragment.holds(node) or (
            not hasattr(node, "lineno") and place.parent and fragment.holds(place.parent)
        ):
            yield node, place
        inside, beside = _inside(node, place), _beside(node)
        waiting.extend(
            (child, Place(node, place.scopes, place.loops) if child in beside else inside)
            for child in reversed(list(ast.iter_child_nodes(node)))
        )


def _inside(node: ast.AST, place: Place) -> Place:
    if isinstance(node, Function | ast.Lambda):
        scope = Scope(node, called_as(node, place.parent), _names_made_by(node))
        return Place(node, (*place.scopes, scope))
    if isinstance(node, Loop):
        return Place(node, place.scopes, (*place.loops, node))
    return Place(node, place.scopes, place.loops)


def _beside(node: ast.AST) -> list[ast.expr]:
    """What is written in the node and happens before it begins."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return node.decorator_list
        case ast.For(iter=over) | ast.AsyncFor(iter=over):
            return [over]
        case _:
            return []


def called_as(function: Function | ast.Lambda, parent: ast.AST | None) -> str:
    """How code beside a function calls it; nothing for a lambda."""
    if isinstance(function, ast.Lambda):
        return ""
    return f"self.{function.name}" if isinstance(parent, ast.ClassDef) else function.name


def _names_made_by(function: Function | ast.Lambda) -> frozenset[str]:
    names = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    body = function.body if isinstance(function.body, list) else [function.body]
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, Function | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))
    return frozenset(names)
