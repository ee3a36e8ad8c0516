"""A server process, and everything that talks to it."""

import asyncio
import json
import os
import signal
import socket
import stat
from pathlib import Path

import httpx
import pytest
from mcp import Client
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tests.end_to_end.conftest import DEADLINE, Start, run_bottega

HELLO = {
    "type": "connection:hello",
    "id": "1",
    "payload": {"version": "1", "platform": "test", "windowSize": {"width": 1, "height": 1}},
}


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_an_agent_remembers_and_recalls_in_both_protocol_eras(
    start_server: Start, era: str
) -> None:
    """The official MCP client, over HTTP, sessions or stateless."""
    server = start_server()
    async with Client(f"{server.url}/mcp", mode=era) as agent:
        tools = {tool.name for tool in (await agent.list_tools()).tools}
        assert {"remember", "recall"} <= tools
        await agent.call_tool("remember", {"content": "Cents are integers: rounding lost one"})
        found = await agent.call_tool("recall", {"query": "rounding of cents"})
        assert not found.is_error
        assert "Cents are integers" in json.dumps(found.structured_content)
        wrong = await agent.call_tool("recall", {})
        assert wrong.is_error
        assert wrong.structured_content is not None
        assert wrong.structured_content["error"]["type"] == "validation_error"
        assert "query" in wrong.structured_content["error"]["message"]


@pytest.mark.requirement("FR-001", "FR-003", "FR-004", "SC-003")
async def test_one_port_serves_pages_rest_websocket_and_mcp(start_server: Start) -> None:
    """Everything on one port, picked here by PORT=0."""
    server = start_server(cold=True)
    health = httpx.get(f"{server.url}/health", timeout=DEADLINE).json()
    assert health["status"] == "ok"
    assert health["uptime"] >= 0
    assert health["model"]["offline"] is True
    assert health["database"]["kind"] == "sqlite"
    assert (
        "text/html"
        in httpx.get(server.url, headers={"Accept": "text/html"}, timeout=DEADLINE).headers[
            "content-type"
        ]
    )
    assert (
        "/api/memories" in httpx.get(f"{server.url}/openapi.json", timeout=DEADLINE).json()["paths"]
    )
    async with connect(server.websocket) as client:
        await client.send(json.dumps(HELLO))
        answer = json.loads(await asyncio.wait_for(client.recv(), DEADLINE))
        assert answer["type"] == "connection:init"
        assert answer["id"] == "1"


@pytest.mark.requirement("FR-036")
async def test_a_file_that_changes_reaches_connected_clients(start_server: Start) -> None:
    """The watcher's events go out over the WebSocket."""
    server = start_server()
    async with connect(server.websocket) as client:
        (server.project / "new.py").write_text("x = 1\n")
        async with asyncio.timeout(DEADLINE):
            async for text in client:
                message = json.loads(text)
                if message["type"] == "fs:tree_update":
                    break
        assert message["payload"] == {"action": "add", "path": "new.py"}


@pytest.mark.requirement("FR-008", "SC-005", "FR-037")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_closes_every_connection_and_ends_well(
    start_server: Start, number: signal.Signals
) -> None:
    """Sockets closed, sessions ended, exit code 0, nothing left."""
    server = start_server(cold=True)
    async with connect(server.websocket) as client, Client(f"{server.url}/mcp", mode="legacy") as a:
        await a.list_tools()
        code = await asyncio.to_thread(server.stop, number)
        with pytest.raises(ConnectionClosed) as closed:
            await client.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1001
    assert code == 0
    assert not (server.data_dir / "server.json").exists()
    assert "shutdown.websockets_closed" in server.log.read_text()


@pytest.mark.requirement("FR-007", "FR-010", "SC-001", "EC-04")
def test_start_makes_its_data_and_says_where_it_is(start_server: Start) -> None:
    """DATA_DIR with parents, the database in it, no .env needed."""
    server = start_server(cold=True)
    assert (server.data_dir / "bottega.db").exists()
    assert stat.S_IMODE(server.data_dir.stat().st_mode) == 0o700
    assert stat.S_IMODE((server.data_dir / "server.json").stat().st_mode) == 0o600
    log = server.log.read_text()
    assert server.url in log
    assert "claude mcp add" in log
    assert str(server.project) in log
    assert "offline" in log


@pytest.mark.requirement("FR-005", "FR-006", "SC-004")
@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"PROJECT_DIR": ""}, "PROJECT_DIR"),
        ({"PROJECT_DIR": "/no/such/place"}, "does not exist"),
        ({"BOTTEGA_MODEL": "anthropic"}, "ANTHROPIC_API_KEY"),
        ({"BOTTEGA_MODEL": "anthropic", "ANTHROPIC_API_KEY": ""}, "ANTHROPIC_API_KEY"),
        ({"BOTTEGA_MODEL": "nonsense"}, "BOTTEGA_MODEL"),
        ({"PORT": "seven"}, "PORT"),
        ({"DATABASE_URL": "mysql://x"}, "DATABASE_URL"),
        ({"HOST": "0.0.0.0"}, "BOTTEGA_TOKEN"),
    ],
)
def test_a_wrong_setting_ends_the_start_with_its_name(
    tmp_path: Path, settings: dict[str, str], word: str
) -> None:
    """Exit code 1, the variable's name, and what to do."""
    base = {"DATA_DIR": str(tmp_path), "PROJECT_DIR": str(tmp_path), "PORT": "0"}
    ended = run_bottega("serve", cwd=tmp_path, **base | settings)
    assert ended.returncode == 1
    assert word in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.requirement("EC-01")
def test_a_port_in_use_ends_the_start_with_its_number(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = run_bottega("serve", DATA_DIR=str(tmp_path), PROJECT_DIR=str(tmp_path), PORT=port)
    assert ended.returncode == 1
    assert port in ended.stderr
    assert "PORT" in ended.stderr


@pytest.mark.requirement("EC-06")
def test_a_damaged_database_ends_the_start_and_is_not_touched(tmp_path: Path) -> None:
    damaged = os.urandom(8192)
    (tmp_path / "bottega.db").write_bytes(damaged)
    ended = run_bottega("serve", DATA_DIR=str(tmp_path), PROJECT_DIR=str(tmp_path), PORT="0")
    assert ended.returncode == 1
    assert "damaged" in ended.stderr
    assert (tmp_path / "bottega.db").read_bytes() == damaged


def test_a_second_server_on_the_same_data_is_refused(start_server: Start) -> None:
    server = start_server()
    ended = server.run("serve")
    assert ended.returncode == 1
    assert server.url in ended.stderr
