"""The coach's doors in a house: a window that sends real frames, an agent that calls real tools."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson
from httpx import ASGITransport, AsyncClient
from pydantic import BaseModel

from bottega.coach.desk.desk import Desk, Desks
from bottega.coach.desk.editing import Editing
from bottega.coach.desk.showing import Showing
from bottega.coach.desk.state import SessionState
from bottega.coach.desk.voice import Voice
from bottega.coach.messages import editor
from bottega.coach.observer.observer import Observer
from bottega.coach.planning.pipeline import Pipeline
from bottega.coach.reflection.wrapup import WrapUp
from bottega.coach.routes import protocol, showing
from bottega.coach.sessions.hints import Hints
from bottega.coach.sessions.phases import Phases
from bottega.coach.tools import tools
from bottega.core.rooms import Caller, Door, Room
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.server.http import create_server
from bottega.server.mcp.calls import ToolCalls
from bottega.server.messages import MessageRouter
from tests.coach.house import House


@dataclass
class Window:
    """One connection, and what was sent to it alone; broadcasts are in `house.heard`."""

    router: MessageRouter
    id: str = "ws_1"
    caller: Caller = field(default_factory=lambda: Caller(Door.WEBSOCKET))
    state: dict[str, Any] = field(default_factory=dict)
    received: list[dict[str, Any]] = field(default_factory=list)

    def send(
        self, type: str, payload: BaseModel | dict[str, Any], *, reply_to: str | None = None
    ) -> None:
        if isinstance(payload, BaseModel):
            payload = payload.model_dump(mode="json", by_alias=True)
        self.received.append({"type": type, "payload": payload, "id": reply_to})

    async def says(self, type: str, *, id: str | None = None, **payload: Any) -> None:
        frame = {"type": type, "payload": payload, "id": id}
        await self.router.dispatch(orjson.dumps(frame).decode(), self)

    @property
    def errors(self) -> list[dict[str, Any]]:
        found = [sent for sent in self.received if sent["type"] == "connection:error"]
        return [sent["payload"] | {"id": sent["id"]} for sent in found]


class Listening(Observer):
    """The observer, with a note of what reached it by the unlogged way."""

    def __init__(self, core: Core, desks: Desks, voice: Voice) -> None:
        super().__init__(core, desks, voice)
        self.heard: list[tuple[str, str | None]] = []

    def edited(self, desk: Desk, path: str) -> None:
        self.heard.append(("edited", path))
        super().edited(desk, path)

    def active(self, desk: Desk) -> None:
        self.heard.append(("active", None))
        super().active(desk)


class Doors:
    def __init__(self, house: House) -> None:
        core, voice = house.core, house.voice
        self.house = house
        self.hints = Hints(core, voice)
        self.observer = Listening(core, house.desks, voice)
        self.editing = Editing(core, voice, self.hints, self.observer)
        self.showing = Showing(core, voice)
        self.state = SessionState(core)
        phases = Phases(core, voice, self.hints)
        memories = house.memory.memories
        pipeline = Pipeline(core, memories, house.skills, voice, self.hints)
        wrapup = WrapUp(core, memories, house.skills, voice)
        self.room = Room(
            "coach",
            tools=tools(core, house.desks, self.showing, self.state, phases, pipeline, wrapup),
            messages=editor.messages(house.desks, self.editing),
            routes=lambda: [
                protocol.router(),
                showing.router(house.desks, self.editing, self.state),
            ],
            paths=["/coach"],
        )
        self._router = MessageRouter(1_000_000)
        self._router.add(self.room.messages)

    def window(self, user_id: str = LOCAL_USER) -> Window:
        return Window(self._router, caller=Caller(Door.WEBSOCKET, user_id))

    async def ask(self, tool: str, user_id: str = LOCAL_USER, **arguments: Any) -> dict[str, Any]:
        """The whole result of a call, as it goes over the wire."""
        chosen = next(found for found in self.room.tools if found.name == tool)
        caller = Caller(Door.MCP, user_id, "agent")
        return await ToolCalls().run("coach", chosen, arguments, caller)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self.ask(tool, **arguments)
        assert not result["isError"], result["structuredContent"]
        answer: dict[str, Any] = result["structuredContent"]
        return answer

    async def refused(self, tool: str, **arguments: Any) -> tuple[str, str]:
        """The type and the message of the error."""
        result = await self.ask(tool, **arguments)
        assert result["isError"], f"{tool} was not refused: {result['structuredContent']}"
        error = result["structuredContent"]["error"]
        return error["type"], error["message"]


class OpenHouse:
    """As much of an app as a server needs; the house is started already."""

    def __init__(self, doors: Doors) -> None:
        self.core = doors.house.core
        self.rooms = [doors.room]

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def health(self) -> dict[str, Any]:
        return {}


def http_client(doors: Doors) -> AsyncClient:
    """Of the real HTTP door."""
    server = create_server(OpenHouse(doors))
    return AsyncClient(transport=ASGITransport(server), base_url="http://localhost/api/coach")


@asynccontextmanager
async def open_doors(house: House) -> AsyncIterator[Doors]:
    doors = Doors(house)
    await doors.observer.start()
    try:
        yield doors
    finally:
        await doors.observer.stop()
