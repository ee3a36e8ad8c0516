"""Which ideas a fragment shows."""

import re
from collections.abc import Iterator

from bottega.coach.explaining.concepts import Concept
from bottega.coach.explaining.ecmascript.flow import called
from bottega.coach.explaining.ecmascript.fragment import Fragment
from bottega.coach.explaining.ecmascript.nodes import (
    CLASSES,
    FUNCTIONS,
    LOOPS,
    has_token,
    is_async,
    is_generator,
    is_guard,
    parameter_nodes,
    part,
)
from bottega.coach.explaining.ecmascript.tree import Node
from bottega.coach.explaining.ecmascript.walk import Place
from bottega.coach.explaining.facts import Findings

#: Nodes that show one thing, whatever stands in them.
_SHOWN = {
    "await_expression": Concept.ASYNC,
    "yield_expression": Concept.GENERATOR,
    "jsx_element": Concept.COMPONENT,
    "jsx_self_closing_element": Concept.COMPONENT,
    "type_parameters": Concept.GENERICS,
    "type_predicate": Concept.NARROWING,
    "switch_statement": Concept.PATTERN_MATCHING,
    "try_statement": Concept.EXCEPTION_HANDLING,
    "interface_declaration": Concept.INTERFACE,
    "implements_clause": Concept.INTERFACE,
    "union_type": Concept.UNION,
    "type_alias_declaration": Concept.TYPE_ALIAS,
    "as_expression": Concept.TYPE_ASSERTION,
    "type_assertion": Concept.TYPE_ASSERTION,
    "enum_declaration": Concept.ENUM,
    "object_pattern": Concept.DESTRUCTURING,
    "array_pattern": Concept.DESTRUCTURING,
    "spread_element": Concept.SPREAD,
    "optional_chain": Concept.OPTIONAL_CHAINING,
    "ternary_expression": Concept.CONDITIONAL_EXPRESSION,
    "template_substitution": Concept.FORMATTED_STRING,
    "regex": Concept.REGULAR_EXPRESSION,
    "throw_statement": Concept.RAISING,
    "type_annotation": Concept.TYPE_ANNOTATION,
    "decorator": Concept.DECORATOR,
    "import_statement": Concept.MODULE,
    "variable_declarator": Concept.VARIABLE,
    **dict.fromkeys(LOOPS, Concept.LOOP),
}
_TAKES_A_FUNCTION = frozenset(
    ["map", "filter", "reduce", "forEach", "some", "every", "find", "findIndex", "flatMap", "sort"]
)
_CONDITIONS = frozenset({"parenthesized_expression", "binary_expression", "unary_expression"})


def show_concepts(node: Node, place: Place, fragment: Fragment, findings: Findings) -> None:
    if node.type in _SHOWN:
        findings.show(_SHOWN[node.type])
    if node.type in FUNCTIONS:
        findings.show(*_of_function(node))
    elif node.type in CLASSES and node.is_named:
        findings.show(Concept.CLASS)
    elif node.type == "class_heritage" and (
        has_token(node, "extends") or has_token(node, "extends_clause")
    ):
        findings.show(Concept.INHERITANCE)
    elif node.type in ("identifier", "shorthand_property_identifier"):
        if place.is_captured(fragment.text(node)):
            findings.show(Concept.CLOSURE)
    elif node.type == "if_statement":
        findings.show(Concept.GUARD if is_guard(node) else Concept.BRANCH)
    elif node.type in ("call_expression", "new_expression"):
        findings.show(*_of_call(node, place, fragment))
    elif node.type == "binary_expression":
        findings.show(*_of_operator(node, place))
    elif node.type == "assignment_expression":
        left = part(node, "left")
        owner = part(left, "object") if left else None
        if owner and owner.type == "this":
            findings.show(Concept.INSTANCE_STATE)


def _of_function(node: Node) -> Iterator[Concept]:
    yield Concept.ARROW_FUNCTION if node.type == "arrow_function" else Concept.FUNCTION
    if is_async(node):
        yield Concept.ASYNC
    if is_generator(node):
        yield Concept.GENERATOR
    if has_token(node, "get", "set"):
        yield Concept.PROPERTY
    if has_token(node, "static"):
        yield Concept.CLASS_METHOD
    for parameter in parameter_nodes(node):
        inner = part(parameter, "pattern") or parameter
        if part(parameter, "value", "right"):
            yield Concept.DEFAULT_ARGUMENT
        if inner.type == "rest_pattern":
            yield Concept.VARIADIC


def _of_call(node: Node, place: Place, fragment: Fragment) -> Iterator[Concept]:
    name = called(node, fragment.text)
    last = name.rpartition(".")[2]
    if name and node.type == "call_expression" and any(name == one.call for one in place.scopes):
        yield Concept.RECURSION
    if re.match(r"use[A-Z]", last):
        yield Concept.HOOK
    if name == "Promise" or name.startswith("Promise.") or ("." in name and last == "then"):
        yield Concept.PROMISE
    arguments = part(node, "arguments")
    given = arguments.named_children if arguments else []
    if last in _TAKES_A_FUNCTION and any(argument.type in FUNCTIONS for argument in given):
        yield Concept.HIGHER_ORDER


def _of_operator(node: Node, place: Place) -> Iterator[Concept]:
    if has_token(node, "??"):
        yield Concept.NULLISH
    elif has_token(node, "||") and place.parent_type not in _CONDITIONS:
        yield Concept.SHORT_CIRCUIT
    elif has_token(node, "instanceof", "in"):
        yield Concept.NARROWING
    elif has_token(node, "===", "==", "!==", "!="):
        left = part(node, "left")
        if left and has_token(left, "typeof"):
            yield Concept.NARROWING
