"""The ASGI application at `/mcp`, `/mcp/{room}` and, for a room within one, `/mcp/{room}/{name}`.

An endpoint opens at its first request, so that the SDK loads behind an open door and a room that
is never asked for costs nothing. Not mounted: a mount answers `/mcp` with a redirect.
"""

import asyncio
import importlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import structlog
from anyio.abc import TaskGroup
from starlette.types import Receive, Scope, Send

from bottega.core.callers import caller_of
from bottega.core.head_start import head_start
from bottega.core.rooms import Caller, Door, Room
from bottega.errors import BottegaError, NotFound, Unavailable
from bottega.server.errors import refuse
from bottega.server.mcp.calls import OnCall, ToolCalls, ToolSpan
from bottega.server.mcp.catalog import SHARED, Catalog
from bottega.server.mcp.limits import McpLimits
from bottega.server.mcp.sessions import McpSession, McpSessions
from bottega.server.mcp.updates import Updates

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

    from bottega.server.mcp.endpoint import Endpoint

log = structlog.get_logger()

PATH = "/mcp"

#: A room within a room, by its name, for whoever may know of it; raises `NotFound` for others.
FindRoom = Callable[[str, Caller], Awaitable[Room]]


class McpDoor:
    def __init__(
        self,
        rooms: Iterable[Room] = (),
        *,
        within: Mapping[str, FindRoom] | None = None,
        on_call: OnCall | None = None,
        span: ToolSpan | None = None,
        limits: McpLimits | None = None,
        extend: "Callable[[Server[Any]], None] | None" = None,
    ) -> None:
        """`within` are the rooms that have rooms of their own, such as a library among libraries.

        `extend` gets every MCP server as it is built, to add what is not a room's tool.
        """
        self._catalog = Catalog(rooms)
        self._within = within or {}
        self._calls = ToolCalls(on_call, span)
        self._limits = limits or McpLimits()
        self._extend = extend
        self._sessions = McpSessions()
        self._endpoints: dict[str, Endpoint] = {}
        self._updates = Updates(self._tell_updates)
        self._opening = anyio.Lock()
        #: Present while the door is open.
        self._tasks: TaskGroup | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def rooms(self) -> list[Room]:
        return self._catalog.rooms

    @property
    def sessions(self) -> Mapping[str, McpSession]:
        """The open sessions by id (FR-009)."""
        return self._sessions

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            self._tasks, self._loop = tasks, asyncio.get_running_loop()
            tasks.start_soon(self._warm_up)
            try:
                yield
            finally:
                with anyio.CancelScope(shield=True):
                    await self.close()
                tasks.cancel_scope.cancel()

    async def close(self) -> None:
        """End every session and stream, and open none again (FR-008).

        A server that waits for its connections before it ends its lifespan calls this first: a
        client's stream stays open for as long as the client likes.
        """
        self._tasks = self._loop = None
        self._updates.stop()
        async with self._opening:
            endpoints, self._endpoints = self._endpoints, {}
        for room, endpoint in endpoints.items():
            await endpoint.close()
            log.info("mcp.closed", path=f"{PATH}/{room}".rstrip("/"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            caller = caller_of(scope, Door.MCP)
            endpoint = await self._open(await self._find(_room_path(scope["path"]), caller))
        except BottegaError as error:
            await refuse(error, scope, receive, send)
        else:
            await endpoint.handle(scope, receive, send)

    async def add(self, room: Room) -> None:
        """Give a room its endpoint, and its tools a place at `/mcp` if it is shared."""
        self._catalog.add(room)
        self._announce(room)

    async def remove(self, name: str) -> None:
        """Take a room away; whoever is connected to it is disconnected."""
        async with self._opening:
            room = self._catalog.remove(name)
            endpoint = self._endpoints.pop(name, None)
        if endpoint is not None:
            await endpoint.close()
        self._announce(room)

    def resources_changed(self, uris: Iterable[str] = (), *, relisted: bool = False) -> None:
        """Have who watches these told, soon: what comes in a burst is told once."""
        if self._loop is not None and self._endpoints:
            self._updates.add(uris, relisted, self._loop)

    async def serve_stdio(self, room: str = SHARED) -> None:
        """The same over standard input and output, until the client hangs up."""
        room = await self._find(room, Caller(Door.MCP))
        endpoint = await self._build(room)
        async with anyio.create_task_group() as tasks:
            self._tasks, self._endpoints[room] = tasks, endpoint
            self._loop = asyncio.get_running_loop()
            await endpoint.serve_stdio()
            tasks.cancel_scope.cancel()
        self._tasks, self._loop, self._endpoints = None, None, {}
        self._updates.stop()

    async def _warm_up(self) -> None:
        await head_start()
        with suppress(Unavailable):
            await self._open(SHARED)

    async def _find(self, path: str, caller: Caller) -> str:
        """The name of the room that is meant; one within another is added when it is asked for."""
        outer, _, inner = path.partition("/")
        if not inner or outer not in self._within:
            return path
        room = await self._within[outer](inner, caller)
        if all(each.name != room.name for each in self._catalog.rooms):
            self._catalog.add(room)
        return room.name

    async def _open(self, room: str) -> "Endpoint":
        endpoint = self._endpoints.get(room)
        if endpoint is not None:
            return endpoint
        async with self._opening:
            tasks = self._tasks
            if tasks is None:
                raise Unavailable("The MCP door is closed: the server starts or stops. Try again.")
            if room not in self._endpoints:
                endpoint = await self._build(room)
                await tasks.start(endpoint.serve)
                self._endpoints[room] = endpoint
            return self._endpoints[room]

    async def _build(self, room: str) -> "Endpoint":
        self._catalog.tools_at(room)
        await anyio.to_thread.run_sync(importlib.import_module, "bottega.server.mcp.endpoint")
        from bottega.server.mcp.endpoint import Endpoint

        return Endpoint(
            room, self._catalog, self._calls, self._sessions, self._limits, self._extend
        )

    async def _tell_updates(self, uris: Collection[str], relisted: bool) -> None:
        for endpoint in list(self._endpoints.values()):
            await endpoint.announce_resources(uris, relisted=relisted)

    def _announce(self, room: Room) -> None:
        endpoint = self._endpoints.get(SHARED)
        if room.shared and endpoint is not None and self._tasks is not None:
            self._tasks.start_soon(endpoint.announce)


def _room_path(path: str) -> str:
    if path != PATH and not path.startswith(f"{PATH}/"):
        raise NotFound(f"Nothing is served at {path!r}; MCP is at {PATH} and {PATH}/{{room}}.")
    return path.removeprefix(PATH).strip("/")
