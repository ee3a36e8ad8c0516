"""One MCP server at one path, with its sessions and streams, for clients of both eras.

The SDK serves the session era (`initialize`, then `Mcp-Session-Id`) and the stateless revision of
2026-07-28 side by side; a request's own headers say which it is.
"""

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Any

import anyio
from anyio.abc import TaskStatus
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    ListToolsResult,
    PaginatedRequestParams,
)
from starlette.types import Receive, Scope, Send

from bottega import __version__
from bottega.core.callers import USER_ID, caller_of
from bottega.core.rooms import Caller, Door
from bottega.server.mcp.calls import ToolCalls
from bottega.server.mcp.catalog import Catalog
from bottega.server.mcp.limits import McpLimits
from bottega.server.mcp.results import CallResult
from bottega.server.mcp.sessions import McpSessions, SessionTracking, client_name

Context = ServerRequestContext[Any, Any]

#: A client that does not read its stream is not waited for longer than this.
ANNOUNCE_SECONDS = 5.0


class Endpoint:
    def __init__(
        self,
        room: str,
        catalog: Catalog,
        calls: ToolCalls,
        sessions: McpSessions,
        limits: McpLimits,
        extend: Callable[[Server[Any]], None] | None = None,
    ) -> None:
        self._room = room
        self._catalog = catalog
        self._calls = calls
        self._sessions = sessions
        self._events = InMemorySubscriptionBus()
        self._listeners = ListenHandler(self._events, max_subscriptions=limits.sessions)
        self.server = self._build_server()
        if extend is not None:
            extend(self.server)
        self._manager = StreamableHTTPSessionManager(
            self.server,
            session_idle_timeout=limits.idle_seconds,
            max_sessions=limits.sessions,
            max_request_body_size=limits.body_bytes,
        )
        self._closing = anyio.Event()
        #: Set when HTTP is served no longer; absent while it was never served.
        self._closed: anyio.Event | None = None

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (user_id := scope.get(USER_ID)) is not None:
            # The SDK lets only the principal that opened a session use it.
            scope = {**scope, "user": _principal(user_id)}
        await self._manager.handle_request(scope, receive, send)

    async def serve(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Answer HTTP until `close()`; leaving ends every session."""
        self._closed = anyio.Event()
        try:
            async with self._manager.run():
                task_status.started()
                await self._closing.wait()
                self._listeners.close()
        finally:
            self._closed.set()

    async def close(self) -> None:
        self._closing.set()
        if self._closed is not None:
            await self._closed.wait()

    async def serve_stdio(self) -> None:
        """Be the server of the process that started this one, until it hangs up."""
        async with stdio_server() as (incoming, outgoing):
            options = self.server.create_initialization_options()
            await self.server.run(incoming, outgoing, options)

    async def announce(self) -> None:
        """Tell who is connected that the list of tools is another one."""
        await self._events.publish(ToolsListChanged())
        with anyio.move_on_after(ANNOUNCE_SECONDS):
            async with anyio.create_task_group() as tasks:
                for session in self._sessions.at(self._room):
                    tasks.start_soon(session.connection.send_tool_list_changed)

    def _build_server(self) -> Server[Any]:
        server = _Server(
            f"bottega-{self._room}" if self._room else "bottega",
            version=__version__,
            on_list_tools=self._list_tools,
            on_subscriptions_listen=self._listeners,
            # Without it the SDK lists all tools on every stateless call to find one schema.
            get_tool_input_schema=self._header_schema,
        )
        # Not `on_call_tool=`: that is typed for the SDK's models, which are slower than mappings.
        server.add_request_handler("tools/call", CallToolRequestParams, self._call_tool)
        # In place of the SDK's own spans: ours are around the tools, with session and user.
        server.middleware[:] = [SessionTracking(self._room, self._sessions)]
        return server

    async def _list_tools(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        tools = self._catalog.tools_at(self._room).values()
        return ListToolsResult.model_validate({"tools": [tool.description for tool in tools]})

    async def _call_tool(self, context: Context, params: CallToolRequestParams) -> CallResult:
        found = self._catalog.tools_at(self._room).get(params.name)
        if found is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name}")
        arguments = params.arguments or {}
        return await self._calls.run(found.room, found.tool, arguments, _caller(context))

    def _header_schema(self, name: str) -> Mapping[str, Any] | None:
        found = self._catalog.tools_at(self._room).get(name)
        return found.header_schema if found is not None else None


class _Server(Server[Any]):
    @property
    def server_info_stamp(self) -> dict[str, Any]:
        # The SDK copies deeply for every answer; a name and a version are flat.
        return dict(self._stamp)

    @cached_property
    def _stamp(self) -> dict[str, Any]:
        return super().server_info_stamp

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Says to clients with sessions that the list of tools may change."""
        return super().create_initialization_options(
            notification_options or NotificationOptions(tools_changed=True),
            experimental_capabilities,
            extensions,
        )


def _caller(context: Context) -> Caller:
    # Over stdio there is no request: whoever started the process is the local user.
    scope = context.request.scope if context.request is not None else {}
    return caller_of(scope, Door.MCP, client_name(context.session))


@lru_cache(maxsize=1_000)
def _principal(user_id: str) -> AuthenticatedUser:
    return AuthenticatedUser(AccessToken(token="", client_id=user_id, scopes=[]))
