"""The WebSocket door, `/ws`: one reader and one worker for each connection.

The reader keeps reading while a handler is slow, so that a disconnect is seen at once and pings
are answered; the worker handles messages in the order they came. What a client sent before it
left is still handled, unless it left because what let it in was revoked.
"""

import asyncio
from urllib.parse import parse_qs

import structlog
from starlette.types import Receive, Scope, Send

from bottega.core.doors.callers import caller_of
from bottega.core.rooms import Caller, Door
from bottega.errors import Unavailable
from bottega.server.auth import SUBPROTOCOL
from bottega.server.errors import refuse
from bottega.server.hub import Hub, WebSocketConnection
from bottega.server.messages import MessageRouter
from bottega.server.protocols import WIRE
from bottega.server.revocation import watch

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
