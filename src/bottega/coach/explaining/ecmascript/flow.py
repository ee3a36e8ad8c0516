"""What a fragment defines, calls, returns, throws, catches, loops over and branches on."""

from collections.abc import Callable

from bottega.coach.explaining.ecmascript.definitions import definition_of
from bottega.coach.explaining.ecmascript.fragment import Fragment
from bottega.coach.explaining.ecmascript.nodes import (
    FUNCTIONS,
    LOOPS,
    bound_names,
    first_named,
    is_guard,
    part,
    unwrapped,
)
from bottega.coach.explaining.ecmascript.tree import Node
from bottega.coach.explaining.ecmascript.walk import Place
from bottega.coach.explaining.facts import Findings, Topic

#: Statements whose one part is the thing to tell.
_PART_TOLD = {
    "while_statement": (Topic.REPEATS, "condition"),
    "do_statement": (Topic.REPEATS, "condition"),
    "for_statement": (Topic.REPEATS, "condition"),
    "for_in_statement": (Topic.LOOPS, "right"),
    "ternary_expression": (Topic.BRANCHES, "condition"),
    "switch_statement": (Topic.BRANCHES, "value"),
    "catch_clause": (Topic.CATCHES, "parameter"),
}
_CONTENT_TOLD = {
    "return_statement": Topic.RETURNS,
    "yield_expression": Topic.YIELDS,
    "await_expression": Topic.AWAITS,
}


def tell_flow(node: Node, place: Place, fragment: Fragment, findings: Findings) -> None:
    findings.loop_depth = max(findings.loop_depth, len(place.loops) + (node.type in LOOPS))
    if definition := definition_of(node, place, fragment):
        findings.definitions.append(definition)
    if node.type in _PART_TOLD:
        topic, name = _PART_TOLD[node.type]
        _tell(topic, part(node, name), fragment, findings)
    elif node.type in _CONTENT_TOLD:
        _tell(_CONTENT_TOLD[node.type], first_named(node), fragment, findings)
    elif node.type == "if_statement":
        topic = Topic.GUARDS if is_guard(node) else Topic.BRANCHES
        _tell(topic, part(node, "condition"), fragment, findings)
    elif node.type == "arrow_function":
        body = part(node, "body")
        if body and body.type != "statement_block" and not place.scopes:
            _tell(Topic.RETURNS, body, fragment, findings)
    else:
        _tell_action(node, place, fragment, findings)


def _tell(topic: Topic, node: Node | None, fragment: Fragment, findings: Findings) -> None:
    if node is not None:
        findings.tell(topic, fragment.text(unwrapped(node)))


def _tell_action(node: Node, place: Place, fragment: Fragment, findings: Findings) -> None:
    if node.type in ("call_expression", "new_expression"):
        if place.parent_type != "throw_statement":
            findings.tell(Topic.CALLS, called(node, fragment.text))
    elif node.type == "comment":
        findings.tell(Topic.PURPOSE, _first_line_of_docs(fragment.text(node)))
    elif node.type == "throw_statement":
        thrown = first_named(node)
        if thrown and thrown.type == "new_expression":
            thrown = part(thrown, "constructor")
        _tell(Topic.RAISES, thrown, fragment, findings)
    elif node.type == "variable_declarator" and _is_outermost(place, fragment):
        value, name = part(node, "value"), part(node, "name")
        if name and not (value and value.type in FUNCTIONS):
            findings.tell(Topic.ASSIGNS, *(fragment.text(bound) for bound in bound_names(name)))


def _is_outermost(place: Place, fragment: Fragment) -> bool:
    return not any(fragment.holds(scope.function) for scope in place.scopes)


def called(call: Node, text: Callable[[Node], str]) -> str:
    """The dotted name of what is called; of a longer chain only its last name."""
    names: list[str] = []
    target = part(call, "function", "constructor")
    while target and target.type == "member_expression":
        if name := part(target, "property"):
            names.append(text(name))
        target = part(target, "object")
    if target and target.type in ("identifier", "this", "super", "import"):
        return ".".join([text(target), *reversed(names)])
    return names[0] if names else ""


def _first_line_of_docs(comment: str) -> str:
    """Of a `/** … */` comment; other comments are about details."""
    if not comment.startswith("/**"):
        return ""
    lines = (line.strip(" */\t") for line in comment.splitlines())
    return next((line for line in lines if line and not line.startswith("@")), "")
