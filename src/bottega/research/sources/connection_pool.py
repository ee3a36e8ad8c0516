"""The open connections: one for each source and person, opened on first use and kept.

A call whose connection breaks is made again, once, where that cannot do a thing twice: when the
far side never looked at it (connection refused, session forgotten, sign-in refused), or when the
tool is declared read-only or idempotent. Otherwise the caller is told that it may have been done.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from bottega.core.trust.secrets import Secrets
from bottega.research.sources.connection import LETTING_GO, Connection
from bottega.research.sources.definition import McpSource
from bottega.research.sources.launch import (
    ConnectionLost,
    Launch,
    Launches,
    NeedsAuth,
    SourceFailed,
    SourceTimedOut,
)
from bottega.research.sources.sign_in import SignIns
from bottega.research.sources.views import SourceTool, ToolResult

T = TypeVar("T")
Key = tuple[str, str]

#: Seconds for which a source that hung at its start is taken to hang.
REST = 15.0


class Connections:
    def __init__(
        self,
        secrets: Secrets,
        launches: Launches,
        sign_ins: SignIns,
        *,
        idle_seconds: float = 300.0,
    ) -> None:
        self._secrets = secrets
        self._launches = launches
        self._sign_ins = sign_ins
        self._idle_seconds = idle_seconds
        self._open: dict[Key, Connection] = {}
        self._opening: defaultdict[Key, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._hung: dict[Key, tuple[float, Launch, SourceTimedOut]] = {}
        #: Connections that are ending.
        self._leaving: set[asyncio.Task[None]] = set()

    async def tools(self, source: McpSource, user_id: str) -> Mapping[str, SourceTool]:
        return await self._with_connection(source, user_id, Connection.tools, lambda _: True)

    async def server(self, source: McpSource, user_id: str) -> str:
        """What it calls itself."""
        return (await self._connection(source, user_id)).server

    async def call(
        self, source: McpSource, user_id: str, tool: str, arguments: Mapping[str, Any]
    ) -> ToolResult:
        known: Mapping[str, SourceTool] = {}

        async def call(connection: Connection) -> ToolResult:
            nonlocal known
            known = await connection.tools()
            return await connection.call(tool, arguments)

        def is_repeatable(lost: ConnectionLost) -> bool:
            return tool not in known or known[tool].repeatable

        return await self._with_connection(source, user_id, call, is_repeatable)

    def close(self, slug: str, user_id: str) -> None:
        """So that the next use begins anew, whatever went wrong before."""
        self._hung.pop((slug, user_id), None)
        if connection := self._open.pop((slug, user_id), None):
            self._let_go(connection)

    async def stop(self) -> None:
        for key in list(self._open):
            self.close(*key)
        if self._leaving:
            await asyncio.wait(self._leaving, timeout=LETTING_GO)

    async def _with_connection(
        self,
        source: McpSource,
        user_id: str,
        use: Callable[[Connection], Awaitable[T]],
        is_repeatable: Callable[[ConnectionLost], bool],
    ) -> T:
        connection = await self._connection(source, user_id)
        try:
            return await use(connection)
        except ConnectionLost as lost:
            if lost.reached and not is_repeatable(lost):
                raise SourceFailed(
                    source.slug,
                    "went away during the call, which was not made again because it may have been "
                    f"done: {lost.reason.message}",
                ) from lost
            if isinstance(lost.reason, NeedsAuth) and not await self._sign_ins.expire(
                source, user_id
            ):
                raise lost.reason from lost
        connection = await self._connection(source, user_id)
        try:
            return await use(connection)
        except ConnectionLost as lost:
            raise lost.reason from lost

    async def _connection(self, source: McpSource, user_id: str) -> Connection:
        launch = await self._launches.prepare(source, user_id)
        key = (source.slug, user_id)
        async with self._opening[key]:
            connection = self._open.pop(key, None)
            if connection is not None and connection.is_open and connection.launch == launch:
                self._open[key] = connection
                return connection
            if connection is not None:
                self._let_go(connection)
            self._check_rest(key, launch)
            try:
                connection = await self._opened(launch)
            except NeedsAuth:
                if not await self._sign_ins.expire(source, user_id):
                    raise
                connection = await self._opened(launch)
            except SourceTimedOut as error:
                self._hung[key] = (time.monotonic() + REST, launch, error)
                raise
            self._open[key] = connection
            return connection

    async def _opened(self, launch: Launch) -> Connection:
        auth = await self._sign_ins.auth(launch.source, launch.user_id)
        connection = Connection(launch, self._secrets, auth, idle_seconds=self._idle_seconds)
        try:
            await connection.opened()
        except BaseException:
            self._let_go(connection)
            raise
        return connection

    def _check_rest(self, key: Key, launch: Launch) -> None:
        until, hung, error = self._hung.get(key, (0.0, None, None))
        if error is not None and time.monotonic() < until and hung == launch:
            raise SourceTimedOut(
                launch.slug, "did not come up a moment ago, and is tried again later."
            ) from error
        self._hung.pop(key, None)

    def _let_go(self, connection: Connection) -> None:
        connection.close()
        if not connection.owner.done():
            self._leaving.add(connection.owner)
            connection.owner.add_done_callback(self._leaving.discard)
