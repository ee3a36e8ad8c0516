"""A full disk, a read-only database, a database that is away: said so at every door, and over by
itself when the cause is gone. What was acknowledged is there; what was not is said not to be."""

import asyncio
import functools
import os
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from pydantic import BaseModel
from sqlalchemy import make_url, text

from bottega.core.db.database import Database
from bottega.core.db.failures import Reason, explain
from bottega.core.events import EventBus
from bottega.core.runs import RunContext, Runs
from bottega.errors import StorageUnavailable, Unavailable
from tests.conftest import Postgres
from tests.databases import put_database, put_run_database
from tests.end_to_end.conftest import run_bottega
from tests.trust.served_app import ServedApp, hear, say, serve_app

is_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
PATIENCE = 60


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"no small disk here: {mounted.stderr.decode()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    filler = disk / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    return filler


async def write_until_refused(served: ServedApp) -> tuple[list[str], Any]:
    """What was acknowledged, and the first answer that was a refusal: a log has room for some."""
    saved: list[str] = []
    for number in range(1_000):
        content = f"{number} " + "word " * 500
        answer = await served.http.post("/api/memories", json={"content": content})
        if answer.status_code != 201:
            return saved, answer
        saved.append(answer.json()["id"])
    raise AssertionError("the disk was never full")


async def check_every_door(served: ServedApp, reason: str) -> None:
    """HTTP, WebSocket, MCP and `/health` say the same, each in its own words."""
    content = "word " * 3_000
    answer = await served.http.post("/api/memories", json={"content": content})
    assert answer.status_code == 503, answer.text
    assert int(answer.headers["Retry-After"]) > 0
    error = answer.json()["error"]
    assert (error["type"], error["reason"]) == ("storage_unavailable", reason)
    assert "not saved" in error["message"]

    async with Client(f"{served.url}/mcp") as agent:
        result = await agent.call_tool("remember", {"content": content})
    assert result.is_error
    assert result.structured_content is not None
    assert result.structured_content["error"]["reason"] == reason
    assert result.structured_content["error"]["retry_after"] > 0

    socket = await served.websocket()
    await say(socket, "session:start", issueTitle="Cents", issueSummary="word " * 5_000)
    said = await hear(socket, "connection:error")
    assert said["payload"]["code"] == "STORAGE_UNAVAILABLE"
    assert said["payload"]["context"]["reason"] == reason

    health = (await served.http.get("/health")).json()
    assert health["status"] == "degraded"
    problems = {problem["part"]: problem["reason"] for problem in health["problems"]}
    assert problems["database"] == reason


async def wait_until_well(served: ServedApp) -> None:
    async with asyncio.timeout(PATIENCE):
        while (await served.http.get("/health")).json()["status"] != "ok":
            await asyncio.sleep(0.05)


@is_root
async def test_a_full_disk_is_named_and_passes(small_disk: Path) -> None:
    async with serve_app(small_disk) as served:
        filler = await asyncio.to_thread(fill, small_disk)
        saved, refused = await write_until_refused(served)
        assert refused.json()["error"]["reason"] == Reason.DISK_FULL
        await check_every_door(served, Reason.DISK_FULL)
        socket = await served.websocket()
        await say(socket, "file:save", path="big.txt", content="word " * 3_000)
        said = await hear(socket, "fs:save_error", "fs:save_ack")
        assert "the disk is full" in said["payload"]["error"]

        filler.unlink()
        await wait_until_well(served)
        answer = await served.http.post("/api/memories", json={"content": "room again"})
        assert answer.status_code == 201
        async with served.app.core.database.read() as session:
            stored = set(await session.scalars(text("SELECT id FROM memories")))
        assert {*saved, answer.json()["id"]} <= stored


@is_root
async def test_a_read_only_disk_is_named_and_passes(small_disk: Path) -> None:
    database = Database(put_database(small_disk / "bottega.db"))
    await database.start()
    await database.stop()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StorageUnavailable) as refused:
        async with database.write() as session:
            await session.execute(text("UPDATE alembic_version SET version_num = version_num"))
    assert refused.value.details["reason"] == Reason.READ_ONLY
    await database.stop()
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    assert await database.check() is None
    await database.stop()


@asynccontextmanager
async def way_to(url: str) -> AsyncIterator["Way"]:
    way = Way(url)
    await way.open()
    yield way
    await way.close()


class Way:
    """A TCP address that leads to PostgreSQL while it is open."""

    def __init__(self, url: str) -> None:
        self._url = make_url(url)
        self._server: asyncio.Server | None = None
        self._under_way: set[asyncio.StreamWriter] = set()
        self._port = 0

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self._port}/{self._url.database}"

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._lead, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._under_way:
            writer.transport.abort()
        self._under_way.clear()

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        folder = str(self._url.query["host"])
        there, back = await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.5432")
        self._under_way |= {writer, back}
        await asyncio.gather(_pump(reader, back), _pump(there, writer), return_exceptions=True)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def test_a_postgresql_that_is_away_is_named_and_comes_back(
    tmp_path: Path, postgres: Postgres
) -> None:
    async with (
        way_to(postgres.new_database()) as way,
        serve_app(tmp_path, database_url=way.url) as served,
    ):
        kept = await served.http.post("/api/memories", json={"content": "before"})
        assert kept.status_code == 201
        await way.close()
        await check_every_door(served, Reason.AWAY)
        read = await served.http.get("/api/memories")
        assert read.status_code == 503
        assert "not saved" not in read.json()["error"]["message"]

        await way.open()
        await wait_until_well(served)
        after = await served.http.post("/api/memories", json={"content": "after"})
        assert after.status_code == 201
        found = (await served.http.get("/api/memories")).text
        assert kept.json()["id"] in found
        assert after.json()["id"] in found


async def test_a_read_only_postgresql_is_named_and_passes(
    tmp_path: Path, postgres: Postgres
) -> None:
    """As after a change of roles: the standby answers, and takes nothing."""
    url = postgres.new_database()
    async with serve_app(tmp_path, database_url=url) as served:
        before = await served.http.post("/api/memories", json={"content": "before"})
        assert before.status_code == 201
        await make_read_only(url, "on")
        await check_every_door(served, Reason.READ_ONLY)
        assert (await served.http.get("/api/memories")).status_code == 200
        await make_read_only(url, "off")
        await wait_until_well(served)
        answer = await served.http.post("/api/memories", json={"content": "after"})
        assert answer.status_code == 201


async def make_read_only(url: str, how: str) -> None:
    import psycopg

    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as admin:
        await admin.execute("SET default_transaction_read_only = off")
        name = str(make_url(url).database)
        await admin.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {how}")
        # Twice: one that was just being opened is not yet seen, and is as it was before.
        for _ in range(2):
            await admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid != pg_backend_pid()"
            )
            await asyncio.sleep(0.1)


@is_root
async def test_a_run_waits_for_a_full_disk_and_goes_on(small_disk: Path) -> None:
    """A step whose result cannot be stored is done again, as after a crash."""
    database = Database(put_database(small_disk / "bottega.db"))
    await database.start()
    bus = EventBus(database)
    await bus.start()
    runs = Runs(database, bus, system_database_url=put_run_database(small_disk / "runs.db"))
    tried: list[int] = []
    fillers: list[Path] = []

    async def write_much(run: RunContext) -> str:
        tried.append(len(tried))
        if len(tried) == 1:
            fillers.append(await asyncio.to_thread(fill, small_disk))
        return "word " * 200_000

    @runs.kind("long")
    async def long(run: RunContext, order: Order) -> Report:
        return Report(length=len(await run.step("write", write_much, run)))

    run_id = await runs.start("long", Order())
    async with asyncio.timeout(PATIENCE):
        while len(tried) < 2:
            await asyncio.sleep(0.05)
            if fillers and len(tried) == 1:
                await asyncio.sleep(0.5)
                fillers[0].unlink(missing_ok=True)
        assert (await runs.result(run_id)).length == 1_000_000
    await runs.stop()
    await bus.stop()
    await database.stop()


async def test_a_run_outlasts_storage_that_fails_in_and_between_its_steps(
    database: Database, tmp_path: Path
) -> None:
    """As after a crash: it goes on from its last finished step, and tells nothing twice."""
    bus = EventBus(database)
    await bus.start()
    url = put_run_database(tmp_path / "runs.db")
    runs = Runs(database, bus, system_database_url=url)
    done: list[str] = []

    async def fetch(run: RunContext) -> int:
        done.append("fetch")
        await run.emit("fetching")
        if done.count("fetch") == 1:
            raise explain(Reason.AWAY, part="database", is_writing=False)
        return 7

    @runs.kind("frail")
    async def frail(run: RunContext, order: Order) -> Report:
        length = await run.step("fetch", fetch, run)
        done.append("between")
        if done.count("between") == 1:
            raise explain(Reason.AWAY, part="database", is_writing=False)
        return Report(length=length)

    run_id = await runs.start("frail", Order())
    async with asyncio.timeout(PATIENCE):
        assert (await runs.result(run_id)).length == 7
    assert done == ["fetch", "fetch", "between", "between"]
    types = [event.type for event in await runs.events(run_id)]
    assert types == ["queued", "started", "fetching", "recovered", "completed"]
    await runs.stop()
    await bus.stop()


@asynccontextmanager
async def runs_in(folder: Path) -> AsyncIterator[Runs]:
    database = Database(put_database(folder / "bottega.db"))
    await database.start()
    bus = EventBus(database)
    await bus.start()
    runs = Runs(database, bus, system_database_url=put_run_database(folder / "runs.db"))
    try:
        yield runs
    finally:
        await runs.stop()
        await bus.stop()
        await database.stop()


def write_to_full_disk(file: Path) -> None:
    file.write_bytes(bytes(1_000_000))


def write_with_sqlite(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE IF NOT EXISTS notes (text)")
        connection.execute("INSERT INTO notes VALUES (zeroblob(1000000))")


def write_and_say_it_in_other_words(file: Path) -> None:
    try:
        write_to_full_disk(file)
    except OSError as error:
        raise Unavailable("The notes could not be kept.") from error


async def write_beside_others(file: Path) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.to_thread(write_to_full_disk, file))


async def write_at_once(work: Callable[[Path], None], file: Path) -> None:
    await asyncio.to_thread(work, file)


@is_root
@pytest.mark.parametrize(
    "work",
    [
        functools.partial(write_at_once, write_to_full_disk),
        functools.partial(write_at_once, write_with_sqlite),
        functools.partial(write_at_once, write_and_say_it_in_other_words),
        write_beside_others,
    ],
    ids=["file", "sqlite", "other words", "group"],
)
@pytest.mark.parametrize("place", ["step", "between"])
async def test_a_run_that_met_a_full_disk_by_itself_goes_on_when_there_is_room(
    small_disk: Path, tmp_path: Path, work: Callable[[Path], Awaitable[None]], place: str
) -> None:
    """The machine failed and not the work: no such error may become what the step came to."""
    filler = await asyncio.to_thread(fill, small_disk)
    tries = 0

    async def keep() -> int:
        nonlocal tries
        tries += 1
        try:
            await work(small_disk / "notes")
        except BaseException:
            filler.unlink()
            raise
        return tries

    async def keeping(run: RunContext, order: Order) -> Report:
        if place == "step":
            return Report(length=await run.step("keep", keep))
        return Report(length=await keep())

    async with runs_in(tmp_path) as runs:
        runs.register("keeping", keeping)
        run_id = await runs.start("keeping", Order())
        async with asyncio.timeout(PATIENCE):
            assert (await runs.result(run_id)).length == 2


async def test_a_run_waits_for_a_busy_run_database_and_goes_on(tmp_path: Path) -> None:
    """All its connections are taken: a step that cannot be looked up is no failed step."""
    held: list[Any] = []

    async def hold() -> None:
        from dbos._dbos import _get_dbos_instance

        engine = _get_dbos_instance()._sys_db.engine
        vars(engine.pool)["_timeout"] = 0.05
        held.append(await asyncio.to_thread(engine.connect))

    async def patient(run: RunContext, order: Order) -> Report:
        if not held:
            await hold()
            asyncio.get_running_loop().call_later(0.3, held[0].close)
        return Report(length=await run.step("count", count))

    async def count() -> int:
        return 7

    async with runs_in(tmp_path) as runs:
        runs.register("patient", patient)
        run_id = await runs.start("patient", Order())
        async with asyncio.timeout(PATIENCE):
            assert (await runs.result(run_id)).length == 7


class Order(BaseModel):
    pass


class Report(BaseModel):
    length: int


def damage(path: Path, *, header: bool) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(0 if header else 4096)
        file.write(b"\xff" * (100 if header else size - 4096))


@pytest.mark.parametrize("header", [True, False], ids=["header", "pages"])
def test_no_backup_is_made_of_a_damaged_database_and_that_is_said(
    tmp_path: Path, header: bool
) -> None:
    put_database(tmp_path / "data" / "bottega.db")
    damage(tmp_path / "data" / "bottega.db", header=header)
    said = run_bottega(
        "backup",
        str(tmp_path / "house.tar.gz"),
        DATA_DIR=str(tmp_path / "data"),
        PROJECT_DIR=str(tmp_path),
    )
    words = " ".join(said.stderr.split())
    assert said.returncode == 1
    assert "Traceback" not in words
    assert "is damaged" in words
    assert "Restore an earlier backup" in words
    assert not (tmp_path / "house.tar.gz").exists()
