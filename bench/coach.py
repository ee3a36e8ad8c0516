"""Typing and looking: edits a second from twenty windows, and how long an agent's reads take.

The real server in a process of its own, held to one core where the system allows it, with a
session, a plan and twenty open files, five of them unsaved while the agent reads. Edits have no
answers, so each window ends with a hello: its answer says that everything before it was handled.
"""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import uvloop
from rich.console import Console
from rich.table import Table
from websockets.asyncio.client import ClientConnection, connect

from bench.mcp import CLIENT, Connection, Wire, request

WINDOWS = 20
EDITS_PER_WINDOW = 1_000
ROUNDS = 5
LINES = 60
UNSAVED = 5
TYPED = "# typed by hand, one character at a time"
CALLS = 300
EDITS_TARGET = 3_000
READ_TARGET_MS = 20.0
READS: dict[str, dict[str, Any]] = {
    "paige_get_buffer": {"path": "src/part_0.py"},
    "paige_get_open_files": {},
    "paige_get_diff": {},
    "paige_get_session_state": {},
}
HELLO = {"version": "1", "platform": "bench", "windowSize": {"width": 1, "height": 1}}
PLAN = "\n".join(f"{n}. Change `src/part_{n}.py`" for n in range(1, 6))


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[1] == "serve":
        serve(Path(sys.argv[2]))
    else:
        uvloop.run(measure())


async def measure() -> None:
    async with server() as port, windows(port) as opened:
        await prepare(opened[0])
        rates = [await type_everywhere(opened) for _ in range(ROUNDS)]
        await save_most(opened[0])
        reads = [(tool, await time_reads(port, tool)) for tool in READS]
    show(statistics.median(rates), reads)


def show(rate: float, reads: list[tuple[str, float]]) -> None:
    table = Table("coach", "measured", "target", "")
    table.add_row(
        f"buffer:update, {WINDOWS} windows, one core",
        f"{rate:,.0f} /s",
        f"≥ {EDITS_TARGET:,} /s",
        verdict(rate >= EDITS_TARGET),
    )
    for tool, p95 in reads:
        target = f"p95 ≤ {READ_TARGET_MS:.0f} ms"
        table.add_row(tool, f"{p95:.1f} ms", target, verdict(p95 <= READ_TARGET_MS))
    Console().print(table)


def verdict(is_met: bool) -> str:
    return "[green]PASS[/green]" if is_met else "[red]MISS[/red]"


# ── the server ───────────────────────────────────────────────────────────────────────────────


def serve(folder: Path) -> None:
    from fastapi import FastAPI

    from bottega.app import App
    from bottega.server import process as serving
    from bottega.server.composition import compose
    from bottega.server.logs import configure_logging
    from bottega.settings import Settings

    def build() -> FastAPI:
        settings = Settings(
            data_dir=folder / "data",
            project_dir=folder / "project",
            database_url=None,
            chromadb_url=None,
            bottega_model="offline",
            bottega_token=None,
            bottega_passcode=None,
            bottega_rate_limit=1_000_000,
            _env_file=None,
        )
        return compose(App(settings))

    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    configure_logging("error")
    serving.serve(build, "127.0.0.1", 0, lambda url: print(url.rpartition(":")[2], flush=True))


@asynccontextmanager
async def server() -> AsyncIterator[int]:
    with tempfile.TemporaryDirectory() as folder:
        write_project(Path(folder, "project", "src"))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bench.coach", "serve", folder),
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        port = await process.stdout.readline()
        if not port:
            sys.exit(f"the server did not start: exit code {await process.wait()}")
        try:
            yield int(port)
        finally:
            process.terminate()
            await process.wait()


def write_project(folder: Path) -> None:
    folder.mkdir(parents=True)
    for number in range(WINDOWS):
        (folder / f"part_{number}.py").write_text(text_of(number))


def text_of(number: int) -> str:
    return "".join(f"value_{line} = {number} * {line}  # as before\n" for line in range(LINES))


# ── the windows ──────────────────────────────────────────────────────────────────────────────


@asynccontextmanager
async def windows(port: int) -> AsyncIterator[list[ClientConnection]]:
    address = f"ws://127.0.0.1:{port}/ws"
    opened = [await connect(address, compression=None, proxy=None) for _ in range(WINDOWS)]
    try:
        yield opened
    finally:
        for window in opened:
            await window.close()


async def prepare(window: ClientConnection) -> None:
    """A session with a plan, and every file open and unsaved."""
    await window.send(message("session:start", {"issueTitle": "Values are off by one"}))
    await heard(window, "session:started")
    await window.send(message("coaching:submit_plan", {"planText": PLAN}))
    await heard(window, "coaching:plan_ready")
    for number in range(WINDOWS):
        await window.send(message("file:open", {"path": f"src/part_{number}.py"}))
        await heard(window, "fs:content")


async def type_everywhere(opened: list[ClientConnection]) -> float:
    """Edits a second of all windows together."""
    frames = [list(edits(number)) for number in range(WINDOWS)]
    started = time.perf_counter()
    await asyncio.gather(*map(type_in, opened, frames))
    return WINDOWS * EDITS_PER_WINDOW / (time.perf_counter() - started)


async def save_most(window: ClientConnection) -> None:
    """A person at work has a few unsaved files, not all of them."""
    for number in range(UNSAVED, WINDOWS):
        path, content = f"src/part_{number}.py", text_of(number)
        await window.send(message("file:save", {"path": path, "content": content}))
        await heard(window, "fs:save_ack")


async def type_in(window: ClientConnection, frames: list[str]) -> None:
    for frame in frames:
        await window.send(frame)
    await window.send(message("connection:hello", HELLO, id="done"))
    await heard(window, "connection:init")


def edits(number: int) -> Iterator[str]:
    """One line that is typed, character by character, and typed again."""
    path, before = f"src/part_{number}.py", text_of(number)
    for edit in range(EDITS_PER_WINDOW):
        typed = TYPED[: edit % len(TYPED)]
        cursor = {"line": LINES + 1, "column": len(typed) + 1}
        payload = {"path": path, "content": before + typed, "cursorPosition": cursor}
        yield message("buffer:update", payload)


async def heard(window: ClientConnection, type: str) -> None:
    async with asyncio.timeout(60):
        while (answer := orjson.loads(await window.recv()))["type"] != type:
            if answer["type"] == "connection:error":
                sys.exit(f"refused: {answer['payload']['message']}")


def message(type: str, payload: dict[str, Any], **rest: str) -> str:
    return json.dumps({"type": type, "payload": payload, "timestamp": 0, **rest})


# ── the agent ────────────────────────────────────────────────────────────────────────────────


async def time_reads(port: int, tool: str) -> float:
    """Milliseconds of a call at the 95th percentile."""
    connection = await Connection.open(port)
    call = request_of(tool)
    took = []
    for _ in range(CALLS):
        started = time.perf_counter()
        _, body = await connection.exchange(call)
        took.append((time.perf_counter() - started) * 1_000)
        assert b'"isError":true' not in body, body
        assert tool != "paige_get_buffer" or TYPED[:-1].encode() in body, "an edit was lost"
    connection.close()
    return statistics.quantiles(took, n=20)[18]


def request_of(tool: str) -> bytes:
    prefix = "io.modelcontextprotocol"
    meta = {
        f"{prefix}/protocolVersion": Wire.STATELESS,
        f"{prefix}/clientInfo": CLIENT,
        f"{prefix}/clientCapabilities": {},
    }
    headers = {
        "MCP-Protocol-Version": Wire.STATELESS.value,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    params = {"name": tool, "arguments": READS[tool], "_meta": meta}
    return request("tools/call", params, **headers)


if __name__ == "__main__":
    main()
