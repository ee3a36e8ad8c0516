"""The sessions that are open now, keyed by their id (FR-009).

A client of the session era has one from `initialize` until it deletes it, leaves it idle, or the
server stops. Clients of the stateless era have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from mcp.server.connection import Connection
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.server.session import ServerSession


@dataclass(frozen=True, slots=True)
class McpSession:
    id: str
    #: The room whose endpoint it is at; empty for the one that all rooms share.
    room: str
    connection: Connection
    #: Addresses of resources whose changes it wants to hear of.
    watched: set[str] = field(default_factory=set)

    @property
    def client(self) -> str | None:
        return client_name(self.connection)


class McpSessions(Mapping[str, McpSession]):
    def __init__(self) -> None:
        self._open: dict[str, McpSession] = {}

    def __getitem__(self, id: str) -> McpSession:
        return self._open[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._open)

    def __len__(self) -> int:
        return len(self._open)

    def at(self, room: str) -> list[McpSession]:
        return [session for session in self._open.values() if session.room == room]

    def of(self, connection: Connection) -> McpSession:
        return next(session for session in self.values() if session.connection is connection)

    def add(self, room: str, connection: Connection) -> None:
        # Over stdio the one connection is the session, and the transport gives it no id.
        session = McpSession(connection.session_id or uuid4().hex, room, connection)
        self._open[session.id] = session
        connection.exit_stack.callback(self._open.pop, session.id, None)


class SessionTracking:
    """Middleware of one endpoint: whoever initializes is in the map."""

    def __init__(self, room: str, sessions: McpSessions) -> None:
        self._room = room
        self._sessions = sessions

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method == "initialize":
            # The SDK has no public way from a request to its connection yet, and nothing else
            # knows when a session ends, whichever way it does.
            self._sessions.add(self._room, ctx.session._connection)
        return result


def client_name(peer: Connection | ServerSession) -> str | None:
    """The client's own name for itself, such as `claude-code/2.1`."""
    if peer.client_params is None:
        return None
    info = peer.client_params.client_info
    return f"{info.name}/{info.version}" if info.version else info.name
