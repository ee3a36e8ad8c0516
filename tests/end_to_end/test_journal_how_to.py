"""The journal's how-to page shows what the commands print."""

import re
import shlex
import subprocess
from pathlib import Path

from tests.end_to_end.conftest import DEADLINE, RunningServer, Start
from tests.processes import clean_environment, warm

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "journal.md"
BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
#: What differs each time: ids of values, and the day they were stored on.
VOLATILE = re.compile(r"value_[0-9a-f]{32}|(?<=0\.\d\d {8})\d{4}-\d\d-\d\d")


def examples() -> list[tuple[str, str]]:
    """Every `bottega` command on the page, with what stands below it."""
    shown = "".join(BLOCK.findall(PAGE.read_text()))
    commands = re.split(r"^\$ ", shown, flags=re.MULTILINE)[1:]
    pairs = (command.split("\n", 1) for command in commands)
    return [(command, output) for command, output in pairs if command.startswith("bottega ")]


def test_every_command_on_the_page_prints_what_the_page_shows(start_server: Start) -> None:
    """GH-52: tables, bars and the plot, as a person meets them."""
    server = start_server()
    # The page imports the tests' own journal, by its path in the repository.
    (server.project / "tests").symlink_to(ROOT / "tests")
    assert len(examples()) >= 10
    for command, shown in examples():
        assert normal(printed_by(command, server)) == normal(shown), command


def printed_by(command: str, server: RunningServer) -> str:
    folders = {"DATA_DIR": str(server.data_dir), "PROJECT_DIR": str(server.project)}
    done = subprocess.run(
        [*warm(), *shlex.split(command)[1:]],
        env=clean_environment(COLUMNS="92", **folders),
        cwd=server.project,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    return done.stderr if done.returncode else done.stdout


def normal(text: str) -> str:
    lines = VOLATILE.sub("…", text).strip("\n").splitlines()
    return "\n".join(line.rstrip() for line in lines)
