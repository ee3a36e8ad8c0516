"""What can be asked of a room, declared once for every door; and the limits on its arguments.

An operation is a module-level function `(service, arguments, caller) -> result`; arguments and
caller may be left out, and one that only answers messages may take the whole `Incoming` in the
caller's place. The decorator names it at each door where it can be asked:

    @operation(McpTool("remember", "Remember one fact."), Post("/memories", status=201))
    async def add_memory(memory: "Memory", new: NewMemory, caller: Caller) -> MemoryView:
        ...

What its caller must hold (`core/roles.py`) follows from the doors: to read, where they say that it
changes nothing, else to work. Whatever needs more is declared with `needs=Right.DECIDE`.

The doors build the rest from that: the MCP tool with its schema, the REST route with its place in
the OpenAPI document, the WebSocket handler, and what a command sends. Declarations are light to
import, since commands read them too: name a heavy service's class in quotes, under TYPE_CHECKING.

The limits are checked and not part of a tool's schema: a model pays for every word of it, and no
sensible caller comes near them.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, get_origin

from pydantic import AfterValidator, BaseModel, Field

from bottega.core.roles import Right
from bottega.core.rooms import Asking, Caller, Incoming, Message, Tool
from bottega.errors import ConfigurationError

Function = Callable[..., Awaitable[Any]]


class NoArguments(BaseModel):
    pass


@dataclass(frozen=True, slots=True)
class McpTool:
    """The operation as a tool for agents."""

    name: str
    #: One terse sentence: a model pays for every word of it.
    description: str
    read_only: bool = False
    #: Makes the result smaller for a model, which pays for every field.
    shape: Callable[[Any], Any] | None = None
    #: A base class of the arguments, where a tool takes fewer than the other doors.
    arguments: type[BaseModel] | None = None
    #: Makes, from the service, how questions that the result leaves open reach a person.
    asking: Callable[[Any], Asking] | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """The operation as a REST route. Arguments are taken from the path, then from `query` and the
    body; without a body (GET, DELETE) all others are taken from the query."""

    method: str
    #: Behind `/api`: `/memories/{id}`.
    path: str
    status: int = 200
    #: Arguments that stand in the query though the method has a body.
    query: Sequence[str] = ()
    #: Its name in the OpenAPI document. Default: the room's and the function's.
    id: str | None = None
    #: What the path's and the query's parameters say in the OpenAPI document; the query's otherwise
    #: have their fields' descriptions.
    describe: Mapping[str, str | None] = field(default_factory=dict)
    #: Makes the response's body from the result.
    shape: Callable[[Any], Any] | None = None
    #: The body may be left out, which then has its defaults.
    optional_body: bool = False
    #: Bodies of other statuses, beyond the common error.
    responses: Mapping[int, type[BaseModel]] = field(default_factory=dict)

    @property
    def in_path(self) -> list[str]:
        return re.findall(r"{(\w+)(?::\w+)?}", self.path)

    @property
    def has_body(self) -> bool:
        return self.method in ("POST", "PUT", "PATCH")


@dataclass(frozen=True, slots=True)
class SocketMessage:
    """The operation as a WebSocket message. What it returns, a payload that knows its `type` or a
    list of them, goes back to the sender; `None` is not answered."""

    type: str
    #: False: its result is for the other doors; the sender hears of it as all windows do.
    is_answered: bool = True


def Get(path: str, **options: Any) -> Route:  # noqa: N802 - reads as the verb it declares
    return Route("GET", path, **options)


def Post(path: str, **options: Any) -> Route:  # noqa: N802
    return Route("POST", path, **options)


def Put(path: str, **options: Any) -> Route:  # noqa: N802
    return Route("PUT", path, **options)


def Patch(path: str, **options: Any) -> Route:  # noqa: N802
    return Route("PATCH", path, **options)


def Delete(path: str, **options: Any) -> Route:  # noqa: N802
    return Route("DELETE", path, **options)


Declaration = McpTool | Route | SocketMessage


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    #: What it does, for people: the function's docstring.
    doc: str | None
    arguments: type[BaseModel]
    result: Any
    #: Called with the service, the arguments, and who asks.
    run: Callable[[Any, Any, Any], Awaitable[Any]]
    #: Who asks is the message that asked, not only its caller.
    takes_message: bool = False
    tools: Sequence[McpTool] = ()
    routes: Sequence[Route] = ()
    messages: Sequence[SocketMessage] = ()
    #: What its caller must hold, whichever door it comes by.
    right: Right = Right.WORK

    @property
    def route(self) -> Route:
        """The first one, which commands ask."""
        return self.routes[0]


def operation(
    *declarations: Declaration, needs: Right | None = None
) -> Callable[[Function], Operation]:
    """Declare a function as an operation, with its names at the doors."""

    def declare(function: Function) -> Operation:
        _service, *taken = [p.annotation for p in inspect.signature(function).parameters.values()]
        arguments = taken.pop(0) if taken and _is_model(taken[0]) else None
        sender = taken.pop(0) if taken and _is_sender(taken[0]) else None
        if taken:
            raise ConfigurationError(
                f"{function.__qualname__} is no operation: after the service it takes a model of "
                "arguments, a Caller (or Incoming), both or neither."
            )
        return Operation(
            function.__name__,
            inspect.cleandoc(function.__doc__) if function.__doc__ else None,
            arguments or NoArguments,
            function.__annotations__.get("return"),
            _adapt(function, arguments is not None, sender is not None),
            takes_message=sender is not None and sender is not Caller,
            tools=[each for each in declarations if isinstance(each, McpTool)],
            routes=[each for each in declarations if isinstance(each, Route)],
            messages=[each for each in declarations if isinstance(each, SocketMessage)],
            right=needs or (Right.READ if _changes_nothing(declarations) else Right.WORK),
        )

    return declare


def _changes_nothing(declarations: Sequence[Declaration]) -> bool:
    tools = [each for each in declarations if isinstance(each, McpTool)]
    if tools:
        return all(tool.read_only for tool in tools)
    return all(isinstance(each, Route) and each.method == "GET" for each in declarations)


def operations_of(module: Any) -> list[Operation]:
    """The operations that a module declares, in its order."""
    return [value for value in vars(module).values() if isinstance(value, Operation)]


@dataclass(frozen=True, slots=True)
class Bound:
    """Operations with the service that answers them."""

    service: Any
    operations: Sequence[Operation]
    #: Awaited before a tool runs, with the tool's name: a room that logs its calls.
    before_tool: Callable[[str, Caller], Awaitable[None]] | None = None

    def tools(self) -> list[Tool[Any]]:
        return [self._tool(each, tool) for each in self.operations for tool in each.tools]

    def _tool(self, operation: Operation, tool: McpTool) -> Tool[Any]:
        async def run(arguments: BaseModel, caller: Caller) -> Any:
            if self.before_tool is not None:
                await self.before_tool(tool.name, caller)
            if tool.arguments is not None:
                arguments = widen(arguments, operation.arguments)
            result = await operation.run(self.service, arguments, caller)
            return tool.shape(result) if tool.shape is not None else result

        return Tool(
            tool.name,
            tool.description,
            tool.arguments or operation.arguments,
            run,
            read_only=tool.read_only,
            asking=tool.asking(self.service) if tool.asking is not None else None,
            needs=operation.right,
        )

    def messages(self) -> list[Message[Any]]:
        return [self._message(each, said) for each in self.operations for said in each.messages]

    def _message(self, operation: Operation, message: SocketMessage) -> Message[Any]:
        async def handle(incoming: Incoming[Any]) -> None:
            sender = incoming if operation.takes_message else incoming.connection.caller
            result = await operation.run(self.service, incoming.payload, sender)
            for reply in result if isinstance(result, list) else [result]:
                if reply is not None and message.is_answered:
                    incoming.reply(reply.type, reply)

        return Message(message.type, operation.arguments, handle, operation.right)


def widen(arguments: BaseModel, model: type[BaseModel]) -> BaseModel:
    """The same arguments as an instance of a subclass, whose own fields have their defaults."""
    return model.model_construct(set(arguments.model_fields_set), **dict(arguments))


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _is_sender(annotation: Any) -> bool:
    return annotation is Caller or (get_origin(annotation) or annotation) is Incoming


def _adapt(function: Function, takes_arguments: bool, takes_sender: bool) -> Function:
    """The function, called with service, arguments and sender whichever of them it takes."""
    if takes_arguments and takes_sender:
        return function
    if takes_arguments:
        return lambda service, arguments, _sender: function(service, arguments)
    if takes_sender:
        return lambda service, _arguments, sender: function(service, sender)
    return lambda service, _arguments, _sender: function(service)


def bounded(least: int, most: int) -> AfterValidator:
    def check(value: Sized) -> Sized:
        if not least <= len(value) <= most:
            raise ValueError(f"it has a length of {len(value)}; {least} to {most} are taken")
        return value

    return AfterValidator(check)


def between(least: float, most: float) -> AfterValidator:
    def check(value: float) -> float:
        if not least <= value <= most:
            raise ValueError(f"{least} to {most} are taken")
        return value

    return AfterValidator(check)


def shaped(pattern: str, like: str) -> AfterValidator:
    shape = re.compile(pattern)

    def check(value: str) -> str:
        if not shape.fullmatch(value):
            raise ValueError(f"it should look like {like}")
        return value

    return AfterValidator(check)


def in_utc(moment: datetime) -> datetime:
    """Without an offset it is UTC already."""
    # Some offsets push the first and last days of the calendar over its edge.
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError:
        raise ValueError("it is outside the calendar; use a year from 2 to 9998") from None


#: A time that somebody gives us.
Instant = Annotated[datetime, AfterValidator(in_utc)]
#: What an integer column holds.
Count = Annotated[int, Field(ge=0, lt=2**31)]


def completions(typed: str, values: Iterable[str]) -> list[str]:
    """The values that begin with what was typed, in any case; then those that contain it."""
    wanted = typed.casefold()
    first: list[str] = []
    later: list[str] = []
    for value in dict.fromkeys(values):
        folded = value.casefold()
        if folded.startswith(wanted):
            first.append(value)
        elif wanted in folded:
            later.append(value)
    return first + later
