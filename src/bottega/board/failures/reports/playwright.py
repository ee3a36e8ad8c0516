"""Playwright's own JSON report: suites in suites, specs, a test for each project, its attempts."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from bottega.board.failures.reports.report import BoardOutcome, ReportedError, Shard, TestResult

_FRAMES = re.compile(r"^[ \t]+at ", re.MULTILINE)
#: Says only that time was up; what it waited for is in the next error.
_ONLY_TIMEOUT = re.compile(r"^(?:\x1b\[[\d;]*m)*Test timeout of \d+ms exceeded")

Milliseconds = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]


class PlaywrightError(BaseModel):
    message: str | None = None
    stack: str | None = None
    value: str | None = None

    def reported(self) -> ReportedError:
        message = self.message or self.value or "The test failed without a message."
        return ReportedError.of(message, frames_of(self.stack))


class Attachment(BaseModel):
    path: str | None = None


class Attempt(BaseModel):
    status: str | None = None
    duration: Milliseconds = 0
    error: PlaywrightError | None = None
    errors: list[PlaywrightError] = []
    attachments: list[Attachment] = []

    def failure(self) -> ReportedError | None:
        first = self.error or next(iter(self.errors), None)
        if first is None:
            return None
        if first.message and _ONLY_TIMEOUT.match(first.message) and len(self.errors) > 1:
            waited_for = self.errors[1].message or ""
            first = first.model_copy(update={"message": f"{first.message}\n\n{waited_for}"})
        return first.reported()


class PlaywrightTest(BaseModel):
    __test__ = False

    status: Literal["expected", "unexpected", "flaky", "skipped"]
    project: str = Field("", alias="projectName")
    results: list[Attempt] = []


class PlaywrightSpec(BaseModel):
    title: str
    file: str = ""
    line: int | None = None
    tests: list[PlaywrightTest]


class PlaywrightSuite(BaseModel):
    title: str
    file: str = ""
    specs: list[PlaywrightSpec] = []
    suites: list["PlaywrightSuite"] = []


class PlaywrightStats(BaseModel):
    started_at: datetime | None = Field(None, alias="startTime")
    duration: Milliseconds = 0


class PlaywrightConfig(BaseModel):
    shard: Shard | None = None


class PlaywrightHead(BaseModel):
    """Everything of the report but its suites."""

    config: PlaywrightConfig = PlaywrightConfig()
    stats: PlaywrightStats = PlaywrightStats()
    errors: list[PlaywrightError] = []


def read_file_suite(file_suite: PlaywrightSuite) -> Iterator[TestResult]:
    """The outermost suite is the file and lends no title; describes are nested in it."""
    waiting: list[tuple[PlaywrightSuite, tuple[str, ...]]] = [(file_suite, ())]
    while waiting:
        suite, titles = waiting.pop()
        for spec in suite.specs:
            for test in spec.tests:
                yield _result(spec, test, titles, spec.file or file_suite.file)
        waiting += [(inner, (*titles, inner.title)) for inner in reversed(suite.suites)]


def _result(
    spec: PlaywrightSpec, test: PlaywrightTest, titles: tuple[str, ...], file: str
) -> TestResult:
    status = _status(test)
    failures = (attempt.failure() for attempt in test.results)
    error = next((failure for failure in failures if failure), None)
    if error is None and status is BoardOutcome.FAILED:
        error = ReportedError("The test is marked as failing, but it passed.")
    return TestResult.of(
        (*titles, spec.title),
        status,
        file=file,
        line=spec.line,
        project=test.project,
        duration_ms=sum(attempt.duration for attempt in test.results),
        retries=max(0, len(test.results) - 1),
        error=error,
        attachments=(each.path for attempt in test.results for each in attempt.attachments),
    )


def _status(test: PlaywrightTest) -> BoardOutcome:
    match test.status:
        case "expected":
            return BoardOutcome.PASSED
        case "flaky":
            return BoardOutcome.FLAKED
        case "skipped":
            return BoardOutcome.SKIPPED
        case "unexpected":
            timed_out = any(attempt.status == "timedOut" for attempt in test.results[-1:])
            return BoardOutcome.TIMED_OUT if timed_out else BoardOutcome.FAILED


def frames_of(stack: str | None) -> str | None:
    """The stack without the message that JavaScript puts in front of it."""
    if stack is None:
        return None
    frames = _FRAMES.search(stack)
    return stack[frames.start() :].lstrip("\n") if frames else None
