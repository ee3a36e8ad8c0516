"""What libraries add to the house.

Over MCP a library has sixteen tools, named after it or with its name as an argument. At
`/mcp/library/isa` there is `isa_hybrid_search(query)`; at `/mcp` and `/mcp/library`, where all
libraries are served, `library_hybrid_search(library, query)`. Both are the same operation.
"""

from collections.abc import Awaitable, Callable
from functools import cache, partial
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, create_model

from bottega.core.operations import Bound, McpTool, Operation, operations_of
from bottega.core.rooms import Caller, Room, Tool
from bottega.core.services import Core
from bottega.library.documents import operations as documents
from bottega.library.graph import operations as graph
from bottega.library.ingest import operations as ingest
from bottega.library.resources import library_resources
from bottega.library.search import operations as search
from bottega.library.service import LibraryRoom, open_library_room
from bottega.library.topics import TOPICS
from bottega.library.verify import operations as verify
from bottega.memory.room import Memory

#: The room, and what the tools of no library in particular are named after.
ROOM = "library"
OPERATIONS = [
    each for module in (documents, search, graph, verify, ingest) for each in operations_of(module)
]


def bind(room: LibraryRoom) -> Bound:
    return Bound(room, OPERATIONS)


def named_tools(room: LibraryRoom, library: str) -> list[Tool[Any]]:
    return [
        _named_tool(room, operation, tool, library)
        for operation in OPERATIONS
        for tool in operation.tools
    ]


def own_room(room: LibraryRoom, library: str) -> Room:
    """What is at `/mcp/library/{name}`."""
    return Room(
        f"{ROOM}-{library}",
        tools=named_tools(room, library),
        resources=library_resources(room, library),
        shared=False,
        part_of=ROOM,
    )


def own_rooms(room: LibraryRoom) -> Callable[[str, Caller], Awaitable[Room]]:
    """For the MCP door, which asks when somebody comes to a library's own endpoint."""

    async def find(name: str, caller: Caller) -> Room:
        library = await room.libraries.get(name, caller.user_id)
        return own_room(room, library.name)

    return find


def _named_tool(room: LibraryRoom, operation: Operation, tool: McpTool, library: str) -> Tool[Any]:
    async def run(asked: BaseModel, caller: Caller) -> Any:
        arguments = operation.arguments.model_construct(library=library, **dict(asked))
        return await operation.run(room, arguments, caller)

    return Tool(
        tool.name.replace(ROOM, library),
        tool.description,
        _without_library(operation.arguments),
        run,
        read_only=tool.read_only,
        needs=operation.right,
    )


@cache
def _without_library(arguments: type[BaseModel]) -> type[BaseModel]:
    fields: dict[str, Any] = {
        name: (field.annotation, field)
        for name, field in arguments.model_fields.items()
        if name != "library"
    }
    return create_model(arguments.__name__, **fields)


#: Some two hundred documents at once.
LARGEST_UPLOAD = 60_000_000


def build(core: Core, _memory: Memory) -> Room:
    room = open_library_room(core)
    return Room(
        name=ROOM,
        operations=[bind(room)],
        resources=library_resources(room),
        routes=partial(_routes, room),
        paths=("/libraries",),
        large_bodies={"/libraries/upload": LARGEST_UPLOAD},
        within=own_rooms(room),
        rebuild=room.ingest.rebuild,
        model_calls=("judge_claim", "library_rerank", "library_web_search"),
        topics=TOPICS,
    )


def _routes(room: LibraryRoom) -> list[APIRouter]:
    from bottega.library.routes import router

    return [router(room)]
