"""Servers on one `DATA_DIR`: one on SQLite, any number on PostgreSQL, in any order."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psycopg
import pytest

from bottega.core.db.advisory_locks import AdvisoryLock
from bottega.core.db.database import Database
from bottega.core.db.leases import HOLDER, Leases
from tests.conftest import Postgres
from tests.databases import put_database
from tests.end_to_end.conftest import DEADLINE, run_bottega, wait_for_announcement
from tests.processes import clean_environment, warm

on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


@dataclass
class Servers:
    """Processes of `bottega serve`, each at a port of its own."""

    folder: Path
    settings: dict[str, str]
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def data_dir(self) -> Path:
        return self.folder / "data"

    def start(self, port: int = 0) -> subprocess.Popen[str]:
        (self.folder / "project").mkdir(exist_ok=True)
        environment = clean_environment(
            DATA_DIR=str(self.data_dir),
            PROJECT_DIR=str(self.folder / "project"),
            PORT=str(port),
            **self.settings,
        )
        with self.log(len(self.processes)).open("w") as log:
            process = subprocess.Popen(
                [*warm(), "serve"], env=environment, stdout=log, stderr=log, text=True
            )
        self.processes.append(process)
        return process

    def log(self, number: int) -> Path:
        return self.folder / f"server{number}.log"

    def stop(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(DEADLINE)


@pytest.fixture
def sqlite_servers(tmp_path: Path) -> Iterator[Servers]:
    servers = Servers(tmp_path, {})
    put_database(servers.data_dir / "bottega.db")
    yield servers
    servers.stop()


@pytest.fixture
def postgres_servers(tmp_path: Path, postgres: Postgres) -> Iterator[Servers]:
    servers = Servers(tmp_path, {"DATABASE_URL": postgres.new_database()})
    yield servers
    servers.stop()


def test_of_servers_that_start_at_once_on_sqlite_one_serves_and_the_others_say_why(
    sqlite_servers: Servers,
) -> None:
    started = [sqlite_servers.start() for _ in range(4)]
    ended = wait_for_ends(started, 3)
    [server] = [process for process in started if process not in ended]
    number = started.index(server)
    wait_for_announcement(server, sqlite_servers.data_dir, sqlite_servers.log(number))
    for process in ended:
        assert process.returncode == 1
        said = " ".join(sqlite_servers.log(started.index(process)).read_text().split())
        assert "Traceback" not in said
        assert "A server runs on" in said
        assert "DATA_DIR" in said

    late = sqlite_servers.start()
    assert late.wait(DEADLINE) == 1
    announced = json.loads((sqlite_servers.data_dir / "server.json").read_text())
    said = " ".join(sqlite_servers.log(4).read_text().split())
    assert announced["url"] in said
    assert f"process {announced['pid']}" in said

    os.kill(announced["pid"], signal.SIGKILL)
    server.wait(DEADLINE)
    heir = sqlite_servers.start()
    assert wait_for_announcement(heir, sqlite_servers.data_dir, sqlite_servers.log(5))


def wait_for_ends(
    processes: list[subprocess.Popen[str]], count: int
) -> list[subprocess.Popen[str]]:
    deadline = time.monotonic() + DEADLINE
    while len(ended := [each for each in processes if each.poll() is not None]) < count:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return ended


def test_while_a_house_is_restored_no_server_starts_on_it(sqlite_servers: Servers) -> None:
    first = sqlite_servers.start()
    wait_for_announcement(first, sqlite_servers.data_dir, sqlite_servers.log(0))
    (sqlite_servers.data_dir / "server.json").unlink()
    refused = run_bottega(
        "restore",
        "nothing.tar.gz",
        DATA_DIR=str(sqlite_servers.data_dir),
        PROJECT_DIR=str(sqlite_servers.folder),
    )
    assert refused.returncode == 1
    assert "Stop it, then restore" in " ".join(refused.stderr.split())


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


async def wait_until_up(http: httpx.AsyncClient, url: str) -> None:
    async with asyncio.timeout(DEADLINE):
        while True:
            with suppress(httpx.HTTPError):
                if (await http.get(f"{url}/health")).is_success:
                    return
            await asyncio.sleep(0.05)


class Load:
    """Writes to whichever server answers, and an event stream that goes on at the other one."""

    def __init__(self, http: httpx.AsyncClient, urls: list[str]) -> None:
        self._http = http
        self._urls = urls
        self.acknowledged: dict[str, str] = {}
        self.heard: list[tuple[int, str]] = []
        self.failed: list[str] = []

    async def write(self) -> None:
        number = 0
        while True:
            number += 1
            content = f"note {number}"
            with suppress(httpx.TransportError):
                url = self._urls[number % len(self._urls)]
                answer = await self._http.post(f"{url}/api/memories", json={"content": content})
                if answer.status_code == 201:
                    self.acknowledged[answer.json()["id"]] = content
                else:
                    self.failed.append(answer.text)
            await asyncio.sleep(0.02)

    async def listen(self) -> None:
        turn = 0
        while True:
            turn += 1
            with suppress(httpx.TransportError):
                await self._listen(self._urls[turn % len(self._urls)])
            await asyncio.sleep(0.02)

    async def _listen(self, url: str) -> None:
        headers = {"Last-Event-ID": str(self.heard[-1][0] if self.heard else 0)}
        params = {"topics": "memory.added"}
        async with self._http.stream(
            "GET", f"{url}/api/events", params=params, headers=headers
        ) as stream:
            number = 0
            async for line in stream.aiter_lines():
                if line.startswith("id:"):
                    number = int(line.removeprefix("id:"))
                if line.startswith("data:"):
                    event = json.loads(line.removeprefix("data:"))
                    self.heard += [(number, each) for each in event["payload"]["ids"]]


@asynccontextmanager
async def under_load(http: httpx.AsyncClient, urls: list[str]) -> AsyncIterator[Load]:
    load = Load(http, urls)
    tasks = [asyncio.create_task(load.listen()), asyncio.create_task(load.write())]
    yield load
    tasks[1].cancel()
    async with asyncio.timeout(DEADLINE):
        while not load.acknowledged.keys() <= {each for _, each in load.heard}:
            await asyncio.sleep(0.05)
    tasks[0].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_servers_on_postgresql_share_a_folder_and_restart_one_by_one_without_loss(
    postgres_servers: Servers,
) -> None:
    """Both start at once, on one `DATA_DIR`; then each is stopped and started while the other
    serves: every acknowledged write is there, and its event was heard once, in order."""
    ports = [free_port(), free_port()]
    urls = [f"http://127.0.0.1:{port}" for port in ports]
    running = [postgres_servers.start(port) for port in ports]
    async with httpx.AsyncClient(timeout=DEADLINE, trust_env=False) as http:
        for url in urls:
            await wait_until_up(http, url)
        async with under_load(http, urls) as load:
            for number in (0, 1):
                before = len(load.acknowledged)
                running[number].send_signal(signal.SIGTERM)
                await asyncio.to_thread(running[number].wait, DEADLINE)
                running[number] = postgres_servers.start(ports[number])
                await wait_until_up(http, urls[number])
                assert len(load.acknowledged) > before
    stored = stored_memories(postgres_servers.settings["DATABASE_URL"])
    assert load.acknowledged.keys() <= stored
    assert not load.failed
    numbers = [number for number, _ in load.heard]
    assert numbers == sorted(set(numbers))
    ids = [each for _, each in load.heard]
    assert len(set(ids)) == len(ids)


def stored_memories(url: str) -> set[str]:
    with psycopg.connect(url) as connection:
        return {row[0] for row in connection.execute("SELECT id FROM memories")}


def test_every_advisory_lock_has_a_number_of_its_own() -> None:
    assert len(AdvisoryLock) == len({lock.value for lock in AdvisoryLock})


@on_postgresql
async def test_a_lease_has_one_holder_and_passes_on_when_the_holder_goes(database_url: str) -> None:
    database = Database(database_url)
    first, second = Leases(database), Leases(database)
    assert await first.hold("sweep")
    assert await first.hold("sweep")
    assert not await second.hold("sweep")
    assert await second.hold("another")
    await first.stop()
    assert await second.hold("sweep")
    assert not await first.hold("sweep")
    async with database.write() as session:
        connection = await session.connection()
        await connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            f"WHERE application_name = '{HOLDER}' AND datname = current_database()"
        )
    assert not await second.hold("sweep")
    assert await second.hold("sweep")
    await first.stop()
    await second.stop()
    await database.stop()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_on_sqlite_the_one_server_holds_every_lease(database_url: str) -> None:
    leases = Leases(Database(database_url))
    assert await leases.hold("sweep")
    await leases.stop()
