"""Which tools are at which path, and rooms that come and go while clients are connected."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import httpx
import pytest
from mcp import Client
from mcp_types import ToolListChangedNotification
from pydantic import BaseModel
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bottega.core.rooms import Caller, Room, Tool
from bottega.errors import Conflict, InvalidInput, NotFound
from bottega.server.mcp import McpDoor

Connect = Callable[[str], Client]
Serve = Callable[..., AbstractAsyncContextManager[str]]


class Nothing(BaseModel):
    pass


async def say_name(_: Nothing, caller: Caller) -> str:
    return "here"


def room(name: str, *tools: str, shared: bool = True) -> Room:
    return Room(
        name, [Tool(tool, "Says it is here.", Nothing, say_name) for tool in tools], shared=shared
    )


async def tool_names(client: Client) -> list[str]:
    return sorted(tool.name for tool in (await client.list_tools()).tools)


async def test_all_shared_rooms_are_at_one_path_and_each_at_its_own(
    serve: Serve, connect: Connect
) -> None:
    door = McpDoor(
        [room("coach", "hint"), room("board", "claim"), room("isa", "hop", shared=False)]
    )
    async with serve(door) as url:
        names = {}
        for path in ("", "/", "/coach", "/coach/", "/board", "/isa"):
            async with connect(url + path) as client:
                names[path] = await tool_names(client)

    assert names == {
        "": ["claim", "hint"],
        "/": ["claim", "hint"],
        "/coach": ["hint"],
        "/coach/": ["hint"],
        "/board": ["claim"],
        "/isa": ["hop"],
    }


@pytest.mark.parametrize("path", ["/kitchen", "/coach/hint", "/COACH", "/%2e%2e"])
async def test_an_unknown_room_is_not_found_and_the_rooms_are_named(
    path: str, serve: Serve
) -> None:
    async with serve(McpDoor([room("coach", "hint")])) as url, httpx.AsyncClient() as http:
        response = await http.post(url + path)

    assert response.status_code == 404
    assert response.json()["error"]["type"] == "not_found"
    assert response.json()["error"]["rooms"] == ["coach"]


async def test_a_room_can_be_added_and_removed_while_clients_are_connected(
    serve: Serve, connect: Connect
) -> None:
    door = McpDoor([room("coach", "hint")])
    async with serve(door) as url, connect(url) as client:
        assert await tool_names(client) == ["hint"]

        await door.add(room("board", "claim"))
        assert await tool_names(client) == ["claim", "hint"]
        assert not (await client.call_tool("claim", {})).is_error
        async with connect(f"{url}/board") as own:
            assert await tool_names(own) == ["claim"]

        await door.remove("board")
        assert await tool_names(client) == ["hint"]
        async with httpx.AsyncClient() as http:
            assert (await http.post(f"{url}/board")).json()["error"]["rooms"] == ["coach"]


async def test_a_removed_room_disconnects_its_clients(serve: Serve) -> None:
    door = McpDoor([room("coach", "hint"), room("board", "claim")])
    async with serve(door) as url, Client(f"{url}/board", mode="legacy"):
        assert [session.room for session in door.sessions.values()] == ["board"]
        await door.remove("board")
        assert not door.sessions


class StreamOpened:
    """Says when a client has its GET stream, which it opens some time after the handshake."""

    def __init__(self) -> None:
        self.event = asyncio.Event()

    def __call__(self, app: ASGIApp) -> ASGIApp:
        async def watch(scope: Scope, receive: Receive, send: Send) -> None:
            async def forward(message: Message) -> None:
                await send(message)
                if scope["method"] == "GET" and message.get("status") == 200:
                    self.event.set()

            await app(scope, receive, forward)

        return watch


async def test_a_client_with_a_session_hears_that_the_list_changed(serve: Serve) -> None:
    heard = asyncio.Event()
    stream = StreamOpened()

    async def on_message(message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            heard.set()

    door = McpDoor([room("coach", "hint")])
    async with (
        serve(door, stream) as url,
        Client(url, mode="legacy", message_handler=on_message) as client,
    ):
        tools = client.server_capabilities.tools
        assert tools is not None
        assert tools.list_changed
        await asyncio.wait_for(stream.event.wait(), 20)
        await door.add(room("board", "claim"))
        await asyncio.wait_for(heard.wait(), 20)


async def test_a_client_without_a_session_hears_it_on_a_stream_it_asked_for(serve: Serve) -> None:
    door = McpDoor([room("coach", "hint")])
    async with (
        serve(door) as url,
        Client(url, mode="2026-07-28") as client,
        client.listen(tools_list_changed=True) as changes,
    ):
        await door.add(room("board", "claim"))
        event = await asyncio.wait_for(anext(aiter(changes)), 20)
        assert type(event).__name__ == "ToolsListChanged"
        assert await tool_names(client) == ["claim", "hint"]


@pytest.mark.requirement("FR-008")
async def test_closing_ends_the_streams_of_clients_without_sessions(serve: Serve) -> None:
    """A stream that a stateless client listens on is closed as well, in good order."""
    door = McpDoor([room("coach", "hint")])
    async with (
        serve(door) as url,
        Client(url, mode="2026-07-28") as client,
        client.listen(tools_list_changed=True) as changes,
    ):
        await door.close()
        assert [event async for event in changes] == []


async def test_a_room_that_is_not_shared_leaves_the_common_list_alone(serve: Serve) -> None:
    door = McpDoor([room("coach", "hint")])
    async with serve(door) as url, Client(url, mode="2026-07-28") as client:
        await door.add(room("isa", "hint", shared=False))
        assert await tool_names(client) == ["hint"]
        await door.remove("isa")
        assert await tool_names(client) == ["hint"]


async def test_names_are_unique_and_fit_a_path() -> None:
    door = McpDoor([room("coach", "hint")])
    with pytest.raises(Conflict, match="room 'coach' already"):
        await door.add(room("coach", "other"))
    with pytest.raises(Conflict, match="'coach' has that tool"):
        await door.add(room("board", "hint"))
    with pytest.raises(Conflict, match="two tools"):
        await door.add(room("board", "claim", "claim"))
    with pytest.raises(InvalidInput, match="cannot be called"):
        await door.add(room("../board", "claim"))
    with pytest.raises(NotFound, match="no room 'board'"):
        await door.remove("board")
    assert [known.name for known in door.rooms] == ["coach"]


def test_the_sdk_is_not_loaded_before_it_is_needed() -> None:
    """The whole server has two seconds to be ready, and the SDK alone takes most of one."""
    look = "import sys, bottega.server.mcp as m; m.McpDoor(); sys.exit('mcp.server' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", look], check=False).returncode == 0
