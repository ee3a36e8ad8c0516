"""The ASGI application at `/mcp`, `/mcp/{room}` and, for a room within one, `/mcp/{room}/{name}`.

An endpoint opens at its first request, so that the SDK loads behind an open door and a room that
is never asked for costs nothing. Not mounted: a mount answers `/mcp` with a redirect.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import anyio
import structlog
from anyio.abc import TaskGroup
from starlette.types import Receive, Scope, Send

from bottega.core.background import after_startup
from bottega.core.doors.authorization import Authorization
from bottega.core.doors.callers import caller_of
from bottega.core.imports import load
from bottega.core.roles import Right
from bottega.core.rooms import Caller, Door, Room
from bottega.errors import BottegaError, NotFound, Unavailable
from bottega.server.errors import refuse
from bottega.server.mcp.calls import OnCall, ToolCalls, ToolSpan
from bottega.server.mcp.catalog import SHARED, Catalog
from bottega.server.mcp.sessions import McpLimits, McpSession, McpSessions

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

    from bottega.server.mcp.endpoint import Endpoint

log = structlog.get_logger()

PATH = "/mcp"
#: How long changes of resources are gathered before they are told: a build writes thousands of
#: files.
GATHER_SECONDS = 0.1

Tell = Callable[[Collection[str], bool], Awaitable[None]]
#: A room within a room, by its name, for whoever may know of it; raises `NotFound` for others.
FindRoom = Callable[[str, Caller], Awaitable[Room]]


class Updates:
    """What has changed of the resources, told once after a burst."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._uris: set[str] = set()
        self._relisted = False
        self._telling: asyncio.Task[None] | None = None

    def add(self, uris: Iterable[str], relisted: bool, loop: asyncio.AbstractEventLoop) -> None:
        """From any thread: whoever publishes an event may be in another one."""
        loop.call_soon_threadsafe(self._note, list(uris), relisted)

    def stop(self) -> None:
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None

    def _note(self, uris: list[str], relisted: bool) -> None:
        self._uris.update(uris)
        self._relisted = self._relisted or relisted
        if self._telling is None and (self._uris or self._relisted):
            self._telling = asyncio.create_task(self._gather())

    async def _gather(self) -> None:
        await asyncio.sleep(GATHER_SECONDS)
        uris, relisted = self._uris, self._relisted
        self._uris, self._relisted, self._telling = set(), False, None
        await self._tell(uris, relisted)


class McpDoor:
    def __init__(
        self,
        rooms: Iterable[Room] = (),
        *,
        within: Mapping[str, FindRoom] | None = None,
        on_call: OnCall | None = None,
        span: ToolSpan | None = None,
        settle: Callable[[], Awaitable[None]] | None = None,
        limits: McpLimits | None = None,
        authorization: Authorization | None = None,
        extend: "Callable[[Server[Any]], None] | None" = None,
    ) -> None:
        """`within` are the rooms that have rooms of their own, such as a library among libraries.

        `extend` gets every MCP server as it is built, to add what is not a room's tool.
        """
        self._catalog = Catalog(rooms)
        self._within = within or {}
        self._authorization = authorization or Authorization()
        self._calls = ToolCalls(on_call, span, self._authorization, settle)
        self._limits = limits or McpLimits()
        self._extend = extend
        self._sessions = McpSessions(self._limits.sessions, self._limits.sessions_per_user)
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
            tasks.start_soon(_survive, self._warm_up)
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
            path = _room_path(scope["path"])
            if path != SHARED:
                caller.grant.check(Right.READ, path.partition("/")[0])
            endpoint = await self._open(await self._find(path, caller))
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
        """Notify subscribers of these resources, soon; of a burst of changes once."""
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
        await after_startup()
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
        await load("bottega.server.mcp.endpoint")
        from bottega.server.mcp.endpoint import Endpoint

        return Endpoint(
            room,
            self._catalog,
            self._calls,
            self._sessions,
            self._limits,
            self._authorization,
            self._extend,
        )

    async def _tell_updates(self, uris: Collection[str], relisted: bool) -> None:
        for endpoint in list(self._endpoints.values()):
            await endpoint.announce_resources(uris, relisted=relisted)

    def _announce(self, room: Room) -> None:
        endpoint = self._endpoints.get(SHARED)
        if room.shared and endpoint is not None and self._tasks is not None:
            self._tasks.start_soon(_survive, endpoint.announce)


async def _survive(work: Callable[[], Awaitable[None]]) -> None:
    """What is done beside the requests: a failure would end the door, and the server with it."""
    try:
        await work()
    except Exception:
        log.exception("mcp.background_failed", work=work.__qualname__)


def _room_path(path: str) -> str:
    if path != PATH and not path.startswith(f"{PATH}/"):
        raise NotFound(f"Nothing is served at {path!r}; MCP is at {PATH} and {PATH}/{{room}}.")
    return path.removeprefix(PATH).strip("/")
