"""Playwright's own JSON report: suites in suites, specs, a test for each project, its attempts."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from bottega.board.failures.report import ReportedError, Status, TestResult

_FRAMES = re.compile(r"^[ \t]+at ", re.MULTILINE)
#: Says only that time was up; what it waited for is in the next error.
_ONLY_TIMEOUT = re.compile(r"^(?:\x1b\[[\d;]*m)*Test timeout of \d+ms exceeded")

Milliseconds = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]


class Error(BaseModel):
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
    error: Error | None = None
    errors: list[Error] = []
    attachments: list[Attachment] = []

    def failure(self) -> ReportedError | None:
        first = self.error or next(iter(self.errors), None)
        if first is None:
            return None
        if first.message and _ONLY_TIMEOUT.match(first.message) and len(self.errors) > 1:
            waited_for = self.errors[1].message or ""
            first = first.model_copy(update={"message": f"{first.message}\n\n{waited_for}"})
        return first.reported()


class Test(BaseModel):
    __test__ = False

    status: Literal["expected", "unexpected", "flaky", "skipped"]
    project: str = Field("", alias="projectName")
    results: list[Attempt] = []


class Spec(BaseModel):
    title: str
    file: str = ""
    line: int | None = None
    tests: list[Test]


class Suite(BaseModel):
    title: str
    file: str = ""
    specs: list[Spec] = []
    suites: list["Suite"] = []


class Stats(BaseModel):
    started_at: datetime | None = Field(None, alias="startTime")
    duration: Milliseconds = 0


class Shard(BaseModel):
    current: int
    total: int


class Config(BaseModel):
    shard: Shard | None = None


class Head(BaseModel):
    """Everything of the report but its suites."""

    config: Config = Config()
    stats: Stats = Stats()
    errors: list[Error] = []


def read_file_suite(file_suite: Suite) -> Iterator[TestResult]:
    """The outermost suite is the file and lends no title; describes are nested in it."""
    waiting: list[tuple[Suite, tuple[str, ...]]] = [(file_suite, ())]
    while waiting:
        suite, titles = waiting.pop()
        for spec in suite.specs:
            for test in spec.tests:
                yield _result(spec, test, titles, spec.file or file_suite.file)
        waiting += [(inner, (*titles, inner.title)) for inner in reversed(suite.suites)]


def _result(spec: Spec, test: Test, titles: tuple[str, ...], file: str) -> TestResult:
    status = _status(test)
    failures = (attempt.failure() for attempt in test.results)
    error = next((failure for failure in failures if failure), None)
    if error is None and status is Status.FAILED:
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


def _status(test: Test) -> Status:
    match test.status:
        case "expected":
            return Status.PASSED
        case "flaky":
            return Status.FLAKED
        case "skipped":
            return Status.SKIPPED
        case "unexpected":
            timed_out = any(attempt.status == "timedOut" for attempt in test.results[-1:])
            return Status.TIMED_OUT if timed_out else Status.FAILED


def frames_of(stack: str | None) -> str | None:
    """The stack without the message that JavaScript puts in front of it."""
    if stack is None:
        return None
    frames = _FRAMES.search(stack)
    return stack[frames.start() :].lstrip("\n") if frames else None
