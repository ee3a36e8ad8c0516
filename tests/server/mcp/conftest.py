"""A real server on a free port for the door, and the official client of either era for it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
import uvicorn
from mcp import Client
from starlette.types import ASGIApp

from bottega.server.mcp import McpDoor

#: What `Client(mode=)` calls the two eras.
SESSION_ERA = "legacy"
STATELESS_ERA = "2026-07-28"

Serve = Callable[..., AbstractAsyncContextManager[str]]


@asynccontextmanager
async def _serve(
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


@pytest.fixture
def serve() -> Serve:
    """`async with serve(door) as url:` answers real HTTP at that URL."""
    return _serve


@pytest.fixture(params=[SESSION_ERA, STATELESS_ERA])
def connect(request: pytest.FixtureRequest) -> Callable[[str], Client]:
    """The official client, once for each era of the protocol."""
    return lambda url: Client(url, mode=request.param)
