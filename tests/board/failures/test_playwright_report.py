"""Playwright's JSON, and the JSON of our own reporter."""

from datetime import UTC, datetime

import pytest

from bottega.board.failures.reports.parser import parse_report
from bottega.board.failures.reports.report import (
    LONGEST_MESSAGE,
    LONGEST_STACK,
    BoardOutcome,
    ReportSource,
    Runner,
    Shard,
    TestResult,
)
from tests.board.failures.reports import (
    attempt,
    playwright_error,
    playwright_report,
    reporter_report,
    run_of,
    spec,
    suite,
)

FAILED = playwright_error("Error: \x1b[31mexpect(received).toBe(expected)\x1b[39m")


def only(body: bytes) -> TestResult:
    [result] = parse_report(body).results
    return result


@pytest.mark.requirement("BD-201", "BD-204")
def test_describes_are_nested_and_projects_are_tests_of_their_own() -> None:
    """BD-201 BD-204: file › describe › describe › title [project]."""
    pays = spec(
        "pays", run_of("expected", attempt()), run_of("expected", attempt(), project="webkit")
    )
    inner = suite("by card", pays, suites=[suite("abroad", spec("pays", run_of("expected")))])
    body = playwright_report(
        suite("checkout.spec.ts", spec("opens", run_of("expected")), suites=[inner])
    )

    assert [result.test_id for result in parse_report(body).results] == [
        "checkout.spec.ts › opens [chromium]",
        "checkout.spec.ts › by card › pays [chromium]",
        "checkout.spec.ts › by card › pays [webkit]",
        "checkout.spec.ts › by card › abroad › pays [chromium]",
    ]


@pytest.mark.requirement("BD-201", "BD-242")
def test_the_run_itself_is_told() -> None:
    """BD-201 BD-242: when, how long, which shard."""
    body = playwright_report(config={"shard": {"current": 2, "total": 3}})
    report = parse_report(body, "application/json")

    assert (report.source, report.runner) == (ReportSource.PLAYWRIGHT, Runner.PLAYWRIGHT)
    assert report.started_at == datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
    assert report.duration_ms == 5322
    assert report.shard == Shard(2, 3)
    assert report.results == ()


@pytest.mark.requirement("BD-201", "BD-205")
def test_every_outcome_has_its_status() -> None:
    """BD-201 BD-205: passes and skips are results too."""
    tests = {
        "passes": run_of("expected", attempt()),
        "fails as it should": run_of("expected", attempt("failed", FAILED)),
        "is skipped": run_of("skipped", attempt("skipped")),
        "fails": run_of("unexpected", attempt("failed", FAILED), attempt("failed", FAILED)),
        "is too slow": run_of("unexpected", attempt("timedOut", FAILED)),
        "flakes": run_of("flaky", attempt("failed", FAILED), attempt()),
        "should have failed": run_of("unexpected", attempt()),
    }
    body = playwright_report(suite("f", *(spec(title, test) for title, test in tests.items())))
    results = {result.title: result for result in parse_report(body).results}

    assert {title: result.status for title, result in results.items()} == {
        "passes": BoardOutcome.PASSED,
        "fails as it should": BoardOutcome.PASSED,
        "is skipped": BoardOutcome.SKIPPED,
        "fails": BoardOutcome.FAILED,
        "is too slow": BoardOutcome.TIMED_OUT,
        "flakes": BoardOutcome.FLAKED,
        "should have failed": BoardOutcome.FAILED,
    }
    assert {title for title, result in results.items() if result.error} == {
        "fails",
        "is too slow",
        "flakes",
        "should have failed",
    }
    assert results["fails"].retries == 1
    assert results["fails"].duration_ms == 240


@pytest.mark.requirement("BD-201", "BD-210")
def test_a_failure_keeps_its_message_stack_place_and_traces() -> None:
    """BD-201 BD-210: without the terminal's colours, the stack without the message."""
    trace = {"name": "trace", "contentType": "application/zip", "path": "results/trace.zip"}
    inline = {"name": "note", "contentType": "text/plain", "body": "aGk="}
    failed = attempt("failed", FAILED, attachments=[trace, inline])
    result = only(
        playwright_report(suite("f", spec("pays", run_of("unexpected", failed), line=40)))
    )

    assert result.error is not None
    assert result.error.message == "Error: expect(received).toBe(expected)"
    assert result.error.stack == "at /home/me/shop/e2e/checkout.spec.ts:12:5"
    assert (result.file, result.line, result.project) == ("checkout.spec.ts", 40, "chromium")
    assert result.attachments == ("results/trace.zip",)


@pytest.mark.requirement("BD-201")
def test_a_timeout_says_what_was_waited_for() -> None:
    """Time was up; the second error tells in what."""
    timeout = {"message": "\x1b[31mTest timeout of 30000ms exceeded.\x1b[39m"}
    waiting = {"message": "Error: locator.click: waiting for getByRole('button')"}
    late = attempt("timedOut", timeout, errors=[timeout, waiting])
    result = only(playwright_report(suite("f", spec("pays", run_of("unexpected", late)))))

    assert result.error is not None
    assert result.error.message.endswith("waiting for getByRole('button')")


@pytest.mark.requirement("BD-201")
def test_a_value_that_was_thrown_is_an_error_too() -> None:
    """JavaScript may throw anything."""
    thrown = attempt("failed", {"value": "'no'"})
    silent = attempt("failed", {})
    body = playwright_report(
        suite(
            "f",
            *(
                spec(name, run_of("unexpected", one))
                for name, one in zip("ab", (thrown, silent), strict=True)
            ),
        )
    )

    messages = [result.error.message for result in parse_report(body).results if result.error]
    assert messages == ["'no'", "The test failed without a message."]


@pytest.mark.requirement("BD-206")
def test_a_repeated_test_is_one_result() -> None:
    """`--repeat-each` gives one id several times."""
    red, green = run_of("unexpected", attempt("failed", FAILED)), run_of("expected", attempt())

    def together(*tests: dict[str, object]) -> TestResult:
        return only(playwright_report(suite("f", spec("pays", *tests))))

    assert together(green, red, green).status is BoardOutcome.FLAKED
    assert together(green, red, green).error is not None
    assert together(green, red, green).retries == 2
    assert together(red, red).status is BoardOutcome.FAILED
    assert together(green, green).status is BoardOutcome.PASSED
    assert together(run_of("skipped"), red).status is BoardOutcome.FAILED
    assert together(run_of("skipped"), run_of("skipped")).status is BoardOutcome.SKIPPED


@pytest.mark.requirement("BD-210")
def test_long_texts_are_cut_where_one_sees_it() -> None:
    """10,000 characters of a message, 50,000 of a stack."""
    error = {"message": "m" * 3_000_000, "stack": "E\n    at " + "s" * 60_000}
    result = only(
        playwright_report(
            suite("f", spec("x" * 900, run_of("unexpected", attempt("failed", error))))
        )
    )

    assert result.error is not None
    assert len(result.error.message) == LONGEST_MESSAGE
    assert result.error.message.endswith("m… [cut; 3,000,000 characters in all]")
    assert len(result.error.stack or "") == LONGEST_STACK
    assert result.title.endswith("characters in all]")


@pytest.mark.requirement("BD-210")
def test_text_that_no_database_takes_is_cleaned() -> None:
    """NUL, lone surrogates, controls and signs that turn a line around."""
    error = {"message": "a\x00b\ud800c\u202ed\x07e\r\nf\x1b]8;;http://x\x07g"}
    failed = run_of("unexpected", attempt("failed", error))
    result = only(playwright_report(suite("f", spec("ti\x00t\nle", failed))))

    assert result.error is not None
    assert result.error.message == "abcde\nfg"
    assert result.title == "tit le"
    assert result.test_id.encode()


@pytest.mark.requirement("BD-214")
def test_errors_outside_of_tests_are_told() -> None:
    """A file that does not load has no tests, but an error."""
    body = playwright_report(errors=[playwright_error("SyntaxError: Unexpected token")])

    [error] = parse_report(body).errors
    assert error.message == "SyntaxError: Unexpected token"


@pytest.mark.requirement("BD-203", "BD-205", "BD-214")
def test_our_reporters_report_is_read() -> None:
    """BD-203 BD-205 BD-214: flat, with what is not needed left out."""
    failed = {
        "file": "checkout.spec.ts",
        "line": 12,
        "titles": ["checkout", "pays"],
        "project": "chromium",
        "status": "timed_out",
        "duration_ms": 812,
        "retries": 1,
        "error": {"message": "Error: late", "stack": "    at x.ts:1:1"},
        "attachments": ["trace.zip"],
    }
    body = reporter_report(
        failed,
        {"titles": ["opens"], "status": "passed"},
        started_at="2026-05-04T11:30:00+02:00",
        duration_ms=5321,
        status="interrupted",
        shard={"current": 1, "total": 3},
        errors=[{"message": "Error: no tests found"}],
    )
    report = parse_report(body)

    first, second = report.results
    assert first.test_id == "checkout.spec.ts › checkout › pays [chromium]"
    assert (first.status, first.retries, first.duration_ms) == (BoardOutcome.TIMED_OUT, 1, 812)
    assert first.error is not None
    assert first.error.stack == "at x.ts:1:1"
    assert (second.test_id, second.status, second.file) == ("opens", BoardOutcome.PASSED, None)
    assert report.started_at == datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
    assert report.shard == Shard(1, 3)
    assert report.was_interrupted
    assert report.errors[0].message == "Error: no tests found"
