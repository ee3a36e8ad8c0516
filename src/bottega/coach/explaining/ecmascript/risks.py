"""Shapes of JavaScript and TypeScript that often go wrong."""

from bottega.coach.explaining.ecmascript.flow import called
from bottega.coach.explaining.ecmascript.fragment import Fragment
from bottega.coach.explaining.ecmascript.nodes import (
    FUNCTIONS,
    everything_in,
    first_named,
    has_token,
    is_async,
    part,
    unwrapped,
)
from bottega.coach.explaining.ecmascript.tree import Node
from bottega.coach.explaining.ecmascript.walk import Place, called_as
from bottega.coach.explaining.facts import Findings
from bottega.coach.explaining.risks import Danger, is_about_money


def warn_of_risks(
    node: Node, place: Place, fragment: Fragment, coroutines: set[str], findings: Findings
) -> None:
    for danger in _dangers(node, place, fragment, coroutines):
        findings.warn(danger, fragment.line(node), fragment.text(node))


def _dangers(node: Node, place: Place, fragment: Fragment, coroutines: set[str]) -> list[Danger]:
    match node.type:
        case "binary_expression":
            return [Danger.LOOSE_EQUALITY] if _is_loose(node) else []
        case "variable_declaration":
            return [Danger.FUNCTION_SCOPE]
        case "predefined_type" if fragment.text(node) == "any":
            return [Danger.ANY_TYPE]
        case "non_null_expression":
            return [Danger.NON_NULL]
        case "await_expression" if _is_gone_through(place):
            return [Danger.AWAIT_IN_LOOP]
        case "catch_clause" if _is_idle(node):
            return [Danger.SWALLOWED_ERROR]
        case "if_statement" | "while_statement":
            condition = part(node, "condition")
            if condition and unwrapped(condition).type == "assignment_expression":
                return [Danger.ASSIGNED_CONDITION]
        case "expression_statement":
            call = first_named(node)
            if call and call.type == "call_expression":
                return [Danger.FORGOTTEN_AWAIT] if called(call, fragment.text) in coroutines else []
        case "call_expression":
            return _dangers_of_call(node, fragment)
        case "variable_declarator":
            return [Danger.FLOAT_MONEY] if _is_float_money(node, fragment) else []
        case "assignment_expression":
            left = part(node, "left")
            name = part(left, "property") if left else None
            if name and fragment.text(name) in ("innerHTML", "outerHTML"):
                return [Danger.RAW_HTML]
        case "jsx_attribute" if fragment.text(node).startswith("dangerouslySetInnerHTML"):
            return [Danger.RAW_HTML]
    return []


def coroutines_in(fragment: Fragment) -> set[str]:
    """What is async wherever the code defines it, as it is called."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for parent in everything_in(fragment.root):
        for node in parent.children:
            if node.type in FUNCTIONS:
                found[is_async(node)].add(called_as(node, Place(parent), fragment))
    return found[True] - found[False] - {""}


def _is_loose(node: Node) -> bool:
    if not has_token(node, "==", "!="):
        return False
    # Comparing loosely with null is the usual way to ask for null or undefined.
    return all(child.type not in ("null", "undefined") for child in node.children)


def _is_gone_through(place: Place) -> bool:
    return any(
        loop.type == "for_statement"
        or (loop.type == "for_in_statement" and not has_token(loop, "await"))
        for loop in place.loops
    )


def _is_idle(clause: Node) -> bool:
    body = part(clause, "body")
    return body is not None and all(child.type == "comment" for child in body.named_children)


def _dangers_of_call(node: Node, fragment: Fragment) -> list[Danger]:
    name, arguments = called(node, fragment.text), part(node, "arguments")
    given = arguments.named_children if arguments else []
    if name == "eval":
        return [Danger.RUNS_TEXT]
    callback = given[0] if given and given[0].type in FUNCTIONS else None
    last = name.rpartition(".")[2]
    if last == "forEach" and callback and is_async(callback):
        return [Danger.ASYNC_CALLBACK]
    if last == "map" and callback and _makes_markup_without_key(callback, fragment):
        return [Danger.MISSING_KEY]
    return []


def _makes_markup_without_key(callback: Node, fragment: Fragment) -> bool:
    body = part(callback, "body")
    made = unwrapped(body) if body else None
    if made is None or made.type not in ("jsx_element", "jsx_self_closing_element"):
        return False
    tag = part(made, "open_tag") or made
    attributes = [child for child in tag.named_children if child.type.startswith("jsx_")]
    return not any(
        fragment.text(attribute).startswith("key=") or attribute.type == "jsx_expression"
        for attribute in attributes
    )


def _is_float_money(node: Node, fragment: Fragment) -> bool:
    name, value = part(node, "name"), part(node, "value")
    if name is None or value is None or not is_about_money(fragment.text(name)):
        return False
    numbers = (
        part.type == "number" and "." in fragment.text(part) for part in everything_in(value)
    )
    return any(numbers)
