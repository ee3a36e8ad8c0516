"""The programs that the documentation shows are run as they stand."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.conftest import DEADLINE, RunningServer, launch

ROOT = Path(__file__).parents[2]


def printed_by(page: str, url: str, *arguments: str) -> str:
    """What the page's first program prints."""
    found = re.search(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert found is not None
    program = found.group(1).replace("http://127.0.0.1:3000", url)
    ran = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """On a copy of the example project."""
    folder = tmp_path_factory.mktemp("house")
    shutil.copytree(ROOT / "examples" / "tally", folder / "project")
    running = launch(folder)
    yield running
    running.stop()


def test_the_fifteen_lines_work(server: RunningServer) -> None:
    assert "Cents are integers here" in printed_by("README.md", server.url)
    searched = server.run("memory", "search", "rounding")
    assert "Cents are integers here" in searched.stdout


def test_the_agent_for_the_board_claims_a_change_and_hands_it_in(server: RunningServer) -> None:
    approved = server.run("board", "approve", "share-by-some")
    assert approved.returncode == 0, approved.stderr
    program = ("docs/how-to/board-agent.md", server.url, server.url, str(server.project))
    assert "share-by-some is in review" in printed_by(*program)
    assert printed_by(*program) == "Nothing waits.\n"
