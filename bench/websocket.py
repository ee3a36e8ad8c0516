"""Broadcasting to many WebSocket clients, against a bare `websockets.broadcast` server.

Both servers run in processes of their own on uvloop without compression and send the same JSON.
The clients only count bytes, so that the servers, and not they, are measured.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import cast

import orjson
import uvloop
from rich.console import Console
from rich.table import Table

CLIENTS = (100, 500)
#: Messages of one run to each client.
DELIVERIES = 200_000
ROUNDS = 7
TARGET = 0.8
PAYLOAD = {"path": "src/bottega/app.py", "action": "change", "text": "x" * 200}
SERVERS = ("bottega", "websockets")


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[1] in SERVERS:
        {"bottega": serve_bottega, "websockets": serve_bare}[sys.argv[1]](sys.argv[2])
    else:
        uvloop.run(compare())


async def compare() -> None:
    table = Table("clients", "bottega /s", "websockets /s", "ratio", "target")
    async with server("bottega") as ours, server("websockets") as bare:
        for clients in CLIENTS:
            rates: dict[str, list[float]] = {name: [] for name in SERVERS}
            for _ in range(ROUNDS):
                rates["bottega"].append(await measure(ours, clients))
                rates["websockets"].append(await measure(bare, clients))
            mine, peer = (statistics.median(rates[name]) for name in SERVERS)
            table.add_row(
                str(clients), f"{mine:,.0f}", f"{peer:,.0f}", f"{mine / peer:.2f}", f"≥ {TARGET}"
            )
    Console().print(table)


@asynccontextmanager
async def server(name: str) -> AsyncIterator[int]:
    """The server in a process of its own; gives its port."""
    with tempfile.TemporaryDirectory() as folder:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.websocket", name, folder, stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None
        port = await process.stdout.readline()
        if not port:
            sys.exit(f"the {name} server did not start: exit code {await process.wait()}")
        try:
            yield int(port)
        finally:
            process.terminate()
            await process.wait()


class Counter(asyncio.Protocol):
    """A client that counts the bytes of what it hears."""

    def __init__(self) -> None:
        self.count = 0
        self.expected: int | None = None
        self.enough = asyncio.Event()
        self.upgraded = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(
            b"GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )

    def data_received(self, data: bytes) -> None:
        if not self.upgraded.is_set():
            assert data.endswith(b"\r\n\r\n"), data
            self.upgraded.set()
            return
        self.count += len(data)
        if self.expected is not None and self.count >= self.expected:
            self.enough.set()

    def ask_for(self, messages: int) -> None:
        text = orjson.dumps({"type": "bench:start", "payload": {"messages": messages}})
        # A client's frames are masked; a mask of zeros changes nothing.
        self.transport.write(bytes((0x81, 0x80 | len(text), 0, 0, 0, 0)) + text)


async def measure(port: int, clients: int) -> float:
    """Deliveries a second, from the request to the last byte at the last client."""
    loop = asyncio.get_running_loop()
    counters: list[Counter] = []
    for _ in range(clients):
        _, counter = await loop.create_connection(Counter, "127.0.0.1", port)
        await counter.upgraded.wait()
        counters.append(counter)
    messages = DELIVERIES // clients
    for counter in counters:
        counter.expected = messages * FRAME
    started = time.perf_counter()
    counters[0].ask_for(messages)
    for counter in counters:
        await counter.enough.wait()
    seconds = time.perf_counter() - started
    assert all(counter.count == messages * FRAME for counter in counters)
    for counter in counters:
        counter.transport.abort()
    return messages * clients / seconds


def envelope() -> bytes:
    return orjson.dumps(
        {"type": "fs:tree_update", "payload": PAYLOAD, "timestamp": time.time_ns() // 1_000_000}
    )


#: Bytes of one message on the wire, with the four of its frame's head.
FRAME = len(envelope()) + 4


def serve_bottega(folder: str) -> None:
    from fastapi import FastAPI
    from pydantic import BaseModel

    from bottega.app import App
    from bottega.core.rooms import Incoming, Message, Room
    from bottega.server.composition import compose
    from bottega.server.doors import Doors
    from bottega.server.logs import configure_logging
    from bottega.server.process import serve
    from bottega.settings import Settings

    class Start(BaseModel):
        messages: int

    def build() -> FastAPI:
        settings = Settings(
            data_dir=Path(folder),
            project_dir=Path(folder),
            bottega_model="offline",
            bottega_token=None,
            bottega_passcode=None,
            bottega_rate_limit=100_000,
            _env_file=None,
        )
        server = compose(App(settings, serves=False))
        doors: Doors = server.state.doors

        async def start(incoming: Incoming[Start]) -> None:
            for _ in range(incoming.payload.messages):
                doors.hub.broadcast("fs:tree_update", PAYLOAD)
                await asyncio.sleep(0)

        doors.connect(Room("bench", messages=[Message("bench:start", Start, start)]))
        return server

    configure_logging("error")
    serve(build, "127.0.0.1", 0, lambda url: print(url.rpartition(":")[2], flush=True))


def serve_bare(_folder: str) -> None:
    from websockets.asyncio.server import ServerConnection, broadcast
    from websockets.asyncio.server import serve as serve_websockets
    from websockets.exceptions import ConnectionClosed

    connections: set[ServerConnection] = set()

    async def handle(connection: ServerConnection) -> None:
        connections.add(connection)
        with suppress(ConnectionClosed):
            async for text in connection:
                for _ in range(orjson.loads(text)["payload"]["messages"]):
                    broadcast(connections, envelope(), text=True)
                    await asyncio.sleep(0)
        connections.discard(connection)

    async def run() -> None:
        async with serve_websockets(handle, "127.0.0.1", 0, compression=None) as listening:
            print(next(iter(listening.sockets)).getsockname()[1], flush=True)
            await asyncio.get_running_loop().create_future()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())


if __name__ == "__main__":
    main()
