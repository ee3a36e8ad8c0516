"""A display without a screen, and a look at the windows on it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

#: Xvfb, and what Qt's WebEngine links to that a server lacks.
PACKAGES = (
    *("xvfb", "libxcb-cursor0", "libxcb-icccm4", "libxcb-keysyms1", "libxcb-image0"),
    *("libxcb-render-util0", "libxcb-shape0", "libxkbcommon-x11-0", "libegl1", "libgl1"),
    *("libnss3", "libasound2", "libxcomposite1", "libxdamage1", "libxrandr2", "libxtst6"),
    *("libxkbfile1", "libdbus-1-3"),
)
LOOK = Path(__file__).with_name("windows.py")


@dataclass(frozen=True)
class Screen:
    name: str
    python: Path

    def windows(self, *order: str) -> list[dict[str, object]]:
        """Those named Bottega; all of them obey the order, if there is one."""
        ran = subprocess.run(
            [self.python, LOOK, *order],
            env={"DISPLAY": self.name},
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        found: list[dict[str, object]] = json.loads(ran.stdout)
        return found


@contextmanager
def screen(python: Path) -> Iterator[Screen]:
    """The interpreter is one that has python-xlib."""
    if not shutil.which("Xvfb") and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = ["--yes", "--quiet", "--no-install-recommends"]
        subprocess.run(["apt-get", "install", *quiet, *PACKAGES], check=False)
    program = shutil.which("Xvfb")
    if program is None or not sys.platform.startswith("linux"):
        pytest.skip("no display: install xvfb")
    server = subprocess.Popen(
        [program, "-displayfd", "1", "-screen", "0", "1400x1000x24"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdout is not None
    try:
        yield Screen(f":{server.stdout.readline().strip()}", python)
    finally:
        server.terminate()
        server.wait(10)
