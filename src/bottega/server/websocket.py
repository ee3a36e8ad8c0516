"""The WebSocket door, `/ws`: one reader and one worker for each connection.

The reader keeps reading while a handler is slow, so that a disconnect is seen at once and pings
are answered; the worker handles messages in the order they came. What a client sent before it
left is still handled, unless it left because what let it in was revoked. The hub knows everyone who
is connected, and reaches them all at once.
"""

import asyncio
import time
from typing import Any
from urllib.parse import parse_qs

import orjson
import structlog
from pydantic import BaseModel
from starlette.types import Receive, Scope, Send

from bottega.core.clock import new_id
from bottega.core.doors.callers import caller_of
from bottega.core.rooms import Caller, Door
from bottega.errors import Unavailable
from bottega.server.auth import SUBPROTOCOL
from bottega.server.errors import refuse
from bottega.server.messages import MessageRouter
from bottega.server.protocols import WIRE, Wire, text_frame
from bottega.server.revocation import REVOKED_CODE, REVOKED_REASON, watch

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


#: Messages of one client that may wait for its worker; then its reader waits too.
INBOX = 256

log = structlog.get_logger()

Inbox = asyncio.Queue[str | bytes | None]


class WebSocketDoor:
    def __init__(self, hub: Hub, router: MessageRouter) -> None:
        self._hub = hub
        self._router = router

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wire = scope.get("extensions", {}).get(WIRE)
        if wire is None:
            error = Unavailable("/ws needs Bottega's own server: start it with `bottega serve`.")
            await refuse(error, scope, receive, send)
            return
        await receive()
        await send({"type": "websocket.accept", "subprotocol": _subprotocol(scope)})
        connection = WebSocketConnection(_caller(scope), wire, _project(scope))
        self._hub.add(connection)
        log.info("websocket.opened", connection=connection.id, open=len(self._hub))
        try:
            with watch(scope, connection.revoke):
                await self._converse(connection, receive)
        finally:
            self._leave(connection)

    async def _converse(self, connection: WebSocketConnection, receive: Receive) -> None:
        inbox: Inbox = asyncio.Queue(INBOX)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._work(connection, inbox))
            while (event := await receive())["type"] == "websocket.receive":
                text = event.get("text")
                await inbox.put(event["bytes"] if text is None else text)
            self._leave(connection)
            await inbox.put(None)

    async def _work(self, connection: WebSocketConnection, inbox: Inbox) -> None:
        while (data := await inbox.get()) is not None:
            if not connection.is_revoked:
                await self._router.dispatch(data, connection)

    def _leave(self, connection: WebSocketConnection) -> None:
        if self._hub.remove(connection):
            log.info("websocket.closed", connection=connection.id, open=len(self._hub))


def _caller(scope: Scope) -> Caller:
    headers = dict(scope["headers"])
    client = headers.get(b"user-agent", b"").decode("latin-1") or None
    return caller_of(scope, Door.WEBSOCKET, client)


def _project(scope: Scope) -> str | None:
    query = parse_qs(str(scope["query_string"], "latin-1"))
    return query["project"][0] if "project" in query else None


def _subprotocol(scope: Scope) -> str | None:
    """Browsers insist that one of the offered is chosen; the one with the token is the last."""
    offered: list[str] = scope.get("subprotocols", [])
    return SUBPROTOCOL if SUBPROTOCOL in offered else next(iter(offered), None)
