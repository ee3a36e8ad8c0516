"""The Dockerfile and compose.yaml, as far as they can be read without an engine."""

import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from bottega.settings import Settings
from tests.end_to_end.conftest import launch, run_bottega

ROOT = Path(__file__).parents[2]
#: One instruction a line, as an engine reads it.
DOCKERFILE = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SETTINGS = {name.upper() for name in Settings.model_fields}


def instructions(name: str) -> list[str]:
    return re.findall(rf"^{name} (.*)$", DOCKERFILE, re.MULTILINE)


def test_what_is_copied_is_here_and_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text().split()
    taken = [words.split()[:-1] for words in instructions("COPY") if "--from" not in words]
    for source in (name.rstrip("/") for names in taken for name in names):
        assert (ROOT / source).exists(), source
        assert f"!{source.split('/')[0]}" in ignored, source


def test_the_image_and_compose_set_only_what_there_is_to_set() -> None:
    given = set(re.findall(r"(\w+)=", " ".join(instructions("ENV")))) - {"PATH"}
    assert given <= SETTINGS
    assert set(COMPOSE["services"]["bottega"]["environment"]) <= SETTINGS
    assert COMPOSE["services"]["bottega"]["ports"] == ["127.0.0.1:3000:3000"]


def test_it_is_nobody_special() -> None:
    [user] = instructions("USER")
    assert user == "bottega"
    assert DOCKERFILE.index("USER") < DOCKERFILE.index("ENTRYPOINT")


def test_beyond_loopback_nothing_starts_without_a_token(tmp_path: Path) -> None:
    """What a container without BOTTEGA_TOKEN says, with the settings of the image."""
    said = run_bottega("serve", DATA_DIR=str(tmp_path), HOST="0.0.0.0", PORT="0", cwd=tmp_path)
    assert said.returncode == 1
    assert "BOTTEGA_TOKEN" in said.stderr


def test_the_health_check_and_a_service_manager_know_when_it_is_ready(tmp_path: Path) -> None:
    """And told to end, it ends well."""
    [command] = re.findall(r"CMD (\[.*\])$", "".join(instructions("HEALTHCHECK")))
    _, *arguments = yaml.safe_load(command)

    def check(port: str) -> int:
        probe = [sys.executable, *arguments]
        return subprocess.run(probe, env={"PORT": port}, capture_output=True).returncode

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(5)
        server = launch(
            tmp_path, HOST="0.0.0.0", BOTTEGA_TOKEN="t" * 40, NOTIFY_SOCKET=f"{tmp_path}/notify"
        )
        assert manager.recv(100) == b"READY=1"
    port = server.url.rpartition(":")[2]
    assert check(port) == 0
    assert server.stop() == 0
    assert check(port) == 1
