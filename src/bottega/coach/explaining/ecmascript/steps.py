"""Each statement of a fragment in plain words, for readers to whom the words are new."""

from bottega.coach.explaining.ecmascript.definitions import definition_of, parameters
from bottega.coach.explaining.ecmascript.fragment import Fragment
from bottega.coach.explaining.ecmascript.imports import imported_names
from bottega.coach.explaining.ecmascript.nodes import (
    FUNCTIONS,
    first_named,
    is_async,
    is_generator,
    part,
    unwrapped,
)
from bottega.coach.explaining.ecmascript.tree import Node
from bottega.coach.explaining.ecmascript.walk import Place
from bottega.coach.explaining.facts import Findings
from bottega.coach.explaining.phrasing import code, codes
from bottega.coach.explaining.wording import described, taking

_ASKS = {
    "if_statement": "asks whether {} is true; if so, the block under it runs",
    "while_statement": "repeats the block under it as long as {} is true",
    "do_statement": "runs the block under it, and again as long as {} is true",
    "for_statement": "counts: the block under it runs as long as {} is true",
}
_SAYS = {
    "try_statement": "tries the block under it, ready for an error",
    "finally_clause": "runs in the end, whether there was an error or not",
    "break_statement": "leaves the loop or the switch",
    "continue_statement": "skips to the loop's next round",
    "switch_default": "is for every value that fits no case",
    "else_clause": "is for when the condition was not true",
}
_DEFINES = frozenset(
    {
        "function_declaration",
        "generator_function_declaration",
        "method_definition",
        "class_declaration",
        "abstract_class_declaration",
        "interface_declaration",
        "type_alias_declaration",
        "enum_declaration",
    }
)


def take_step(node: Node, place: Place, fragment: Fragment, findings: Findings) -> None:
    if words := _words(node, place, fragment):
        findings.step(fragment.line(node), words)


def _words(node: Node, place: Place, fragment: Fragment) -> str:
    if node.type in _DEFINES:
        definition = definition_of(node, place, fragment)
        return f"starts {described(definition)}" if definition else ""
    if node.type in _SAYS:
        return _SAYS[node.type]
    if node.type in _ASKS:
        condition = part(node, "condition")
        shown = fragment.text(unwrapped(condition)).rstrip(";") if condition else ""
        return _ASKS[node.type].format(code(shown)) if shown.strip() else "repeats without an end"
    if node.type == "variable_declarator":
        return _declaration(node, fragment)
    if node.type == "expression_statement":
        inner = first_named(node)
        return _action(inner, fragment) if inner else ""
    return _clause(node, fragment)


def _clause(node: Node, fragment: Fragment) -> str:
    def shown(name: str) -> str:
        inner = part(node, name)
        return code(fragment.text(unwrapped(inner))) if inner else ""

    content = first_named(node)
    match node.type:
        case "for_in_statement":
            return f"goes through {shown('right')}, calling each element {shown('left')}"
        case "switch_statement":
            return f"compares {shown('value')} with the cases under it"
        case "switch_case":
            return f"is the case in which the value is {shown('value')}"
        case "catch_clause":
            error = shown("parameter")
            named = f"; the error is called {error}" if error else ""
            return f"goes on here if an error occurs{named}"
        case "throw_statement" if content:
            return f"stops with the error {code(fragment.text(content))}"
        case "return_statement" if content:
            return f"gives {code(fragment.text(unwrapped(content)))} back and ends the function"
        case "return_statement":
            return "ends the function here"
        case "import_statement":
            names = [fragment.text(name) for name in imported_names(node)]
            return f"makes {codes(names) or 'what is'} in {shown('source')} available here"
        case "export_statement" if part(node, "value"):
            return f"gives {shown('value')} to other files"
        case "field_definition" | "public_field_definition":
            return f"gives every object of the class a field {shown('name') or shown('property')}"
    return ""


def _declaration(node: Node, fragment: Fragment) -> str:
    name, value = part(node, "name"), part(node, "value")
    if name is None:
        return ""
    shown = code(fragment.text(name))
    if value is None:
        return f"makes the variable {shown}, without a value yet"
    if value.type in FUNCTIONS:
        kind = "async function" if is_async(value) else "function"
        kind = "generator function" if is_generator(value) else kind
        return f"makes the {kind} {shown}{taking(parameters(value, fragment))}"
    if name.type in ("object_pattern", "array_pattern"):
        return f"unpacks {code(fragment.text(value))} into {shown}"
    if value.type == "await_expression" and (awaited := first_named(value)):
        return f"waits for {code(fragment.text(awaited))} and names the result {shown}"
    return f"gives {shown} the value of {code(fragment.text(value))}"


def _action(node: Node, fragment: Fragment) -> str:
    text = code(fragment.text(node))
    left, right = part(node, "left"), part(node, "right")
    match node.type:
        case "assignment_expression" if left and right:
            return f"gives {code(fragment.text(left))} the value of {code(fragment.text(right))}"
        case "augmented_assignment_expression" | "update_expression":
            return f"updates a value: {text}"
        case "await_expression" if awaited := first_named(node):
            return f"waits for {code(fragment.text(awaited))}"
        case "call_expression":
            return f"calls {text}"
        case "yield_expression" if given := first_named(node):
            shown = code(fragment.text(given))
            return f"hands out {shown} and pauses until the next value is asked for"
        case "string" | "comment":
            return ""
    return f"works out {text}"
