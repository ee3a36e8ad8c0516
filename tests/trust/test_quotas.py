"""One caller, known or not, shuts out nobody: the owner and `/health` are always answered."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import BaseModel
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.http11 import Response

from bottega.errors import TooMany
from bottega.server.network.connections import RESERVE, Connections
from tests.trust.served_app import Colleague, ServedApp, serve_app
from tests.trust.test_revocation import LEGACY, open_session

OWNER = {"Authorization": "Bearer the-owners"}
#: With credentials demanded, so that somebody without any is nobody.
CLOSED = {"bottega_token": "the-owners"}


@asynccontextmanager
async def closed_house(tmp_path: Path, **settings: Any) -> AsyncIterator[ServedApp]:
    """A house whose owner shows a token."""
    async with serve_app(tmp_path, **CLOSED, **settings) as served:
        served.http.headers.update(OWNER)
        yield served


async def dial(served: ServedApp, said: bytes = b"") -> asyncio.StreamReader:
    """A bare connection that says so much and no more."""
    url = httpx.URL(served.url)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    served.stack.callback(writer.close)
    writer.write(said)
    await writer.drain()
    return reader


async def expect_answers(served: ServedApp) -> None:
    """The owner and `/health`, on connections of their own."""
    async with httpx.AsyncClient(base_url=served.url, trust_env=False, timeout=10) as fresh:
        assert (await fresh.get("/health")).json()["status"] == "ok"
        answer = await fresh.get("/api/settings", headers=OWNER)
        assert answer.status_code == 200, answer.text
    address = served.url.replace("http", "ws", 1) + "/ws"
    async with connect(address, proxy=None, additional_headers=OWNER):
        pass


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not is_so():
            await asyncio.sleep(0.01)


def open_sockets(served: ServedApp) -> Connections:
    connections: Connections = served.server.state.connections
    return connections


@pytest.mark.parametrize(
    "said", [b"", b"GET /health HT", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "]
)
async def test_half_open_connections_shut_nobody_out(tmp_path: Path, said: bytes) -> None:
    async with closed_house(tmp_path, bottega_max_connections=100) as served:
        for _ in range(300):
            await dial(served, said)
        await expect_answers(served)
        assert len(open_sockets(served)) <= 100 + 1


async def test_whoever_makes_way_hears_which_limit_it_was(tmp_path: Path) -> None:
    async with closed_house(tmp_path, bottega_max_connections=2) as served:
        first = await dial(served)
        for _ in range(3):
            await dial(served)
        answer = await first.read()
        assert answer.startswith(b"HTTP/1.1 429")
        assert b"retry-after: " in answer
        assert b"BOTTEGA_MAX_CONNECTIONS" in answer


async def test_half_open_connections_end_by_themselves(tmp_path: Path) -> None:
    heads = {
        "nothing": b"",
        "half a head": b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        "half a body": b"POST /api/tokens HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n"
        b"Connection: close\r\nContent-Type: application/json\r\n"
        b'Authorization: Bearer the-owners\r\n\r\n{"name"',
    }
    async with closed_house(tmp_path, bottega_half_open_seconds=0.2) as served:
        readers = [await dial(served, said) for said in heads.values()]
        async with asyncio.timeout(3):
            answers = [await reader.read() for reader in readers]
    for name, answer in zip(heads, answers, strict=True):
        assert answer.startswith(b"HTTP/1.1 408"), name


async def test_an_idle_connection_makes_way_for_one_with_a_request(tmp_path: Path) -> None:
    async with closed_house(tmp_path, bottega_max_connections=20) as served:
        whole = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        readers = [await dial(served, whole) for _ in range(40)]
        await expect_answers(served)
        # Answered, and then closed without another word: it would be the next request's answer.
        assert (await readers[0].read()).count(b"HTTP/1.1") == 1


async def flood_websockets(served: ServedApp, who: Colleague, count: int) -> list[Response]:
    """As many as they get; the refusals of the rest."""
    refused: list[Response] = []
    for _ in range(count):
        try:
            await served.websocket(who)
        except InvalidStatus as error:
            refused.append(error.response)
    return refused


async def test_websockets_of_one_user_are_bounded_and_given_back(tmp_path: Path) -> None:
    async with closed_house(tmp_path, bottega_max_websockets_per_user=20) as served:
        mallory, ada = await served.colleague("mallory"), await served.colleague("ada")
        refused = await flood_websockets(served, mallory, 60)
        assert len(refused) == 40
        assert refused[0].status_code == 429
        assert refused[0].headers["Retry-After"]
        assert b"BOTTEGA_MAX_WEBSOCKETS_PER_USER" in refused[0].body
        await expect_answers(served)
        assert not await flood_websockets(served, ada, 5)
        await served.stack.aclose()
        await until(lambda: not served.server.state.doors.hub.connections)
        assert not await flood_websockets(served, mallory, 20)


async def test_with_every_connection_at_work_the_reserve_is_the_owners(tmp_path: Path) -> None:
    async with closed_house(tmp_path, bottega_max_connections=30) as served:
        mallory = await served.colleague()
        await served.http.aclose()
        refused = await flood_websockets(served, mallory, 60)
        assert refused[0].status_code == 503
        assert b"BOTTEGA_MAX_CONNECTIONS" in refused[0].body
        async with httpx.AsyncClient(base_url=served.url, trust_env=False, timeout=10) as fresh:
            late = await fresh.get("/api/tokens", headers=mallory.headers)
            assert (late.status_code, late.headers["connection"]) == (503, "close")
            assert late.headers["Retry-After"]
        await expect_answers(served)
        for _ in range(RESERVE):
            await dial(served)
        await expect_answers(served)
        await served.stack.aclose()
        await until(lambda: not len(open_sockets(served)))


async def test_connections_of_one_address_are_bounded(tmp_path: Path) -> None:
    async with closed_house(tmp_path, bottega_max_connections_per_address=10) as served:
        mallory = await served.colleague()
        await served.http.aclose()
        refused = await flood_websockets(served, mallory, 30)
        assert len(refused) == 20
        await expect_answers(served)


async def open_streams(served: ServedApp, who: Colleague, count: int, path: str) -> list[int]:
    statuses = []
    for _ in range(count):
        http = await served.stack.enter_async_context(
            httpx.AsyncClient(base_url=served.url, trust_env=False, timeout=10)
        )
        stream = http.stream("GET", path, headers=who.headers)
        statuses.append((await served.stack.enter_async_context(stream)).status_code)
    return statuses


async def test_event_streams_of_one_user_are_bounded_and_given_back(tmp_path: Path) -> None:
    async with closed_house(tmp_path, bottega_max_streams_per_user=5) as served:
        mallory = await served.colleague()
        assert await open_streams(served, mallory, 7, "/api/events") == [200] * 5 + [429] * 2
        refused = await served.http.get("/api/events", headers=mallory.headers)
        assert "BOTTEGA_MAX_STREAMS_PER_USER" in refused.text
        # They are requests no longer, and other requests go on.
        assert (await served.http.get("/api/tokens", headers=mallory.headers)).status_code == 200
        async with served.http.stream("GET", "/api/events") as owners:
            assert owners.status_code == 200
        await served.stack.aclose()
        await until(lambda: not len(served.server.state.quotas.streams))
        assert await open_streams(served, mallory, 1, "/api/events") == [200]


async def test_requests_under_way_of_one_user_are_bounded(tmp_path: Path) -> None:
    async with closed_house(tmp_path, bottega_max_requests_per_user=3) as served:
        mallory = await served.colleague()
        begun = (
            "POST /api/tokens HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999\r\n"
            f"Content-Type: application/json\r\nAuthorization: Bearer {mallory.secret}\r\n\r\n"
        ).encode()
        for _ in range(3):
            await dial(served, begun)
        quotas = served.server.state.quotas
        await until(lambda: len(quotas.requests) == 3)
        refused = await served.http.get("/api/tokens", headers=mallory.headers)
        assert refused.status_code == 429
        assert "BOTTEGA_MAX_REQUESTS_PER_USER" in refused.text
        await expect_answers(served)
        await served.stack.aclose()
        await until(lambda: not len(quotas.requests))
        assert (await served.http.get("/api/tokens", headers=mallory.headers)).status_code == 200


async def test_bodies_of_one_user_are_bounded_together(tmp_path: Path) -> None:
    async with closed_house(tmp_path) as served:
        mallory = await served.colleague()
        quotas = served.server.state.quotas
        quotas.bodies.each = 5_000
        half = (
            "POST /api/tokens HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999\r\n"
            f"Content-Type: application/json\r\nAuthorization: Bearer {mallory.secret}\r\n\r\n"
        ).encode() + b" " * 4_000
        await dial(served, half)
        await until(lambda: len(quotas.bodies) == 4_000)
        refused = await served.http.post(
            "/api/tokens", content=b" " * 4_000, headers=mallory.headers
        )
        assert refused.status_code == 429
        assert "BOTTEGA_MAX_BODY_BYTES" in refused.text
        assert (await served.http.post("/api/tokens", content=b" " * 9_000)).status_code == 422
        await served.stack.aclose()
        await until(lambda: not len(quotas.bodies))


async def test_requests_a_second_of_one_user_do_not_count_for_others(tmp_path: Path) -> None:
    async with closed_house(tmp_path, bottega_rate_limit=5) as served:
        mallory = await served.colleague()

        async def statuses(headers: dict[str, str]) -> set[int]:
            return {
                (await served.http.get("/api/tokens", headers=headers)).status_code
                for _ in range(15)
            }

        assert 429 in await statuses(mallory.headers)
        wrong = {"Authorization": "Bearer wrong"}
        assert await statuses(wrong) == {401, 429}
        assert "BOTTEGA_RATE_LIMIT" in (await served.http.get("/api/tokens", headers=wrong)).text
        await expect_answers(served)


async def test_abandoned_mcp_sessions_of_a_user_make_room_for_their_next(tmp_path: Path) -> None:
    async with closed_house(tmp_path, bottega_max_mcp_sessions_per_user=5) as served:
        mallory = await served.colleague()
        owners = await open_session(served, OWNER)
        sessions = [await open_session(served, mallory.headers) for _ in range(20)]
        door = served.server.state.doors.mcp
        assert len(door.sessions) <= 5 + 1
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}

        async def status(headers: dict[str, str]) -> int:
            return (await served.http.post("/mcp/journal", json=ping, headers=headers)).status_code

        async with asyncio.timeout(5):
            while await status(sessions[0]) != 404:
                await asyncio.sleep(0.01)
        assert await status(sessions[-1]) == 200
        assert await status(owners) == 200


async def test_mcp_sessions_in_use_are_not_ended_for_another(tmp_path: Path) -> None:
    async with closed_house(tmp_path, bottega_max_mcp_sessions_per_user=2) as served:
        mallory = await served.colleague()
        for _ in range(2):
            mine = await open_session(served, mallory.headers)
            stream = served.http.stream("GET", "/mcp/journal", headers=mine)
            assert (await served.stack.enter_async_context(stream)).status_code == 200
        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
        refused = await served.http.post(
            "/mcp/journal", json=body, headers=mallory.headers | LEGACY
        )
        assert refused.status_code == 429
        assert refused.headers["Retry-After"]
        error = refused.json()["error"]
        assert "BOTTEGA_MAX_MCP_SESSIONS_PER_USER" in error["message"]
        assert refused.json()["jsonrpc"] == "2.0"
        await open_session(served, OWNER)


async def test_after_a_flood_of_all_kinds_nothing_is_held(tmp_path: Path) -> None:
    async with closed_house(
        tmp_path,
        bottega_max_connections=150,
        bottega_max_websockets_per_user=30,
        bottega_max_streams_per_user=10,
    ) as served:
        mallory = await served.colleague()
        await asyncio.gather(
            flood_websockets(served, mallory, 60),
            open_streams(served, mallory, 20, "/api/events"),
            *(dial(served, b"GET /") for _ in range(200)),
        )
        await expect_answers(served)
        await served.http.aclose()
        await served.stack.aclose()
        await until(lambda: not len(open_sockets(served)))
        assert not any(served.server.state.quotas.count().values())
        async with AsyncExitStack() as again:
            served.stack = again
            assert not await flood_websockets(served, mallory, 30)
            await expect_answers(served)


async def test_whoever_does_not_read_the_answer_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bottega.server.protocols.WRITE_TIMEOUT", 0.2)
    async with closed_house(tmp_path) as served:
        assert len((await served.http.get("/openapi.json")).content) > 100_000
        url = httpx.URL(served.url)
        _, writer = await asyncio.open_connection(url.host, url.port, limit=1)
        head = "GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: "
        writer.write(f"{head}{OWNER['Authorization']}\r\n\r\n".encode() * 100)
        await until(lambda: len(open_sockets(served)) == 2)
        await until(lambda: len(open_sockets(served)) == 1)
        writer.close()


async def test_runs_of_one_user_are_bounded(tmp_path: Path) -> None:
    class Nothing(BaseModel):
        pass

    go_on = asyncio.Event()

    async def wait(_run: Any, _input: Nothing) -> Nothing:
        await go_on.wait()
        return Nothing()

    async with closed_house(tmp_path, bottega_max_runs_per_user=2) as served:
        mallory, runs = await served.colleague(), served.app.core.runs
        runs.register("wait", wait)
        mine = [await runs.start("wait", {}, user_id=mallory.user_id) for _ in range(2)]
        with pytest.raises(TooMany, match="BOTTEGA_MAX_RUNS_PER_USER"):
            await runs.start("wait", {}, user_id=mallory.user_id)
        # To ask for the same again is no other run, and the owner has no limit.
        assert await runs.start("wait", {}, user_id=mallory.user_id, run_id=mine[0]) == mine[0]
        owners = [await runs.start("wait", {}) for _ in range(3)]
        await runs.cancel(mine[0])
        await runs.start("wait", {}, user_id=mallory.user_id)
        go_on.set()
        for run_id in owners:
            await runs.wait(run_id)
