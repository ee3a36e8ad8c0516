"""The coach's doors: its operations around the services that a test has made, a window that sends
real frames, an agent that calls real tools."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

import orjson
from httpx import AsyncClient
from pydantic import BaseModel

from bottega.coach.background import Background
from bottega.coach.editor import operations as editor_operations
from bottega.coach.editor.service import EditorDisplay, EditorService
from bottega.coach.editor.state import Editors, EditorState, Windows
from bottega.coach.observer.service import Observer
from bottega.coach.plans import operations as plan_operations
from bottega.coach.plans.hints import PhaseHints
from bottega.coach.plans.phases import Phases
from bottega.coach.plans.pipeline import Pipeline
from bottega.coach.routes import routers
from bottega.coach.service import Coach
from bottega.coach.sessions import operations as session_operations
from bottega.coach.sessions.state import SessionState
from bottega.coach.wrapup import operations as wrapup_operations
from bottega.coach.wrapup.service import WrapUp
from bottega.core.operations import Bound, operations_of
from bottega.core.rooms import Caller, Door, Message, Room
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.server.messages import MessageRouter
from tests.app import Agent
from tests.coach.builders import CoachApp


def bind(
    app: CoachApp, *domains: ModuleType, background: Background | None = None, **services: Any
) -> list[Bound]:
    """The operations of these modules; `services` are named as they are in `Coach`."""
    coach: Any = SimpleNamespace(
        core=app.core,
        editors=app.editors,
        background=background or Background(),
        **services,
    )
    coach.editor_of = partial(Coach.editor_of, coach)
    log = partial(Coach.log_tool_call, coach)
    return [Bound(coach, operations_of(domain), before_tool=log) for domain in domains]


def messages(bounds: list[Bound]) -> list[Message[Any]]:
    return [message for bound in bounds for message in bound.messages()]


@dataclass
class Recipient:
    """One connected window, as a message handler sees it, that keeps what it is sent."""

    user_id: str = LOCAL_USER
    id: str = "ws_test"
    state: dict[str, Any] = field(default_factory=dict)
    #: Type, payload, and the id of the message that it answers.
    sent: list[tuple[str, dict[str, Any], str | None]] = field(default_factory=list)

    @property
    def caller(self) -> Caller:
        return Caller(Door.WEBSOCKET, self.user_id)

    def send(
        self, type: str, payload: BaseModel | dict[str, Any], *, reply_to: str | None = None
    ) -> None:
        if isinstance(payload, BaseModel):
            payload = payload.model_dump(mode="json", by_alias=True)
        self.sent.append((type, payload, reply_to))


@dataclass
class Window:
    """One connection, and what was sent to it alone; broadcasts are in `app.broadcasts`."""

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

    def __init__(self, core: Core, editors: Editors, windows: Windows) -> None:
        super().__init__(core, editors, windows)
        self.heard: list[tuple[str, str | None]] = []

    def edited(self, editor: EditorState, path: str) -> None:
        self.heard.append(("edited", path))
        super().edited(editor, path)

    def active(self, editor: EditorState) -> None:
        self.heard.append(("active", None))
        super().active(editor)


class Doors:
    def __init__(self, app: CoachApp) -> None:
        core, windows = app.core, app.windows
        self.app = app
        self.hints = PhaseHints(core, windows)
        self.observer = Listening(core, app.editors, windows)
        self.editor_service = EditorService(
            core,
            windows,
            on_open=self.hints.file_opened,
            on_edit=self.observer.edited,
            on_activity=self.observer.active,
        )
        self.display = EditorDisplay(core, windows)
        self.state = SessionState(core)
        phases = Phases(core, windows, self.hints)
        memories = app.memory.memories
        pipeline = Pipeline(core, memories, app.skills, windows, self.hints)
        wrapup = WrapUp(core, memories, app.skills, windows)
        bounds = bind(
            app,
            editor_operations,
            session_operations,
            plan_operations,
            wrapup_operations,
            editor_service=self.editor_service,
            display=self.display,
            state=self.state,
            phases=phases,
            pipeline=pipeline,
            wrapup=wrapup,
        )
        self.room = Room(
            "coach",
            operations=bounds,
            routes=lambda: routers(bounds[0].service),
            paths=["/coach"],
        )
        self._router = MessageRouter(1_000_000)
        self._router.add(self.room.messages)

    def window(self, user_id: str = LOCAL_USER) -> Window:
        return Window(self._router, caller=Caller(Door.WEBSOCKET, user_id))

    async def ask(self, tool: str, user_id: str = LOCAL_USER, **arguments: Any) -> dict[str, Any]:
        return await Agent(self.room, user_id).ask(tool, arguments)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return await Agent(self.room)(tool, **arguments)

    async def refused(self, tool: str, **arguments: Any) -> tuple[str, str]:
        return await Agent(self.room).refused(tool, **arguments)


def http_client(doors: Doors) -> AsyncClient:
    """Of the real HTTP door."""
    doors.app.rooms.append(doors.room)
    return doors.app.http("coach")


@asynccontextmanager
async def open_doors(app: CoachApp) -> AsyncIterator[Doors]:
    doors = Doors(app)
    await doors.observer.start()
    try:
        yield doors
    finally:
        await doors.observer.stop()
