"""Real Playwright runs: our reporter, and Playwright's own, read by our parser."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bottega.board.failures.facts import FailureFacts
from bottega.board.failures.proposal import proposal_for
from bottega.board.failures.reports.parser import parse_report
from bottega.board.failures.reports.report import (
    BoardOutcome,
    ParsedReport,
    ReportSource,
    Runner,
    Shard,
)
from bottega.board.failures.triage import FailureClass, FailureHistory
from bottega.board.openspec.writer import OpenSpec

pytestmark = pytest.mark.clients

REPORTER = Path(__file__).parents[2] / "integrations" / "playwright"
PACKAGES = ("@playwright/test@1.65.0", "@fission-ai/openspec@1.13.0")

CHECKOUT = """
const { test, expect } = require('@playwright/test');

test.describe('checkout', () => {
  test('adds up', () => { expect(1 + 1).toBe(2); });
  test('pays by card', () => { expect({ paid: false }).toEqual({ paid: true }); });
  test('is patient', async () => { test.setTimeout(300); await new Promise(() => {}); });
  test('changes its mind', async ({}, info) => { expect(info.retry).toBe(1); });
  test.skip('is not there yet', () => {});
  test('fails as it should', () => { test.fail(); expect(1).toBe(2); });
  test('should fail and does not', () => { test.fail(); });
});
"""
BROKEN = "require('./nowhere');\n"
CONFIG = """
module.exports = {
  testDir: 'e2e', retries: 1, workers: 1,
  projects: [{ name: 'desk' }, { name: 'phone' }],
  reporter: [
    ['list'],
    ['json', { outputFile: 'own.json' }],
    ['junit', { outputFile: 'own.xml', includeRetries: true }],
    [%s, { projectId: 'shop & till', token: 'secret', timeoutMs: %d }],
  ],
};
"""


class Board:
    """Takes reports as Bottega does, and keeps them."""

    def __init__(self, status: int = 201, *, answers: bool = True) -> None:
        self.received: list[tuple[str, dict[str, str], bytes]] = []
        self.released = threading.Event()
        board = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                board.received.append((self.path, dict(self.headers), body))
                if not answers:
                    board.released.wait(60)
                    return
                self.send_response(status)
                self.end_headers()
                error = {"type": "not_found", "message": "No project of that name."}
                self.wfile.write(json.dumps({"error": error}).encode())

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.released.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def board() -> Iterator[Board]:
    board = Board()
    yield board
    board.close()


@pytest.fixture(scope="session")
def packages() -> Path:
    """The folder with Playwright and OpenSpec, beside the virtual environment's packages."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: Playwright is an npm package")
    home = Path(sys.prefix) / "clients" / "playwright-1.65.0-openspec-1.13.0"
    if not (home / "node_modules" / ".bin" / "playwright").exists():
        home.mkdir(parents=True, exist_ok=True)
        quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
        subprocess.run([npm, "install", "--prefix", home, *quiet, *PACKAGES], check=True)
    return home


class Shop:
    """A project with a few Playwright tests that need no browser."""

    def __init__(self, root: Path, packages: Path, *, timeout_ms: int = 10_000) -> None:
        self.root = root
        self.packages = packages / "node_modules"
        (root / "e2e").mkdir()
        (root / "node_modules").symlink_to(self.packages, target_is_directory=True)
        (root / "package.json").write_text("{}")
        (root / "e2e" / "checkout.spec.js").write_text(CHECKOUT)
        reporter = json.dumps(str(REPORTER))
        (root / "playwright.config.js").write_text(CONFIG % (reporter, timeout_ms))

    def test(self, url: str, *options: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [self.packages / ".bin" / "playwright", "test", *options],
            cwd=self.root,
            env={**os.environ, "BOTTEGA_URL": url, "CI": "1", "FORCE_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture
def shop(tmp_path: Path, packages: Path) -> Shop:
    return Shop(tmp_path, packages)


@pytest.mark.requirement("BD-240", "BD-241")
def test_a_run_is_posted_once_and_every_outcome_is_read(shop: Shop, board: Board) -> None:
    """BD-240 BD-241: one report a run, with retries, projects, timeouts and skips."""
    run = shop.test(board.url)

    [(path, headers, body)] = board.received
    assert path == "/api/board/reports?project_id=shop+%26+till"
    assert headers["Authorization"] == "Bearer secret"
    assert f"Bottega: sent 14 results (6 failed) to {board.url}" in run.stdout
    report = parse_report(body, headers["Content-Type"])
    assert (report.source, report.runner) == (ReportSource.PLAYWRIGHT, Runner.PLAYWRIGHT)
    assert report.started_at is not None
    assert report.duration_ms > 0
    desk = {result.title: result for result in report.results if result.project == "desk"}
    assert {title: result.status for title, result in desk.items()} == {
        "adds up": BoardOutcome.PASSED,
        "pays by card": BoardOutcome.FAILED,
        "is patient": BoardOutcome.TIMED_OUT,
        "changes its mind": BoardOutcome.FLAKED,
        "is not there yet": BoardOutcome.SKIPPED,
        "fails as it should": BoardOutcome.PASSED,
        "should fail and does not": BoardOutcome.FAILED,
    }
    card = desk["pays by card"]
    assert card.test_id == "checkout.spec.js › checkout › pays by card [desk]"
    assert (card.file, card.line, card.retries) == ("checkout.spec.js", 6, 1)
    assert card.error is not None
    assert card.error.message.startswith("Error: expect(received).toEqual(expected)")
    assert "\x1b" not in card.error.message
    assert "checkout.spec.js:6" in (card.error.stack or "")


@pytest.mark.requirement("BD-201", "BD-202", "BD-211")
def test_playwrights_own_reports_tell_the_same_as_ours(shop: Shop, board: Board) -> None:
    """BD-201 BD-202 BD-211: the same tests, statuses and fingerprints whoever reports them."""
    shop.test(board.url)

    ours = parse_report(board.received[0][2])
    own = parse_report((shop.root / "own.json").read_bytes())
    junit = parse_report((shop.root / "own.xml").read_bytes())

    def told(report: ParsedReport) -> dict[str, tuple[BoardOutcome, int | None, str | None]]:
        facts = {each.test_id: FailureFacts.of(each, report.runner) for each in report.results}
        marks = {name: fact.fingerprint if fact else None for name, fact in facts.items()}
        return {
            each.test_id: (each.status, each.line, marks[each.test_id]) for each in report.results
        }

    assert told(own) == told(ours)
    assert (junit.source, junit.runner) == (ReportSource.JUNIT, Runner.PLAYWRIGHT)
    assert {each.test_id: each.status for each in junit.results} == {
        each.test_id: each.status for each in ours.results
    }


@pytest.mark.requirement("BD-242")
def test_a_shard_says_which_one_it_is(shop: Shop, board: Board) -> None:
    """Shards are reports of their own."""
    (shop.root / "e2e" / "other.spec.js").write_text(CHECKOUT)
    shop.test(board.url, "--shard=1/2")
    shop.test(board.url, "--shard=2/2")

    reports = [parse_report(body) for _, _, body in board.received]
    assert [report.shard for report in reports] == [Shard(1, 2), Shard(2, 2)]
    ids = [{result.test_id for result in report.results} for report in reports]
    assert ids[0]
    assert ids[1]
    assert not ids[0] & ids[1]


@pytest.mark.requirement("BD-242")
def test_an_error_outside_of_tests_is_sent_too(shop: Shop, board: Board) -> None:
    """A test file that does not load is told, though no test ran."""
    (shop.root / "e2e" / "broken.spec.js").write_text(BROKEN)
    shop.test(board.url, "broken.spec.js")

    report = parse_report(board.received[0][2])
    assert report.results == ()
    assert "Cannot find module './nowhere'" in report.errors[0].message
    assert (
        parse_report((shop.root / "own.json").read_bytes())
        .errors[0]
        .message.startswith(report.errors[0].message.splitlines()[0])
    )


@pytest.mark.requirement("BD-243")
def test_a_run_without_bottega_ends_as_it_would_have(shop: Shop) -> None:
    """Nobody there: one line, the same exit code."""
    board = Board()
    board.close()
    run = shop.test(board.url, "-g", "adds up")

    assert run.returncode == 0
    assert "Bottega: the results were not sent: fetch failed" in run.stdout
    assert run.stdout.count("Bottega:") == 1


@pytest.mark.requirement("BD-243")
def test_an_address_that_is_none_is_one_line_too(shop: Shop) -> None:
    """Nonsense in the settings does not fail the run."""
    run = shop.test("not an address", "-g", "adds up")

    assert run.returncode == 0
    assert "Bottega: the results were not sent: Invalid URL" in run.stdout


@pytest.mark.requirement("BD-243")
def test_a_refusal_is_told_with_its_reason(shop: Shop) -> None:
    """What Bottega answered is what the person reads."""
    board = Board(404)
    try:
        run = shop.test(board.url, "-g", "adds up")
    finally:
        board.close()

    assert run.returncode == 0
    assert f"{board.url} answered 404 No project of that name." in run.stdout


@pytest.mark.requirement("BD-243")
def test_a_bottega_that_never_answers_holds_nobody_up(tmp_path: Path, packages: Path) -> None:
    """There is a timeout."""
    board = Board(answers=False)
    try:
        run = Shop(tmp_path, packages, timeout_ms=300).test(board.url, "-g", "adds up")
    finally:
        board.close()

    assert run.returncode == 0
    assert "Bottega: the results were not sent: Bottega did not answer in time." in run.stdout


@pytest.mark.requirement("BD-240")
def test_the_package_has_no_dependencies_and_is_complete(packages: Path, tmp_path: Path) -> None:
    """What npm would publish is the reporter, its types and its description."""
    npm = shutil.which("npm")
    assert npm
    packed = subprocess.run(
        [npm, "pack", "--json", "--dry-run", REPORTER],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    told = json.loads(packed.stdout)
    package = told[0] if isinstance(told, list) else next(iter(told.values()))
    names = {file["path"] for file in package["files"]}
    assert names == {"index.js", "index.d.ts", "package.json", "README.md"}
    manifest = json.loads((REPORTER / "package.json").read_text())
    assert manifest["name"] == "@bottega/playwright-reporter"
    assert not manifest.keys() & {"dependencies", "peerDependencies", "scripts"}


HOSTILE = "pays\n## Why\n- [x] 9.9 done ``` `` ` </script> <!-- [a](b) SHALL # *x* ~~~ $(rm -rf /)"


@pytest.mark.requirement("BD-230", "BD-234")
@pytest.mark.parametrize("title", ["pays by card", HOSTILE, "###", "支払い", "x" * 800])
async def test_the_real_openspec_accepts_a_proposal(
    title: str, shop: Shop, board: Board, packages: Path
) -> None:
    """BD-230 BD-234: from a real run to a change that `openspec validate --strict` passes."""
    spec = f"require('@playwright/test').test({json.dumps(title)}, () => {{ throw {{}}.x.y; }});"
    (shop.root / "e2e" / "checkout.spec.js").write_text(spec)
    shop.test(board.url, "--project=desk")
    report = parse_report(board.received[0][2])
    failure = FailureFacts.of(report.results[0], report.runner)
    assert failure is not None
    now = datetime.now(UTC)
    draft = proposal_for(
        failure, FailureHistory.of([BoardOutcome.FAILED] * 5, now, now), FailureClass.PERSISTENT
    )
    (shop.root / "openspec" / "changes").mkdir(parents=True)
    openspec = OpenSpec(shop.root)
    change = await openspec.create_change(draft)
    openspec.close()

    program = packages / "node_modules" / ".bin" / "openspec"
    checked = subprocess.run(
        [program, "validate", change.id, "--strict", "--json", "--no-interactive"],
        cwd=shop.root,
        env={**os.environ, "OPENSPEC_TELEMETRY": "0", "DO_NOT_TRACK": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    verdict = json.loads(checked.stdout)
    assert verdict["items"][0]["valid"], checked.stdout
    assert verdict["items"][0]["issues"] == []
    assert change.count.done == 0
    assert change.count.total == 6
