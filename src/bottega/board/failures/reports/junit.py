"""JUnit XML, the shape that pytest, surefire, jest-junit and most others write.

It is nobody's standard, so little is demanded: `<testcase>` elements with a name, inside a
`<testsuite>` or not. A document type is refused before anything in it is read, and with it every
entity: no report needs one, and an entity can swell to gigabytes or name a file to be read.

One `<testcase>` of a JUnit report, read as the runner that wrote it meant it.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto
from typing import NamedTuple
from xml.parsers import expat

from bottega.board.failures.reports.report import (
    LONGEST_STACK,
    MOST_RESULTS,
    SEPARATOR,
    BoardOutcome,
    ParsedReport,
    ReportedError,
    ReportSource,
    Runner,
    TestResult,
    in_utc,
    merged,
)
from bottega.errors import InvalidInput, TooLarge

#: A test that was stopped, in the words of pytest-timeout, JUnit 4 and 5, jest and Playwright.
_TIMED_OUT = re.compile(r"Timeout \(?>|timed out after|[Ee]xceeded timeout of|Test timeout of")
_NAMED_ERROR = re.compile(r"^[ \t]*(\w*(?:Error|Exception|Failure)\b.*)$", re.MULTILINE)
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")

Attributes = dict[str, str]


class ProblemKind(Enum):
    FAILED = auto()
    #: A later attempt of a test that failed in the end.
    FAILED_AGAIN = auto()
    #: An earlier attempt of a test that passed in the end.
    FAILED_BEFORE = auto()
    SKIPPED = auto()


@dataclass
class CaseProblem:
    problem: ProblemKind
    message: str
    type: str
    texts: list[str] = field(default_factory=list)
    length: int = 0


@dataclass
class TestCase:
    attributes: Attributes
    suite: Attributes
    noted: list[CaseProblem] = field(default_factory=list)

    def add(self, problem: ProblemKind, attributes: Attributes) -> None:
        self.noted.append(
            CaseProblem(problem, attributes.get("message", ""), attributes.get("type", ""))
        )

    def add_text(self, text: str, *, at_most: int) -> None:
        noted = self.noted[-1]
        if noted.length < at_most:
            noted.texts.append(text[: at_most - noted.length])
            noted.length += len(text)

    def first(self, problem: ProblemKind) -> CaseProblem | None:
        return next((noted for noted in self.noted if noted.problem is problem), None)


class TestLocation(NamedTuple):
    file: str | None
    titles: tuple[str, ...]
    project: str | None = None


def read_case(case: TestCase, runner: Runner) -> TestResult:
    place = _place(case, runner)
    failed = case.first(ProblemKind.FAILED)
    error = failed or case.first(ProblemKind.FAILED_BEFORE)
    repeats = (ProblemKind.FAILED_AGAIN, ProblemKind.FAILED_BEFORE)
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


def _status(case: TestCase, failed: CaseProblem | None) -> BoardOutcome:
    if failed:
        said = f"{failed.type} {failed.message}" + "".join(failed.texts[:1])[:1000]
        return BoardOutcome.TIMED_OUT if _TIMED_OUT.search(said) else BoardOutcome.FAILED
    if case.first(ProblemKind.FAILED_BEFORE):
        return BoardOutcome.FLAKED
    return BoardOutcome.SKIPPED if case.first(ProblemKind.SKIPPED) else BoardOutcome.PASSED


def _error(noted: CaseProblem) -> ReportedError:
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


def _place(case: TestCase, runner: Runner) -> TestLocation:
    name = case.attributes.get("name") or "a test without a name"
    owner = case.attributes.get("classname", "")
    file = case.attributes.get("file") or case.suite.get("file")
    if runner is Runner.PLAYWRIGHT:
        return TestLocation(owner, tuple(name.split(SEPARATOR)), case.suite.get("hostname"))
    if runner is Runner.PYTEST and owner and not file:
        return _pytest_place(owner, name)
    if _SCRIPT.search(owner) and not file:
        file, owner = owner, ""
    # jest-junit writes the same words as both; others repeat the file.
    titles = (name,) if owner in ("", name, file) else (owner, name)
    return TestLocation(file, titles)


def _pytest_place(owner: str, name: str) -> TestLocation:
    """`tests.shop.test_till.TestTill` is a class in tests/shop/test_till.py."""
    modules = owner.split(".")
    classes: list[str] = []
    while len(modules) > 1 and modules[-1][:1].isupper():
        classes.insert(0, modules.pop())
    return TestLocation("/".join(modules) + ".py", (*classes, name))


def milliseconds(seconds: str | None) -> float | None:
    """`1,234.5` is how some runners write more than a thousand seconds."""
    try:
        value = float((seconds or "").replace(",", "")) * 1000
    except ValueError:
        return None
    return value if 0 <= value < 1e12 else None


_ROOTS = ("testsuites", "testsuite")
_PROBLEMS = {
    "failure": ProblemKind.FAILED,
    "error": ProblemKind.FAILED,
    "rerunFailure": ProblemKind.FAILED_AGAIN,
    "rerunError": ProblemKind.FAILED_AGAIN,
    "flakyFailure": ProblemKind.FAILED_BEFORE,
    "flakyError": ProblemKind.FAILED_BEFORE,
    "skipped": ProblemKind.SKIPPED,
}
#: What XML 1.0 does not allow; runners write it nevertheless, mostly as colours.
_COLOURS = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_FORBIDDEN = bytes(code for code in range(32) if code not in (9, 10, 13))
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_TEST_SCRIPT = re.compile(r"\.(?:spec|test)\.[cm]?[jt]sx?$")


def parse_junit(body: bytes) -> ParsedReport:
    reading = _JUnitReader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reading.open_element
    parser.EndElementHandler = reading.close_element
    parser.CharacterDataHandler = reading.add_text
    parser.StartDoctypeDeclHandler = _refuse_document_type
    try:
        parser.Parse(_allowed(body), True)
    except expat.ExpatError as error:
        raise InvalidInput(
            f"The report is not valid XML: {expat.ErrorString(error.code)} at line {error.lineno}, "
            f"column {error.offset + 1}. Was it cut off? Send the file as the runner wrote it."
        ) from error
    except LookupError as error:  # an encoding that nobody knows
        raise InvalidInput(f"The report cannot be read: {error}. Send it as UTF-8.") from error
    return reading.report()


def _allowed(body: bytes) -> bytes:
    if body.startswith(_UTF16):
        return body
    return _COLOURS.sub(b"", body).translate(None, _FORBIDDEN)


def _refuse_document_type(*_: object) -> None:
    raise InvalidInput(
        "The XML declares a document type (<!DOCTYPE …>). A JUnit report needs none, and entities "
        "are not read here: send it without."
    )


@dataclass
class _JUnitReader:
    """What has been read so far; expat calls in as elements come by."""

    results: list[TestResult] = field(default_factory=list)
    runner: Runner = Runner.UNKNOWN
    started_at: datetime | None = None
    #: Of the whole, if the report says so; else its suites' sum.
    total_ms: float | None = None
    suites_ms: float = 0
    depth: int = 0
    suites: list[Attributes] = field(default_factory=list)
    case: TestCase | None = None
    problem: str | None = None

    def open_element(self, name: str, attributes: Attributes) -> None:
        self.depth += 1
        if self.depth == 1 and name not in _ROOTS:
            raise InvalidInput(
                f"The XML begins with <{name}>, but a JUnit report begins with <testsuites> or "
                "<testsuite>."
            )
        if name in _ROOTS:
            self._open_suite(name, attributes)
        elif name == "testcase":
            self.case = TestCase(attributes, self.suites[-1])
        elif self.case is not None and name in _PROBLEMS:
            self.problem = name
            self.case.add(_PROBLEMS[name], attributes)
        elif name in ("system-out", "system-err"):
            # Surefire puts an attempt's output beside its stack.
            self.problem = None

    def _open_suite(self, name: str, attributes: Attributes) -> None:
        self.suites.append(attributes)
        if self.runner is Runner.UNKNOWN:
            self.runner = runner_of(attributes)
        self.started_at = self.started_at or _moment(attributes.get("timestamp"))
        if name == "testsuites":
            self.total_ms = milliseconds(attributes.get("time"))
        elif len(self.suites) <= 2:
            self.suites_ms += milliseconds(attributes.get("time")) or 0

    def add_text(self, text: str) -> None:
        if self.case is not None and self.problem is not None:
            self.case.add_text(text, at_most=4 * LONGEST_STACK)

    def close_element(self, name: str) -> None:
        self.depth -= 1
        if name in _ROOTS:
            self.suites.pop()
        elif name == self.problem:
            self.problem = None
        elif name == "testcase" and self.case is not None:
            self._close_case(self.case)
            self.case = None

    def _close_case(self, case: TestCase) -> None:
        if len(self.results) == MOST_RESULTS:
            raise TooLarge(
                f"The report has more than {MOST_RESULTS:,} tests. Send it in several parts."
            )
        self.results.append(read_case(case, self.runner))

    def report(self) -> ParsedReport:
        return ParsedReport(
            source=ReportSource.JUNIT,
            runner=self.runner,
            results=merged(self.results),
            started_at=self.started_at,
            duration_ms=round(self.suites_ms if self.total_ms is None else self.total_ms),
        )


def runner_of(suite: Attributes) -> Runner:
    name = suite.get("name", "")
    for runner in (Runner.PYTEST, Runner.VITEST, Runner.JEST):
        if name.startswith(runner):
            return runner
    if any("surefire" in value for value in suite.values()):
        return Runner.MAVEN
    if "hostname" in suite and _TEST_SCRIPT.search(name):
        return Runner.PLAYWRIGHT
    return Runner.UNKNOWN


def _moment(text: str | None) -> datetime | None:
    try:
        return in_utc(datetime.fromisoformat(text or ""))
    except ValueError:
        return None
