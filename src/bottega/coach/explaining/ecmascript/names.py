"""Which names a fragment takes from outside, and what it changes there."""

from collections.abc import Iterator, Sequence

from bottega.coach.explaining.ecmascript.fragment import Fragment
from bottega.coach.explaining.ecmascript.nodes import bound_names, has_token, part
from bottega.coach.explaining.ecmascript.tree import Node
from bottega.coach.explaining.ecmascript.walk import Place
from bottega.coach.explaining.facts import Findings, Topic

#: What the language and the browser bring along.
_GLOBALS = frozenset(
    {
        *("console", "globalThis", "window", "document", "process", "arguments", "undefined"),
        *("Math", "JSON", "Reflect", "Intl", "NaN", "Infinity", "Symbol", "Proxy", "Promise"),
        *("Object", "Array", "String", "Number", "Boolean", "BigInt", "Date", "RegExp", "URL"),
        *("Map", "Set", "WeakMap", "WeakSet", "Error", "TypeError", "RangeError", "SyntaxError"),
        *("parseInt", "parseFloat", "isNaN", "isFinite", "structuredClone", "fetch"),
        *("setTimeout", "clearTimeout", "setInterval", "clearInterval"),
        *("require", "module", "exports"),
    }
)
#: Methods of arrays that change them.
_CHANGING = frozenset(
    {"push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "copyWithin"}
)
_MAKES_BY_NAME = frozenset(
    {
        "function_declaration",
        "generator_function_declaration",
        "function_expression",
        "class_declaration",
        "abstract_class_declaration",
        "interface_declaration",
        "type_alias_declaration",
        "enum_declaration",
        "type_parameter",
        "variable_declarator",
    }
)


def tell_names(
    nodes: Sequence[tuple[Node, Place]],
    fragment: Fragment,
    imported: set[str],
    findings: Findings,
) -> None:
    text = fragment.text
    made = {text(name) for node, _ in nodes for name in _made(node)}
    parameters = {text(name) for node, _ in nodes for name in _parameters(node)}
    imported = imported - made
    known = made | parameters | _GLOBALS
    for node, place in nodes:
        if _is_use(node, place, fragment) and text(node) not in known:
            findings.tell(Topic.READS, text(node))
        if node.type == "type_identifier" and text(node) in imported:
            findings.tell(Topic.READS, text(node))
    for node, _ in nodes:
        for target in _changed(node, fragment):
            if root(target, fragment) not in made - parameters:
                findings.tell(Topic.MUTATES, text(target))


def root(node: Node, fragment: Fragment) -> str:
    """The name at the beginning of a chain such as `this.items[0].name`."""
    while inner := part(node, "object", "function"):
        node = inner
    return fragment.text(node)


def _made(node: Node) -> Iterator[Node]:
    if node.type in _MAKES_BY_NAME and (name := part(node, "name")):
        yield from [name] if name.type == "type_identifier" else bound_names(name)
    elif node.type == "import_specifier":
        yield from filter(None, [part(node, "alias", "name")])
    elif node.type in ("import_clause", "namespace_import"):
        yield from (child for child in node.named_children if child.type == "identifier")
    elif node.type == "catch_clause" and (error := part(node, "parameter")):
        yield from bound_names(error)
    elif node.type == "for_in_statement" and has_token(node, "const", "let", "var"):
        yield from bound_names(left) if (left := part(node, "left")) else ()


def _parameters(node: Node) -> Iterator[Node]:
    if node.type == "formal_parameters":
        yield from bound_names(node)
    elif node.type == "arrow_function" and (single := part(node, "parameter")):
        yield single


def _is_use(node: Node, place: Place, fragment: Fragment) -> bool:
    if node.type == "shorthand_property_identifier":
        return True
    if node.type != "identifier":
        return False
    # `<div>` is a tag of the page, `<Card>` a name of ours.
    is_tag = place.parent_type in (
        "jsx_opening_element",
        "jsx_closing_element",
        "jsx_self_closing_element",
    )
    return not (is_tag and fragment.text(node)[:1].islower())


def _changed(node: Node, fragment: Fragment) -> Iterator[Node]:
    target = None
    if node.type in ("assignment_expression", "augmented_assignment_expression"):
        target = part(node, "left")
    elif node.type == "update_expression" or (
        node.type == "unary_expression" and has_token(node, "delete")
    ):
        target = part(node, "argument")
    elif node.type == "call_expression" and (function := part(node, "function")):
        name = part(function, "property")
        if name and fragment.text(name) in _CHANGING:
            target = part(function, "object")
            if target and target.type not in ("identifier", "member_expression", "this"):
                target = None
    if target and target.type in ("identifier", "member_expression", "subscript_expression"):
        yield target
