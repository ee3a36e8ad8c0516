"""What a room adds to the house, in the few shapes that every door understands.

A room is built with the `Core` and offers tools, resources and prompts (MCP), messages (WebSocket)
and routes (REST). Commands are in its `commands.py`, which the command line loads only when they
are asked for.
Doors know only these shapes, so a room can also be added while the server runs.
"""

import builtins
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from bottega.core.roles import OWNERS, Grant, Right

if TYPE_CHECKING:
    from fastapi import APIRouter

    from bottega.core.events import Event
    from bottega.core.operations import Bound
    from bottega.core.topics import Topic

In = TypeVar("In", bound=BaseModel)
#: The user of a house that has only one.
LOCAL_USER = "local"


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
    #: Its client puts a question that a tool's result leaves open to the person behind it.
    can_be_asked: bool = False
    #: What they may do, and where.
    grant: Grant = OWNERS
    #: The token they showed, if it was issued to a user.
    token_id: str | None = None

    @property
    def is_owner(self) -> bool:
        return self.grant.holds(Right.ADMINISTER)


@dataclass(frozen=True, slots=True)
class Question:
    """What a tool's result asks a person, as a form with a few plain fields."""

    message: str
    #: A JSON Schema: an object of strings, numbers and booleans.
    form: dict[str, Any]
    #: Finds what waits for the answer again: it is kept already, and stays if nobody answers.
    about: dict[str, str]


class Asking(Protocol):
    """How the questions that a tool's results leave open reach a person, where a client can ask."""

    @property
    def names(self) -> Collection[str]:
        """What `Question.about` consists of."""
        ...

    def question(self, asked: Any, result: Any) -> Question | None:
        """What the result of these arguments asks, if it asks."""
        ...

    async def answer(
        self, about: Mapping[str, str], form: Mapping[str, Any], caller: Caller
    ) -> Any:
        """Go on with a filled-in form; the tool's result then. One that does not do is
        `InvalidInput`; a question that is closed by now is `Conflict`."""
        ...

    async def current(self, about: Mapping[str, str], caller: Caller) -> Any:
        """The tool's result as it is while nobody answers."""
        ...

    async def closed(self, about: Mapping[str, str], caller: Caller) -> None:
        """Wait until nobody waits for the answer any more: it was given at another door."""
        ...


@dataclass(frozen=True, slots=True)
class Tool(Generic[In]):
    """One MCP tool. `run` gets the checked arguments and returns what becomes the JSON result."""

    name: str
    #: One terse sentence: a model pays for every word of it.
    description: str
    arguments: type[In]
    run: Callable[[In, Caller], Awaitable[Any]]
    read_only: bool = False
    #: For one whose result may ask a person something.
    asking: Asking | None = None
    #: What its caller must hold. Default: to read for one that changes nothing, else to work.
    needs: Right | None = None

    @property
    def right(self) -> Right:
        return self.needs or (Right.READ if self.read_only else Right.WORK)


#: The values of a template's or a prompt's arguments, by name.
Given = Mapping[str, str]
#: What an argument that begins so could be, beside the others as they are given.
Complete = Callable[[str, Given, Caller], Awaitable[Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Contents:
    """What a resource holds now."""

    data: str | bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A resource in the list that clients choose from."""

    uri: str
    title: str
    mime_type: str


@dataclass(frozen=True, slots=True)
class Resource:
    """What can be read at an address, or, with `{names}` in the address, at many."""

    name: str
    uri: str
    description: str
    mime_type: str
    read: Callable[[Given, Caller], Awaitable[Contents]]
    #: Of a template: those that are worth a place in the list.
    listed: Callable[[Caller], Awaitable[Sequence[Listed]]] | None = None
    complete: Mapping[str, Complete] = field(default_factory=dict)
    #: Topics of events, with the addresses whose contents are others after one. For what is
    #: everybody's: who listens is told, whoever it is.
    updates: "Mapping[str, Callable[[Event], Iterable[str]]]" = field(default_factory=dict)
    #: Topics of events after which the list is another.
    relisted_by: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class PromptArgument:
    name: str
    description: str
    required: bool = False
    complete: Complete | None = None


@dataclass(frozen=True, slots=True)
class Step:
    text: str
    #: Those it names; where one of them is not served, the step is left out.
    tools: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Script:
    opening: str
    steps: Sequence[Step]


@dataclass(frozen=True, slots=True)
class Prompt:
    """Words that a person starts with: what they want, and how to go about it here."""

    name: str
    description: str
    write: Callable[[Given], Script]
    arguments: Sequence[PromptArgument] = ()


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
    #: What its sender must hold.
    right: Right = Right.WORK


@dataclass(slots=True)
class Room:
    """A capability with its own folder. Built by the folder's `room.py`."""

    name: str
    tools: Sequence[Tool[Any]] = ()
    resources: Sequence[Resource] = ()
    prompts: Sequence[Prompt] = ()
    messages: Sequence[Message[Any]] = ()
    #: Makes its other REST routes (streams, pages, uploads), when one of its `paths` is first
    #: asked for.
    routes: "Callable[[], Sequence[APIRouter]]" = tuple
    #: Where those begin, behind `/api`: `/board`.
    paths: Sequence[str] = ()
    start: Callable[[], Awaitable[None]] | None = None
    stop: Callable[[], Awaitable[None]] | None = None
    #: Makes again what follows from its rows, for rows that came in past it: words and vectors.
    rebuild: Callable[[], Awaitable[None]] | None = None
    #: Finds the path of a project by its id, in a room that knows several.
    find_project: Callable[[str], Awaitable[str]] | None = None
    #: The room that it is a part of, for one within another: grants name that one.
    part_of: str | None = None
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
    topics: "Sequence[Topic]" = ()
    #: What `/health` and `doctor` say of it.
    status: Callable[[], dict[str, Any]] = field(default=dict)
    #: What can be asked of it. Their tools and messages join those above; their routes are made
    #: with the others.
    operations: "Sequence[Bound]" = ()

    def __post_init__(self) -> None:
        self.tools = [*self.tools, *(tool for each in self.operations for tool in each.tools())]
        self.messages = [*self.messages, *(m for each in self.operations for m in each.messages())]
