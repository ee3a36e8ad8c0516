"""The life of the server: port, signals, goodbye. In a process of its own, as people run it."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from fastapi import APIRouter
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from bottega.core.db.database import Database
from bottega.core.rooms import Room
from bottega.errors import ConfigurationError
from bottega.server.http import create_server
from bottega.server.process import address_of, bind, running
from bottega.settings import Settings
from tests.server.http.small_app import SmallApp

HERE = Path(__file__).parent
SIGNALS = [signal.SIGINT, signal.SIGTERM]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


class Child:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def line(self) -> str:
        assert self.process.stdout is not None
        return (await self.process.stdout.readline()).decode().strip()

    async def finish(self) -> tuple[int, list[str], str]:
        out, errors = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, out.decode().splitlines(), errors.decode()


@asynccontextmanager
async def child(tmp_path: Path, *arguments: str, port: int = 0) -> AsyncIterator[Child]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(HERE / "process.py"),
        str(port),
        str(tmp_path / "bottega.db"),
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(HERE.parents[2])},
    )
    try:
        async with asyncio.timeout(60):
            yield Child(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def events(log: str) -> list[str]:
    return [json.loads(line)["event"] for line in log.splitlines() if line.startswith("{")]


@pytest.mark.requirement("FR-001")
def test_the_port_is_3000_unless_it_is_set() -> None:
    assert Settings.model_fields["port"].default == 3000


@pytest.mark.requirement("FR-001")
async def test_one_server_answers_every_door_on_the_port_it_was_given(
    tmp_path: Path,
) -> None:
    """HTTP, MCP and WebSocket on one port."""
    with bind("127.0.0.1", 0) as probe:
        port = probe.getsockname()[1]
    async with child(tmp_path, port=port) as server:
        assert await server.line() == f"ready http://127.0.0.1:{port}"
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as http:
            assert (await http.get("/health")).json()["status"] == "ok"
            answer = await http.post(
                "/mcp",
                json=INITIALIZE,
                headers={"Accept": "application/json, text/event-stream"},
                timeout=30,
            )
            assert answer.status_code == 200
        async with connect(f"ws://127.0.0.1:{port}/ws", proxy=None) as web_socket:
            await web_socket.send("{")
            assert "connection:error" in str(await web_socket.recv())


@pytest.mark.requirement("FR-008", "SC-005")
@pytest.mark.parametrize("number", SIGNALS)
async def test_a_signal_sends_everyone_home_and_ends_well(
    tmp_path: Path, number: signal.Signals
) -> None:
    """MCP sessions, WebSockets and streams are closed, each step is logged, no
    task is left, and the exit code is 0."""
    async with child(tmp_path) as server:
        url = (await server.line()).removeprefix("ready ")
        async with (
            connect(url.replace("http", "ws", 1) + "/ws", proxy=None) as web_socket,
            httpx.AsyncClient(base_url=url, trust_env=False, timeout=30) as http,
            http.stream("GET", "/api/events") as stream,
        ):
            accept = {"Accept": "application/json, text/event-stream"}
            answer = await http.post("/mcp", json=INITIALIZE, headers=accept)
            session = {"Mcp-Session-Id": answer.headers["Mcp-Session-Id"]}
            async with http.stream("GET", "/mcp", headers={**accept, **session}) as notifications:
                assert notifications.status_code == 200
                lines = stream.aiter_lines()
                assert (await anext(lines)).startswith("retry:")

                server.process.send_signal(number)
                with pytest.raises(ConnectionClosed) as closed:
                    await web_socket.recv()
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 1001
                assert [line async for line in lines if line] == []
                assert [line async for line in notifications.aiter_lines() if line] == []
        code, lines_out, log = await server.finish()
    assert code == 0, log
    assert lines_out == ["stopped, tasks left: []"]
    steps = [event for event in events(log) if event.startswith(("shutdown.", "mcp.closed"))]
    assert steps[0] == "shutdown.started"
    assert set(steps) >= {
        "shutdown.streams_closed",
        "shutdown.websockets_closed",
        "mcp.closed",
        "shutdown.mcp_closed",
        "shutdown.house_closed",
    }
    assert steps[-1] == "shutdown.done"


@pytest.mark.requirement("EC-05")
@pytest.mark.parametrize("number", SIGNALS)
async def test_a_signal_while_starting_closes_what_was_opened(
    tmp_path: Path, number: signal.Signals
) -> None:
    async with child(tmp_path, "slow") as server:
        assert await server.line() == "starting"
        server.process.send_signal(number)
        code, lines, log = await server.finish()
    assert code == 0, log
    assert lines == ["stopped, tasks left: []"]
    assert events(log)[-1] == "shutdown.done"


@pytest.mark.requirement("EC-01")
async def test_a_port_in_use_ends_the_start_with_exit_code_1_and_its_number(
    tmp_path: Path,
) -> None:
    """Before anything is opened."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        async with child(tmp_path, port=port) as server:
            code, lines, log = await server.finish()
    assert code == 1
    assert f"PORT={port}" in log
    assert lines == []
    assert not (tmp_path / "bottega.db").exists()


@pytest.mark.requirement("EC-01")
def test_a_host_that_is_not_here_is_named() -> None:
    """The same care for every reason a port cannot be taken."""
    with pytest.raises(ConfigurationError, match=r"HOST='192\.0\.2\.1'"):
        bind("192.0.2.1", 0)
    with pytest.raises(ConfigurationError, match=r"HOST='no\.such\.host\.invalid'"):
        bind("no.such.host.invalid", 0)


def test_the_address_is_one_a_browser_can_open() -> None:
    with bind("0.0.0.0", 0) as listener:
        assert address_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"
    if socket.has_ipv6:
        with bind("::1", 0) as listener:
            assert address_of(listener) == f"http://[::1]:{listener.getsockname()[1]}"


@pytest.mark.requirement("FR-008")
async def test_a_request_under_way_is_finished_before_the_end(tmp_path: Path) -> None:
    """Everyone has been sent home, and who was being answered still gets the answer."""
    entered, release = asyncio.Event(), asyncio.Event()
    routes = APIRouter()

    @routes.get("/slow")
    async def answer_slowly() -> str:
        entered.set()
        await release.wait()
        return "done"

    app = SmallApp(
        Database(f"sqlite:///{tmp_path / 'bottega.db'}"),
        [Room("slow", routes=lambda: [routes], paths=["/slow"])],
    )

    async def release_once_closed(web_socket: ClientConnection) -> None:
        await web_socket.wait_closed()
        assert app.is_running
        release.set()

    async with httpx.AsyncClient(trust_env=False, timeout=30) as http:
        async with running(create_server(app), bind("127.0.0.1", 0)) as url:
            web_socket = await connect(url.replace("http", "ws", 1) + "/ws", proxy=None)
            asking = asyncio.create_task(http.get(f"{url}/api/slow"))
            releasing = asyncio.create_task(release_once_closed(web_socket))
            await entered.wait()
        await releasing
        assert (await asking).json() == "done"
    assert not app.is_running
