"""Shapes of Python that often go wrong."""

import ast
from collections.abc import Callable, Iterator

from bottega.coach.explaining.facts import Findings
from bottega.coach.explaining.python.flow import called
from bottega.coach.explaining.python.fragment import Fragment
from bottega.coach.explaining.python.names import BUILTINS
from bottega.coach.explaining.python.walk import Function, Place, called_as
from bottega.coach.explaining.risks import Danger, is_about_money

#: Coroutines of the standard library that are easily called and not awaited.
_COROUTINES = frozenset({"asyncio.sleep", "asyncio.gather", "asyncio.wait", "asyncio.wait_for"})
_REMOVES = frozenset({"remove", "pop", "append", "insert", "clear", "discard", "add", "popitem"})

Warn = Callable[[Danger, ast.AST, str], None]


def warn_of_risks(
    node: ast.AST, place: Place, fragment: Fragment, coroutines: set[str], findings: Findings
) -> None:
    def warn(danger: Danger, where: ast.AST, code: str) -> None:
        findings.warn(danger, fragment.line(where), code)

    text = fragment.text
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            _warn_of_function(node, fragment, warn)
        case ast.ExceptHandler(type=None):
            warn(Danger.BARE_EXCEPT, node, "except")
        case ast.Name(id=name, ctx=ast.Store()) if name in BUILTINS - {"_"}:
            if not isinstance(place.parent, ast.Assign | ast.AnnAssign):
                warn(Danger.SHADOWING, node, name)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            # A class may call its fields what it likes.
            if name in BUILTINS - {"_"} and not place.is_method:
                warn(Danger.SHADOWING, node, name)
            if is_about_money(name) and _is_float(value):
                warn(Danger.FLOAT_MONEY, node, name)
        case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="float")):
            if is_about_money(name):
                warn(Danger.FLOAT_MONEY, node, text(node))
        case ast.Expr(value=ast.Call() as call) if called(call) in coroutines | _COROUTINES:
            warn(Danger.FORGOTTEN_AWAIT, node, text(call))
        case ast.Await() if any(isinstance(loop, ast.For) for loop in place.loops):
            warn(Danger.AWAIT_IN_LOOP, node, text(node))
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=value)]):
            if value is not None and not isinstance(value, bool) and value is not Ellipsis:
                warn(Danger.IDENTITY_COMPARISON, node, text(node))
        case ast.For() | ast.AsyncFor():
            _warn_of_loop(node, fragment, warn)
        case ast.Assert(test=ast.Tuple(elts=[_, *_])):
            warn(Danger.ASSERT_TUPLE, node, text(node))
        case ast.Call():
            _warn_of_call(node, place, fragment, warn)
    if isinstance(node, ast.ExceptHandler) and _is_idle(node.body):
        warn(Danger.SWALLOWED_ERROR, node, text(node.type) if node.type else "except")


def coroutines_in(*trees: ast.Module | None) -> set[str]:
    """What is async wherever the code around defines it, as it is called."""
    found: dict[type[ast.AST], set[str]] = {ast.FunctionDef: set(), ast.AsyncFunctionDef: set()}
    for tree in filter(None, trees):
        for parent in ast.walk(tree):
            for node in ast.iter_child_nodes(parent):
                if isinstance(node, Function):
                    found[type(node)].add(called_as(node, parent))
    return found[ast.AsyncFunctionDef] - found[ast.FunctionDef]


def _is_idle(body: list[ast.stmt]) -> bool:
    return all(
        isinstance(statement, ast.Pass)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in body
    )


def _warn_of_function(node: Function, fragment: Fragment, warn: Warn) -> None:
    for default in filter(None, [*node.args.defaults, *node.args.kw_defaults]):
        makes_one = isinstance(default, ast.Call) and called(default) in ("list", "dict", "set")
        if makes_one or isinstance(default, ast.List | ast.Dict | ast.Set):
            warn(Danger.MUTABLE_DEFAULT, default, fragment.text(default))
    for argument in ast.walk(node.args):
        if not isinstance(argument, ast.arg):
            continue
        if argument.arg in BUILTINS:
            warn(Danger.SHADOWING, argument, argument.arg)
        kind = argument.annotation
        is_float = isinstance(kind, ast.Name) and kind.id == "float"
        if is_float and is_about_money(argument.arg):
            warn(Danger.FLOAT_MONEY, argument, fragment.text(argument))


def _is_float(value: ast.expr) -> bool:
    parts = list(ast.walk(value))
    made = {called(part) for part in parts if isinstance(part, ast.Call)}
    has_fraction = any(
        isinstance(part, ast.Constant) and isinstance(part.value, float) for part in parts
    )
    return "Decimal" not in made and (has_fraction or "float" in made)


def _warn_of_loop(node: ast.For | ast.AsyncFor, fragment: Fragment, warn: Warn) -> None:
    inside = [part for statement in node.body for part in ast.walk(statement)]
    for part in inside:
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            owner = part.func.value
            if part.func.attr in _REMOVES and fragment.text(owner) == fragment.text(node.iter):
                warn(Danger.CHANGED_WHILE_LOOPING, part, fragment.text(part))
    targets = {part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)}
    for part in inside:
        if isinstance(part, ast.Lambda | Function) and targets & _free_names(part):
            shown = fragment.text(part) if isinstance(part, ast.Lambda) else part.name
            warn(Danger.LATE_BINDING, part, shown)


def _free_names(function: ast.Lambda | Function) -> set[str]:
    own = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    return set(_loaded(function)) - own


def _loaded(function: ast.Lambda | Function) -> Iterator[str]:
    body = function.body if isinstance(function.body, list) else [function.body]
    for part in body:
        for node in ast.walk(part):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield node.id


def _warn_of_call(node: ast.Call, place: Place, fragment: Fragment, warn: Warn) -> None:
    name = called(node)
    if name in ("eval", "exec"):
        warn(Danger.RUNS_TEXT, node, fragment.text(node))
    if name == "open" and isinstance(place.parent, ast.Assign | ast.Attribute | ast.For):
        warn(Danger.UNCLOSED_FILE, node, fragment.text(node))
    if any(
        keyword.arg == "shell"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is True
        for keyword in node.keywords
    ):
        warn(Danger.SHELL, node, fragment.text(node))
