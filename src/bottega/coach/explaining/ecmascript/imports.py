"""Which import of the code around brings in a name."""

from collections.abc import Iterator

from bottega.coach.explaining.ecmascript.flow import called
from bottega.coach.explaining.ecmascript.fragment import Fragment
from bottega.coach.explaining.ecmascript.nodes import bound_names, everything_in, part
from bottega.coach.explaining.ecmascript.tree import Node
from bottega.coach.explaining.facts import Import
from bottega.coach.explaining.phrasing import snippet


def imports_of(fragment: Fragment) -> Iterator[tuple[Node, Import]]:
    """Each import with the node that makes it, `require` included."""
    for node in everything_in(fragment.root):
        source, names = None, []
        if node.type == "import_statement":
            source, names = part(node, "source"), list(imported_names(node))
        elif node.type == "variable_declarator":
            value, pattern = part(node, "value"), part(node, "name")
            if value and pattern and value.type == "call_expression":
                source = _required(value, fragment)
                names = list(bound_names(pattern))
        if source:
            module = fragment.text(source).strip("\"'`")
            statement = snippet(fragment.text(node))
            for name in names:
                yield node, Import(fragment.text(name), module, statement)


def imported_names(statement: Node) -> Iterator[Node]:
    for node in everything_in(statement):
        if node.type == "import_specifier":
            yield from filter(None, [part(node, "alias", "name")])
        elif node.type in ("import_clause", "namespace_import"):
            yield from (child for child in node.named_children if child.type == "identifier")


def _required(call: Node, fragment: Fragment) -> Node | None:
    arguments = part(call, "arguments")
    if called(call, fragment.text) != "require" or arguments is None:
        return None
    return next((given for given in arguments.named_children if given.type == "string"), None)
