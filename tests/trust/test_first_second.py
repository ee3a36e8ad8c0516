"""A server that has just started is asked for everything at once, and stays.

What is loaded when it is first needed is then needed by many at the same moment.
"""

import asyncio
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from bottega.app import App
from bottega.errors import Unavailable
from bottega.server.composition import compose
from bottega.server.mcp import McpDoor
from bottega.settings import Settings
from tests.end_to_end.conftest import DEADLINE, RunningServer, launch
from tests.test_rooms import example, value_for

#: Ends a stream that would go on for ever, once it has begun.
FIRST_SECONDS = 20
#: Hundreds of first calls at once, each of which loads something: on a machine that others use too
#: the last of them waits for all the others.
PATIENCE = 4 * DEADLINE
VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
SOURCE = {
    "type": "stdio",
    "name": "Numbers",
    "description": "Adds.",
    "command": sys.executable,
    "args": ["-c", "import sys; sys.stdin.read()"],
    "startTimeout": 2,
}


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> "Questions":
    return Questions(tmp_path_factory.mktemp("questions"))


class Questions:
    """Everything that can be asked of a house, with arguments that fit."""

    def __init__(self, folder: Path) -> None:
        app = App(Settings(data_dir=folder, project_dir=folder, bottega_model="offline"))
        server = compose(app)
        self._document: dict[str, Any] = json.loads(json.dumps(server.openapi()))
        self.rooms = app.rooms
        self.messages = [message for room in app.rooms for message in room.messages]

    def requests(self) -> Iterator[dict[str, Any]]:
        for path, methods in self._document["paths"].items():
            for method, about in methods.items():
                if path == "/api/login":
                    continue
                yield {
                    "method": method.upper(),
                    "url": re.sub(r"\{[^}]+\}", "numbers", path),
                    "json": self._body(about),
                }

    def _body(self, about: dict[str, Any]) -> Any:
        content = about.get("requestBody", {}).get("content", {})
        schema = content.get("application/json", {}).get("schema")
        definitions = {"$defs": self._document["components"]["schemas"]}
        return None if schema is None else value_for(schema, definitions)

    def calls(self) -> Iterator[dict[str, Any]]:
        for number, tool in enumerate(tool for room in self.rooms for tool in room.tools):
            call = {"name": tool.name, "arguments": example(tool.arguments), "_meta": META}
            yield {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}


@pytest.fixture
def cold_server(tmp_path: Path) -> Iterator[RunningServer]:
    source = tmp_path / "project" / ".bottega" / "sources" / "numbers" / "config.json"
    source.parent.mkdir(parents=True)
    source.write_text(json.dumps(SOURCE))
    (tmp_path / "project" / "kept.py").write_text("kept = True\n")
    server = launch(tmp_path, cold=True, BOTTEGA_RATE_LIMIT="1000000", BOTTEGA_MODEL="offline")
    yield server
    if server.process.poll() is None:
        server.stop()


async def test_whatever_is_asked_in_the_first_second_is_answered_and_the_server_stays(
    cold_server: RunningServer, questions: Questions
) -> None:
    limits = httpx.Limits(max_connections=100)
    async with httpx.AsyncClient(
        base_url=cold_server.url, timeout=PATIENCE, trust_env=False, limits=limits
    ) as http:
        answers = await asyncio.gather(
            *(ask(http, **request) for request in questions.requests()),
            *(call_tool(http, call) for call in questions.calls()),
            *(try_source(http, wait) for wait in (0.2, 0.4, 0.5, 0.6, 0.8)),
            send_all(cold_server, questions),
        )
        failed = [answer for answer in answers if answer and is_failure(answer)]
        assert not failed
        assert cold_server.process.poll() is None
        assert (await http.get("/health")).json()["status"] == "ok"
    assert "partially initialized" not in cold_server.log.read_text()


async def call_tool(http: httpx.AsyncClient, call: dict[str, Any]) -> tuple[str, int, str]:
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": call["method"],
        "Mcp-Name": call["params"]["name"],
    }
    return await ask(http, "POST", "/mcp", json=call, headers=headers)


async def ask(http: httpx.AsyncClient, method: str, url: str, **given: Any) -> tuple[str, int, str]:
    async with http.stream(method, url, **given) as response:
        text = ""
        try:
            async with asyncio.timeout(FIRST_SECONDS if response.is_success else PATIENCE):
                if "event-stream" not in response.headers.get("content-type", "") or "/mcp" in url:
                    text = (await response.aread()).decode(errors="replace")
        except TimeoutError:
            pass
        return f"{method} {url}", response.status_code, text


async def try_source(http: httpx.AsyncClient, wait: float) -> tuple[str, int, str]:
    await http.post("/api/research/sources/numbers/enable")
    await asyncio.sleep(wait)
    return await ask(http, "POST", "/api/research/sources/numbers/test")


async def send_all(server: RunningServer, questions: Questions) -> None:
    async with connect(server.websocket, proxy=None, max_size=None) as client:
        for number, message in enumerate(questions.messages):
            payload = example(message.schema)
            await client.send(
                json.dumps({"type": message.type, "id": str(number), "payload": payload})
            )
        await client.send(json.dumps({"type": "nobody:knows", "id": "last", "payload": {}}))
        async with asyncio.timeout(PATIENCE):
            async for text in client:
                said = json.loads(text)
                assert said.get("payload", {}).get("code") != "INTERNAL", said
                if said.get("id") == "last":
                    return


def is_failure(answer: tuple[str, int, str]) -> bool:
    _, status, text = answer
    if status == Unavailable.status:
        error = json.loads(text)["error"]
        # A database that is busy says so, and when to come again: that is an answer.
        return bool(error["type"] != Unavailable.type and not error.get("retry_after"))
    return status >= 500 or "failed inside the server" in text


async def test_a_warming_that_fails_does_not_end_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The endpoint opens when somebody asks for it."""
    tried = asyncio.Event()

    class FailsOnce(McpDoor):
        async def _build(self, room: str) -> Any:
            if not tried.is_set():
                tried.set()
                raise ImportError("cannot import name 'Server'")
            return await super()._build(room)

    monkeypatch.setattr("bottega.core.background.STARTUP_SECONDS", 0)
    door = FailsOnce()
    async with door.run():
        await tried.wait()
        await asyncio.sleep(0)
        assert await door._open("") is not None
