"""A report of any format we know, from the bytes that were posted.

What it is, is seen in the bytes: a client that sends a file often names the wrong content type.
Reading takes up to seconds for a big report, so callers run it in a thread.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from bottega.board.failures import playwright, reporter
from bottega.board.failures.json_stream import Member, read_members
from bottega.board.failures.junit import parse_junit
from bottega.board.failures.report import (
    MOST_RESULTS,
    MOST_RUN_ERRORS,
    ParsedReport,
    Runner,
    Shard,
    Source,
    TestResult,
    in_utc,
    merged,
)
from bottega.errors import InvalidInput, TooLarge

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
    return playwright.read_file_suite(_checked(playwright.Suite, member.value, member))


def _read_test(member: Member) -> Iterator[TestResult]:
    yield reporter.read_test(_checked(reporter.Test, member.value, member))


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
    head = _checked(reporter.Head, tests.head)
    return ParsedReport(
        source=Source.PLAYWRIGHT,
        runner=Runner.PLAYWRIGHT,
        results=merged(tests.results),
        started_at=in_utc(head.started_at),
        duration_ms=round(head.duration_ms),
        errors=tuple(error.reported() for error in head.errors[:MOST_RUN_ERRORS]),
        shard=_shard(head.shard),
        was_interrupted=head.status == "interrupted",
    )


def _playwrights_report(tests: _Tests) -> ParsedReport:
    head = _checked(playwright.Head, tests.head)
    return ParsedReport(
        source=Source.PLAYWRIGHT,
        runner=Runner.PLAYWRIGHT,
        results=merged(tests.results),
        started_at=in_utc(head.stats.started_at),
        duration_ms=round(head.stats.duration),
        errors=tuple(error.reported() for error in head.errors[:MOST_RUN_ERRORS]),
        shard=_shard(head.config.shard),
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


def _shard(shard: playwright.Shard | None) -> Shard | None:
    return Shard(shard.current, shard.total) if shard else None
