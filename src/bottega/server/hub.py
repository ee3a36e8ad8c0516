"""Everyone who is connected by WebSocket, and how to reach them all at once."""

import time
from typing import Any

import orjson
from pydantic import BaseModel

from bottega.core.clock import new_id
from bottega.core.rooms import Caller
from bottega.server.protocols import Wire, text_frame
from bottega.server.revocation import REVOKED_CODE, REVOKED_REASON

Payload = BaseModel | dict[str, Any]

GOING_AWAY = 1001
#: The one room that speaks to windows.
SPEAKER = "coach"


def encode(type: str, payload: Payload, id: str | None = None) -> bytes:
    """An envelope as a frame: `{type, payload, timestamp}`, and `id` if it answers a message."""
    envelope: dict[str, Any] = {
        "type": type,
        "payload": payload,
        "timestamp": time.time_ns() // 1_000_000,
    }
    if id is not None:
        envelope["id"] = id
    return text_frame(orjson.dumps(envelope, default=_plain))


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True)
    raise TypeError(f"{type(value).__name__} has no JSON form")


class WebSocketConnection:
    """One connected client; what message handlers know as `core.rooms.Connection`."""

    def __init__(self, caller: Caller, wire: Wire, project: str | None = None) -> None:
        self.id = new_id("ws_")
        self.caller = caller
        #: The project it shows; `None` shows them all.
        self.project = project
        #: What rooms remember of it, and `hello`: what it said of itself.
        self.state: dict[str, Any] = {}
        self.wire = wire
        #: What let it in is no longer good: nothing of it is handled any more.
        self.is_revoked = False

    def send(self, type: str, payload: Payload, *, reply_to: str | None = None) -> None:
        self.wire.write(encode(type, payload, reply_to))

    def revoke(self) -> None:
        self.is_revoked = True
        self.wire.close(REVOKED_CODE, REVOKED_REASON)


def _shows(connection: WebSocketConnection, project: str) -> bool:
    is_chosen = connection.project in (None, project)
    return is_chosen and connection.caller.grant.admits_project(project)


class Hub:
    """The set of connections. Use it on the event loop's thread only."""

    def __init__(self) -> None:
        self._connections: dict[str, WebSocketConnection] = {}

    def __len__(self) -> int:
        return len(self._connections)

    @property
    def connections(self) -> list[WebSocketConnection]:
        return list(self._connections.values())

    def add(self, connection: WebSocketConnection) -> None:
        self._connections[connection.id] = connection

    def remove(self, connection: WebSocketConnection) -> bool:
        """Forget it; whether it was still there."""
        return self._connections.pop(connection.id, None) is not None

    def broadcast(
        self,
        type: str,
        payload: Payload,
        *,
        user_id: str | None = None,
        project: str | None = None,
    ) -> None:
        """Send to everyone, or to one user's connections, or to those that show one project."""
        if not self._connections:
            return
        frame = encode(type, payload)
        for connection in self.connections:
            if user_id is not None and connection.caller.user_id != user_id:
                continue
            if project is not None and not _shows(connection, project):
                continue
            if connection.caller.grant.admits_room(SPEAKER):
                connection.wire.write(frame)

    def close(self) -> int:
        """Say goodbye to everyone; how many there were."""
        leaving = self.connections
        for connection in leaving:
            connection.wire.close(GOING_AWAY, "the server is shutting down")
        return len(leaving)
