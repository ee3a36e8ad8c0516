"""A small app of real parts, served for real on a free port."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Protocol, cast

import httpx
import orjson
from fastapi import FastAPI
from pydantic import BaseModel
from websockets.asyncio.client import ClientConnection, connect

from bottega.core.db.database import Database
from bottega.core.events import EventBus
from bottega.core.llm.ledger import Ledger
from bottega.core.rooms import Caller, Room, Tool
from bottega.core.runs import Runs
from bottega.core.services import Core
from bottega.core.sessions.actions import Actions
from bottega.core.sessions.conversations import Conversations
from bottega.core.sessions.session import Sessions
from bottega.core.sign_ins import SignIns
from bottega.core.traces import Traces
from bottega.core.users import Users
from bottega.server.doors import Doors, Mcp
from bottega.server.mcp import McpDoor
from bottega.server.options import Options


class SmallApp:
    def __init__(self, database: Database, rooms: Sequence[Room] = ()) -> None:
        bus = EventBus(database)
        self.core = cast(
            "Core",
            SimpleNamespace(
                database=database,
                bus=bus,
                users=Users(database, bus),
                sign_ins=SignIns(database, bus),
                sessions=Sessions(database, bus),
                conversations=Conversations(database),
                traces=Traces(database),
                ledger=Ledger(database),
                actions=Actions(database, bus),
                runs=Runs(database, bus, system_database_url=f"sqlite:///{database.path}.runs"),
            ),
        )
        self.rooms = list(rooms)
        self.is_running = False

    async def start(self) -> None:
        await self.core.database.start()
        for part in (self.core.bus, self.core.ledger, self.core.traces):
            await part.start()
        self.is_running = True

    async def stop(self) -> None:
        for part in (self.core.runs, self.core.traces, self.core.ledger, self.core.bus):
            await part.stop()
        await self.core.database.stop()
        self.is_running = False

    def health(self) -> dict[str, Any]:
        return {"database": {"kind": self.core.database.dialect}}


@dataclass
class Served:
    url: str
    server: FastAPI
    app: SmallApp
    http: httpx.AsyncClient
    _stack: AsyncExitStack = field(repr=False)

    @property
    def doors(self) -> Doors:
        return cast("Doors", self.server.state.doors)

    @property
    def port(self) -> int:
        return httpx.URL(self.url).port or 0

    async def raw(self, request: bytes) -> bytes:
        """Everything the server says to these bytes until it hangs up."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(request)
        async with asyncio.timeout(10):
            answer = await reader.read()
        writer.close()
        return answer

    async def websocket(self, path: str = "/ws", **options: Any) -> ClientConnection:
        address = self.url.replace("http", "ws", 1) + path
        return await self._stack.enter_async_context(connect(address, proxy=None, **options))


class Serve(Protocol):
    async def __call__(
        self, *rooms: Room, options: Options | None = None, mcp: Mcp | None = None
    ) -> Served: ...


async def send(socket: ClientConnection, type: str, payload: Any = None, **rest: Any) -> None:
    await socket.send(orjson.dumps({"type": type, "payload": payload or {}, **rest}).decode())


async def receive(socket: ClientConnection) -> dict[str, Any]:
    message: dict[str, Any] = orjson.loads(await socket.recv())
    return message


def echo_mcp() -> Mcp:
    """The real MCP door with one room, whose tool says what it hears."""

    class Words(BaseModel):
        text: str

    async def say(words: Words, _caller: Caller) -> dict[str, str]:
        return {"said": words.text}

    return McpDoor([Room("echo", tools=[Tool("say", "Say it.", Words, say)])])
