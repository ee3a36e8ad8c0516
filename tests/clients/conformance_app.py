"""What the conformance suite talks to: its fixtures behind our guard, our door, our endpoints.

`python -m tests.clients.conformance_app` serves it and prints the URL.
"""

import asyncio
import secrets
import socket
from typing import Any

import uvicorn
from mcp.server.lowlevel.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp_types import CallToolRequestParams, ListToolsResult, PaginatedRequestParams
from pydantic import BaseModel, Field

from bottega.core.rooms import Caller, Room, Tool
from bottega.server.guard import Guard
from bottega.server.mcp import McpDoor
from tests.clients import conformance_inputs  # noqa: F401 - its tools register themselves
from tests.clients.conformance_prompts import add_prompts
from tests.clients.conformance_resources import RESOURCES
from tests.clients.conformance_tools import LISTED, RUNS, Context


class Nothing(BaseModel):
    pass


class Region(BaseModel):
    #: A client repeats this one in a header, and the two have to agree.
    region: str = Field("none", json_schema_extra={"x-mcp-header": "Region"})


async def name_region(arguments: Region, caller: Caller) -> str:
    return arguments.region


async def simple_text(_: Nothing, caller: Caller) -> str:
    return "This is a simple text response for testing."


async def fail(_: Nothing, caller: Caller) -> None:
    raise RuntimeError("on purpose")


async def change_tools(_: Nothing, caller: Caller) -> str:
    await door.add(Room("guest", [Tool("test_guest", "Comes and goes.", Nothing, simple_text)]))
    await door.remove("guest")
    return "The list of tools has changed."


def extend(server: Server[Any]) -> None:
    """Add the fixtures that are no tools of a room to a server of the door."""
    list_ours = server.get_request_handler("tools/list")
    call_ours = server.get_request_handler("tools/call")
    assert list_ours is not None
    assert call_ours is not None

    async def list_tools(context: Context, params: PaginatedRequestParams) -> ListToolsResult:
        ours = await list_ours.handler(context, params)
        assert isinstance(ours, ListToolsResult)
        return ListToolsResult(tools=[*ours.tools, *LISTED])

    async def call_tool(context: Context, params: CallToolRequestParams) -> Any:
        return await RUNS.get(params.name, call_ours.handler)(context, params)

    server.add_request_handler("tools/list", PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    add_prompts(server)
    state = RequestStateSecurity(keys=[secrets.token_bytes(32)])
    server.middleware.append(RequestStateBoundary(state, default_audience=server.name))


door = McpDoor(
    [
        Room(
            "conformance",
            [
                Tool("test_simple_text", "Says a sentence.", Nothing, simple_text),
                Tool("test_x_mcp_header", "Names a region.", Region, name_region),
                Tool("test_error_handling", "Fails.", Nothing, fail),
                Tool("test_trigger_tool_change", "Changes the list.", Nothing, change_tools),
            ],
            resources=RESOURCES,
        )
    ],
    extend=extend,
)


async def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(Guard(door), lifespan="off", log_level="warning"))
    async with door.run():
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        await server.serve(sockets=[listener])


if __name__ == "__main__":
    asyncio.run(main())
