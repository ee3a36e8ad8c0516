"""The real server, as a process of its own."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest

from tests.databases import put_database
from tests.processes import COLD, clean_environment, warm

#: For what is done in a second on a quiet machine; it matters only where it never is.
DEADLINE = 120


@dataclass(frozen=True)
class RunningServer:
    url: str
    data_dir: Path
    project: Path
    process: subprocess.Popen[str]
    log: Path

    @property
    def websocket(self) -> str:
        return self.url.replace("http", "ws") + "/ws"

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A `bottega` command of the same `DATA_DIR`."""
        return run_bottega(*arguments, DATA_DIR=str(self.data_dir), PROJECT_DIR=str(self.project))

    def stop(self, number: int = signal.SIGTERM) -> int:
        announced = self.data_dir / "server.json"
        pid = json.loads(announced.read_text())["pid"] if announced.exists() else self.process.pid
        self.process.send_signal(number)
        code = self.process.wait(DEADLINE)
        # Where the one that stands for a fork is killed, the fork is gone a moment later.
        with suppress(psutil.NoSuchProcess):
            psutil.Process(pid).wait(DEADLINE)
        return code


def run_bottega(
    *arguments: str, cwd: Path | None = None, **settings: str
) -> subprocess.CompletedProcess[str]:
    return run([*warm(), *arguments], cwd, settings)


def run_cold(*arguments: str, cwd: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """As people start it: what a fork has read already is read again."""
    return run([*COLD, *arguments], cwd, settings)


def run(
    command: list[str], cwd: Path | None, settings: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env=clean_environment(COLUMNS="200", TERM="xterm", **settings),
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
        cwd=cwd,
    )


def wait_for_announcement(process: subprocess.Popen[str], data_dir: Path, log: Path) -> str:
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail(f"the server ended with {process.returncode}: {log.read_text()}")
        try:
            url: str = json.loads((data_dir / "server.json").read_text())["url"]
            httpx.get(f"{url}/health", trust_env=False, verify=False).raise_for_status()
        except (OSError, ValueError, httpx.HTTPError):
            time.sleep(0.02)
        else:
            return url
    pytest.fail(f"the server did not answer in {DEADLINE} s: {log.read_text()}")


Start = Callable[..., RunningServer]


def launch(
    folder: Path, name: str = "server", *, cold: bool = False, **settings: str
) -> RunningServer:
    """A server process with these settings, ready to answer; a cold one starts from nothing."""
    data_dir = Path(settings.get("DATA_DIR", folder / "deep" / "data"))
    project = folder / "project"
    project.mkdir(exist_ok=True)
    log = folder / f"{name}.log"
    environment = clean_environment(
        **{"DATA_DIR": str(data_dir), "PROJECT_DIR": str(project), "PORT": "0"} | settings
    )
    if not cold and "DATABASE_URL" not in settings:
        put_database(data_dir / "bottega.db")
    with log.open("w") as output:
        process = subprocess.Popen(
            [*(COLD if cold else warm()), "serve"],
            env=environment,
            stdout=output,
            stderr=output,
            text=True,
            cwd=folder,
        )
    try:
        url = wait_for_announcement(process, data_dir, log)
    except BaseException:
        process.kill()
        process.wait()
        raise
    return RunningServer(url, data_dir, project, process, log)


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[Start]:
    """Start a server with these settings; it is stopped after the test."""
    servers: list[RunningServer] = []

    def start(*, cold: bool = False, **settings: str) -> RunningServer:
        servers.append(launch(tmp_path, f"server{len(servers)}", cold=cold, **settings))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.stop()
