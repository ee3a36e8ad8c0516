"""One `<testcase>` of a JUnit report, read as the runner that wrote it meant it."""

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from bottega.board.failures.report import SEPARATOR, ReportedError, Runner, Status, TestResult

#: A test that was stopped, in the words of pytest-timeout, JUnit 4 and 5, jest and Playwright.
_TIMED_OUT = re.compile(r"Timeout \(?>|timed out after|[Ee]xceeded timeout of|Test timeout of")
_NAMED_ERROR = re.compile(r"^[ \t]*(\w*(?:Error|Exception|Failure)\b.*)$", re.MULTILINE)
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")

Attributes = dict[str, str]


class Problem(Enum):
    FAILED = auto()
    #: A later attempt of a test that failed in the end.
    FAILED_AGAIN = auto()
    #: An earlier attempt of a test that passed in the end.
    FAILED_BEFORE = auto()
    SKIPPED = auto()


@dataclass
class Noted:
    problem: Problem
    message: str
    type: str
    texts: list[str] = field(default_factory=list)
    length: int = 0


@dataclass
class Case:
    attributes: Attributes
    suite: Attributes
    noted: list[Noted] = field(default_factory=list)

    def add(self, problem: Problem, attributes: Attributes) -> None:
        self.noted.append(Noted(problem, attributes.get("message", ""), attributes.get("type", "")))

    def add_text(self, text: str, *, at_most: int) -> None:
        noted = self.noted[-1]
        if noted.length < at_most:
            noted.texts.append(text[: at_most - noted.length])
            noted.length += len(text)

    def first(self, problem: Problem) -> Noted | None:
        return next((noted for noted in self.noted if noted.problem is problem), None)


class Place(NamedTuple):
    file: str | None
    titles: tuple[str, ...]
    project: str | None = None


def read_case(case: Case, runner: Runner) -> TestResult:
    place = _place(case, runner)
    failed = case.first(Problem.FAILED)
    error = failed or case.first(Problem.FAILED_BEFORE)
    repeats = (Problem.FAILED_AGAIN, Problem.FAILED_BEFORE)
    line = case.attributes.get("line", "")
    return TestResult.of(
        place.titles,
        _status(case, failed),
        file=place.file,
        line=int(line) if line.isascii() and line.isdigit() and len(line) < 9 else None,
        project=place.project,
        duration_ms=milliseconds(case.attributes.get("time")) or 0,
        retries=sum(noted.problem in repeats for noted in case.noted),
        error=_error(error) if error else None,
    )


def _status(case: Case, failed: Noted | None) -> Status:
    if failed:
        said = f"{failed.type} {failed.message}" + "".join(failed.texts[:1])[:1000]
        return Status.TIMED_OUT if _TIMED_OUT.search(said) else Status.FAILED
    if case.first(Problem.FAILED_BEFORE):
        return Status.FLAKED
    return Status.SKIPPED if case.first(Problem.SKIPPED) else Status.PASSED


def _error(noted: Noted) -> ReportedError:
    text = "".join(noted.texts)
    message = noted.message.strip()
    # Playwright's message may be only the test's place and name.
    named = _NAMED_ERROR.search(text) if noted.type == "FAILURE" or not message else None
    if named:
        message = named[1]
    if not message:
        message = next((line for line in text.splitlines() if line.strip()), "")
    kind = noted.type.rpartition(".")[2]
    if kind.endswith(("Error", "Exception")) and kind not in message:
        message = f"{kind}: {message}" if message else kind
    return ReportedError.of(message or "The test failed without a message.", text)


def _place(case: Case, runner: Runner) -> Place:
    name = case.attributes.get("name") or "a test without a name"
    owner = case.attributes.get("classname", "")
    file = case.attributes.get("file") or case.suite.get("file")
    if runner is Runner.PLAYWRIGHT:
        return Place(owner, tuple(name.split(SEPARATOR)), case.suite.get("hostname"))
    if runner is Runner.PYTEST and owner and not file:
        return _pytest_place(owner, name)
    if _SCRIPT.search(owner) and not file:
        file, owner = owner, ""
    # jest-junit writes the same words as both; others repeat the file.
    titles = (name,) if owner in ("", name, file) else (owner, name)
    return Place(file, titles)


def _pytest_place(owner: str, name: str) -> Place:
    """`tests.shop.test_till.TestTill` is a class in tests/shop/test_till.py."""
    modules = owner.split(".")
    classes: list[str] = []
    while len(modules) > 1 and modules[-1][:1].isupper():
        classes.insert(0, modules.pop())
    return Place("/".join(modules) + ".py", (*classes, name))


def milliseconds(seconds: str | None) -> float | None:
    """`1,234.5` is how some runners write more than a thousand seconds."""
    try:
        value = float((seconds or "").replace(",", "")) * 1000
    except ValueError:
        return None
    return value if 0 <= value < 1e12 else None
