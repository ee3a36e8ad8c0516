"""Who is alive: one process on SQLite, any number on PostgreSQL, and none that is dead."""

import asyncio
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from bottega.core.runs import history as patience
from bottega.core.runs.history import retry_until_available
from bottega.core.runs.liveness import PeerProcess, SingleProcess
from bottega.errors import Conflict, NotFound, Unavailable

on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


async def test_on_sqlite_a_second_process_is_told_that_another_works(tmp_path: Path) -> None:
    first, second = SingleProcess(tmp_path / "runs.db"), SingleProcess(tmp_path / "runs.db")
    await first.enter()
    with pytest.raises(Conflict, match="Another process works on the runs"):
        await second.enter()
    await first.leave()
    await second.enter()
    await second.leave()


@on_postgresql
async def test_on_postgresql_only_those_that_left_are_departed(database_url: str) -> None:
    first, second, third = (PeerProcess(database_url) for _ in range(3))
    for peer in (first, second, third):
        await peer.enter()
    others = [first.executor_id, second.executor_id]
    async with third.departed(others) as gone:
        assert gone == []
    await first.leave()
    async with third.departed(others) as gone:
        assert gone == [first.executor_id]
        async with second.departed([first.executor_id]) as taken:
            assert taken == []
    async with second.departed([first.executor_id]) as free_again:
        assert free_again == [first.executor_id]
    await second.leave()
    await third.leave()


@on_postgresql
async def test_a_peer_that_loses_its_connection_comes_back(database_url: str) -> None:
    lost, other = PeerProcess(database_url), PeerProcess(database_url)
    await lost.enter()
    await other.enter()
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as admin:
        await admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks "
            "WHERE locktype = 'advisory' AND pid != pg_backend_pid()"
        )
    with pytest.raises(Unavailable):
        async with lost.departed(["somebody"]):
            pass
    async with lost.departed([]):
        pass
    with pytest.raises(Unavailable):
        async with other.departed([lost.executor_id]):
            pass
    async with other.departed([lost.executor_id]) as gone:
        assert gone == []
    await lost.leave()
    await other.leave()


async def test_a_database_that_is_away_is_a_clear_error() -> None:
    with pytest.raises(Unavailable, match="does not answer"):
        await PeerProcess("postgresql://nobody@127.0.0.1:9/none").enter()


async def test_a_run_waits_out_an_outage_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "PAUSES", (0.0,))
    answers: list[Exception | str] = [
        OperationalError("SELECT 1", None, Exception("the server is starting up")),
        ConnectionRefusedError(),
        "here",
    ]

    async def ask() -> str:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert await retry_until_available(ask) == "here"
    answers.append(NotFound("no such run"))
    with pytest.raises(NotFound):
        await retry_until_available(ask)


async def test_waiting_for_the_database_can_be_interrupted() -> None:
    async def ask() -> None:
        raise ConnectionRefusedError

    waiting = asyncio.create_task(retry_until_available(ask))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
