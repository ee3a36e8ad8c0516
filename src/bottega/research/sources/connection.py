"""One open connection to a source, owned by a task of its own.

The SDK's connections must be opened and closed in one task, and callers come from many. A caller
waits for the answer or for the end of the owning task, whichever is first: no call outlives its
connection, and none waits longer than it may.
"""

import asyncio
import time
from collections.abc import Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from pydantic import ValidationError

from bottega import __version__
from bottega.core.imports import load
from bottega.core.trust.secrets import Secrets
from bottega.errors import InvalidInput, NotFound
from bottega.research.sources.definition import HttpConfig
from bottega.research.sources.diagnosis import Observations, explain, was_reached
from bottega.research.sources.launch import (
    ConnectionLost,
    Launch,
    NeedsAuth,
    SourceFailed,
    SourceTimedOut,
)
from bottega.research.sources.views import MOST_TOOLS, SourceTool, ToolResult, describe, render

if TYPE_CHECKING:
    import httpx2
    from mcp.client.client import Client
    from mcp.client.session import IncomingMessage

T = TypeVar("T")

#: Of a listing; a source that never ends its list is cut off.
MOST_PAGES = 20
#: Seconds for a call that was given up, or a connection that broke, to let go.
LETTING_GO = 5.0
_FIRST = asyncio.FIRST_COMPLETED


class Connection:
    def __init__(
        self,
        launch: Launch,
        secrets: Secrets,
        auth: "httpx2.Auth | None" = None,
        *,
        idle_seconds: float = 300.0,
    ) -> None:
        self.launch = launch
        self._secrets = secrets
        self._auth = auth
        self._idle_seconds = idle_seconds
        self._observed = Observations()
        self._error: BaseException | None = None
        self._calls = 0
        self._last_used = time.monotonic()
        self._tools: Mapping[str, SourceTool] | None = None
        self._client: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        #: Over when nothing of the connection is left.
        self.owner = asyncio.create_task(self._own(), name=f"source {launch.slug}")

    @property
    def is_open(self) -> bool:
        return not self.owner.done() and not self._observed.ended.is_set()

    @property
    def server(self) -> str:
        """What it calls itself."""
        info = self._client.result().server_info
        return f"{info.name} {info.version}".strip()[:100] if info else ""

    async def opened(self) -> None:
        """Wait until it can be used. Raises why it cannot be."""
        seconds = self.launch.source.config.start_timeout
        try:
            waited: set[asyncio.Future[Any]] = {self._client, self.owner}
            await asyncio.wait(waited, timeout=seconds, return_when=_FIRST)
        finally:
            if not self._client.done():
                self.owner.cancel()
        if self._client.done():
            return
        if self._error is None and not self._observed.ended.is_set():
            self._error = TimeoutError()
        raise self._reason(None)

    def close(self) -> None:
        """Let it end; `owner` is done when it has."""
        self._observed.ended.set()
        if not self._client.done():
            self.owner.cancel()

    async def tools(self, *, afresh: bool = False) -> Mapping[str, SourceTool]:
        from mcp.shared.exceptions import MCPError
        from mcp_types import METHOD_NOT_FOUND

        if self._tools is None or afresh:
            try:
                self._tools = await self._until_answered(self._list())
            except MCPError as error:
                if error.code != METHOD_NOT_FOUND:
                    raise self._reason(error) from error
                self._tools = {}
        return self._tools

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Raises `ConnectionLost` if it went away: whether to try again is for others to say."""
        from mcp.shared.exceptions import MCPError
        from mcp_types import INVALID_PARAMS

        if tool not in await self.tools() and tool not in await self.tools(afresh=True):
            raise self._no_such(tool)
        try:
            answer = await self._until_answered(
                self._client.result().call_tool(tool, dict(arguments))
            )
        except MCPError as error:
            if error.code != INVALID_PARAMS:
                raise self._reason(error) from error
            if tool not in await self.tools(afresh=True):
                raise self._no_such(tool) from error
            message = self._secrets.redact(error.message)[:500]
            raise InvalidInput(f"{self.launch.slug}.{tool} says: {message}") from error
        return await asyncio.to_thread(render, answer)

    async def _own(self) -> None:
        await load("mcp.client.client")
        from mcp.client.client import Client
        from mcp_types import Implementation

        try:
            async with Client(
                self._transport(),
                client_info=Implementation(name="bottega", version=__version__),
                message_handler=self._hear,
                cache=None,
            ) as client:
                self._last_used = time.monotonic()
                self._client.set_result(client)
                await self._stay()
        except Exception as error:  # the edge of the task: callers are told what it was
            self._error = error
        finally:
            self._observed.ended.set()

    def _transport(self) -> AbstractAsyncContextManager[Any]:  # the streams are the SDK's own
        from bottega.research.sources.transports import reach_address, run_program

        if isinstance(self.launch.source.config, HttpConfig):
            return reach_address(self.launch, self._observed, self._auth)
        return run_program(self.launch, self._observed)

    async def _stay(self) -> None:
        """Until it ends, is closed, or nobody has used it for a while."""
        ended = self._observed.ended
        while not ended.is_set():
            unused = time.monotonic() - self._last_used
            if not self._calls and unused >= self._idle_seconds:
                return
            with anyio.move_on_after(max(self._idle_seconds - unused, 0.1)):
                await ended.wait()

    async def _hear(self, message: "IncomingMessage") -> None:
        from mcp_types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            self._tools = None

    async def _list(self) -> dict[str, SourceTool]:
        client = self._client.result()
        found: dict[str, SourceTool] = {}
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = await client.list_tools(cursor=cursor)
            found |= {tool.name: tool for tool in map(describe, page.tools) if tool}
            cursor = page.next_cursor
            if not cursor or len(found) >= MOST_TOOLS:
                break
        return dict(list(found.items())[:MOST_TOOLS])

    async def _until_answered(self, question: Coroutine[Any, Any, T]) -> T:
        """Raises `MCPError` if the source answered with one."""
        from mcp.shared.exceptions import MCPError
        from mcp_types import CONNECTION_CLOSED

        if not self.is_open:
            question.close()
            raise ConnectionLost(self._reason(None), reached=False)
        seconds = self.launch.source.config.timeout
        asking = asyncio.ensure_future(question)
        self._calls += 1
        try:
            await asyncio.wait({asking, self.owner}, timeout=seconds, return_when=_FIRST)
            if not asking.done() and not self.owner.done():
                raise self._too_slow(seconds)
            if not asking.done():
                raise self._lost()
            return asking.result()
        except MCPError as error:
            if error.code == CONNECTION_CLOSED or not was_reached(self._observed, None):
                # The owner knows better why; it may need a moment to notice.
                await asyncio.wait({self.owner}, timeout=0.1 if self.is_open else LETTING_GO)
                raise self._lost(error) from error
            raise
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise self._lost() from error
        except (ValidationError, RuntimeError) as error:
            # It is there, but what it sends fits neither the protocol nor its own schema.
            raise self._reason(error) from error
        finally:
            self._calls -= 1
            self._last_used = time.monotonic()
            if not asking.done():
                asking.cancel()
                await asyncio.wait({asking}, timeout=LETTING_GO)

    def _too_slow(self, seconds: float) -> SourceTimedOut:
        if self._calls == 1:
            # It may hang for good; the next call gets a new one.
            self.close()
        return SourceTimedOut(self.launch.slug, f"did not answer within {seconds:g} seconds.")

    def _lost(self, error: BaseException | None = None) -> Exception:
        reason = self._reason(error)
        self.close()
        if self._observed.flooded:
            # It would do the same again.
            return reason
        return ConnectionLost(reason, reached=was_reached(self._observed, self._error))

    def _reason(self, error: BaseException | None) -> SourceFailed | NeedsAuth:
        return explain(self.launch, self._observed, self._error or error, self._secrets)

    def _no_such(self, tool: str) -> NotFound:
        known = ", ".join(self._tools or ()) or "none"
        slug = self.launch.slug
        return NotFound(f"The source {slug!r} has no tool {tool[:100]!r}. It has: {known[:2000]}.")
