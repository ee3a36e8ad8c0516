"""An MCP door behind a real server on a free port."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import uvicorn
from mcp import Client
from mcp_types import TextResourceContents
from starlette.types import ASGIApp

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


async def read_text(client: Client, uri: str) -> str:
    """What a resource that is one text holds."""
    [contents] = (await client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    return contents.text
