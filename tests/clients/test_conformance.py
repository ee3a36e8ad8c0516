"""The protocol's own conformance suite against our door, for both of its eras."""

import asyncio
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.clients

ROOT = Path(__file__).parents[2]
SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.11"
#: The suite wants a newer Node than many machines have; this npm package brings one.
NODE = "node@24"


@pytest.fixture(scope="session")
def suite() -> list[str]:
    """The command that runs the suite, installed beside the virtual environment's packages."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: the conformance suite is an npm package")
    home = Path(sys.prefix) / "clients" / f"mcp-conformance-{SUITE.rpartition('@')[2]}"
    programs = home / "node_modules" / ".bin"
    if not (programs / "conformance").exists():
        home.mkdir(parents=True, exist_ok=True)
        quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
        subprocess.run([npm, "install", "--prefix", home, *quiet, NODE, SUITE], check=True)
    return [str(programs / "node"), str(programs / "conformance")]


@pytest.fixture
async def url() -> AsyncIterator[str]:
    """Where `conformance_app.py` answers."""
    app = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.clients.conformance_app"),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    assert app.stdout is not None
    try:
        yield (await app.stdout.readline()).decode().strip()
    finally:
        app.terminate()
        await app.wait()


def scored(report: str) -> Iterator[tuple[str, str]]:
    """The mark and the name of every scenario that counts for the revision."""
    summary, _, ignored = report.partition("=== SUMMARY ===")[2].partition("Not scored for ")
    not_scored = set(re.findall(r"^\s+[✓✗] (\S+) \(", ignored, re.MULTILINE))
    for mark, name in re.findall(r"^([✓✗]) (\S+): \d+ passed", summary, re.MULTILINE):
        if name not in not_scored:
            yield mark, name


@pytest.mark.parametrize(("revision", "scenarios"), [("2026-07-28", 37), ("2025-11-25", 30)])
async def test_every_scenario_that_a_revision_requires_passes(
    revision: str, scenarios: int, suite: list[str], url: str, tmp_path: Path
) -> None:
    options = ["--url", url, "--requirements", revision, "--output-dir", str(tmp_path)]
    run = await asyncio.create_subprocess_exec(
        *(*suite, "server", *options),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    report = (await run.communicate())[0].decode()

    results = list(scored(report))
    failed = [name for mark, name in results if mark == "✗"]
    assert not failed, report
    assert len(results) == scenarios
    assert run.returncode == 0, report
