"""What a room adds to the house, in the few shapes that every door understands.

A room is built with the `Core` and offers tools (MCP), messages (WebSocket) and routes (REST).
Commands are in its `commands.py`, which the command line loads only when they are asked for.
Doors know only these shapes, so a room can also be added while the server runs.
"""

import builtins
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

from fastapi import APIRouter
from pydantic import BaseModel

from bottega.core.events.topic import Topic
from bottega.core.users import LOCAL_USER

In = TypeVar("In", bound=BaseModel)


class Door(StrEnum):
    HTTP = "http"
    MCP = "mcp"
    WEBSOCKET = "websocket"
    CLI = "cli"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and through which door."""

    door: Door
    user_id: str = LOCAL_USER
    #: The client's own name for itself: `claude-code/2.1`, a browser, `bottega-cli`.
    client: str | None = None


@dataclass(frozen=True, slots=True)
class Tool(Generic[In]):
    """One MCP tool. `run` gets the checked arguments and returns what becomes the JSON result."""

    name: str
    #: One terse sentence: a model pays for every word of it.
    description: str
    arguments: type[In]
    run: Callable[[In, Caller], Awaitable[Any]]
    read_only: bool = False


class Connection(Protocol):
    """One connected WebSocket client, as a message handler sees it."""

    @property
    def id(self) -> str: ...

    @property
    def caller(self) -> Caller: ...

    @property
    def state(self) -> dict[str, Any]: ...

    def send(
        self, type: str, payload: BaseModel | dict[str, Any], *, reply_to: str | None = None
    ) -> None:
        """Queue a message for this client; `reply_to` is the `id` of the message it answers."""
        ...


@dataclass(frozen=True, slots=True)
class Incoming(Generic[In]):
    """A message that arrived, checked."""

    type: str
    payload: In
    connection: Connection
    #: The sender's correlation id, which answers repeat.
    id: str | None = None

    def reply(self, type: str, payload: BaseModel | dict[str, Any]) -> None:
        self.connection.send(type, payload, reply_to=self.id)


@dataclass(frozen=True, slots=True)
class Message(Generic[In]):
    """One kind of WebSocket message that clients may send."""

    type: str
    #: What its payload must look like.
    schema: builtins.type[In]
    handle: Callable[[Incoming[In]], Awaitable[None]]


@dataclass(slots=True)
class Room:
    """A capability with its own folder. Built by the folder's `room.py`."""

    name: str
    tools: Sequence[Tool[Any]] = ()
    messages: Sequence[Message[Any]] = ()
    #: Makes its REST routes, when one of its `paths` is first asked for.
    routes: Callable[[], Sequence[APIRouter]] = tuple
    #: Where those begin, behind `/api`: `/board`.
    paths: Sequence[str] = ()
    start: Callable[[], Awaitable[None]] | None = None
    stop: Callable[[], Awaitable[None]] | None = None
    #: Makes again what follows from its rows, for rows that came in past it: words and vectors.
    rebuild: Callable[[], Awaitable[None]] | None = None
    #: Listed at `/mcp` with the others; a library's own tools are only at `/mcp/{name}`.
    shared: bool = True
    #: Routes that take more than the server's usual body, with how many bytes: a test report.
    large_bodies: Mapping[str, int] = field(default_factory=dict)
    #: Finds a room within this one by its name, for whoever may know of it: a library among
    #: libraries, at `/mcp/{room}/{name}`.
    within: "Callable[[str, Caller], Awaitable[Room]] | None" = None
    #: Its model calls by their names in the ledger, so that costs can be told by room.
    model_calls: Sequence[str] = ()
    #: The events that it publishes.
    topics: Sequence[Topic] = ()
    #: What `/health` and `doctor` say of it.
    status: Callable[[], dict[str, Any]] = field(default=dict)
