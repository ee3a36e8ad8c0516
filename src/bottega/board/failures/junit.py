"""JUnit XML, the shape that pytest, surefire, jest-junit and most others write.

It is nobody's standard, so little is demanded: `<testcase>` elements with a name, inside a
`<testsuite>` or not. A document type is refused before anything in it is read, and with it every
entity: no report needs one, and an entity can swell to gigabytes or name a file to be read.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime
from xml.parsers import expat

from bottega.board.failures.report import (
    LONGEST_STACK,
    MOST_RESULTS,
    ParsedReport,
    Runner,
    Source,
    TestResult,
    in_utc,
    merged,
)
from bottega.board.failures.testcases import Attributes, Case, Problem, milliseconds, read_case
from bottega.errors import InvalidInput, TooLarge

_ROOTS = ("testsuites", "testsuite")
_PROBLEMS = {
    "failure": Problem.FAILED,
    "error": Problem.FAILED,
    "rerunFailure": Problem.FAILED_AGAIN,
    "rerunError": Problem.FAILED_AGAIN,
    "flakyFailure": Problem.FAILED_BEFORE,
    "flakyError": Problem.FAILED_BEFORE,
    "skipped": Problem.SKIPPED,
}
#: What XML 1.0 does not allow; runners write it nevertheless, mostly as colours.
_COLOURS = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_FORBIDDEN = bytes(code for code in range(32) if code not in (9, 10, 13))
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_TEST_SCRIPT = re.compile(r"\.(?:spec|test)\.[cm]?[jt]sx?$")


def parse_junit(body: bytes) -> ParsedReport:
    reading = _Reading()
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
class _Reading:
    """What has been read so far; expat calls in as elements come by."""

    results: list[TestResult] = field(default_factory=list)
    runner: Runner = Runner.UNKNOWN
    started_at: datetime | None = None
    #: Of the whole, if the report says so; else its suites' sum.
    total_ms: float | None = None
    suites_ms: float = 0
    depth: int = 0
    suites: list[Attributes] = field(default_factory=list)
    case: Case | None = None
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
            self.case = Case(attributes, self.suites[-1])
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

    def _close_case(self, case: Case) -> None:
        if len(self.results) == MOST_RESULTS:
            raise TooLarge(
                f"The report has more than {MOST_RESULTS:,} tests. Send it in several parts."
            )
        self.results.append(read_case(case, self.runner))

    def report(self) -> ParsedReport:
        return ParsedReport(
            source=Source.JUNIT,
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
