"""One tool call, on whichever wire it came: check the arguments, run, render, tell who listens.

Results are plain mappings, not the SDK's models: the SDK checks and copies them once more on the
way out, and once is enough.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import Any, Protocol

import structlog
from pydantic_core import from_json, to_json

from bottega.core.clock import new_id
from bottega.core.doors.authorization import Authorization, names_of
from bottega.core.rooms import Caller, Tool
from bottega.errors import BottegaError, Cancelled
from bottega.server.errors import known_error
from bottega.server.mcp.arguments import check_arguments

CallResult = dict[str, Any]


def render(value: Any) -> CallResult:
    """What a tool returned, as the wire wants it: an object for programs, the same JSON for models.

    Models, dataclasses, mappings, lists, scalars and None; a string is its own text.
    """
    encoded = to_json(value, inf_nan_mode="null")
    plain = from_json(encoded)
    text = plain if isinstance(plain, str) else encoded.decode()
    # MCP: structured content is an object.
    structured = plain if isinstance(plain, dict) else {"result": plain}
    return _result(text, structured, is_error=False)


def render_error(error: BottegaError) -> CallResult:
    body = error.body()
    return _result(to_json(body).decode(), body, is_error=True)


def _result(text: str, structured: dict[str, Any], *, is_error: bool) -> CallResult:
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": structured,
        "isError": is_error,
        "resultType": "complete",
    }


log = structlog.get_logger()


class OnCall(Protocol):
    """Hears of every call when it is over. Called on the way out: it must be quick."""

    def __call__(
        self,
        caller: Caller,
        room: str,
        tool: str,
        arguments: Mapping[str, Any],
        duration: float,
        error: BottegaError | None,
    ) -> None: ...


#: Opens a span around a call, of a caller, a room and a tool.
ToolSpan = Callable[[Caller, str, str], AbstractContextManager[Any]]


class ToolCalls:
    def __init__(
        self,
        on_call: OnCall | None = None,
        span: ToolSpan | None = None,
        authorization: Authorization | None = None,
        settle: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`settle` is awaited before a call is answered: what it published is logged then."""
        self._settle = settle
        self._on_call = on_call
        self._span = span or _no_span
        self._authorization = authorization or Authorization()

    async def run(
        self,
        room: str,
        tool: Tool[Any],
        arguments: Mapping[str, Any],
        caller: Caller,
        work: Callable[[], Awaitable[Any]] | None = None,
        *,
        granted_as: str | None = None,
    ) -> CallResult:
        """`work` is for a call that is more than the tool's own: one that asks a person.

        `granted_as` is the room as grants name it, where that is another.
        """
        started = perf_counter()
        # Stands if the call is cancelled: then nothing below gets to replace it.
        error: BottegaError | None = Cancelled(f"{tool.name} was cancelled.")
        try:
            with self._span(caller, room, tool.name):
                await self._authorization.check(
                    caller, tool.right, granted_as or room, arguments, names_of(tool.arguments)
                )
                if work is None:
                    value = await tool.run(check_arguments(tool, arguments), caller)
                else:
                    value = await work()
                result = render(value)
            if self._settle is not None:
                await self._settle()
            error = None
        except Exception as failure:
            error = known_error(failure) or internal_error(room, tool.name)
            result = render_error(error)
        finally:
            if self._on_call is not None:
                duration = perf_counter() - started
                self._on_call(caller, room, tool.name, arguments, duration, error)
        return result


def internal_error(room: str, what: str) -> BottegaError:
    reference = new_id()
    log.exception("mcp.failed", room=room, what=what, reference=reference)
    return BottegaError(
        f"{what} failed inside the server; its log says why, under {reference}.",
        reference=reference,
    )


def _no_span(_caller: Caller, _room: str, _tool: str) -> AbstractContextManager[Any]:
    return nullcontext()
