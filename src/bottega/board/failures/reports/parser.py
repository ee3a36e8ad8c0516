"""A report of any format we know, from the bytes that were posted.

What it is, is seen in the bytes: a client that sends a file often names the wrong content type.
Reading takes up to seconds for a big report, so callers run it in a thread.

Our own Playwright reporter (`integrations/playwright`) posts a flat report of only what we keep:

    {"format": "bottega-report", "version": 1, "runner": "playwright",
     "started_at": "2026-05-04T09:30:00.000Z", "duration_ms": 5321, "status": "failed",
     "shard": {"current": 1, "total": 3},
     "tests": [{"file": "checkout.spec.ts", "line": 12, "titles": ["checkout", "pays by card"],
                "project": "chromium", "status": "failed", "duration_ms": 812, "retries": 1,
                "error": {"message": "…", "stack": "…"}, "attachments": ["results/trace.zip"]}],
     "errors": [{"message": "…", "stack": "…"}]}

Only `format` and `version` are required, and of a test `titles` and `status`.

Reads one big JSON object member by member, and its long arrays element by element.

A report of 50,000 tests is a few hundred megabytes as Python objects; here only one file's tests
are ever objects at the same time.
"""

import json
import re
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, Field, ValidationError

from bottega.board.failures.reports import playwright
from bottega.board.failures.reports.junit import parse_junit
from bottega.board.failures.reports.playwright import Milliseconds
from bottega.board.failures.reports.report import (
    MOST_RESULTS,
    MOST_RUN_ERRORS,
    BoardOutcome,
    ParsedReport,
    ReportedError,
    ReportSource,
    Runner,
    Shard,
    TestResult,
    in_utc,
    merged,
)
from bottega.errors import InvalidInput, TooLarge

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class Member(NamedTuple):
    key: str
    value: Any  # whatever JSON can hold; the formats check it
    #: For an element of a streamed array.
    position: int | None = None


def read_members(text: str, streamed: Collection[str]) -> Iterator[Member]:
    """The members of the object in `text`; of those named in `streamed`, each element alone."""
    try:
        yield from _object(text, streamed)
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"The report is not valid JSON: {error.msg} at line {error.lineno}, column "
            f"{error.colno}. Was it cut off? Send the file as the reporter wrote it."
        ) from error
    except RecursionError as error:
        raise InvalidInput("The report is nested too deeply to be one of tests.") from error
    except ValueError as error:  # a number with thousands of digits
        raise InvalidInput(f"The report holds a value that cannot be read: {error}") from error


def _object(text: str, streamed: Collection[str]) -> Iterator[Member]:
    at = _expect(text, _skip(text, 0), "{")
    if text[at : at + 1] == "}":
        at = _skip(text, at + 1)
    else:
        while True:
            key, at = _decode(text, at)
            if not isinstance(key, str):
                raise json.JSONDecodeError("A member's name was expected", text, at)
            at = _expect(text, at, ":")
            if key in streamed and text[at : at + 1] == "[":
                at = yield from _array(key, text, at)
            else:
                value, at = _decode(text, at)
                yield Member(key, value)
            if text[at : at + 1] != ",":
                break
            at = _skip(text, at + 1)
        at = _expect(text, at, "}")
    if at != len(text):
        raise json.JSONDecodeError("Something follows the report", text, at)


def _array(key: str, text: str, at: int) -> Generator[Member, None, int]:
    at = _skip(text, at + 1)
    index = 0
    while text[at : at + 1] != "]":
        if index:
            at = _expect(text, at, ",")
        value, at = _decode(text, at)
        yield Member(key, value, index)
        index += 1
    return _skip(text, at + 1)


def _decode(text: str, at: int) -> tuple[Any, int]:
    value, at = _DECODER.raw_decode(text, at)
    return value, _skip(text, at)


def _expect(text: str, at: int, sign: str) -> int:
    if text[at : at + 1] != sign:
        raise json.JSONDecodeError(f"'{sign}' was expected", text, at)
    return _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


class ReporterError(BaseModel):
    message: str
    stack: str | None = None

    def reported(self) -> ReportedError:
        return ReportedError.of(self.message, self.stack)


class ReporterTest(BaseModel):
    __test__ = False

    titles: list[str] = Field(min_length=1)
    status: BoardOutcome
    file: str | None = None
    line: int | None = None
    project: str | None = None
    duration_ms: Milliseconds = 0
    retries: int = Field(0, ge=0, le=1000)
    error: ReporterError | None = None
    attachments: list[str] = []


class ReporterHead(BaseModel):
    """Everything of the report but its tests."""

    format: Literal["bottega-report"]
    version: Literal[1]
    started_at: datetime | None = None
    duration_ms: Milliseconds = 0
    status: str = ""
    shard: Shard | None = None
    errors: list[ReporterError] = []


EXPECTED = "Playwright's JSON report, the JSON of Bottega's Playwright reporter, or JUnit XML"
#: Members that hold the tests: Playwright's files, and our reporter's tests.
_SUITES, _TESTS = "suites", "tests"

Model = TypeVar("Model", bound=BaseModel)


def parse_report(body: bytes, content_type: str | None = None) -> ParsedReport:
    beginning = body[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if beginning.startswith(b"{"):
        return _parse_json(body)
    if beginning.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        return parse_junit(body.lstrip())
    if not body.strip():
        raise InvalidInput(f"The report is empty. Expected {EXPECTED}.")
    claimed = f" (sent as {content_type[:100]})" if content_type else ""
    shown = body[:40].decode("utf-8", "replace")
    raise InvalidInput(f"This is no test report{claimed}: {shown!r}. Expected {EXPECTED}.")


@dataclass
class _Tests:
    results: list[TestResult] = field(default_factory=list)
    head: dict[str, Any] = field(default_factory=dict)  # any JSON, checked by the head's model
    seen: set[str] = field(default_factory=set)


def _parse_json(body: bytes) -> ParsedReport:
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"The report is not UTF-8: {error.reason} at byte {error.start}."
        ) from error
    tests = _Tests()
    for member in read_members(text, (_SUITES, _TESTS)):
        tests.seen.add(member.key)
        if member.position is None:
            tests.head[member.key] = member.value
            continue
        tests.results.extend(_READERS[member.key](member))
        if len(tests.results) > MOST_RESULTS:
            raise TooLarge(
                f"The report has more than {MOST_RESULTS:,} tests. Send each shard on its own."
            )
    return _report(tests)


def _read_suite(member: Member) -> Iterator[TestResult]:
    return playwright.read_file_suite(_checked(playwright.PlaywrightSuite, member.value, member))


def _read_test(member: Member) -> Iterator[TestResult]:
    test = _checked(ReporterTest, member.value, member)
    error = test.error.reported() if test.error else None
    yield TestResult.of(**test.model_dump(exclude={"error"}), error=error)


_READERS: Mapping[str, Callable[[Member], Iterator[TestResult]]] = {
    _SUITES: _read_suite,
    _TESTS: _read_test,
}


def _report(tests: _Tests) -> ParsedReport:
    for name in _READERS.keys() & tests.head.keys():
        raise InvalidInput(f"The report is not as expected at {name}: it should be a list.")
    if "format" in tests.head:
        return _reporters_report(tests)
    # `suites` may be empty, and is then not seen.
    if {"config", "stats"} <= tests.seen:
        return _playwrights_report(tests)
    names = ", ".join(sorted(tests.seen)[:8]) or "nothing"
    raise InvalidInput(f"This JSON is no test report: it has {names}. Expected {EXPECTED}.")


def _reporters_report(tests: _Tests) -> ParsedReport:
    head = _checked(ReporterHead, tests.head)
    return ParsedReport(
        source=ReportSource.PLAYWRIGHT,
        runner=Runner.PLAYWRIGHT,
        results=merged(tests.results),
        started_at=in_utc(head.started_at),
        duration_ms=round(head.duration_ms),
        errors=tuple(error.reported() for error in head.errors[:MOST_RUN_ERRORS]),
        shard=head.shard,
        was_interrupted=head.status == "interrupted",
    )


def _playwrights_report(tests: _Tests) -> ParsedReport:
    head = _checked(playwright.PlaywrightHead, tests.head)
    return ParsedReport(
        source=ReportSource.PLAYWRIGHT,
        runner=Runner.PLAYWRIGHT,
        results=merged(tests.results),
        started_at=in_utc(head.stats.started_at),
        duration_ms=round(head.stats.duration),
        errors=tuple(error.reported() for error in head.errors[:MOST_RUN_ERRORS]),
        shard=head.config.shard,
    )


def _checked(model: type[Model], value: Any, member: Member | None = None) -> Model:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = (member.key, member.position) if member else ()
        where = ".".join(str(part) for part in (*place, *first["loc"]))
        raise InvalidInput(
            f"The report is not as expected at {where}: {first['msg']}. Expected {EXPECTED}."
        ) from error
