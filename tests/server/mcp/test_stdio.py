"""The same door over standard input and output, as `bottega mcp` serves it."""

import asyncio
import sys

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import ToolListChangedNotification

SERVER = """
import asyncio
from pydantic import BaseModel
from bottega.core.rooms import Caller, Room, Tool
from bottega.server.mcp import McpDoor

class Word(BaseModel):
    word: str

async def echo(arguments: Word, caller: Caller) -> dict[str, str]:
    print("not for the wire")
    await door.add(Room(arguments.word, [Tool(arguments.word, "Repeats.", Word, echo)]))
    return {"word": arguments.word, "user": caller.user_id}

door = McpDoor([Room("coach", [Tool("echo", "Repeats.", Word, echo)])])
asyncio.run(door.serve_stdio())
"""


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_stdio_has_the_same_tools_and_nothing_but_the_protocol(mode: str) -> None:
    heard = asyncio.Event()
    noise: list[Exception] = []

    async def on_message(message: object) -> None:
        if isinstance(message, Exception):
            noise.append(message)
        if isinstance(message, ToolListChangedNotification):
            heard.set()

    server = StdioServerParameters(command=sys.executable, args=["-c", SERVER])
    async with Client(server, mode=mode, message_handler=on_message) as client:
        before = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool("echo", {"word": "board"})
        wrong = await client.call_tool("echo", {})
        after = [tool.name for tool in (await client.list_tools()).tools]
        if mode == "legacy":
            await asyncio.wait_for(heard.wait(), 20)

    assert noise == []
    assert result.structured_content == {"word": "board", "user": "local"}
    assert wrong.is_error
    assert isinstance(wrong.structured_content, dict)
    assert wrong.structured_content["error"]["type"] == "validation_error"
    assert (before, after) == (["echo"], ["echo", "board"])
