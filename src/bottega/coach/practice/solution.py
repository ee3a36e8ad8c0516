"""A solution that a learner hands in: as a reader sees it, and what is known because it was run."""

import ast
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from bottega.coach.enums import Stage
from bottega.coach.practice.catalogue import USUAL_LEVEL, KataConstraint
from bottega.coach.practice.runner import CaseResult, RunReport

#: A function longer or nested deeper than this could be told in smaller steps.
LONG = 30
DEEP = 3

_TODO = re.compile(r"(#|//).*\b(TODO|FIXME|XXX)\b")
#: What the parser raises; the last two for nesting beyond reason.
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_NESTING = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)


class SyntaxProblem(NamedTuple):
    text: str
    line: int | None = None

    def __str__(self) -> str:
        return self.text if self.line is None else f"{self.text}, line {self.line}"


@dataclass(frozen=True, slots=True)
class SolutionFacts:
    #: Why it cannot be read as Python.
    problem: SyntaxProblem | None = None
    #: What the starting code defines and the solution no longer does.
    missing: tuple[str, ...] = ()
    #: Functions that have no body yet, and lines that say TODO.
    unfinished: tuple[str, ...] = ()
    #: Functions that are long or deeply nested.
    tangled: tuple[str, ...] = ()


def read_solution(code: str, scaffolding: str) -> SolutionFacts:
    """Of a kata in another language than Python, which its starting code tells, only the TODOs."""
    lines = enumerate(code.splitlines(), start=1)
    todos = [f"line {number}" for number, line in lines if _TODO.search(line)]
    start = parse(scaffolding)
    if start is None:
        return SolutionFacts(unfinished=tuple(todos))
    tree = parse(code)
    if tree is None:
        return SolutionFacts(problem=syntax_problem(code))
    functions = [node for node in ast.walk(tree) if isinstance(node, _FUNCTION)]
    defined = _defined(tree)
    hollow = [f"`{node.name}`" for node in functions if all(map(_says_nothing, node.body))]
    return SolutionFacts(
        missing=tuple(name for name in _defined(start) if name not in defined),
        unfinished=(*hollow, *todos),
        tangled=tuple(f"`{node.name}`" for node in functions if _is_tangled(node)),
    )


def parse(code: str) -> ast.Module | None:
    """The syntax tree; None if it is no Python."""
    try:
        return ast.parse(code)
    except _UNREADABLE:
        return None


def syntax_problem(code: str) -> SyntaxProblem | None:
    """Why it is no Python; None if it is."""
    try:
        ast.parse(code)
    except SyntaxError as error:
        return SyntaxProblem(error.msg, error.lineno)
    except _UNREADABLE as error:
        return SyntaxProblem(str(error) or type(error).__name__)
    return None


def _defined(tree: ast.Module) -> list[str]:
    kinds = (*_FUNCTION, ast.ClassDef)
    return [node.name for node in tree.body if isinstance(node, kinds)]


def _says_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name))):
            return name == "NotImplementedError"
    return False


def _is_tangled(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    length = (function.end_lineno or function.lineno) - function.lineno + 1
    return length > LONG or _depth(function) > DEEP


def _depth(function: ast.AST) -> int:
    deepest, waiting = 0, [(function, 0)]
    while waiting:
        node, depth = waiting.pop()
        deepest = max(deepest, depth)
        for child in ast.iter_child_nodes(node):
            nests = isinstance(child, _NESTING) and not _is_elif(node, child)
            waiting.append((child, depth + nests))
    return deepest


def _is_elif(parent: ast.AST, child: ast.AST) -> bool:
    return isinstance(parent, ast.If) and isinstance(child, ast.If) and parent.orelse == [child]


@dataclass(frozen=True, slots=True)
class RunEvidence:
    code: str
    #: The constraints that the learner took on.
    constraints: tuple[KataConstraint, ...] = ()
    #: None for a kata that has no tests to run.
    run: RunReport | None = None

    @property
    def is_empty(self) -> bool:
        return not self.code.strip()

    @property
    def ran(self) -> bool:
        return self.run is not None and self.run.ran

    @property
    def cases(self) -> tuple[CaseResult, ...]:
        return self.run.results if self.run else ()

    @property
    def failed(self) -> tuple[CaseResult, ...]:
        return tuple(case for case in self.cases if not case.passed)

    @property
    def checked(self) -> tuple[tuple[KataConstraint, CaseResult], ...]:
        """The constraints that a check could judge, with its verdict."""
        checkable = [constraint for constraint in self.constraints if constraint.check]
        return tuple(zip(checkable, self.run.checks if self.run else (), strict=False))

    @property
    def broken(self) -> tuple[tuple[KataConstraint, CaseResult], ...]:
        return tuple(
            (constraint, result) for constraint, result in self.checked if not result.passed
        )

    @property
    def kept(self) -> tuple[KataConstraint, ...]:
        return tuple(constraint for constraint, result in self.checked if result.passed)

    @property
    def unjudged(self) -> tuple[KataConstraint, ...]:
        """The constraints that only a reader can judge."""
        return tuple(constraint for constraint in self.constraints if not constraint.check)

    @property
    def solves(self) -> bool:
        """Whether it passed all of the kata's tests."""
        return self.ran and bool(self.cases) and not self.failed

    @property
    def obstacle(self) -> str | None:
        """Why this solution cannot pass, whoever reviews it; None if nothing speaks against it."""
        if self.is_empty:
            return "There is no code in this submission."
        if self.run is None or not self.run.ran:
            return None
        if self.failed and self.run.message:
            return as_sentence(f"The code did not get through its tests: {self.run.message}")
        if self.failed:
            first = self.failed[0]
            return as_sentence(f"{self.score} tests pass. “{first.name}” does not: {first.problem}")
        if self.broken:
            constraint, result = self.broken[0]
            return as_sentence(f"“{constraint.title}” does not hold yet: {result.problem}")
        return None

    @property
    def score(self) -> str:
        return f"{len(self.cases) - len(self.failed)} of {len(self.cases)}"


def as_sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


@dataclass(frozen=True, slots=True)
class Submission:
    description: str
    #: What the learner must not see.
    instructor_notes: str
    scaffolding_code: str
    evidence: RunEvidence
    stage: Stage
    #: All that the kata has, the easiest first.
    constraints: tuple[KataConstraint, ...] = ()
    #: Attempts under the same constraints, oldest first: `{code, review, level, passed}`.
    previous_attempts: tuple[dict[str, Any], ...] = ()
    #: Titles of the constraints under which the learner has passed before.
    mastered: frozenset[str] = frozenset()
    #: What a plain solution that passes shows, from 1 to 10.
    plain_level: int = USUAL_LEVEL
