"""What the grammars' nodes are called, and how to get at their parts."""

from collections.abc import Iterator

from bottega.coach.explaining.ecmascript.tree import Node

FUNCTIONS = frozenset(
    {
        "function_declaration",
        "generator_function_declaration",
        "function_expression",
        "generator_function",
        "arrow_function",
        "method_definition",
    }
)
LOOPS = frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement"})
CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class"})
FIELDS = frozenset({"field_definition", "public_field_definition"})
LEAVING = frozenset(
    {"return_statement", "throw_statement", "continue_statement", "break_statement"}
)


def part(node: Node, *names: str) -> Node | None:
    """The child in the first of these fields that there is."""
    return next((node.fields[name] for name in names if name in node.fields), None)


def first_named(node: Node) -> Node | None:
    return next((child for child in node.named_children if child.type != "comment"), None)


def has_token(node: Node, *tokens: str) -> bool:
    """Whether one of these words or signs stands directly in the node."""
    return any(child.type in tokens for child in node.children)


def is_async(function: Node) -> bool:
    return has_token(function, "async")


def is_generator(function: Node) -> bool:
    return has_token(function, "*")


def unwrapped(node: Node) -> Node:
    """Without the parentheses around it."""
    while node.type in ("parenthesized_expression", "expression_statement"):
        inner = first_named(node)
        if inner is None:
            return node
        node = inner
    return node


def everything_in(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def bound_names(pattern: Node) -> Iterator[Node]:
    """The names that a pattern such as `{ a, b: [c = 1], ...rest }` makes."""
    waiting = [pattern]
    while waiting:
        node = waiting.pop()
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            yield node
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            if left := part(node, "left"):
                waiting.append(left)
        elif node.type in ("required_parameter", "optional_parameter"):
            if inner := part(node, "pattern"):
                waiting.append(inner)
        elif node.type == "pair_pattern":
            if value := part(node, "value"):
                waiting.append(value)
        elif node.type in ("object_pattern", "array_pattern", "rest_pattern", "formal_parameters"):
            waiting.extend(reversed(node.named_children))


def parameter_nodes(function: Node) -> list[Node]:
    if single := part(function, "parameter"):
        return [single]
    listed = part(function, "parameters")
    return [node for node in listed.named_children if node.type != "comment"] if listed else []


def is_guard(branch: Node) -> bool:
    """It leaves at its end and nothing stands beside it, so below it the condition is false."""
    body = part(branch, "consequence")
    if body is None or part(branch, "alternative"):
        return False
    last = body
    if body.type == "statement_block":
        if not body.named_children:
            return False
        last = body.named_children[-1]
    return last.type in LEAVING
