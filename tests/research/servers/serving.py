"""A real HTTP server on a free port of 127.0.0.1, which can be stopped and started again."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@asynccontextmanager
async def serve(app: ASGIApp, port: int = 0) -> AsyncIterator[str]:
    """Serve an app with its lifespan; the address without a path."""
    listener = socket.create_server(("127.0.0.1", port))
    config = uvicorn.Config(app, log_config=None, ws="none", timeout_graceful_shutdown=0)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await serving
        listener.close()
