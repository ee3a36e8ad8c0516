"""What a scripted provider says, in words that belong to no one provider's wire."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it arrived."""

    method: str
    #: Without the query.
    path: str
    query: str
    headers: Mapping[str, str]
    body: dict[str, Any]


class ToolUse(NamedTuple):
    """A call of one of the client's tools."""

    name: str
    arguments: Mapping[str, Any] = {}


class Tokens(NamedTuple):
    input: int = 10
    output: int = 5


@dataclass(frozen=True, slots=True)
class Reply:
    text: str | None = None
    #: Sent as the text of the answer, for requests with a schema.
    json: Any = None
    tools: tuple[ToolUse, ...] = ()
    #: Pages (url, title) that the provider's own web search found before it answered.
    search: tuple[tuple[str, str], ...] = ()
    #: In Anthropic's words: end_turn, tool_use, max_tokens, refusal, pause_turn. Unset: what fits.
    stop_reason: str | None = None
    usage: Tokens = field(default_factory=Tokens)
    #: 400 and up is an error, whose message is `text`.
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Cut the connection instead of answering.
    disconnect: bool = False
    #: Answer only when this is set.
    hold: asyncio.Event | None = None
    #: Meant only for requests that this accepts.
    when: Callable[[Received], bool] | None = None

    @property
    def is_error(self) -> bool:
        return self.status >= 400

    def pieces(self, text: str) -> list[str]:
        """The text as a stream brings it: a few words at a time."""
        return [text[start : start + 12] for start in range(0, len(text), 12)]


class Wire(Protocol):
    """One provider's way to say it; the modules `anthropic` and `openai` are such."""

    def headers(self) -> dict[str, str]: ...

    def complaint(self, request: Received) -> Reply | None:
        """What the real API would refuse in the request."""
        ...

    def default_reply(self, request: dict[str, Any]) -> Reply: ...

    def body(self, reply: Reply, request: dict[str, Any]) -> dict[str, Any]: ...

    def events(self, reply: Reply, request: dict[str, Any]) -> Iterable[str]:
        """The body as server-sent events, each as its lines."""
        ...

    def error_body(self, reply: Reply) -> dict[str, Any]: ...
