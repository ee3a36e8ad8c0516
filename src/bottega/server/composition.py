"""Builds the server of an app: options from the settings, the doors, and what they publish."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from bottega.app import App
from bottega.core.doors.authorization import Authorization
from bottega.core.events import Event
from bottega.core.rooms import Caller, Room
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType
from bottega.core.traces import SpanKind
from bottega.errors import BottegaError
from bottega.server.http import create_server
from bottega.server.mcp import McpDoor
from bottega.server.mcp.sessions import McpLimits
from bottega.server.options import Options
from bottega.server.websocket import Hub


def compose(app: App, *, process_token: str | None = None) -> FastAPI:
    """Everything at once: what `bottega serve` serves."""
    server = create_server(app, options_of(app, process_token), mcp_door(app))
    hub: Hub = server.state.doors.hub
    app.core.broadcaster.attach(hub.broadcast)
    show_file_changes(app.core, hub)
    return server


def options_of(app: App, process_token: str | None = None) -> Options:
    return Options.of(
        app.settings,
        process_token=process_token,
        cookie_secret=cookie_secret(app.settings.data_dir),
    )


def cookie_secret(data_dir: Path) -> bytes:
    """Signs cookies; kept, so that a restart signs nobody out."""
    path = data_dir / "cookie.key"
    if not path.exists():
        # Whole from its first moment: another server may start on the same folder right now.
        descriptor, fresh = tempfile.mkstemp(dir=data_dir, suffix=".tmp")
        with os.fdopen(descriptor, "wb") as file:
            file.write(os.urandom(32))
        with suppress(FileExistsError):
            os.link(fresh, path)
        Path(fresh).unlink()
    return path.read_bytes()


def mcp_door(app: App) -> McpDoor:
    door = McpDoor(
        app.rooms,
        within={room.name: room.within for room in app.rooms if room.within is not None},
        on_call=CallRecorder(app.core),
        span=ToolSpans(app.core),
        settle=app.core.bus.settle,
        limits=McpLimits(
            sessions_per_user=app.settings.bottega_max_mcp_sessions_per_user,
            body_bytes=app.settings.bottega_max_body_bytes,
        ),
        authorization=Authorization(app.core, app.rooms),
    )
    show_resource_changes(app.core, app.rooms, door)
    return door


def show_resource_changes(core: Core, rooms: Iterable[Room], door: McpDoor) -> None:
    """Notify subscribed MCP clients of changes in the rooms' resources."""
    for room in rooms:
        for resource in room.resources:
            for topic, changed in resource.updates.items():
                core.bus.on(topic, _notifier(door, changed))
            for topic in resource.relisted_by:
                core.bus.on(topic, lambda _: door.resources_changed(relisted=True))


def _notifier(door: McpDoor, changed: Callable[[Event], Iterable[str]]) -> Callable[[Event], None]:
    return lambda event: door.resources_changed(changed(event))


def show_file_changes(core: Core, hub: Hub) -> None:
    """A file that changes on disk changes in every connected tree (FR-036)."""

    def show(event: Event) -> None:
        hub.broadcast("fs:tree_update", event.payload, project=event.project)

    core.bus.on("files.changed", show)


class ToolSpans:
    def __init__(self, core: Core) -> None:
        self._traces = core.traces

    def __call__(self, caller: Caller, room: str, tool: str) -> AbstractContextManager[Any]:
        return self._traces.span(
            f"execute_tool {tool}",
            SpanKind.TOOL,
            user_id=caller.user_id,
            attributes={"gen_ai.tool.name": tool, "bottega.room": room},
        )


class CallRecorder:
    """Puts every MCP call on the bus, and into the action log of the session it names."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._logging: set[asyncio.Task[None]] = set()

    def __call__(
        self,
        caller: Caller,
        room: str,
        tool: str,
        arguments: Mapping[str, Any],
        duration: float,
        error: BottegaError | None,
    ) -> None:
        session_id = arguments.get("session_id")
        session_id = session_id if isinstance(session_id, str) else None
        self._core.bus.publish(
            Event(
                "mcp.tool_called",
                {
                    "tool": tool,
                    "room": room,
                    "client": caller.client,
                    "duration_ms": round(duration * 1000, 3),
                    "error": error.type if error else None,
                },
                user_id=caller.user_id,
                session_id=session_id,
                # Live only: what is kept of a call is its span.
                durable=False,
            )
        )
        if session_id is not None:
            task = asyncio.ensure_future(self._log(tool, session_id, caller.user_id))
            self._logging.add(task)
            task.add_done_callback(self._logging.discard)

    async def _log(self, tool: str, session_id: str, user_id: str) -> None:
        data = {"toolName": tool, "sessionId": session_id}
        # Whoever calls may name any session: only one of their own is written to.
        await self._core.actions.log_action(
            session_id, ActionType.MCP_TOOL_CALL, data, user_id=user_id
        )
