"""Clients that go away, and refusals, leave no error in the log."""

import asyncio
import logging
import socket
import struct
from typing import Any

import pytest
import structlog
from fastapi import APIRouter, Request

from bottega.core.rooms import Room
from bottega.server import errors
from bottega.server.network.quotas import NetworkLimits
from bottega.server.options import Options
from tests.server.http.small_app import Serve, Served, echo_mcp
from tests.server.http.test_auth import issue

#: What makes a socket end with a reset.
LINGER = struct.pack("ii", 1, 0)
UPGRADE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
HALF = "Content-Type: application/json\r\nContent-Length: 5000\r\n"
SMALL = Options(
    token="house-token",
    network=NetworkLimits(half_open_seconds=0.3, websockets_per_user=1, requests_per_user=2),
)


def reading_room() -> Room:
    routes = APIRouter()

    @routes.post("/raw")
    async def read_raw(request: Request) -> int:
        return len(await request.body())

    @routes.post("/json")
    async def read_json(body: dict[str, str]) -> int:
        return len(body)

    return Room("reading", routes=lambda: [routes], paths=["/raw", "/json"])


async def hang_up(served: Served, head: str, read: int) -> None:
    """Send the head and half a body, read so many bytes of an answer, and be gone."""
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    writer.write(f"{head}\r\n{{".encode())
    await writer.drain()
    if read:
        await reader.read(read)
    own: socket.socket = writer.get_extra_info("socket")
    own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER)
    writer.transport.abort()


def errors_in(logs: list[Any], caplog: pytest.LogCaptureFixture) -> list[Any]:
    return [
        *(each for each in logs if each["log_level"] == "error"),
        *(each for each in caplog.records if each.levelno >= logging.ERROR),
    ]


async def test_clients_that_are_gone_leave_no_traceback(
    serve: Serve, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = await serve(reading_room(), options=SMALL, mcp=echo_mcp())
    _, secret = await issue(served, "ada")
    # One that is not yet bound to where other tests' lines go.
    monkeypatch.setattr(errors, "log", structlog.get_logger())
    with structlog.testing.capture_logs() as logs, caplog.at_level(logging.WARNING):
        for shown in ("", "Authorization: Bearer wrong\r\n", f"Authorization: Bearer {secret}\r\n"):
            host = f"Host: localhost\r\n{shown}"
            heads = [f"POST {path} HTTP/1.1\r\n{host}{HALF}" for path in ("/api/raw", "/api/json")]
            heads += [f"POST /mcp HTTP/1.1\r\n{host}{HALF}", f"GET /ws HTTP/1.1\r\n{host}{UPGRADE}"]
            await asyncio.gather(*(hang_up(served, head, 0) for head in heads * 5))
            refused = f"GET /ws HTTP/1.1\r\n{host}{UPGRADE}"
            await asyncio.gather(*(hang_up(served, refused, 10) for _ in range(5)))
        quotas, register = served.server.state.quotas, served.server.state.connections
        async with asyncio.timeout(10):
            while any(quotas.count().values()) or len(register) > 1:
                await asyncio.sleep(0.01)
    assert {each["event"] for each in logs} >= {"request.refused", "request.abandoned"}
    assert not errors_in(list(logs), caplog)
