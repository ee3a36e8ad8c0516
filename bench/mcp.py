"""Tool calls a second at sixteen callers: our door against the bare SDK, on both wires.

All sides serve the same echo, each in its own process. Ours is measured twice: the door by itself,
with hooks that count, behind the host check; and the whole server, which guards every request and
writes an event and a span behind each call. Bursts alternate between the sides, so that a busy
machine is unfair to all of them.
"""

import asyncio
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import uvicorn
import uvloop
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table
from starlette.types import ASGIApp

from bottega.app import App
from bottega.core.rooms import Caller, Room, Tool
from bottega.errors import BottegaError
from bottega.server import process as serving
from bottega.server.composition import compose
from bottega.server.guard import Guard
from bottega.server.mcp import McpDoor
from bottega.settings import Settings

CALLERS = 16
CALLS_PER_CALLER = 50
ROUNDS = 7
TARGET = 0.9


class Side(StrEnum):
    SDK = "bare sdk"
    DOOR = "door"
    PRODUCT = "whole server"


class Wire(StrEnum):
    SESSIONS = "2025-11-25"
    STATELESS = "2026-07-28"


# ── the servers ──────────────────────────────────────────────────────────────────────────────


async def serve(app: ASGIApp) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, http="httptools", log_level="error", ws="none")
    print(listener.getsockname()[1], flush=True)
    await uvicorn.Server(config).serve(sockets=[listener])


class Word(BaseModel):
    word: str


async def echo(arguments: Word, caller: Caller) -> dict[str, str]:
    return {"word": arguments.word}


ROOM = Room("echo", [Tool("echo", "Repeats.", Word, echo)])


async def serve_door() -> None:
    calls: Counter[str] = Counter()

    def on_call(
        caller: Caller,
        room: str,
        tool: str,
        arguments: Mapping[str, Any],
        duration: float,
        error: BottegaError | None,
    ) -> None:
        calls[tool] += 1

    @contextmanager
    def span(caller: Caller, room: str, tool: str) -> Iterator[None]:
        yield

    door = McpDoor([ROOM], on_call=on_call, span=span)
    async with door.run():
        await serve(Guard(door))


async def serve_product() -> None:
    """Everything that `bottega serve` serves, with the echo for a room."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), project_dir=Path(folder), _env_file=None)
        settings.bottega_rate_limit = 1_000_000
        app = App(settings)
        app.rooms.append(ROOM)
        listener = socket.create_server(("127.0.0.1", 0))
        async with serving.running(compose(app), listener):
            serving.tune_garbage_collector()
            print(listener.getsockname()[1], flush=True)
            await asyncio.Event().wait()


async def serve_sdk() -> None:
    server = MCPServer("echo", log_level="ERROR")

    @server.tool()
    async def echo(word: str) -> dict[str, str]:
        """Repeats."""
        return {"word": word}

    await serve(server.streamable_http_app())


SERVERS = {Side.SDK: serve_sdk, Side.DOOR: serve_door, Side.PRODUCT: serve_product}


@contextmanager
def running(side: Side) -> Iterator[int]:
    command = [sys.executable, "-m", "bench.mcp", side]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


# ── the load ─────────────────────────────────────────────────────────────────────────────────


class Connection:
    """Just enough HTTP to be no bottleneck: one request at a time, the same bytes every time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int) -> "Connection":
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def exchange(self, request: bytes) -> tuple[dict[str, str], bytes]:
        self._writer.write(request)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower().splitlines()
        assert head[0].split()[1].startswith("2"), head[0]
        headers = dict(line.split(": ", 1) for line in head[1:-1])
        if "content-length" in headers:
            return headers, await self._reader.readexactly(int(headers["content-length"]))
        return headers, await self._reader.readuntil(b"\r\n0\r\n\r\n")

    def close(self) -> None:
        self._writer.close()


def request(method: str, params: dict[str, Any], **headers: str) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    lines = [
        "POST /mcp HTTP/1.1",
        "Host: 127.0.0.1:80",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


CALL = {"name": "echo", "arguments": {"word": "bottega"}}
CLIENT = {"name": "bench", "version": "1"}


async def prepare(connection: Connection, wire: Wire) -> bytes:
    """The bytes of a call; on the session wire, after opening a session."""
    version = {"MCP-Protocol-Version": wire.value}
    if wire is Wire.STATELESS:
        prefix = "io.modelcontextprotocol"
        meta = {
            f"{prefix}/protocolVersion": wire.value,
            f"{prefix}/clientInfo": CLIENT,
            f"{prefix}/clientCapabilities": {},
        }
        routing = {"Mcp-Method": "tools/call", "Mcp-Name": "echo"}
        return request("tools/call", {**CALL, "_meta": meta}, **version, **routing)
    hello = {"protocolVersion": wire.value, "capabilities": {}, "clientInfo": CLIENT}
    headers, _ = await connection.exchange(request("initialize", hello))
    session = {"Mcp-Session-Id": headers["mcp-session-id"]}
    return request("tools/call", CALL, **version, **session)


async def call_repeatedly(connection: Connection, call: bytes) -> None:
    for _ in range(CALLS_PER_CALLER):
        _, body = await connection.exchange(call)
        assert b"bottega" in body
        assert b'"isError":true' not in body


async def burst(port: int, wire: Wire) -> float:
    """Calls a second of all callers together."""
    connections = [await Connection.open(port) for _ in range(CALLERS)]
    calls = [await prepare(connection, wire) for connection in connections]
    start = time.perf_counter()
    await asyncio.gather(*map(call_repeatedly, connections, calls))
    seconds = time.perf_counter() - start
    for connection in connections:
        connection.close()
    return CALLERS * CALLS_PER_CALLER / seconds


@dataclass(frozen=True)
class Result:
    wire: Wire
    side: Side
    calls_per_second: float
    #: Against the SDK's burst of the same round.
    ratio: float

    @property
    def verdict(self) -> str:
        if self.side is Side.SDK:
            return ""
        return "holds" if self.ratio >= TARGET else "MISSED"


async def compare(wire: Wire, ports: Mapping[Side, int]) -> list[Result]:
    for port in ports.values():
        await burst(port, wire)
    rounds = [
        {side: await burst(port, wire) for side, port in ports.items()} for _ in range(ROUNDS)
    ]
    return [
        Result(
            wire,
            side,
            statistics.median(speeds[side] for speeds in rounds),
            statistics.median(speeds[side] / speeds[Side.SDK] for speeds in rounds),
        )
        for side in ports
    ]


def main() -> None:
    with ExitStack() as stack:
        ports = {side: stack.enter_context(running(side)) for side in Side}
        results = [result for wire in Wire for result in uvloop.run(compare(wire, ports))]
    table = Table(title=f"MCP tool calls a second, {CALLERS} callers")
    for column in ("wire", "", "calls/s", "ratio", f"target ≥ {TARGET}"):
        table.add_column(column, justify="left" if column in ("wire", "") else "right")
    for result in results:
        figures = f"{result.calls_per_second:.0f}", f"{result.ratio:.2f}"
        table.add_row(result.wire.name.lower(), result.side, *figures, result.verdict)
    Console().print(table)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        uvloop.run(SERVERS[Side(sys.argv[1])]())
    else:
        main()
