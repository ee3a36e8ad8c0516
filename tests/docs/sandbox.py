"""A machine of its own: home, data, a copy of the examples, and `bottega` on its PATH."""

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.databases import put_database
from tests.docs.pages import ROOT
from tests.end_to_end.conftest import DEADLINE, wait_for_announcement
from tests.processes import clean_environment, warm

#: The address that pages name; here it is another.
ADDRESS = "http://127.0.0.1:3000"
#: The home that pages show.
HOME = "/home/anna"
WIDTH = "92"
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


def install(folder: Path) -> Path:
    """The folder to put on a PATH, with `bottega` in it."""
    program = folder / "bottega"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(warm())} "$@"\n')
    program.chmod(0o755)
    return folder


class Sandbox:
    def __init__(self, folder: Path, programs: Path) -> None:
        self.home = folder / "home"
        self.checkout = self.home / "bottega"
        self.data = self.home / "data"
        self.log = folder / "server.log"
        self.url = ADDRESS
        put_database(self.data / "bottega.db")
        shutil.copytree(ROOT / "examples", self.checkout / "examples")
        for name in ("integrations", "packaging", "tests"):
            (self.checkout / name).symlink_to(ROOT / name)
        self._server: subprocess.Popen[str] | None = None
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
                [*warm(), "serve"],
                cwd=self.checkout,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                text=True,
            )
        self.url = wait_for_announcement(self._server, self.data, self.log)

    def stop(self) -> None:
        if self._server is None:
            return
        self._server.terminate()
        self._server.wait(DEADLINE)
        self._server = None
