"""Reports that are none, that are broken, that mean harm, and that are very big."""

import json
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.board.failures.reports import junit
from bottega.board.failures.reports import parser as parsing
from bottega.board.failures.reports.parser import parse_report
from bottega.board.failures.reports.report import BoardOutcome
from bottega.errors import BottegaError, InvalidInput, TooLarge
from tests.board.failures.reports import (
    attempt,
    playwright_error,
    playwright_report,
    reporter_report,
    run_of,
    spec,
    suite,
)


@pytest.mark.requirement("BD-208")
@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "The report is empty. Expected Playwright's JSON report"),
        (b" \n ", "The report is empty"),
        (b"hello", "This is no test report (sent as text/csv): 'hello'. Expected Playwright's"),
        (b"[]", "This is no test report"),
        (b"\x89PNG\r\n", "This is no test report"),
        (b"{}", "This JSON is no test report: it has nothing"),
        (b'{"name": "shop", "version": "1"}', "it has name, version. Expected Playwright's JSON"),
        (b'{"suites": [], "config": {}}', "it has config"),
        (b'{"suites": {}, "stats": {}, "config": {}}', "at suites: it should be a list"),
        (
            b'{"format": "bottega-report", "version": 1, "tests": 3}',
            "at tests: it should be a list",
        ),
        (
            b'{"suites": [{"title": "f"',
            "not valid JSON: Expecting ',' delimiter at line 1, column 26",
        ),
        (b'{"stats": {},}', "not valid JSON: "),
        (b'{"stats": {}} {}', "Something follows the report at line 1, column 15"),
        (b"{1: 2}", "A member's name was expected"),
        (b'{"stats": "\xff"}', "The report is not UTF-8: invalid start byte at byte 11"),
        (b'{"stats": ' + b"9" * 5000 + b"}", "a value that cannot be read"),
        (b'{"config": ' + b"[" * 200_000, "nested too deeply"),
        (
            b"<html><body/></html>",
            "begins with <html>, but a JUnit report begins with <testsuites>",
        ),
        (b"<testsuite><testcase", "not valid XML: unclosed token at line 1, column 12"),
        (b"<testsuite>\n</suite>", "mismatched tag at line 2"),
        (b'<?xml version="1.0" encoding="klingon"?><testsuite/>', "unknown encoding"),
    ],
)
def test_what_is_no_report_is_refused_with_what_was_expected(body: bytes, told: str) -> None:
    """Says what is wrong, where, and what would be right."""
    with pytest.raises(InvalidInput) as refused:
        parse_report(body, "text/csv")
    assert told in refused.value.message


@pytest.mark.requirement("BD-208")
def test_a_wrong_member_is_named_with_its_place() -> None:
    """Which suite, which spec, which field."""
    fine = suite("a", spec("x", run_of("expected")))
    wrong = suite("b", spec("x", run_of("expected")), spec("y", run_of("brilliant")))
    with pytest.raises(
        InvalidInput, match=r"at suites\.1\.specs\.1\.tests\.0\.status: Input should"
    ):
        parse_report(playwright_report(fine, wrong))
    with pytest.raises(InvalidInput, match=r"at tests\.0\.titles: Field required"):
        parse_report(reporter_report({"status": "passed"}))


@pytest.mark.requirement("BD-203")
@pytest.mark.parametrize("head", [{"format": "other"}, {"version": 2}, {"version": "1.0"}])
def test_a_format_or_version_we_do_not_know_is_refused(head: dict[str, object]) -> None:
    """A later reporter's report is not read by half."""
    with pytest.raises(InvalidInput, match=r"at (format|version): Input should be"):
        parse_report(reporter_report(**head))


BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE testsuite [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<testsuite><testcase name="&b;"/></testsuite>"""


@pytest.mark.requirement("BD-209")
def test_entities_are_refused_before_they_are_read(tmp_path: Path) -> None:
    """Neither a bomb nor a file of this machine comes out of a report."""
    secret = tmp_path / "secret"
    secret.write_text("the key")
    outside = f'<!DOCTYPE testsuite [<!ENTITY s SYSTEM "{secret.as_uri()}">]>'
    stealing = f"{outside}<testsuite><testcase name='a'>&s;</testcase></testsuite>".encode()
    remote = b'<!DOCTYPE testsuite SYSTEM "http://127.0.0.1:9/evil.dtd"><testsuite/>'
    for body in (BOMB, stealing, remote, BOMB.decode().encode("utf-16")):
        with pytest.raises(InvalidInput, match="declares a document type"):
            parse_report(body)


@pytest.mark.requirement("BD-209")
def test_an_entity_that_nobody_declared_is_an_error() -> None:
    """XML's own five are all there are."""
    with pytest.raises(InvalidInput, match="undefined entity"):
        parse_report(b"<testsuite><testcase name='a'>&s;</testcase></testsuite>")


def is_read_or_refused(body: bytes) -> bool:
    try:
        return parse_report(body) is not None
    except BottegaError as refused:
        return bool(refused.message)


@pytest.mark.requirement("BD-208")
@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_report_or_a_clear_refusal(body: bytes) -> None:
    """Nothing else is ever raised."""
    for start in (b"", b"{", b"<testsuite>", b'{"suites": [', b'{"format": '):
        assert is_read_or_refused(start + body)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["title", "specs", "tests", "suites", "results", "status", "x"]), inner
        )
    ),
    max_leaves=12,
)


@pytest.mark.requirement("BD-208")
@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["suites", "tests", "format", "stats", "config"]), _json))
def test_any_json_is_a_report_or_a_clear_refusal(report: dict[str, object]) -> None:
    """Members of any type in any place."""
    assert is_read_or_refused(json.dumps(report).encode())


def big_playwright_report(tests: int) -> bytes:
    error = playwright_error("Error: expect(received).toBe(expected)")
    failed, passed = run_of("unexpected", attempt("failed", error)), run_of("expected", attempt())
    return playwright_report(
        *(
            suite(f"f{file}", *(spec(f"{file}-{n}", passed) for n in range(99)), spec("x", failed))
            for file in range(tests // 100)
        )
    )


def big_junit_report(tests: int) -> bytes:
    failure = f"<failure message='no'>{'at x' * 20}</failure>"
    case = f"<testcase classname='a.b%d' name='t' time='0.1'>{failure}</testcase>"
    return f"<testsuite>{''.join(case % n for n in range(tests))}</testsuite>".encode()


Make = Callable[[int], bytes]
MAKERS = pytest.mark.parametrize("make", [big_playwright_report, big_junit_report])


@pytest.mark.requirement("BD-207")
@MAKERS
def test_fifty_thousand_tests_are_read_in_bounded_time(make: Make) -> None:
    """Seconds, on a busy machine too."""
    body = make(50_000)
    started = time.process_time()
    report = parse_report(body)

    assert time.process_time() - started < 20
    assert len(report.results) > 49_000
    assert any(result.status is BoardOutcome.FAILED for result in report.results)


@pytest.mark.requirement("BD-207")
@MAKERS
def test_reading_holds_little_beyond_the_text_and_the_results(make: Make) -> None:
    """The objects of one file at a time."""
    body = make(5_000)
    parse_report(body)
    tracemalloc.start()
    try:
        report = parse_report(body)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert report.results
    assert peak - kept < 2.2 * len(body)


@pytest.mark.requirement("BD-207")
@pytest.mark.parametrize(
    ("module", "body"),
    [
        (parsing, playwright_report(suite("f", *(spec(t, run_of("expected")) for t in "abcd")))),
        (junit, b"<testsuite>" + b"<testcase name='a'/>" * 4 + b"</testsuite>"),
    ],
)
def test_more_tests_than_anybody_has_are_refused(
    module: object, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is an end."""
    monkeypatch.setattr(module, "MOST_RESULTS", 3)
    with pytest.raises(TooLarge, match="more than 3 tests"):
        parse_report(body)
