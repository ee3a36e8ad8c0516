"""A terminal that a command takes for a person's: it prints colours, and stays if it would."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path
from types import TracebackType

from bottega.settings import Settings

COLUMNS = 100
ROWS = 30


def bottega(*words: str) -> list[str]:
    return [sys.executable, "-m", "bottega", *words]


class Terminal:
    """One command, from its start until it has ended."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self._command = command
        self._folder = folder
        self._bytes = b""
        self.output = ""

    def __enter__(self) -> "Terminal":
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._process = subprocess.Popen(  # noqa: S603
            self._command,
            cwd=self._folder,
            env=environment(self._folder),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self.interrupt()
        code = self._process.wait()
        os.close(self._ours)
        if error is None and code:
            raise SystemExit(f"{' '.join(self._command)} ended with {code}:\n{self.output}")

    def read_until(self, words: str) -> str:
        while words not in self.output:
            if not self._read():
                raise SystemExit(f"It ended before it said “{words}”:\n{self.output}")
        return self.output

    def read_to_end(self) -> None:
        while self._read():
            pass

    def _read(self) -> bool:
        try:
            data = os.read(self._ours, 65536)
        # So Linux says that nobody holds the other end any more.
        except OSError:
            return False
        self._bytes += data
        self.output = self._bytes.decode("utf-8", "ignore")
        return bool(data)

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)


def environment(folder: Path) -> dict[str, str]:
    """Ours without any setting of Bottega, and with no home of anybody's."""
    settings = {name.upper() for name in Settings.model_fields} | {"COLUMNS", "LINES", "NO_COLOR"}
    kept = {name: value for name, value in os.environ.items() if name.upper() not in settings}
    return kept | {
        "TERM": "xterm-256color",
        "HOME": str(folder),
        "DATA_DIR": str(folder / "data"),
        "PROJECT_DIR": str(folder),
        "BOTTEGA_MODEL": "offline",
    }
