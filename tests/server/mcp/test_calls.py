"""Who hears of a call, and what they hear."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from pydantic import BaseModel

from bottega.core.rooms import Caller, Door, Tool
from bottega.errors import BottegaError, NotFound
from bottega.server.mcp.calls import ToolCalls

CALLER = Caller(Door.MCP, "ada", "claude-code/2.1")


class Name(BaseModel):
    name: str


class Journal:
    """Both hooks, remembering."""

    def __init__(self) -> None:
        self.calls: list[tuple[Caller, str, str, Mapping[str, Any], str | None]] = []
        self.durations: list[float] = []
        self.spans: list[str] = []

    def on_call(
        self,
        caller: Caller,
        room: str,
        tool: str,
        arguments: Mapping[str, Any],
        duration: float,
        error: BottegaError | None,
    ) -> None:
        self.calls.append((caller, room, tool, arguments, error.type if error else None))
        self.durations.append(duration)

    @contextmanager
    def span(self, caller: Caller, room: str, tool: str) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self.spans.append(f"{room}.{tool} {type(error).__name__}")
            raise
        self.spans.append(f"{room}.{tool} ok")


async def find(arguments: Name, caller: Caller) -> str:
    if arguments.name == "nobody":
        raise NotFound("There is no nobody.")
    if arguments.name == "crash":
        raise ZeroDivisionError
    if arguments.name == "slow":
        await asyncio.Event().wait()
    return arguments.name


FIND = Tool("find", "Finds.", Name, find)


@pytest.mark.parametrize(
    ("arguments", "error", "span"),
    [
        ({"name": "ada"}, None, "coach.find ok"),
        ({"name": "nobody"}, "not_found", "coach.find NotFound"),
        ({"name": "crash"}, "internal_error", "coach.find ZeroDivisionError"),
        ({"nam": "ada"}, "validation_error", "coach.find InvalidInput"),
    ],
)
async def test_every_call_is_told_once_with_how_it_ended(
    arguments: dict[str, Any], error: str | None, span: str
) -> None:
    journal = Journal()
    result = await ToolCalls(journal.on_call, journal.span).run("coach", FIND, arguments, CALLER)

    assert journal.calls == [(CALLER, "coach", "find", arguments, error)]
    assert journal.spans == [span]
    assert journal.durations[0] > 0
    assert result["isError"] == (error is not None)


async def test_a_cancelled_call_is_told_too() -> None:
    journal = Journal()
    calls = ToolCalls(journal.on_call, journal.span)
    call = asyncio.create_task(calls.run("coach", FIND, {"name": "slow"}, CALLER))
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert journal.calls == [(CALLER, "coach", "find", {"name": "slow"}, "cancelled")]
    assert journal.spans == ["coach.find CancelledError"]
