"""A library over MCP: sixteen tools, named after the library or with its name as an argument.

At `/mcp/library/isa` there is `isa_hybrid_search(query)`; at `/mcp` and `/mcp/library`, where all
libraries are served, `library_hybrid_search(library, query)`. Both are the same operation.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel, create_model

from bottega.core.rooms import Caller, Room, Tool
from bottega.library.desk import Desk
from bottega.library.operations import Operation, operations
from bottega.library.resources import named_resources
from bottega.library.tool_arguments import InLibrary

#: The room, and what the tools of no library in particular are named after.
ROOM = "library"


def generic_tools(desk: Desk) -> list[Tool[Any]]:
    return [_generic_tool(desk, operation) for operation in operations(desk)]


def named_tools(desk: Desk, library: str) -> list[Tool[Any]]:
    return [_named_tool(desk, operation, library) for operation in operations(desk)]


def own_room(desk: Desk, library: str) -> Room:
    """What is at `/mcp/library/{name}`."""
    return Room(
        f"{ROOM}-{library}",
        tools=named_tools(desk, library),
        resources=named_resources(desk, library),
        shared=False,
    )


def own_rooms(desk: Desk) -> Callable[[str, Caller], Awaitable[Room]]:
    """For the MCP door, which asks when somebody comes to a library's own endpoint."""

    async def find(name: str, caller: Caller) -> Room:
        library = await desk.libraries.get(name, caller.user_id)
        return own_room(desk, library.name)

    return find


def _generic_tool(desk: Desk, operation: Operation[Any]) -> Tool[Any]:
    # A model's fields come in the reverse order of its bases: the library first.
    arguments = create_model(
        f"{operation.arguments.__name__}InLibrary", __base__=(operation.arguments, InLibrary)
    )

    async def run(asked: Any, caller: Caller) -> Any:
        library = await desk.libraries.get(asked.library, caller.user_id)
        return await operation.run(library, asked)

    return _tool(operation, ROOM, arguments, run)


def _named_tool(desk: Desk, operation: Operation[Any], name: str) -> Tool[Any]:
    async def run(asked: BaseModel, caller: Caller) -> Any:
        return await operation.run(await desk.libraries.get(name, caller.user_id), asked)

    return _tool(operation, name, operation.arguments, run)


def _tool(operation: Operation[Any], name: str, arguments: type[BaseModel], run: Any) -> Tool[Any]:
    # Nothing here changes a library: documents come in by the command line and over HTTP.
    return Tool(
        operation.pattern.format(name), operation.description, arguments, run, read_only=True
    )
