"""Every node of a fragment in source order, with where it stands. Without recursion, as trees can
be deep."""

from collections.abc import Iterator
from dataclasses import dataclass

from bottega.coach.explaining.ecmascript.fragment import Fragment
from bottega.coach.explaining.ecmascript.nodes import (
    CLASSES,
    FIELDS,
    FUNCTIONS,
    LOOPS,
    bound_names,
    parameter_nodes,
    part,
)
from bottega.coach.explaining.ecmascript.tree import Node

#: Nobody writes functions or loops this deep; whoever does it wants to see us struggle.
_DEEPEST = 200
_MAKES_A_NAME = FUNCTIONS | CLASSES | {"variable_declarator"}


@dataclass(frozen=True, slots=True)
class Scope:
    function: Node
    #: How it would call itself.
    call: str
    #: What it makes itself: parameters, variables, inner functions, and its own name.
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Place:
    parent: Node | None = None
    #: The functions around a node, the innermost last.
    scopes: tuple[Scope, ...] = ()
    #: The loops around it within its function.
    loops: tuple[Node, ...] = ()

    @property
    def parent_type(self) -> str:
        return self.parent.type if self.parent else ""

    def is_captured(self, name: str) -> bool:
        """Whether a name used here is one that an outer function made."""
        return (
            len(self.scopes) > 1
            and name not in self.scopes[-1].names
            and any(name in scope.names for scope in self.scopes[:-1])
        )


def walk(fragment: Fragment) -> Iterator[tuple[Node, Place]]:
    """Only nodes that begin in the selection."""
    waiting = [(fragment.root, Place())]
    while waiting:
        node, place = waiting.pop()
        if fragment.holds(node):
            yield node, place
        if node.children:
            inside, beside = _inside(node, place, fragment), _beside(node)
            waiting.extend(
                (child, Place(node, place.scopes, place.loops) if child is beside else inside)
                for child in reversed(node.children)
            )


def _inside(node: Node, place: Place, fragment: Fragment) -> Place:
    if max(len(place.scopes), len(place.loops)) > _DEEPEST:
        raise RecursionError(f"More than {_DEEPEST} functions or loops inside each other.")
    if node.type in FUNCTIONS:
        scope = Scope(node, called_as(node, place, fragment), _names_made_by(node, fragment))
        return Place(node, (*place.scopes, scope))
    if node.type in LOOPS:
        return Place(node, place.scopes, (*place.loops, node))
    return Place(node, place.scopes, place.loops)


def _beside(node: Node) -> Node | None:
    """What is written in a loop and happens before it begins."""
    if node.type not in ("for_statement", "for_in_statement"):
        return None
    return part(node, "initializer", "right")


def called_as(function: Node, place: Place, fragment: Fragment) -> str:
    """How code beside a function calls it; nothing for one without a name."""
    name = name_of(function, place)
    if name is None or place.parent_type == "pair":
        return ""
    is_method = function.type == "method_definition" or place.parent_type in FIELDS
    return f"this.{fragment.text(name)}" if is_method else fragment.text(name)


def name_of(function: Node, place: Place) -> Node | None:
    """Its own name, or that of what it is assigned to."""
    if own := part(function, "name"):
        return own
    if place.parent is None:
        return None
    if place.parent.type == "variable_declarator":
        return part(place.parent, "name")
    if place.parent.type in FIELDS:
        return part(place.parent, "name", "property")
    if place.parent.type == "pair":
        return part(place.parent, "key")
    return None


def _names_made_by(function: Node, fragment: Fragment) -> frozenset[str]:
    made = [name for node in parameter_nodes(function) for name in bound_names(node)]
    made.extend(filter(None, [part(function, "name")]))
    waiting = list(function.children)
    while waiting:
        node = waiting.pop()
        if node.type in _MAKES_A_NAME and (name := part(node, "name")):
            made.extend(bound_names(name))
        if node.type not in FUNCTIONS:
            waiting.extend(node.children)
    return frozenset(fragment.text(name) for name in made)
