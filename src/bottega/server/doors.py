"""Every way into the house, and the rooms behind them, which may come and go while it is open."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import structlog
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from starlette.types import Receive, Scope, Send

from bottega.core.doors.authorization import Authorization, authorized
from bottega.core.doors.streams import Streams
from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.core.wire import Capabilities
from bottega.errors import BottegaError, Conflict, NotFound
from bottega.server.errors import ERROR_RESPONSES
from bottega.server.messages import MessageRouter, hello_message
from bottega.server.options import Options
from bottega.server.rest import RoomRoutes, room_routers
from bottega.server.websocket import Hub

log = structlog.get_logger()


class House(Protocol):
    """What the server serves: the application, as the composition root builds it."""

    @property
    def core(self) -> Core: ...

    @property
    def rooms(self) -> Sequence[Room]: ...

    async def start(self) -> None: ...

    async def stop(self) -> None:
        """Also called when `start` failed or was interrupted: stop what had been started."""
        ...

    def health(self) -> dict[str, Any]:
        """What `/health` tells beyond status, uptime and version."""
        ...


class Mcp(Protocol):
    """The MCP door, which knows the rooms it was built with."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    def run(self) -> AbstractAsyncContextManager[None]: ...

    async def add(self, room: Room) -> None: ...

    async def remove(self, name: str) -> None: ...

    async def close(self) -> None: ...


class Doors:
    def __init__(
        self, app: FastAPI, options: Options, mcp: Mcp | None, authorization: Authorization
    ) -> None:
        self.hub = Hub()
        self.streams = Streams(options.max_streams)
        self.messages = MessageRouter(options.max_body_bytes, authorization)
        self.mcp = mcp
        self._app = app
        self._closed = False
        self._rooms: dict[str, Room] = {}
        self._routes: dict[str, BaseRoute] = {}
        self.messages.add([hello_message(self._capabilities, options.feature_flags)], None)

    @property
    def rooms(self) -> list[str]:
        return list(self._rooms)

    async def add(self, room: Room) -> None:
        """Open every door to a room, while the server runs; or, if one refuses it, none."""
        self.connect(room)
        if self.mcp is not None:
            try:
                await self.mcp.add(room)
            except BottegaError:
                self._disconnect(room.name)
                raise

    async def remove(self, name: str) -> None:
        if name not in self._rooms:
            raise NotFound(f"There is no room {name!r}; there are {', '.join(self._rooms)}.")
        self._disconnect(name)
        if self.mcp is not None:
            await self.mcp.remove(name)

    def connect(self, room: Room) -> None:
        """Give a room its messages and its routes, but no MCP."""
        if room.name in self._rooms:
            raise Conflict(f"There is a room {room.name!r} already.")
        self.messages.add(room.messages, room.name)
        self._rooms[room.name] = room
        paths = [f"/api{path}" for path in room.paths]
        self._routes[room.name] = RoomRoutes(paths, lambda: self._make_routes(room))
        self._app.router.routes.append(self._routes[room.name])
        self._app.openapi_schema = None

    async def close(self) -> None:
        """Send everyone home, once."""
        if self._closed:
            return
        self._closed = True
        if count := self.streams.close():
            log.info("shutdown.streams_closed", count=count)
        if count := self.hub.close():
            log.info("shutdown.websockets_closed", count=count)
        if self.mcp is not None:
            await self.mcp.close()
            log.info("shutdown.mcp_closed")

    def _disconnect(self, name: str) -> None:
        self.messages.remove(self._rooms.pop(name).messages)
        self._app.router.routes.remove(self._routes.pop(name))
        self._app.openapi_schema = None

    def _make_routes(self, room: Room) -> list[BaseRoute]:
        shelf = APIRouter(responses=ERROR_RESPONSES)
        for routes in room_routers(room):
            shelf.include_router(
                routes,
                prefix="/api",
                tags=[room.name],
                dependencies=[authorized(room.name)],
                generate_unique_id_function=lambda route: f"{room.name}_{route.name}",
            )
        return shelf.routes

    def _capabilities(self) -> Capabilities:
        return Capabilities(rooms=self.rooms, messages=self.messages.types)


def operation_id(route: APIRoute) -> str:
    """Core routes are known by the name of their function: `list_sessions`."""
    return route.name
