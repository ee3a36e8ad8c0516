"""Functions, classes, interfaces, types and enumerations."""

from collections.abc import Iterator

from bottega.coach.explaining.ecmascript.fragment import Fragment
from bottega.coach.explaining.ecmascript.nodes import (
    CLASSES,
    FIELDS,
    FUNCTIONS,
    is_async,
    is_generator,
    parameter_nodes,
    part,
)
from bottega.coach.explaining.ecmascript.tree import Node
from bottega.coach.explaining.ecmascript.walk import Place, name_of
from bottega.coach.explaining.facts import Definition, Kind, Parameter
from bottega.coach.explaining.phrasing import snippet

_KINDS = {
    "interface_declaration": Kind.INTERFACE,
    "type_alias_declaration": Kind.TYPE,
    "enum_declaration": Kind.ENUM,
    **dict.fromkeys(CLASSES, Kind.CLASS),
}
_METHOD_PLACES = FIELDS | {"class_body"}


def definition_of(node: Node, place: Place, fragment: Fragment) -> Definition | None:
    """What the node defines under a name, if anything."""
    if node.type in FUNCTIONS:
        return _function(node, place, fragment)
    # `class` is also the bare keyword.
    name = part(node, "name")
    if node.type not in _KINDS or name is None:
        return None
    return Definition(
        _KINDS[node.type],
        fragment.text(name),
        fragment.line(node),
        bases=tuple(snippet(fragment.text(base)) for base in _bases(node)),
        members=tuple(fragment.text(member) for member in _members(node)),
    )


def _function(node: Node, place: Place, fragment: Fragment) -> Definition | None:
    name = name_of(node, place)
    if name is None:
        return None
    traits = ["async"] if is_async(node) else []
    if is_generator(node):
        traits.append("generator")
    result = part(node, "return_type")
    return Definition(
        Kind.METHOD if place.parent_type in _METHOD_PLACES else Kind.FUNCTION,
        fragment.text(name),
        fragment.line(node),
        parameters=parameters(node, fragment),
        result=_type(result, fragment) if result else None,
        traits=tuple(traits),
    )


def parameters(function: Node, fragment: Fragment) -> tuple[Parameter, ...]:
    return tuple(_parameter(node, fragment) for node in parameter_nodes(function))


def _parameter(node: Node, fragment: Fragment) -> Parameter:
    name = part(node, "pattern", "left") or node
    annotation, default = part(node, "type"), part(node, "value", "right")
    return Parameter(
        snippet(fragment.text(name)),
        _type(annotation, fragment) if annotation else None,
        snippet(fragment.text(default)) if default else None,
    )


def _type(annotation: Node, fragment: Fragment) -> str:
    return snippet(fragment.text(annotation).lstrip(": "))


def _bases(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in ("class_heritage", "extends_type_clause"):
            for base in child.named_children:
                if base.type in ("extends_clause", "implements_clause"):
                    yield from (inner for inner in base.named_children if inner.is_named)
                else:
                    yield base


def _members(node: Node) -> Iterator[Node]:
    body = part(node, "body", "value")
    if body is None or body.type not in (
        "class_body",
        "interface_body",
        "object_type",
        "enum_body",
    ):
        return
    for member in body.named_children:
        if member.type == "property_identifier":
            yield member
        elif name := part(member, "name", "property"):
            yield name
