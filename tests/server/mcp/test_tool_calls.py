"""What a client gets for a call, in both eras, by the official client over real HTTP."""

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from bottega.core.rooms import Caller, Door, Room, Tool
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict
from bottega.server.mcp import McpDoor

Connect = Callable[[str], Client]
Serve = Callable[[McpDoor], AbstractAsyncContextManager[str]]


class Status(StrEnum):
    PENDING = "pending"
    ACTIVE = "active"
    COMPLETE = "complete"


class Phase(BaseModel):
    number: int = Field(ge=1)
    status: Status = Status.PENDING
    note: str | None = None


class Nothing(BaseModel):
    pass


@dataclass
class Pair:
    left: int
    right: str | None


async def update_phase(phase: Phase, caller: Caller) -> Phase:
    return phase


def returning(value: Any) -> Tool[Nothing]:
    async def run(_: Nothing, caller: Caller) -> Any:
        return value

    return Tool("answer", "Answers.", Nothing, run, read_only=True)


def raising(error: Exception) -> Tool[Nothing]:
    async def run(_: Nothing, caller: Caller) -> Any:
        raise error

    return Tool("fail", "Fails.", Nothing, run)


PHASES = Room("coach", [Tool("update_phase", "Move a phase on.", Phase, update_phase)])


def text(result: CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


def message(result: CallToolResult) -> str:
    """The message of a validation error, which stands in both forms of the content."""
    assert result.is_error
    body = result.structured_content
    assert json.loads(text(result)) == body
    assert isinstance(body, dict)
    assert body["error"]["type"] == "validation_error"
    return str(body["error"]["message"])


@pytest.mark.requirement("FR-002")
async def test_tools_are_listed_and_called(serve: Serve, connect: Connect) -> None:
    """The transport at `/mcp` takes requests by POST, in both eras."""
    async with serve(McpDoor([PHASES])) as url, connect(url) as client:
        [listed] = (await client.list_tools()).tools
        result = await client.call_tool("update_phase", {"number": 3, "status": "active"})

    assert (listed.name, listed.description) == ("update_phase", "Move a phase on.")
    assert listed.input_schema["required"] == ["number"]
    assert not result.is_error
    assert result.structured_content == {"number": 3, "status": "active", "note": None}
    assert json.loads(text(result)) == result.structured_content


@pytest.mark.parametrize(
    ("value", "structured", "written"),
    [
        (Pair(1, None), {"left": 1, "right": None}, '{"left":1,"right":null}'),
        ({"a": [1, None]}, {"a": [1, None]}, '{"a":[1,null]}'),
        ([1, 2], {"result": [1, 2]}, "[1,2]"),
        (None, {"result": None}, "null"),
        (7, {"result": 7}, "7"),
        ('a "plain" text', {"result": 'a "plain" text'}, 'a "plain" text'),
        (float("nan"), {"result": None}, "null"),
        ({"big": 2**70}, {"big": 2**70}, f'{{"big":{2**70}}}'),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_every_kind_of_result_has_an_object_and_a_text(
    value: object, structured: object, written: str, serve: Serve, connect: Connect
) -> None:
    async with serve(McpDoor([Room("coach", [returning(value)])])) as url, connect(url) as client:
        result = await client.call_tool("answer", {})

    assert result.structured_content == structured
    assert text(result) == written


async def test_a_missing_argument_is_named(serve: Serve, connect: Connect) -> None:
    async with serve(McpDoor([PHASES])) as url, connect(url) as client:
        result = await client.call_tool("update_phase", {"status": "active"})

    assert message(result) == "update_phase: `number` is missing"


async def test_a_mistyped_argument_is_named_with_what_it_was(
    serve: Serve, connect: Connect
) -> None:
    async with serve(McpDoor([PHASES])) as url, connect(url) as client:
        result = await client.call_tool("update_phase", {"number": "three"})

    assert "`number` is 'three'; it should be a valid integer" in message(result)


async def test_an_unknown_argument_is_refused_with_the_likely_one(
    serve: Serve, connect: Connect
) -> None:
    async with serve(McpDoor([PHASES])) as url, connect(url) as client:
        result = await client.call_tool("update_phase", {"number": 1, "stats": "active"})

    said = message(result)
    assert "`stats` is not an argument; did you mean `status`?" in said
    assert "valid arguments: number, status, note" in said


async def test_a_wrong_option_is_answered_with_the_valid_ones(
    serve: Serve, connect: Connect
) -> None:
    async with serve(McpDoor([PHASES])) as url, connect(url) as client:
        result = await client.call_tool("update_phase", {"number": 1, "status": "done"})

    said = message(result)
    assert "`status` is 'done'; valid options: 'pending', 'active' or 'complete'" in said


async def test_an_error_of_ours_keeps_its_type_message_and_details(
    serve: Serve, connect: Connect
) -> None:
    tool = raising(Conflict("Phase 1 is complete.", phase=1))
    async with serve(McpDoor([Room("coach", [tool])])) as url, connect(url) as client:
        result = await client.call_tool("fail", {})

    body = {"error": {"type": "conflict", "message": "Phase 1 is complete.", "phase": 1}}
    assert result.is_error
    assert result.structured_content == body
    assert json.loads(text(result)) == body


async def test_any_other_exception_tells_nothing_of_the_inside(
    serve: Serve, connect: Connect
) -> None:
    tool = raising(RuntimeError("password is hunter2"))
    async with serve(McpDoor([Room("coach", [tool])])) as url, connect(url) as client:
        result = await client.call_tool("fail", {})

    assert result.is_error
    assert isinstance(result.structured_content, dict)
    assert result.structured_content["error"]["type"] == "internal_error"
    assert "hunter2" not in text(result)
    assert result.structured_content["error"]["reference"] in text(result)


@pytest.mark.parametrize("value", [object(), "half a character: \ud800"])
async def test_a_result_that_is_no_json_is_an_internal_error(
    value: object, serve: Serve, connect: Connect
) -> None:
    async with serve(McpDoor([Room("coach", [returning(value)])])) as url, connect(url) as client:
        result = await client.call_tool("answer", {})

    assert isinstance(result.structured_content, dict)
    assert result.structured_content["error"]["type"] == "internal_error"


async def test_an_unknown_tool_is_an_error_of_the_protocol(serve: Serve, connect: Connect) -> None:
    async with serve(McpDoor([PHASES])) as url, connect(url) as client:
        with pytest.raises(MCPError, match="Unknown tool: update_phrase"):
            await client.call_tool("update_phrase", {})


async def test_calls_run_at_the_same_time(serve: Serve, connect: Connect) -> None:
    """Sixteen calls wait for each other, which only ends if all of them are in."""
    barrier = asyncio.Barrier(16)

    async def meet(_: Nothing, caller: Caller) -> int:
        return await barrier.wait()

    room = Room("coach", [Tool("meet", "Waits for the others.", Nothing, meet)])
    async with serve(McpDoor([room])) as url, connect(url) as client:
        calls = [client.call_tool("meet", {}) for _ in range(16)]
        results = await asyncio.wait_for(asyncio.gather(*calls), 20)

    assert sorted(text(result) for result in results) == sorted(str(n) for n in range(16))


async def test_the_tool_learns_who_calls(serve: Serve, connect: Connect) -> None:
    callers: list[Caller] = []

    async def whoami(_: Nothing, caller: Caller) -> None:
        callers.append(caller)

    room = Room("coach", [Tool("whoami", "Says who asks.", Nothing, whoami)])
    async with serve(McpDoor([room])) as url, connect(url) as client:
        await client.call_tool("whoami", {})

    [caller] = callers
    assert (caller.door, caller.user_id) == (Door.MCP, LOCAL_USER)
    assert caller.client is not None
    assert caller.client.startswith("mcp/")
