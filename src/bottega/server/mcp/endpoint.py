"""One MCP server at one path, with its sessions and streams, for clients of both eras.

The SDK serves the session era (`initialize`, then `Mcp-Session-Id`) and the stateless revision of
2026-07-28 side by side; a request's own headers say which it is.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import anyio
from anyio.abc import TaskStatus
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CompleteRequestParams,
    GetPromptRequestParams,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    SubscribeRequestParams,
    UnsubscribeRequestParams,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.types import Message, Receive, Scope, Send

from bottega import __version__
from bottega.core.doors.authorization import Authorization
from bottega.core.doors.callers import USER_ID
from bottega.core.roles import Right
from bottega.core.users import LOCAL_USER
from bottega.errors import TooMany
from bottega.server.mcp.calls import CallResult, ToolCalls
from bottega.server.mcp.catalog import SHARED, Catalog
from bottega.server.mcp.elicitation import AskingCall, Refused
from bottega.server.mcp.prompts import Prompts
from bottega.server.mcp.requests import Context, caller_in, can_be_asked, refuse_request
from bottega.server.mcp.resources import Resources
from bottega.server.mcp.sessions import McpLimits, McpSession, McpSessions, SessionTracking

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
        authorization: Authorization,
        extend: Callable[[Server[Any]], None] | None = None,
    ) -> None:
        self._room = room
        self._catalog = catalog
        self._calls = calls
        self._sessions = sessions
        self._authorization = authorization
        self._refused = Refused()
        self._answer_seconds = limits.answer_seconds
        self._events = InMemorySubscriptionBus()
        self._listeners = ListenHandler(self._events, max_subscriptions=limits.sessions)
        self.server = self._build_server()
        if extend is not None:
            extend(self.server)
        self._manager = StreamableHTTPSessionManager(
            self.server,
            session_idle_timeout=limits.idle_seconds,
            # The register keeps the number; here are those on their way out as well.
            max_sessions=2 * limits.sessions,
            max_request_body_size=limits.body_bytes,
        )
        #: Sessions on their way out.
        self._ending: set[asyncio.Future[None]] = set()
        self._closing = anyio.Event()
        #: Set when HTTP is served no longer; absent while it was never served.
        self._closed: anyio.Event | None = None

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (user_id := scope.get(USER_ID)) is not None:
            # The SDK lets only the principal that opened a session use it.
            scope = {**scope, "user": _principal(user_id)}
        headers = dict(scope["headers"])
        session_id = headers.get(b"mcp-session-id", b"").decode("latin-1") or None
        if session_id is None and scope["method"] == "POST" and _is_of_session_era(headers):
            try:
                self._sessions.make_room(user_id or LOCAL_USER)
            except TooMany as error:
                await refuse_request(error)(scope, receive, send)
                return
        with self._sessions.using(session_id):
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
        """Tell who is connected that the lists are others."""
        await self._events.publish(ToolsListChanged())
        await self._events.publish(PromptsListChanged())

        async def tell(session: McpSession) -> None:
            await session.connection.send_tool_list_changed()
            await session.connection.send_prompt_list_changed()

        await self._tell_sessions(self._sessions.at(self._room), tell)
        await self.announce_resources((), relisted=True)

    async def announce_resources(self, updated: Collection[str], *, relisted: bool) -> None:
        """Tell who watches one of these that it has changed, and all that their list has."""
        for uri in updated:
            await self._events.publish(ResourceUpdated(uri=uri))
        if relisted:
            await self._events.publish(ResourcesListChanged())

        async def tell(session: McpSession) -> None:
            for uri in session.watched.intersection(updated):
                await session.connection.send_resource_updated(uri)
            if relisted:
                await session.connection.send_resource_list_changed()

        sessions = self._sessions.at(self._room)
        concerned = [each for each in sessions if relisted or not each.watched.isdisjoint(updated)]
        await self._tell_sessions(concerned, tell)

    async def _tell_sessions(
        self,
        sessions: Iterable[McpSession],
        tell: Callable[[McpSession], Coroutine[Any, Any, None]],
    ) -> None:
        with anyio.move_on_after(ANNOUNCE_SECONDS):
            async with anyio.create_task_group() as tasks:
                for session in sessions:
                    tasks.start_soon(tell, session)

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
        # What is not served is not advertised. Rooms with resources may join the shared endpoint.
        if self._room == SHARED or self._catalog.resources_at(self._room):
            self._serve_resources(server)
        if self._room == SHARED or self._catalog.prompts_at(self._room):
            self._serve_prompts(server)
        # In place of the SDK's own spans: ours are around the tools, with session and user.
        server.middleware[:] = [SessionTracking(self._room, self._sessions, self._end_session)]
        return server

    def _end_session(self, session_id: str, user_id: str | None) -> None:
        ending = asyncio.ensure_future(self._delete_session(session_id, user_id))
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def _delete_session(self, session_id: str, user_id: str | None) -> None:
        """As its client would: the SDK has no other public way to end one session."""
        scope: Scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "DELETE",
            "path": "/mcp",
            "query_string": b"",
            "headers": [
                (b"mcp-session-id", session_id.encode()),
                (b"accept", b"application/json, text/event-stream"),
            ],
        }
        if user_id is not None:
            scope["user"] = _principal(user_id)

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_message: Message) -> None:
            pass

        await self._manager.handle_request(scope, receive, send)

    def _serve_resources(self, server: Server[Any]) -> None:
        resources = Resources(self._room, self._catalog, self._sessions, self._authorization)
        add = server.add_request_handler
        add("resources/list", PaginatedRequestParams, resources.list)
        add("resources/templates/list", PaginatedRequestParams, resources.list_templates)
        add("resources/read", ReadResourceRequestParams, resources.read)
        add("resources/subscribe", SubscribeRequestParams, resources.subscribe)
        add("resources/unsubscribe", UnsubscribeRequestParams, resources.unsubscribe)
        self._serve_completions(server)

    def _serve_prompts(self, server: Server[Any]) -> None:
        prompts = Prompts(self._room, self._catalog)
        server.add_request_handler("prompts/list", PaginatedRequestParams, prompts.list)
        server.add_request_handler("prompts/get", GetPromptRequestParams, prompts.get)
        self._serve_completions(server)

    def _serve_completions(self, server: Server[Any]) -> None:
        complete = Prompts(self._room, self._catalog).complete
        server.add_request_handler("completion/complete", CompleteRequestParams, complete)

    async def _list_tools(
        self, context: Context, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """Those that the caller may call: a model pays for every other one, and tries it."""
        grant = caller_in(context).grant
        tools = [
            found.description
            for found in self._catalog.tools_at(self._room).values()
            if grant.allows(found.tool.right, found.granted_as)
        ]
        return ListToolsResult.model_validate({"tools": tools})

    async def _call_tool(
        self, context: Context, params: CallToolRequestParams
    ) -> CallResult | InputRequiredResult:
        found = self._catalog.tools_at(self._room).get(params.name)
        if found is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name}")
        caller, asking = caller_in(context), found.tool.asking
        is_answerable = caller.grant.holds(Right.DECIDE)
        if asking is not None and is_answerable and can_be_asked(context):
            caller = replace(caller, can_be_asked=True)
            call = AskingCall(
                found, asking, context, params, caller, self._refused, self._answer_seconds
            )
            return await call.run(self._calls)
        return await self._calls.run(
            found.room,
            found.tool,
            params.arguments or {},
            caller,
            granted_as=found.granted_as,
        )

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
        """Says to clients with sessions that the lists may change."""
        return super().create_initialization_options(
            notification_options
            or NotificationOptions(
                tools_changed=True, resources_changed=True, prompts_changed=True
            ),
            experimental_capabilities,
            extensions,
        )


def _is_of_session_era(headers: Mapping[bytes, bytes]) -> bool:
    """Whether a request without a session opens one."""
    version = headers.get(b"mcp-protocol-version")
    return version is None or version.decode("latin-1") in HANDSHAKE_PROTOCOL_VERSIONS


@lru_cache(maxsize=1_000)
def _principal(user_id: str) -> AuthenticatedUser:
    return AuthenticatedUser(AccessToken(token="", client_id=user_id, scopes=[]))
