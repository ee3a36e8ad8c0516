"""The sessions that are open now, keyed by their id (FR-009).

A client of the session era has one from `initialize` until it deletes it, leaves it idle, or the
server stops. Clients of the stateless era have none. Many clients never delete theirs: where a user
has too many, the one that was idle longest makes room, and its client begins a new one if it
returns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import structlog

from bottega.core.doors.callers import USER_ID
from bottega.core.users import LOCAL_USER
from bottega.errors import TooMany
from bottega.server.network.quotas import RETRY_AFTER, left_to_others
from bottega.server.revocation import watch

if TYPE_CHECKING:
    from mcp.server.connection import Connection
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.server.session import ServerSession


@dataclass(frozen=True, slots=True)
class McpLimits:
    #: Open sessions of all rooms, and open listening streams at one endpoint.
    sessions: int = 1_000
    #: Of them, those of one user who is not the owner; then idle ones make room.
    sessions_per_user: int = 100
    #: A session that nobody uses for so long is ended.
    idle_seconds: float = 30 * 60
    body_bytes: int = 10_000_000
    #: How long a person has to answer a form. Agents on the board have to be heard of every five
    #: minutes, and wait meanwhile.
    answer_seconds: float = 240.0


log = structlog.get_logger()

SETTING = "BOTTEGA_MAX_MCP_SESSIONS_PER_USER"

#: Ends the session of an id, which is a user's if it was said whose.
EndSession = Callable[[str, str | None], None]


@dataclass(slots=True, eq=False)
class McpSession:
    id: str
    #: The room whose endpoint it is at; empty for the one that all rooms share.
    room: str
    connection: Connection
    user_id: str
    end: Callable[[], None]
    #: Requests and streams of it that are open, and when the last one ended.
    in_use: int = 0
    used_at: float = field(default_factory=time.monotonic)
    #: Addresses of resources whose changes it wants to hear of.
    watched: set[str] = field(default_factory=set)

    @property
    def client(self) -> str | None:
        return client_name(self.connection)


class McpSessions(Mapping[str, McpSession]):
    def __init__(self, most: int = 1_000, per_user: int = 100) -> None:
        """`most` is for all rooms together; `per_user` does not count for the owner."""
        self._most = most
        self._per_user = per_user
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

    def add(self, session: McpSession) -> None:
        self._open[session.id] = session
        session.connection.exit_stack.callback(self._open.pop, session.id, None)

    @contextmanager
    def using(self, id: str | None) -> Iterator[None]:
        """Keep a session, if there is one of this id, from being ended as idle meanwhile."""
        session = self._open.get(id) if id is not None else None
        if session is None:
            yield
            return
        session.in_use += 1
        try:
            yield
        finally:
            session.in_use -= 1
            session.used_at = time.monotonic()

    def make_room(self, user_id: str) -> None:
        """End the longest idle ones if the user has too many, or all have.

        Raises `TooMany` if none is idle. The owner's make room for the owner's only.
        """
        is_owner = user_id == LOCAL_USER
        if not is_owner:
            mine = [each for each in self._open.values() if each.user_id == user_id]
            self._end_idle(mine, self._per_user)
        theirs = [each for each in self._open.values() if is_owner or each.user_id != LOCAL_USER]
        self._end_idle(theirs, self._most if is_owner else left_to_others(self._most))

    def _end_idle(self, sessions: list[McpSession], most: int) -> None:
        idle = sorted((each for each in sessions if not each.in_use), key=lambda it: it.used_at)
        for _ in range(len(sessions) + 1 - most):
            if not idle:
                raise TooMany(
                    f"{most:,} MCP sessions are open and in use, which is the most there may. End "
                    f"one with DELETE and try again; the owner of the house can raise {SETTING}.",
                    limit=most,
                    setting=SETTING,
                    retry_after=RETRY_AFTER,
                )
            ended = idle.pop(0)
            del self._open[ended.id]
            ended.end()
            log.info("mcp.idle_session_ended", room=ended.room, user_id=ended.user_id)


class SessionTracking:
    """Middleware of one endpoint: whoever initializes is in the map."""

    def __init__(self, room: str, sessions: McpSessions, end: EndSession) -> None:
        """`end` ends a session of a user whose credential was revoked."""
        self._room = room
        self._sessions = sessions
        self._end = end

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method == "initialize":
            # The SDK has no public way from a request to its connection yet, and nothing else
            # knows when a session ends, whichever way it does.
            connection = ctx.session._connection
            scope = ctx.request.scope if ctx.request is not None else {}
            user_id = scope.get(USER_ID)
            # Over stdio the one connection is the session, and the transport gives it no id.
            session_id = connection.session_id or uuid4().hex
            end = partial(self._end, session_id, user_id)
            self._sessions.add(
                McpSession(session_id, self._room, connection, user_id or LOCAL_USER, end)
            )
            connection.exit_stack.enter_context(watch(scope, end))
        return result


def client_name(peer: Connection | ServerSession) -> str | None:
    """The client's own name for itself, such as `claude-code/2.1`."""
    if peer.client_params is None:
        return None
    info = peer.client_params.client_info
    return f"{info.name}/{info.version}" if info.version else info.name
