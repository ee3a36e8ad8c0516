"""What a fragment defines, calls, returns, raises, catches, loops over and branches on."""

import ast
from collections.abc import Iterator

from bottega.coach.explaining.facts import Definition, Findings, Kind, Parameter, Topic
from bottega.coach.explaining.phrasing import snippet
from bottega.coach.explaining.python.fragment import Fragment
from bottega.coach.explaining.python.walk import Function, Place


def tell_flow(node: ast.AST, place: Place, fragment: Fragment, findings: Findings) -> None:
    text, tell = fragment.text, findings.tell
    findings.loop_depth = max(findings.loop_depth, len(place.loops) + _loops_itself(node))
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            findings.definitions.append(_function(node, place, fragment))
        case ast.ClassDef():
            findings.definitions.append(_class(node, fragment))
        case ast.Assign() | ast.AnnAssign():
            is_local = any(fragment.holds(scope.function) for scope in place.scopes)
            if not (is_local or place.is_method):
                tell(Topic.ASSIGNS, *assigned_names(node))
        case ast.Call() if not isinstance(place.parent, ast.Raise):
            tell(Topic.CALLS, called(node))
        case ast.Return(value=ast.expr() as value):
            tell(Topic.RETURNS, text(value))
        case ast.Raise(exc=ast.expr() as error):
            tell(Topic.RAISES, text(error.func if isinstance(error, ast.Call) else error))
        case ast.ExceptHandler(type=ast.Tuple(elts=errors)):
            tell(Topic.CATCHES, *map(text, errors))
        case ast.ExceptHandler(type=ast.expr() as error):
            tell(Topic.CATCHES, text(error))
        case ast.Yield(value=ast.expr() as value) | ast.YieldFrom(value=value):
            tell(Topic.YIELDS, text(value))
        case ast.Await(value=value):
            tell(Topic.AWAITS, text(value))
        case ast.For(iter=over) | ast.AsyncFor(iter=over) | ast.comprehension(iter=over):
            tell(Topic.LOOPS, text(over))
        case ast.While(test=test):
            tell(Topic.REPEATS, text(test))
        case ast.If(test=test):
            tell(Topic.GUARDS if is_guard(node) else Topic.BRANCHES, text(test))
        case ast.IfExp(test=test):
            tell(Topic.BRANCHES, text(test))
        case ast.Match(subject=subject):
            tell(Topic.BRANCHES, text(subject))
        case ast.Assert(test=test):
            tell(Topic.ASSERTS, text(test))
        case ast.withitem(context_expr=opened):
            tell(Topic.OPENS, text(opened))


def _loops_itself(node: ast.AST) -> int:
    return 1 if isinstance(node, ast.For | ast.AsyncFor | ast.While | ast.comprehension) else 0


def called(call: ast.Call) -> str:
    """The dotted name of what is called; of a longer chain only its last name."""
    names: list[str] = []
    target: ast.expr = call.func
    while isinstance(target, ast.Attribute):
        names.append(target.attr)
        target = target.value
    if isinstance(target, ast.Name):
        return ".".join([target.id, *reversed(names)])
    return names[0] if names else ""


def assigned_names(node: ast.Assign | ast.AnnAssign) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        for part in ast.walk(target):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id


def is_guard(node: ast.If) -> bool:
    """It leaves at its end and nothing stands beside it, so below it the condition is false."""
    leaves = isinstance(node.body[-1], ast.Raise | ast.Return | ast.Continue | ast.Break)
    return leaves and not node.orelse


def _function(node: Function, place: Place, fragment: Fragment) -> Definition:
    traits = ["async"] if isinstance(node, ast.AsyncFunctionDef) else []
    if is_generator(node):
        traits.append("generator")
    return Definition(
        Kind.METHOD if place.is_method else Kind.FUNCTION,
        node.name,
        fragment.line(node),
        parameters=tuple(parameters(node.args, fragment)),
        result=snippet(fragment.text(node.returns)) if node.returns else None,
        traits=tuple(traits),
    )


def is_generator(node: Function) -> bool:
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(inner, Function | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(inner))
    return False


def parameters(arguments: ast.arguments, fragment: Fragment) -> Iterator[Parameter]:
    plain = [*arguments.posonlyargs, *arguments.args]
    without = len(plain) - len(arguments.defaults)
    for index, argument in enumerate(plain):
        default = arguments.defaults[index - without] if index >= without else None
        yield _parameter(argument, default, fragment)
    if arguments.vararg:
        yield _parameter(arguments.vararg, None, fragment, stars="*")
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(argument, default, fragment)
    if arguments.kwarg:
        yield _parameter(arguments.kwarg, None, fragment, stars="**")


def _parameter(
    argument: ast.arg, default: ast.expr | None, fragment: Fragment, stars: str = ""
) -> Parameter:
    return Parameter(
        stars + argument.arg,
        snippet(fragment.text(argument.annotation)) if argument.annotation else None,
        snippet(fragment.text(default)) if default else None,
    )


def _class(node: ast.ClassDef, fragment: Fragment) -> Definition:
    members: list[str] = []
    for inner in node.body:
        if isinstance(inner, Function):
            members.append(inner.name)
        elif isinstance(inner, ast.Assign | ast.AnnAssign):
            members.extend(assigned_names(inner))
    return Definition(
        Kind.CLASS,
        node.name,
        fragment.line(node),
        bases=tuple(snippet(fragment.text(base)) for base in node.bases),
        members=tuple(members),
    )
