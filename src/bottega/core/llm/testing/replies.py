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


FORMATS = {
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "duration": "PT0S",
    "email": "someone@example.com",
    "uri": "https://example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def example(schema: dict[str, Any], root: dict[str, Any] | None = None) -> Any:
    """The smallest value that a JSON schema allows, for a reply that nobody scripted."""
    root = schema if root is None else root
    if reference := schema.get("$ref"):
        return example(_resolve(reference, root), root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for alternatives in ("anyOf", "oneOf", "allOf"):
        if options := schema.get(alternatives):
            return example(_simplest(options), root)
    kind = schema.get("type", "object" if "properties" in schema else "null")
    return _of_type(kind[0] if isinstance(kind, list) else kind, schema, root)


def _of_type(kind: str, schema: dict[str, Any], root: dict[str, Any]) -> Any:
    match kind:
        case "object":
            properties = schema.get("properties", {})
            return {name: example(properties[name], root) for name in schema.get("required", ())}
        case "array":
            items = schema.get("prefixItems") or [schema.get("items", {})] * schema.get(
                "minItems", 0
            )
            return [example(item, root) for item in items]
        case "string":
            return FORMATS.get(schema.get("format", ""), "x" * schema.get("minLength", 0))
        case "integer" | "number":
            return _number(schema, step=1 if kind == "integer" else 0.5)
        case "boolean":
            return False
        case _:
            return None


def _number(schema: dict[str, Any], step: float) -> float:
    if "minimum" in schema:
        return float(schema["minimum"]) if step < 1 else int(schema["minimum"])
    if "exclusiveMinimum" in schema:
        return schema["exclusiveMinimum"] + step  # type: ignore[no-any-return]
    return min(0, schema.get("maximum", 0), schema.get("exclusiveMaximum", 1) - step)  # type: ignore[no-any-return]


def _simplest(options: list[dict[str, Any]]) -> dict[str, Any]:
    return next((option for option in options if option.get("type") == "null"), options[0])


def _resolve(reference: str, root: dict[str, Any]) -> dict[str, Any]:
    node: Any = root
    for step in reference.removeprefix("#/").split("/"):
        node = node[step]
    return node  # type: ignore[no-any-return]
