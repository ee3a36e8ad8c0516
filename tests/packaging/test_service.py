"""The systemd unit, by systemd's own checks, and the one thing that it asks of the server."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from bottega.cli.serve import notify_service_manager

UNIT = Path(__file__).parents[2] / "packaging" / "systemd" / "bottega.service"
#: Of ten; what a server gets that says nothing is 9.6.
EXPOSURE = 80


def analyze(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not here: it comes with systemd")
    return subprocess.run(
        [program, *arguments],
        env={**os.environ, "HOME": str(home), "XDG_RUNTIME_DIR": str(home), "SYSTEMD_PAGER": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_systemd_takes_the_unit_without_a_word(tmp_path: Path) -> None:
    program = tmp_path / ".local" / "bin" / "bottega"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / UNIT.name
    # `%h` is the home of who runs this, whatever HOME says.
    unit.write_text(UNIT.read_text().replace("%h", str(tmp_path)))
    verified = analyze("verify", "--user", "--man=no", str(unit), home=tmp_path)
    assert verified.stdout + verified.stderr == ""
    assert verified.returncode == 0


def test_the_unit_is_confined(tmp_path: Path) -> None:
    found = analyze(
        *("security", "--offline=true", f"--threshold={EXPOSURE}", str(UNIT)), home=tmp_path
    )
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("name", ["@bottega-test-{}", "{}/notify"])
def test_the_manager_is_told(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = name.format(os.getpid() if name.startswith("@") else tmp_path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address.replace("@", "\0"))
        manager.settimeout(5)
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        notify_service_manager()
        assert manager.recv(100) == b"READY=1"
    monkeypatch.delenv("NOTIFY_SOCKET")
    notify_service_manager()
