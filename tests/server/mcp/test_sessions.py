"""Sessions of the session era, on the wire itself: what `initialize` opens and what ends it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any
from uuid import UUID

import httpx
import pytest
from mcp import Client
from pydantic import BaseModel
from starlette.types import ASGIApp, Receive, Scope, Send

from bottega.core.rooms import Caller, Room, Tool
from bottega.server.mcp import McpDoor, McpLimits

Serve = Callable[..., AbstractAsyncContextManager[str]]

ACCEPT = {"Accept": "application/json, text/event-stream"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "claude-code", "version": "2.1"},
    },
}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


class Word(BaseModel):
    word: str


async def echo(arguments: Word, caller: Caller) -> dict[str, str]:
    return {"word": arguments.word, "user": caller.user_id}


ECHO = Room("coach", [Tool("echo", "Repeats.", Word, echo, read_only=True)])


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(headers=ACCEPT, timeout=20) as client:
        yield client


async def initialize(http: httpx.AsyncClient, url: str, **headers: str) -> dict[str, str]:
    """Open a session; returns the header that names it."""
    response = await http.post(url, json=INITIALIZE, headers=headers)
    assert response.status_code == 200, response.text
    return {"Mcp-Session-Id": response.headers["mcp-session-id"]}


@pytest.mark.requirement("SC-002", "FR-009")
async def test_initialize_opens_a_session_with_a_uuid(
    serve: Serve, http: httpx.AsyncClient
) -> None:
    """The answer to `initialize` names a session, which the map then holds."""
    door = McpDoor([ECHO])
    async with serve(door) as url:
        response = await http.post(url, json=INITIALIZE)
        session_id = response.headers["mcp-session-id"]

        assert response.status_code == 200
        assert UUID(session_id).version == 4
        assert list(door.sessions) == [session_id]
        assert door.sessions[session_id].client == "claude-code/2.1"


@pytest.mark.requirement("EC-02")
async def test_two_clients_have_sessions_of_their_own(serve: Serve) -> None:
    """Clients that connect at once get different UUIDs and do not disturb each other."""
    door = McpDoor([ECHO])
    async with (
        serve(door) as url,
        Client(url, mode="legacy") as one,
        Client(url, mode="legacy") as other,
    ):
        assert len({UUID(session_id) for session_id in door.sessions}) == 2
        answers = await asyncio.gather(
            *(one.call_tool("echo", {"word": f"one {n}"}) for n in range(10)),
            *(other.call_tool("echo", {"word": f"other {n}"}) for n in range(10)),
        )
        words = [(answer.structured_content or {})["word"] for answer in answers]
        assert words == [f"one {n}" for n in range(10)] + [f"other {n}" for n in range(10)]


@pytest.mark.requirement("FR-002", "FR-009")
async def test_delete_ends_a_session(serve: Serve, http: httpx.AsyncClient) -> None:
    """DELETE takes the session out of the map, and its id is unknown then."""
    door = McpDoor([ECHO])
    async with serve(door) as url:
        session = await initialize(http, url)
        deleted = await http.delete(url, headers=session)
        after = await http.post(url, json=PING, headers=session)

        assert deleted.status_code == 200
        assert after.status_code == 404
        assert not door.sessions


@pytest.mark.requirement("FR-002")
async def test_get_streams_notifications(serve: Serve, http: httpx.AsyncClient) -> None:
    """GET is the stream on which the server speaks first."""
    door = McpDoor([ECHO])
    async with serve(door) as url:
        session = await initialize(http, url)
        async with http.stream("GET", url, headers=session) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            await door.add(Room("board", [Tool("claim", "Claims work.", Word, echo)]))
            async for line in stream.aiter_lines():
                if line.startswith("data:"):
                    break

        assert json.loads(line[5:])["method"] == "notifications/tools/list_changed"


@pytest.mark.requirement("FR-008")
async def test_closing_the_door_ends_sessions_and_streams(
    serve: Serve, http: httpx.AsyncClient
) -> None:
    """All MCP transports are closed and out of the map; a new one is refused."""
    door = McpDoor([ECHO])
    async with serve(door) as url:
        session = await initialize(http, url)
        room_session = await initialize(http, f"{url}/coach")
        assert len(door.sessions) == 2
        async with http.stream("GET", url, headers=session) as stream:
            await door.close()
            lines = [line async for line in stream.aiter_lines() if line.startswith("data:")]

        refused = await http.post(url, json=INITIALIZE)
        assert lines == []
        assert not door.sessions
        assert (await http.post(f"{url}/coach", json=PING, headers=room_session)).status_code == 503
        assert refused.status_code == 503
        assert refused.json()["error"]["type"] == "unavailable"


async def test_a_session_that_nobody_uses_ends(serve: Serve, http: httpx.AsyncClient) -> None:
    door = McpDoor([ECHO], limits=McpLimits(idle_seconds=0.02))
    async with serve(door) as url:
        await initialize(http, url)
        [session] = door.sessions.values()
        ended = asyncio.Event()
        session.connection.exit_stack.callback(ended.set)
        await asyncio.wait_for(ended.wait(), 20)
        assert not door.sessions


async def test_sessions_are_bounded_and_the_longest_idle_makes_room(
    serve: Serve, http: httpx.AsyncClient
) -> None:
    door = McpDoor([ECHO], limits=McpLimits(sessions=2))
    async with serve(door) as url:
        first, second = await initialize(http, url), await initialize(http, url)
        async with http.stream("GET", url, headers=first):
            third = await initialize(http, url)
            assert set(door.sessions) == {each["Mcp-Session-Id"] for each in (first, third)}
            async with asyncio.timeout(10):
                while (await http.post(url, json=PING, headers=second)).status_code != 404:
                    await asyncio.sleep(0)
            async with http.stream("GET", url, headers=third):
                assert (await http.post(url, json=INITIALIZE)).status_code == 429


class UserHeader:
    """Stands where the HTTP layer's authentication stands."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["bottega.user_id"] = dict(scope["headers"])[b"x-user"].decode()
        await self.app(scope, receive, send)


async def test_a_session_serves_only_the_user_who_opened_it(
    serve: Serve, http: httpx.AsyncClient
) -> None:
    async with serve(McpDoor([ECHO]), UserHeader) as url:
        session = await initialize(http, url, **{"X-User": "ada"})
        call = {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "echo", "arguments": {"word": "hi"}},
        }
        own = await http.post(url, json=call, headers={**session, "X-User": "ada"})
        others = await http.post(url, json=call, headers={**session, "X-User": "bob"})

    assert result_of(own)["structuredContent"] == {"word": "hi", "user": "ada"}
    assert others.status_code == 404


def result_of(response: httpx.Response) -> dict[str, Any]:
    """The result inside the one event of a POST's stream."""
    [data] = [line for line in response.text.splitlines() if line.startswith("data:")]
    result: dict[str, Any] = json.loads(data[5:])["result"]
    return result
