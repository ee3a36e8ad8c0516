"""A fork is the program itself: what it says, how it ends, and that it ends."""

import json
import marshal
import os
import signal
import socket
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.conftest import DEADLINE, launch
from tests.processes import COLD, clean_environment, warm

Ended = tuple[int, str, str]


def ending(program: tuple[str, ...], folder: Path, *arguments: str, **settings: str) -> Ended:
    done = subprocess.run(
        [*program, *arguments],
        env=clean_environment(**settings),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_fork_says_and_ends_as_a_start_from_nothing(tmp_path: Path) -> None:
    """Folder, environment, both outputs and the code."""
    settings = {"DATA_DIR": "data", "PROJECT_DIR": "."}
    for arguments in (("version",), ("trace", "show", "nope")):
        forked = ending(warm(), tmp_path, *arguments, **settings)
        assert forked == ending(COLD, tmp_path, *arguments, **settings)
    assert (tmp_path / "data").is_dir()


def test_who_is_killed_while_asking_for_a_fork_takes_no_other_along(tmp_path: Path) -> None:
    """The source goes on, whatever of the question it has read."""
    question = marshal.dumps((["version"], dict(os.environ), str(tmp_path)))
    for said in (b"", question[:10], question):
        with socket.socket(socket.AF_UNIX) as asker, Path(os.devnull).open("r+b") as nowhere:
            asker.connect(warm()[-1])
            if said:
                socket.send_fds(asker, [b"!"], [nowhere.fileno()] * 3)
                asker.sendall(said)
    code, _, _ = ending(warm(), tmp_path, "version")
    assert code == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_fork_ends_with_whoever_started_it(tmp_path: Path, number: signal.Signals) -> None:
    server = launch(tmp_path)
    pid = json.loads((server.data_dir / "server.json").read_text())["pid"]
    assert pid != server.process.pid
    fork = psutil.Process(pid)
    assert server.stop(number) == (0 if number == signal.SIGTERM else -number)
    fork.wait(DEADLINE)


def test_what_kills_a_fork_is_told(tmp_path: Path) -> None:
    server = launch(tmp_path)
    os.kill(json.loads((server.data_dir / "server.json").read_text())["pid"], signal.SIGKILL)
    assert server.process.wait(DEADLINE) == -signal.SIGKILL
