"""A machine of its own: home, data, a copy of the examples, and `bottega` on its PATH."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from bottega.cli.connection import read_announcement
from tests.databases import put_database
from tests.docs.forking import CALLER
from tests.docs.pages import ROOT
from tests.end_to_end.conftest import clean_environment

#: The address that pages name; here it is another.
ADDRESS = "http://127.0.0.1:3000"
#: The home that pages show.
HOME = "/home/anna"
WIDTH = "92"
DEADLINE = 120
#: Run a command where the last one left the shell, and remember where this one does.
SHELL = """\
[ -f "$STATE" ] && . "$STATE"
{command}
code=$?
{{ export -p; printf 'cd %q\\n' "$PWD"; }} > "$STATE"
exit $code
"""


@dataclass(frozen=True)
class Ran:
    code: int
    output: str


@contextmanager
def forking(folder: Path) -> Iterator[Path]:
    """The folder to put on a PATH, in which `bottega` is."""
    programs = folder / "bin"
    programs.mkdir()
    address = str(folder / "socket")
    caller = programs / "bottega"
    caller.write_text(CALLER.format(python=sys.executable, address=address))
    caller.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.docs.forking", address],
        cwd=ROOT,
        env=clean_environment(COLUMNS=WIDTH, PYTHONPATH=f"{ROOT / 'src'}:{ROOT}"),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout as output:
        assert output.readline() == "ready\n"
        yield programs
        process.kill()
        process.wait()


class Sandbox:
    def __init__(self, folder: Path, programs: Path) -> None:
        self.home = folder / "home"
        self.checkout = self.home / "bottega"
        self.data = self.home / "data"
        self.log = folder / "server.log"
        self.url = ADDRESS
        put_database(self.data / "bottega.db")
        shutil.copytree(ROOT / "examples", self.checkout / "examples")
        for name in ("integrations", "tests"):
            (self.checkout / name).symlink_to(ROOT / name)
        self._bottega = programs / "bottega"
        self._server: subprocess.Popen[bytes] | None = None
        self.environment = clean_environment(
            HOME=str(self.home),
            PATH=f"{programs}:{os.environ['PATH']}",
            STATE=str(folder / "state"),
            DATA_DIR=str(self.data),
            PROJECT_DIR=str(self.checkout / "examples" / "tally"),
            PORT="0",
            BOTTEGA_MODEL="offline",
            COLUMNS=WIDTH,
        )

    def run(self, command: str) -> Ran:
        """As if typed, by somebody who says yes when asked; errors below what was printed."""
        text = command.replace(ADDRESS, self.url)
        done = subprocess.run(
            ["bash", "-c", SHELL.format(command=text)],
            cwd=self.checkout,
            env=self.environment,
            input="y\n",
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        output = (done.stdout + done.stderr).replace(self.url, ADDRESS)
        return Ran(done.returncode, output.replace(str(self.home), HOME))

    @property
    def is_serving(self) -> bool:
        return self._server is not None

    def begin(self) -> None:
        """A new shell, beside a running server."""
        Path(self.environment["STATE"]).unlink(missing_ok=True)
        if not self.is_serving:
            self.start()

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._server = subprocess.Popen(
                [self._bottega, "serve"],
                cwd=self.checkout,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.url = self._wait_until_it_answers()

    def _wait_until_it_answers(self) -> str:
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline:
            announced = read_announcement(self.data)
            if announced is not None:
                try:
                    httpx.get(f"{announced.url}/health", trust_env=False).raise_for_status()
                except httpx.HTTPError:
                    pass
                else:
                    return announced.url
            time.sleep(0.05)
        raise TimeoutError(f"the server did not answer: {self.log.read_text()}")

    def stop(self) -> None:
        if self._server is None:
            return
        announced = read_announcement(self.data)
        if announced is not None:
            os.kill(announced.pid, signal.SIGTERM)
        self._server.wait(DEADLINE)
        self._server = None
