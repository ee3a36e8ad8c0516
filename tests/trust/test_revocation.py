"""A token that is revoked, or a cookie that is signed out, closes what it had opened."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect

from bottega.app import App
from bottega.core.rooms import Incoming, Message, Room
from bottega.core.wire import Wired
from bottega.server.composition import compose
from bottega.server.login import COOKIE
from bottega.server.process import running
from bottega.settings import Settings
from tests.conftest import Postgres
from tests.server.http.small_app import Serve, send
from tests.trust.served_app import Colleague, ServedApp, hear, say, serve_app

#: Seconds in which everything must be over.
SOON = 1.0
LEGACY = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


async def revoke(served: ServedApp, colleague: Colleague) -> None:
    answer = await served.http.delete(f"/api/tokens/{colleague.token_id}")
    assert answer.status_code == 200


@asynccontextmanager
async def event_stream(
    url: str, path: str, headers: dict[str, str]
) -> AsyncIterator[AsyncIterator[str]]:
    """The lines of an event stream that is open."""
    async with (
        httpx.AsyncClient(base_url=url, trust_env=False, timeout=30) as http,
        http.stream("GET", path, headers=headers) as stream,
    ):
        assert stream.status_code == 200, await stream.aread()
        yield stream.aiter_lines()


async def drain(lines: AsyncIterator[str]) -> None:
    async for _ in lines:
        pass


async def open_session(
    served: ServedApp, headers: dict[str, str], path: str = "/mcp/journal"
) -> dict[str, str]:
    """An MCP session of the era that has them; the headers of its requests."""
    asked = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}
    opened = await served.http.post(path, json=body, headers=headers | LEGACY)
    assert opened.status_code == 200, opened.text
    mine = headers | LEGACY | {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    await served.http.post(path, json=note, headers=mine)
    return mine


async def test_an_open_websocket_is_closed_and_hears_why(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        served.put("a.py", "x = 1\n")
        mallory, ada = await served.colleague("mallory"), await served.colleague("ada")
        hers, his = await served.websocket(ada), await served.websocket(mallory)
        await say(his, "file:open", path="a.py")
        await hear(his, "fs:content")
        await revoke(served, mallory)
        async with asyncio.timeout(SOON):
            await his.wait_closed()
        assert his.close_code == 4401
        assert "revoked" in (his.close_reason or "")
        await say(hers, "file:open", path="a.py")
        await hear(hers, "fs:content")


class Words(Wired):
    text: str


async def test_what_waits_of_a_revoked_token_is_not_handled(serve: Serve) -> None:
    """Messages that came before, and were not yet begun."""
    handled: list[str] = []
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def handle(incoming: Incoming[Words]) -> None:
        handled.append(incoming.payload.text)
        begun.set()
        await go_on.wait()

    served = await serve(Room("slow", messages=[Message("slow:say", Words, handle)]))
    users = served.app.core.users
    mallory = await users.create("mallory")
    token, secret = await users.issue_token(mallory.id, "laptop")
    socket_ = await served.websocket(additional_headers={"Authorization": f"Bearer {secret}"})
    for text in ("first", "second", "third"):
        await send(socket_, "slow:say", {"text": text})
    await begun.wait()
    # So that the others are read, and wait behind the first.
    await (await socket_.ping())
    await users.revoke(mallory.id, token.id)
    go_on.set()
    async with asyncio.timeout(SOON):
        await socket_.wait_closed()
    while served.doors.hub.connections:
        await asyncio.sleep(0)
    assert handled == ["first"]


async def test_event_streams_end_and_others_go_on(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        mallory, ada = await served.colleague("mallory"), await served.colleague("ada")
        async with (
            event_stream(served.url, "/api/events", mallory.headers) as his,
            event_stream(served.url, "/api/events", ada.headers) as hers,
        ):
            await anext(his)
            await anext(hers)
            await revoke(served, mallory)
            async with asyncio.timeout(SOON):
                await drain(his)
            waiting = asyncio.ensure_future(drain(hers))
            done, _ = await asyncio.wait({waiting}, timeout=0.2)
            assert not done
            waiting.cancel()


async def test_an_mcp_session_and_its_stream_end(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        mallory = await served.colleague()
        second = (
            await served.http.post("/api/tokens", json={"name": "other", "user": "mallory"})
        ).json()
        mine = await open_session(served, mallory.headers)
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        assert (await served.http.post("/mcp/journal", json=ping, headers=mine)).status_code == 200
        async with event_stream(served.url, "/mcp/journal", mine) as lines:
            await revoke(served, mallory)
            async with asyncio.timeout(SOON):
                await drain(lines)
        refused = await served.http.post("/mcp/journal", json=ping, headers=mine)
        assert refused.status_code == 401
        # Nor by another token of the same user: the session itself is over.
        again = mine | {"Authorization": f"Bearer {second['secret']}"}
        async with asyncio.timeout(SOON):
            while (
                await served.http.post("/mcp/journal", json=ping, headers=again)
            ).status_code != 404:
                await asyncio.sleep(0.01)


async def test_a_request_that_revokes_its_own_token_is_answered(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        mallory = await served.colleague()
        path = f"/api/tokens/{mallory.token_id}"
        assert (await served.http.delete(path, headers=mallory.headers)).status_code == 200
        assert (await served.http.delete(path, headers=mallory.headers)).status_code == 401


async def test_signing_out_ends_the_cookie_and_what_it_opened(tmp_path: Path) -> None:
    async with serve_app(tmp_path, bottega_passcode="sesame", bottega_token="t") as served:
        signed = await served.http.post("/api/login", json={"passcode": "sesame"})
        cookie = {"Cookie": f"{COOKIE}={signed.cookies[COOKIE]}"}
        served.http.cookies.clear()
        address = served.url.replace("http", "ws", 1) + "/ws"
        async with (
            connect(address, proxy=None, additional_headers=cookie) as window,
            event_stream(served.url, "/api/events", cookie) as lines,
        ):
            await anext(lines)
            assert (await served.http.post("/api/logout", headers=cookie)).status_code == 200
            async with asyncio.timeout(SOON):
                await drain(lines)
                await window.wait_closed()
            assert window.close_code == 4401
        assert (await served.http.get("/api/settings", headers=cookie)).status_code == 401


async def test_a_token_revoked_at_another_server_is_ended_at_this_one(
    postgres: Postgres, tmp_path: Path
) -> None:
    url = postgres.new_database()
    (tmp_path / "project").mkdir()

    def served(name: str) -> Any:
        settings = Settings(
            data_dir=tmp_path / name,
            project_dir=tmp_path / "project",
            database_url=url,
            bottega_model="offline",
        )
        return running(compose(App(settings)), socket.create_server(("127.0.0.1", 0)))

    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(served("here"))
        there = await stack.enter_async_context(served("there"))
        http = await stack.enter_async_context(httpx.AsyncClient(trust_env=False, timeout=30))
        asked = {"name": "laptop", "user": "mallory"}
        token = (await http.post(f"{here}/api/tokens", json=asked)).json()
        headers = {"Authorization": f"Bearer {token['secret']}"}
        address = there.replace("http", "ws", 1) + "/ws"
        window = await stack.enter_async_context(
            connect(address, proxy=None, additional_headers=headers)
        )
        async with event_stream(there, "/api/events", headers) as lines:
            await anext(lines)
            assert (await http.delete(f"{here}/api/tokens/{token['id']}")).status_code == 200
            async with asyncio.timeout(SOON):
                await window.wait_closed()
                await drain(lines)
        assert window.close_code == 4401
        refused = await http.get(f"{there}/api/settings", headers=headers)
        assert refused.status_code == 401
        assert json.loads(refused.text)["error"]["type"] == "unauthorized"
