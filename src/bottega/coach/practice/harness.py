"""The program that runs a kata's solution against its tests. It runs in isolation, never here.

Standard input brings the solution, the tests and a secret word. What the solution prints, to
standard error too, goes to standard output; verdicts go to what was standard error, a line each,
and count only with the secret word. So a solution cannot pass by printing a report, by ending the
program early, by replacing `sys.stdout` or the builtins, or by redefining `AssertionError`: a test
without a verdict has failed.

What remains: solution and tests share one interpreter, so code that searches the harness's frames
or memory can find the secret word, and an object can claim to equal everything. Who does that
fools nobody but himself; it gains nothing outside of the isolation.
"""

import ast
import builtins
import errno
import json
import os
import sys
from collections.abc import Callable
from types import CodeType, FrameType, ModuleType, TracebackType

SOLUTION = "<solution>"
_LONGEST_VALUE = 200
_LONGEST_TEXT = 2000

# No program can write these names.
_GOT, _EXPECTED, _DESCRIBE = "got@", "expected@", "describe@"

Tell = Callable[[str, str], None]
Verdict = tuple[str, str]

_TRIED = {
    "os.exec": "start a program",
    "os.fork": "start a process",
    "os.forkpty": "start a process",
    "os.kill": "send a signal to a process",
    "os.killpg": "send a signal to a process",
    "os.posix_spawn": "start a program",
    "os.system": "start a program",
    "socket.__new__": "open a connection",
    "socket.getaddrinfo": "look up an address in the network",
    "socket.gethostbyname": "look up an address in the network",
    "subprocess.Popen": "start a program",
}


class ExplainAsserts(ast.NodeTransformer):
    """Makes a failing assert say what it saw. The assert itself stays one."""

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        match node.test:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                statements = self._compare(left, right, node.msg)
            case test:
                said = ast.Constant(f"not true: {ast.unparse(test)}")
                statements = [ast.Assert(test, node.msg or said)]
        return [ast.fix_missing_locations(ast.copy_location(each, node)) for each in statements]

    def _compare(self, left: ast.expr, right: ast.expr, said: ast.expr | None) -> list[ast.stmt]:
        got, expected = ast.Name(_GOT, ast.Load()), ast.Name(_EXPECTED, ast.Load())
        told = (expected, got) if isinstance(left, ast.Constant) else (got, expected)
        description = ast.Call(
            ast.Name(_DESCRIBE, ast.Load()), [*told, said or ast.Constant(None)], []
        )
        return [
            ast.Assign([ast.Name(_GOT, ast.Store())], left),
            ast.Assign([ast.Name(_EXPECTED, ast.Store())], right),
            ast.Assert(ast.Compare(got, [ast.Eq()], [expected]), description),
        ]


def describe(got: object, expected: object, said: object) -> str:
    seen = f"expected {_shown(expected)}, got {_shown(got)}"
    return seen if said is None else f"{said} ({seen})"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def prepare(snippet: str) -> CodeType | Verdict:
    try:
        return compile(ExplainAsserts().visit(ast.parse(snippet)), "<test>", "exec")
    except (SyntaxError, ValueError) as error:
        return "failed", f"this test cannot be read: {error}"


def try_case(solution: CodeType, case: CodeType | Verdict) -> Verdict:
    """Runs the solution anew, then the case in its namespace."""
    if isinstance(case, tuple):
        return case
    module = ModuleType("solution")
    # Classes look their module up by name.
    sys.modules["solution"] = module
    names = vars(module)
    names["__builtins__"] = builtins
    return _attempt([solution, case], names)


def try_check(source: str, check: CodeType | Verdict) -> Verdict:
    if isinstance(check, tuple):
        return check
    names = {"__builtins__": builtins, "source": source, "tree": ast.parse(source)}
    return _attempt([check], names)


def _attempt(codes: list[CodeType], names: dict[str, object]) -> Verdict:
    names[_DESCRIBE] = describe
    try:
        for code in codes:
            exec(code, names)  # noqa: S102 - a learner's code, in isolation
    except BaseException as error:  # whatever it is, it is the verdict
        return _failure(error)
    return "passed", ""


def _failure(error: BaseException) -> Verdict:
    line = _solution_line(error.__traceback__)
    where = f", line {line}" if line else ""
    if isinstance(error, SystemExit):
        return "failed", f"the code calls exit(){where}: return a value instead"
    if isinstance(error, AssertionError) and not line:
        return "failed", _text(error) or "an assert failed"
    kind = type(error).__name__
    said = f"{kind}: {text}{where}" if (text := _text(error)) else f"{kind}{where}"
    if isinstance(error, MemoryError):
        return "memory", said
    if isinstance(error, OSError) and error.errno in (errno.EPERM, errno.EACCES):
        return "refused", said
    return "failed", said


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # the learner wrote __str__
        return ""


def _solution_line(step: TracebackType | None) -> int | None:
    line = None
    while step is not None:
        if step.tb_frame.f_code.co_filename == SOLUTION:
            line = step.tb_lineno
        step = step.tb_next
    return line


def tell_attempts(tell: Tell) -> None:
    """Says what was tried just before the kernel ends the program for it."""
    import socket

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if event not in _TRIED or (event == "socket.__new__" and arguments[1] == socket.AF_UNIX):
            return
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != SOLUTION:
            frame = frame.f_back
        who = f"line {frame.f_lineno}" if frame else "it"
        tell("tried", f"{who} tries to {_TRIED[event]}")

    sys.addaudithook(hear)


def open_channel(secret: str) -> Tell:
    write, channel = os.write, os.dup(2)
    os.dup2(1, 2)

    def tell(what: str, text: str) -> None:
        words = text[:_LONGEST_TEXT].encode(errors="replace").hex()
        write(channel, f"\n{secret} {what} {words}\n".encode())

    return tell


def main() -> None:
    end, order = os._exit, json.load(sys.stdin)
    tell = open_channel(order["secret"])
    source: str = order["code"]
    try:
        solution = compile(source, SOLUTION, "exec")
    except SyntaxError as error:
        tell("unreadable", f"{error.msg}, line {error.lineno}")
        end(0)
    except (ValueError, RecursionError, MemoryError) as error:
        tell("unreadable", _text(error) or type(error).__name__)
        end(0)
    cases = [prepare(case) for case in order["cases"]]
    for check in [prepare(check) for check in order["checks"]]:
        tell("check", " ".join(try_check(source, check)))
    tell_attempts(tell)
    for case in cases:
        verdict = try_case(solution, case)
        tell("case", " ".join(verdict))
    try:
        sys.stdout.flush()
    finally:
        # Nothing that the solution left to be done at exit is done.
        end(0)


if __name__ == "__main__":
    main()
