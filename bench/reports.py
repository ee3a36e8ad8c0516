"""Reads and imports reports of 10,000 test results; and how the rules judge.

The peer of reading is the standard library reading the same bytes and doing nothing with them:
what any reader has to pay. An import is the whole way through the service into SQLite, with
classification and triage; the second time every failure is known, and ten are proposed.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from rich.console import Console
from rich.table import Table

from bottega.board.failures.facts import FailureFacts
from bottega.board.failures.reports.parser import parse_report
from bottega.board.failures.triage import Decision
from tests.board.failures.labelled import agreement, confusion, labelled_failures
from tests.board.failures.reports import (
    attempt,
    playwright_error,
    playwright_report,
    reporter_report,
    run_of,
    spec,
    suite,
)
from tests.board.project_board import ReportedBoard, open_reported_board

RESULTS = 10_000
#: Every so many tests fail.
FAILING = 5
#: For the whole import, of which reading is a part.
TARGET_SECONDS = 5.0
MESSAGE = """Error: expect(locator).toHaveText(expected) failed

Locator:  getByTestId('total')
Expected: "10.00"
Received: "{}"
Timeout:  5000ms

Call log:
  - Expect "toHaveText" with timeout 5000ms
  - waiting for getByTestId('total')
"""


def main() -> None:
    table = Table(f"{RESULTS:,} results", "size", "read, fingerprinted", "standard library", "")
    for name, make, plain in FORMATS:
        body = make()
        peer = seconds(lambda body=body, plain=plain: plain(body))  # type: ignore[misc]
        ours = seconds(lambda body=body: import_results(body))  # type: ignore[misc]
        met = "[green]met[/green]" if ours <= TARGET_SECONDS else "[red]missed[/red]"
        size = f"{len(body) / 1e6:.1f} MB"
        table.add_row(name, size, f"{ours:.2f} s", f"{peer:.2f} s", f"≤ {TARGET_SECONDS:g} s {met}")
    console = Console()
    console.print(table)
    console.print(asyncio.run(imported()))
    console.print(judged())


def import_results(body: bytes) -> None:
    report = parse_report(body)
    facts = [FailureFacts.of(result, report.runner) for result in report.results]
    assert len(report.results) == RESULTS
    assert sum(fact is not None for fact in facts) == RESULTS // FAILING


async def imported() -> Table:
    table = Table(f"{RESULTS:,} results imported", "first time", "again", "")
    for name, make, _ in FORMATS:
        body = make()
        with tempfile.TemporaryDirectory() as folder:
            async with open_reported_board(Path(folder)) as board:
                times = [await import_seconds(board, body) for _ in range(2)]
        met = "[green]met[/green]" if max(times) <= TARGET_SECONDS else "[red]missed[/red]"
        shown = [f"{each:.2f} s" for each in times]
        table.add_row(name, *shown, f"≤ {TARGET_SECONDS:g} s {met}")
    return table


async def import_seconds(board: ReportedBoard, body: bytes) -> float:
    started = time.perf_counter()
    result = await board.intake.import_report(board.project_id, body)
    assert result.report.total == RESULTS
    return time.perf_counter() - started


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def judged() -> Table:
    failures = labelled_failures()
    counts = confusion(failures)
    shown = [Decision.NEEDS_SPEC, Decision.PENDING, Decision.IGNORE]
    title = f"{len(failures)} labelled failures, {agreement(failures):.0%} agreed (target ≥ 70 %)"
    table = Table("person \\ rules", *shown, title=title)
    for person in shown:
        table.add_row(person, *(str(counts[person, rule]) for rule in shown))
    return table


def playwrights() -> bytes:
    def one(number: int) -> dict[str, object]:
        if number % FAILING:
            return spec(f"test {number}", run_of("expected", attempt()))
        failed = attempt("failed", playwright_error(MESSAGE.format(number)))
        return spec(f"test {number}", run_of("unexpected", failed, failed))

    files = range(RESULTS // 100)
    return playwright_report(
        *(suite(f"{file}", *(one(file * 100 + n) for n in range(100))) for file in files)
    )


def reporters() -> bytes:
    def one(number: int) -> dict[str, object]:
        test = {"file": "a.spec.ts", "line": 3, "titles": ["shop", f"test {number}"]}
        if number % FAILING:
            return {**test, "status": "passed", "duration_ms": 12}
        return {**test, "status": "failed", "error": {"message": MESSAGE.format(number)}}

    return reporter_report(*(one(number) for number in range(RESULTS)))


def junit() -> bytes:
    def one(number: int) -> str:
        case = f'<testcase classname="tests.test_shop" name="test_{number}" time="0.012"'
        if number % FAILING:
            return f"{case}/>"
        text = MESSAGE.format(number).replace('"', "&quot;")
        return f'{case}><failure message="{text}">{text}</failure></testcase>'

    return f'<testsuite name="pytest">{"".join(map(one, range(RESULTS)))}</testsuite>'.encode()


Format = tuple[str, Callable[[], bytes], Callable[[bytes], object]]
FORMATS: list[Format] = [
    ("Playwright's JSON", playwrights, json.loads),
    ("our reporter's JSON", reporters, json.loads),
    ("JUnit XML", junit, ElementTree.fromstring),
]


if __name__ == "__main__":
    main()
