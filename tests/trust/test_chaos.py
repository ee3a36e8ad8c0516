"""The quick version of `make chaos`: a few kills under load, and nothing is lost."""

import json
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from bench.chaos.checker import Rows, check
from bench.chaos.clocks import VARIABLE, Clock, compile_library
from bench.chaos.hostile import DOORS, Bombardment, DoorReport
from bench.chaos.load import WRITES, Acknowledged, Follower
from bench.chaos.people import Ledger
from bench.chaos.storm import Storm
from tests.databases import put_database
from tests.end_to_end.conftest import DEADLINE, launch

KILLS, SECONDS = 3, 12.0


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_what_is_killed_under_load_loses_doubles_and_swaps_nothing(
    kind: str, tmp_path: Path
) -> None:
    """SQLite with one server; PostgreSQL with two and a worker, all on one `DATA_DIR`."""
    report = await Storm(kind, tmp_path, KILLS, SECONDS, random.Random(1)).rage()
    assert report.kills > 0
    assert report.writes > 0
    assert report.events > 0
    assert report.findings.is_clean, report.findings


async def test_hostile_requests_meet_an_answer_at_every_door(tmp_path: Path) -> None:
    """The quick version of `python -m bench.chaos --hostile 100000`."""
    for report in await Bombardment(tmp_path, 150, random.Random(1)).bombard(DOORS):
        assert report.sent >= 150
        assert report.answers.total() > 100, report.answers
        assert not report.findings


@pytest.mark.parametrize(
    ("status", "text", "headers", "is_found"),
    [
        (500, "{}", "", True),
        (503, "{}", "", True),
        (503, '{"error": {"reason": "busy"}}', "Retry-After: 5", False),
        (503, '{"error": {"reason": "busy"}}', "", True),
        (422, "{}", "", False),
        (200, '{"error":{"code":-32603}}', "", True),
    ],
)
def test_what_a_hostile_request_must_not_meet(
    status: int, text: str, headers: str, is_found: bool
) -> None:
    report = DoorReport("HTTP")
    report.note("GET /", status, text, headers)
    assert bool(report.findings) is is_found


async def test_the_checker_finds_what_is_missing_twice_there_or_never_heard(tmp_path: Path) -> None:
    put_database(tmp_path / "bottega.db")
    with closing(sqlite3.connect(tmp_path / "bottega.db")) as connection, connection:
        for number in (1, 2):
            connection.execute(
                "INSERT INTO events (id, topic, payload, text, origin, created_at) "
                "VALUES (?, 'memory.added', ?, '', '', '2026')",
                (f"event {number}", '{"ids": ["mem_twice"]}'),
            )
    memory = next(write for write in WRITES if write.room == "memory")
    told = Acknowledged(
        writes={"chaos_000001": memory}, memories=["mem_lost", "mem_twice"], runs=["run_lost"]
    )
    found = check(Rows(tmp_path / "bottega.db", ""), told, [Follower([], 0)], last=2)
    assert found.lost_writes == ["memory chaos_000001"]
    assert found.lost_events == ["mem_lost"]
    assert found.doubled_events == ["mem_twice"]
    assert found.unfinished_runs == ["run_lost: ['lost']"]
    assert len(found.broken_streams) == 1
    assert not found.is_clean


def test_the_clock_of_a_storm_moves_the_wall_clock_and_no_other(tmp_path: Path) -> None:
    library = compile_library(tmp_path)
    if library is None:
        pytest.skip("no C compiler here")
    clock = Clock(tmp_path)
    clock.set(-3 * 86_400)
    code = "from time import *; m = monotonic(); sleep(0.01); print(time(), monotonic() - m)"
    said = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"LD_PRELOAD": str(library), VARIABLE: str(clock.file)},
        capture_output=True,
        check=True,
    )
    wall, slept = map(float, said.stdout.split())
    assert time.time() - 3 * 86_400 - wall < 60
    assert 0 < slept < 60


def test_a_lease_that_two_have_is_found() -> None:
    ledger = Ledger()
    ledger.take("change", 1, "one")
    assert not ledger.doubled
    ledger.take("change", 2, "other")
    ledger.holders.clear()
    ledger.take("change", 2, "one")
    assert len(ledger.doubled) == 2


HTTP: tuple[str, dict[str, Any], dict[str, str]] = (
    "/api/memories",
    {"content": "Said in time"},
    {},
)
MCP_VERSION = "2026-07-28"
MCP = (
    "/mcp",
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "remember",
            "arguments": {"content": "Said in time"},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": MCP_VERSION,
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    },
    {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": MCP_VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": "remember",
    },
)


@pytest.mark.parametrize(("path", "body", "headers"), [HTTP, MCP], ids=["http", "mcp"])
def test_an_acknowledged_change_is_in_the_log_though_the_process_dies_at_once(
    tmp_path: Path, path: str, body: dict[str, Any], headers: dict[str, str]
) -> None:
    server = launch(tmp_path)
    pid = json.loads((server.data_dir / "server.json").read_text())["pid"]
    # What is loaded at the first call would leave the log the time that it must not need.
    other = json.loads(json.dumps(body).replace("Said in time", "Said before"))
    httpx.post(f"{server.url}{path}", json=other, headers=headers, timeout=DEADLINE)
    address = httpx.URL(server.url)
    with socket.create_connection((address.host, address.port or 0)) as raw:
        data = json.dumps(body).encode()
        lines = {"Host": address.netloc.decode(), "Content-Type": "application/json", **headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        raw.sendall(
            f"POST {path} HTTP/1.1\r\n{head}Content-Length: {len(data)}\r\n\r\n".encode() + data
        )
        answer = b""
        while (found := re.search(rb"mem_\w{32}", answer)) is None:
            answer += raw.recv(65_536)
        os.kill(pid, signal.SIGKILL)
    server.process.wait(DEADLINE)
    with closing(sqlite3.connect(server.data_dir / "bottega.db")) as connection:
        logged = connection.execute("SELECT payload FROM events WHERE topic = 'memory.added'")
        assert found[0].decode() in str(logged.fetchall())
