"""Clients of the demo's server: REST, MCP and WebSocket."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from websockets.asyncio.client import ClientConnection, connect

from bottega.cli.connection import error_from
from bottega.cli.demo.workspace import DemoFolder
from bottega.errors import BottegaError, Unavailable

#: Seconds that one answer may take on a busy machine.
PATIENCE = 60
HELLO = {"version": "1", "platform": "demo", "windowSize": {"width": 120, "height": 40}}

Answer = dict[str, Any]


@dataclass(frozen=True)
class Rest:
    http: httpx.AsyncClient

    async def get(self, path: str, **params: Any) -> Any:
        return self._decode(await self.http.get(path, params=params))

    async def post(self, path: str, json: Any = None) -> Any:
        return self._decode(await self.http.post(path, json=json))

    async def send(self, path: str, content: bytes, content_type: str, **params: Any) -> Any:
        headers = {"Content-Type": content_type}
        return self._decode(
            await self.http.post(path, content=content, headers=headers, params=params)
        )

    def _decode(self, response: httpx.Response) -> Any:
        if not response.is_success:
            raise error_from(response)
        return response.json()


@dataclass(frozen=True)
class Agent:
    """Any program that speaks MCP."""

    client: Client

    async def call(self, tool: str, **arguments: Any) -> Answer:
        result = await self.client.call_tool(tool, arguments)
        answer: Answer = result.structured_content or {}
        if result.is_error:
            raise BottegaError(f"{tool} was refused: {json.dumps(answer)}")
        return answer


@dataclass
class Window:
    """Somebody at an editor: sends messages, and sees what the server sends."""

    socket: ClientConnection
    seen: list[Answer] = field(default_factory=list)
    _arrival: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        async for text in self.socket:
            self.seen.append(json.loads(text))
            self._arrival.set()

    async def send(self, type: str, **payload: Any) -> None:
        await self.socket.send(json.dumps({"type": type, "payload": payload}))

    async def wait_for(self, type: str, since: int = 0) -> Answer:
        """Wait for the first message of a type after the first `since` messages."""
        try:
            async with asyncio.timeout(PATIENCE):
                while (payload := self._find(type, since)) is None:
                    self._arrival.clear()
                    await self._arrival.wait()
        except TimeoutError:
            raise Unavailable(f"No {type} came within {PATIENCE} seconds.") from None
        return payload

    async def ask(self, type: str, answer: str, **payload: Any) -> Answer:
        since = len(self.seen)
        await self.send(type, **payload)
        return await self.wait_for(answer, since)

    def _find(self, type: str, since: int) -> Answer | None:
        for message in self.seen[since:]:
            payload: Answer = message["payload"]
            if message["type"] == "connection:error":
                raise BottegaError(str(payload.get("message", payload)))
            if message["type"] == type:
                return payload
        return None


@dataclass(frozen=True)
class Doors:
    url: str
    home: DemoFolder
    rest: Rest
    agent: Agent

    @asynccontextmanager
    async def window(self) -> AsyncIterator[Window]:
        async with connect(self.url.replace("http", "ws", 1) + "/ws", proxy=None) as socket:
            window = Window(socket)
            listening = asyncio.create_task(window.listen())
            try:
                await window.ask("connection:hello", "connection:init", **HELLO)
                yield window
            finally:
                listening.cancel()


@asynccontextmanager
async def open_doors(url: str, home: DemoFolder) -> AsyncIterator[Doors]:
    """On loopback, past any proxy of the machine."""
    async with (
        httpx.AsyncClient(base_url=url, timeout=PATIENCE, trust_env=False) as http,
        httpx2.AsyncClient(timeout=PATIENCE, trust_env=False) as wire,
        Client(
            streamable_http_client(f"{url}/mcp", http_client=wire), read_timeout_seconds=PATIENCE
        ) as client,
    ):
        yield Doors(url, home, Rest(http), Agent(client))
