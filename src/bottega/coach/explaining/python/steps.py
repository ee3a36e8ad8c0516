"""Each statement of a fragment in plain words, for readers to whom the words are new."""

import ast

from bottega.coach.explaining.facts import Findings, Topic
from bottega.coach.explaining.phrasing import code, codes
from bottega.coach.explaining.python.flow import is_generator, parameters
from bottega.coach.explaining.python.fragment import Fragment
from bottega.coach.explaining.python.walk import Function, Place
from bottega.coach.explaining.wording import taking


def take_step(node: ast.AST, place: Place, fragment: Fragment, findings: Findings) -> None:
    if isinstance(node, ast.stmt | ast.ExceptHandler):
        if words := _definition(node, fragment) or _block(node, fragment) or _plain(node, fragment):
            findings.step(fragment.line(node), words)
        elif isinstance(node, ast.Expr) and _is_docstring(node, place):
            findings.step(fragment.line(node), "says in words what it is for; nothing runs here")
            findings.tell(Topic.PURPOSE, _first_line(node, fragment))
    elif isinstance(node, ast.pattern) and isinstance(place.parent, ast.match_case):
        shown = code(fragment.text(node))
        findings.step(fragment.line(node), f"is the case in which the value fits {shown}")


def _definition(node: ast.AST, fragment: Fragment) -> str:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return _function(node, fragment)
        case ast.ClassDef(name=name, bases=bases):
            built = f", built on {codes([fragment.text(base) for base in bases])}" if bases else ""
            return f"starts the class {code(name)}{built}"
        case ast.Import(names=aliases):
            return f"makes {codes([alias.name for alias in aliases])} available here"
        case ast.ImportFrom(names=aliases):
            return f"takes {codes([alias.name for alias in aliases])} from another module"
        case _:
            return ""


def _function(node: Function, fragment: Fragment) -> str:
    kind = "async function" if isinstance(node, ast.AsyncFunctionDef) else "function"
    if is_generator(node):
        kind = "generator function"
    return f"starts the {kind} {code(node.name)}{taking(list(parameters(node.args, fragment)))}"


def _block(node: ast.AST, fragment: Fragment) -> str:
    text = fragment.text
    match node:
        case ast.If(test=test):
            return f"asks whether {code(text(test))} is true; if so, the lines under it run"
        case ast.For(target=target, iter=over) | ast.AsyncFor(target=target, iter=over):
            return f"goes through {code(text(over))}, calling each element {code(text(target))}"
        case ast.While(test=test):
            return f"repeats the lines under it as long as {code(text(test))} is true"
        case ast.With(items=items) | ast.AsyncWith(items=items):
            opened = codes([text(item.context_expr) for item in items])
            return f"sets up {opened} for the lines under it and puts it away afterwards"
        case ast.Try() | ast.TryStar():
            return "tries the lines under it, ready for an error"
        case ast.ExceptHandler(type=ast.expr() as error, name=name):
            called = f", which is called {code(name)} here" if name else ""
            return f"goes on here if {code(text(error))} occurs{called}"
        case ast.ExceptHandler():
            return "goes on here if any error occurs"
        case ast.Match(subject=subject):
            return f"compares {code(text(subject))} with the cases under it"
        case _:
            return ""


def _plain(node: ast.AST, fragment: Fragment) -> str:
    text = fragment.text
    match node:
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Delete():
            return _change(node, fragment)
        case ast.Return(value=ast.expr() as value):
            return f"gives {code(text(value))} back to the caller and ends the function"
        case ast.Return():
            return "ends the function here"
        case ast.Raise(exc=ast.expr() as error):
            return f"stops with the error {code(text(error))}"
        case ast.Raise():
            return "passes the error on to the caller"
        case ast.Assert(test=test):
            return f"stops unless {code(text(test))} is true"
        case ast.Pass():
            return "does nothing; a block must have at least one line"
        case ast.Break():
            return "leaves the loop"
        case ast.Continue():
            return "skips to the loop's next round"
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return f"says that {codes(names)} means the variable outside"
        case ast.Expr(value=ast.Yield(value=ast.expr() as value)):
            return f"hands out {code(text(value))} and pauses until the next value is asked for"
        case ast.Expr(value=ast.YieldFrom(value=value)):
            return f"hands out everything that {code(text(value))} gives, one by one"
        case ast.Expr(value=ast.Await(value=value)):
            return f"waits for {code(text(value))}"
        case ast.Expr(value=ast.Call() as call):
            return f"calls {code(text(call))}"
        case ast.Expr(value=value) if not isinstance(value, ast.Constant):
            return f"works out {code(text(value))}"
        case _:
            return ""


def _change(
    node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Delete, fragment: Fragment
) -> str:
    text = fragment.text
    match node:
        case ast.Assign(targets=[ast.Tuple() | ast.List() as target], value=value):
            return f"unpacks {code(text(value))} into {code(text(target))}"
        case ast.Assign(targets=targets, value=ast.Await(value=value)):
            return f"waits for {code(text(value))} and names the result {_names(targets, fragment)}"
        case ast.Assign(targets=targets, value=value):
            return f"gives {_names(targets, fragment)} the value of {code(text(value))}"
        case ast.AnnAssign(target=target, annotation=kind, value=value):
            is_given = f", with the value {code(text(value))}" if value else ""
            return f"declares {code(text(target))} as {code(text(kind))}{is_given}"
        case ast.AugAssign(target=target):
            return f"updates {code(text(target))}: {code(text(node))}"
        case ast.Delete(targets=targets):
            return f"removes {_names(targets, fragment)}"


def _names(targets: list[ast.expr], fragment: Fragment) -> str:
    return codes([fragment.text(target) for target in targets])


def _is_docstring(node: ast.Expr, place: Place) -> bool:
    is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    body = getattr(place.parent, "body", [])
    return is_text and isinstance(body, list) and body[:1] == [node]


def _first_line(docstring: ast.Expr, fragment: Fragment) -> str:
    written = fragment.text(docstring).lstrip("rRuU").strip("\"'")
    return written.strip().partition("\n")[0]
