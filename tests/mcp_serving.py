"""An MCP door behind a real server on a free port."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from mcp import Client
from mcp.client.session import ElicitationFnT
from mcp_types import TextResourceContents
from starlette.types import ASGIApp

from bottega.core.rooms import Room
from bottega.server.mcp import McpDoor


@asynccontextmanager
async def serve_door(
    door: McpDoor, wrap: Callable[[ASGIApp], ASGIApp] = lambda app: app
) -> AsyncIterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(wrap(door), lifespan="off", log_config=None, ws="none")
    server = uvicorn.Server(config)
    async with door.run():
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        finally:
            await door.close()
            server.should_exit = True
            await serving


@asynccontextmanager
async def asking_agent(
    rooms: Sequence[Room], person: ElicitationFnT, mode: str
) -> AsyncIterator[Client]:
    """A client of these rooms that puts what is asked to the person."""
    async with (
        serve_door(McpDoor(rooms)) as url,
        Client(url, mode=mode, elicitation_callback=person) as client,
    ):
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers."""
    result = await client.call_tool(tool, arguments)
    assert result.structured_content is not None
    return dict(result.structured_content)


async def read_text(client: Client, uri: str) -> str:
    """What a resource that is one text holds."""
    [contents] = (await client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    return contents.text
