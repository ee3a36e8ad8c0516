"""Which ideas a fragment shows."""

import ast
from collections.abc import Iterator

from bottega.coach.explaining.concepts import Concept
from bottega.coach.explaining.facts import Findings
from bottega.coach.explaining.python.flow import called, is_generator, is_guard
from bottega.coach.explaining.python.walk import Function, Place

_TAKES_A_FUNCTION = {"map", "filter", "reduce", "functools.reduce"}


def show_concepts(node: ast.AST, place: Place, findings: Findings) -> None:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            findings.show(*_of_function(node))
        case ast.ClassDef():
            findings.show(*_of_class(node))
        case ast.expr():
            findings.show(*_of_expression(node, place))
        case _:
            findings.show(*_of_statement(node))


def _of_function(node: Function) -> Iterator[Concept]:
    yield Concept.FUNCTION
    arguments = node.args
    if node.decorator_list:
        yield _decorated(node.decorator_list)
    if is_generator(node):
        yield Concept.GENERATOR
    if arguments.defaults or any(arguments.kw_defaults):
        yield Concept.DEFAULT_ARGUMENT
    if arguments.vararg or arguments.kwarg:
        yield Concept.VARIADIC
    if arguments.kwonlyargs:
        yield Concept.KEYWORD_ONLY
    if node.returns or any(argument.annotation for argument in arguments.args):
        yield Concept.TYPE_ANNOTATION
    if isinstance(node, ast.AsyncFunctionDef):
        yield Concept.ASYNC


def _decorated(decorators: list[ast.expr]) -> Concept:
    names = {_last_name(decorator) for decorator in decorators}
    if names & {"property", "cached_property", "setter"}:
        return Concept.PROPERTY
    if names & {"classmethod", "staticmethod"}:
        return Concept.CLASS_METHOD
    return Concept.DATACLASS if "dataclass" in names else Concept.DECORATOR


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _of_class(node: ast.ClassDef) -> Iterator[Concept]:
    yield Concept.CLASS
    bases = {_last_name(base) for base in node.bases}
    if bases & {"Enum", "StrEnum", "IntEnum", "Flag"}:
        yield Concept.ENUM
    elif bases & {"Protocol", "ABC"}:
        yield Concept.INTERFACE
    elif node.bases:
        yield Concept.INHERITANCE
    if node.decorator_list:
        yield _decorated(node.decorator_list)


def _of_expression(node: ast.expr, place: Place) -> Iterator[Concept]:
    match node:
        case ast.ListComp() | ast.SetComp() | ast.DictComp():
            yield Concept.COMPREHENSION
        case ast.GeneratorExp():
            yield Concept.GENERATOR_EXPRESSION
        case ast.Lambda():
            yield Concept.LAMBDA
        case ast.Name(id=name, ctx=ast.Load()) if place.is_captured(name):
            yield Concept.CLOSURE
        case ast.Yield() | ast.YieldFrom():
            yield Concept.GENERATOR
        case ast.Await():
            yield Concept.ASYNC
        case ast.Call():
            yield from _of_call(node, place)
        case ast.NamedExpr():
            yield Concept.WALRUS
        case ast.IfExp():
            yield Concept.CONDITIONAL_EXPRESSION
        case ast.BoolOp(op=ast.Or()) if not _is_condition(place.parent):
            yield Concept.SHORT_CIRCUIT
        case ast.Subscript(slice=ast.Slice()):
            yield Concept.SLICING
        case ast.JoinedStr():
            yield Concept.FORMATTED_STRING
        case ast.Starred(ctx=ast.Load()):
            yield Concept.SPREAD
        case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Store()):
            yield Concept.INSTANCE_STATE
        case ast.Tuple(ctx=ast.Store()) | ast.List(ctx=ast.Store()):
            yield Concept.DESTRUCTURING
        case _:
            return


def _is_condition(parent: ast.AST | None) -> bool:
    return isinstance(
        parent, ast.If | ast.While | ast.IfExp | ast.BoolOp | ast.UnaryOp | ast.comprehension
    )


def _of_call(node: ast.Call, place: Place) -> Iterator[Concept]:
    name = called(node)
    if name and any(name == scope.call for scope in place.scopes):
        yield Concept.RECURSION
    if name in _TAKES_A_FUNCTION or _sorts_by_key(node):
        yield Concept.HIGHER_ORDER
    if name == "isinstance":
        yield Concept.NARROWING
    if name.startswith("re."):
        yield Concept.REGULAR_EXPRESSION


def _sorts_by_key(node: ast.Call) -> bool:
    has_key = any(keyword.arg == "key" for keyword in node.keywords)
    return has_key and called(node).rpartition(".")[2] in ("sorted", "sort", "min", "max")


def _of_statement(node: ast.AST) -> Iterator[Concept]:
    match node:
        case ast.With() | ast.AsyncWith():
            yield Concept.CONTEXT_MANAGER
        case ast.Try() | ast.TryStar():
            yield Concept.EXCEPTION_HANDLING
        case ast.Raise():
            yield Concept.RAISING
        case ast.For() | ast.AsyncFor() | ast.While():
            yield Concept.LOOP
        case ast.If():
            yield Concept.GUARD if is_guard(node) else Concept.BRANCH
        case ast.Match():
            yield Concept.PATTERN_MATCHING
        case ast.Assert():
            yield Concept.ASSERTION
        case ast.Global() | ast.Nonlocal():
            yield Concept.GLOBAL_STATE if isinstance(node, ast.Global) else Concept.CLOSURE
        case ast.Import() | ast.ImportFrom():
            yield Concept.MODULE
        case ast.AnnAssign():
            yield Concept.TYPE_ANNOTATION
        case ast.Assign():
            yield Concept.VARIABLE
        case _:
            return
