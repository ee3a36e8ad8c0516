"""One exchange with a model: a task's request out, a checked reply back.

Importing this imports Pydantic AI: only the gateway does, when a model is first called.
"""

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any, Generic, TypeAlias

from pydantic import BaseModel, ValidationError
from pydantic_ai import exceptions as ai
from pydantic_ai.messages import (
    AgentStreamEvent,
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.native_tools import (
    AbstractNativeTool,
    CodeExecutionTool,
    WebFetchTool,
    WebSearchTool,
)
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles.anthropic import ANTHROPIC_THINKING_BUDGET_MAP
from pydantic_ai.settings import ModelSettings

from bottega.core.llm import failures
from bottega.core.llm.providers import ModelName, Provider
from bottega.core.llm.tasks import Out, Source, Task, Usage
from bottega.errors import InvalidInput, ModelError

#: How often a provider may pause a long turn of its own tools before we stop going on with it.
MOST_PAUSES = 10


#: A tool that the provider runs itself, such as web search (D83): in the Messages API's shape,
#: `{"type": "web_search_20250305", "name": "web_search"}`, or Pydantic AI's own.
Connector: TypeAlias = Mapping[str, Any] | AbstractNativeTool

KINDS: dict[str, type[AbstractNativeTool]] = {
    "web_search": WebSearchTool,
    "web_fetch": WebFetchTool,
    "code_execution": CodeExecutionTool,
}


def native_tools(connectors: Sequence[Connector], model: Model) -> list[AbstractNativeTool]:
    """The tools that the model can have.

    One that it lacks is left out if it is optional, as all in the wire's shape are: the model then
    answers from what it knows, and `Answer.sources` is empty.
    """
    tools = [
        tool if isinstance(tool, AbstractNativeTool) else _from_wire(tool) for tool in connectors
    ]
    supported = model.profile.get("supported_native_tools", frozenset())
    return [tool for tool in tools if type(tool) in supported or not tool.optional]


def _from_wire(tool: Mapping[str, Any]) -> AbstractNativeTool:
    name = str(tool.get("name"))
    kind = KINDS.get(name)
    if kind is None or not str(tool.get("type")).startswith(name):
        raise InvalidInput(f"{dict(tool)} is no connector tool. Use one of: {', '.join(KINDS)}.")
    options = {key: value for key, value in tool.items() if key not in ("type", "name")}
    try:
        return kind(optional=True, **options)
    except TypeError as error:
        raise InvalidInput(f"{dict(tool)}: {error}") from None


def sources_of(response: ModelResponse) -> list[Source]:
    """The pages that searches returned, in order."""
    found: list[Source] = []
    for part in response.parts:
        if isinstance(part, NativeToolReturnPart) and isinstance(part.content, list):
            found += [
                Source(url=item["url"], title=item.get("title") or "")
                for item in part.content
                if isinstance(item, dict) and "url" in item
            ]
    return found


class Exchange(Generic[Out]):
    def __init__(
        self,
        model: Model,
        name: ModelName,
        task: Task[Any, Out],
        prompt: str,
        *,
        max_tokens: int,
        tools: Sequence[Connector] = (),
    ) -> None:
        self._model = model
        self._name = name
        self._task = task
        self._max_tokens = max_tokens
        self._settings = _settings(model, name, task, max_tokens)
        self._parameters = _parameters(task, bool(model.profile.get("supports_json_schema_output")))
        if tools:
            native = native_tools(tools, model)
            self._parameters = replace(self._parameters, native_tools=native)
        self._messages: list[ModelMessage] = [
            ModelRequest.user_text_prompt(prompt, instructions=task.instructions)
        ]

    async def send(self) -> None:
        """Ask, and go on for as long as the provider pauses to work with its own tools."""
        with self._explained():
            while self._is_unfinished():
                self._messages.append(
                    await self._model.request(self._messages, self._settings, self._parameters)
                )

    async def stream(self) -> AsyncGenerator[str, None]:
        """Ask, and give the reply's text as it comes."""
        with self._explained():
            while self._is_unfinished():
                async with self._model.request_stream(
                    self._messages, self._settings, self._parameters
                ) as events:
                    try:
                        async for event in events:
                            if text := text_of(event):
                                yield text
                    finally:
                        # Also when the listener left: what came was paid for.
                        self._messages.append(events.get())
            if self._replies[-1].finish_reason is None:
                raise failures.broken_off(self._name, self._task.name)

    @property
    def usage(self) -> Usage:
        tokens = Usage()
        for reply in self._replies:
            tokens += Usage(reply.usage.input_tokens, reply.usage.output_tokens)
        return tokens

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(source for reply in self._replies for source in sources_of(reply))

    def output(self) -> Out:
        """The checked answer; a refusal or a cut-off raises (FR-089, FR-090)."""
        last = self._replies[-1]
        if last.finish_reason == "content_filter":
            raise failures.refused(last, self._name, self._task.name)
        if last.finish_reason == "length":
            raise failures.cut_off(last, self._name, self._task.name, self._max_tokens)
        return self._parse(_final_text(last))

    def _parse(self, text: str) -> Out:
        kind = self._task.output
        if not issubclass(kind, BaseModel):
            return kind(text)
        if self._parameters.output_mode == "prompted":
            text = _without_fence(text)
        try:
            return kind.model_validate_json(text)
        except ValidationError as error:
            raise failures.outside_schema(error, self._name) from error

    @property
    def _replies(self) -> list[ModelResponse]:
        return [message for message in self._messages if isinstance(message, ModelResponse)]

    def _is_unfinished(self) -> bool:
        replies = self._replies
        if len(replies) > MOST_PAUSES:
            raise ModelError(
                f"{self._name.id} paused {self._task.name} more than {MOST_PAUSES} times for its "
                "own tools. Ask for less, or limit the tools with max_uses.",
                retryable=False,
            )
        return not replies or replies[-1].state == "suspended"

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (ai.AgentRunError, ai.UserError) as error:
            raise failures.explain(error, self._name) from error


def _settings(
    model: Model, name: ModelName, task: Task[Any, Any], max_tokens: int
) -> ModelSettings:
    settings = ModelSettings(max_tokens=max_tokens)
    if task.thinking is not None and model.profile.get("supports_thinking"):
        settings["thinking"] = task.thinking
        adaptive = model.profile.get("anthropic_supports_adaptive_thinking")
        if name.provider is Provider.ANTHROPIC and not adaptive:
            # These models take thinking out of max_tokens, which here means the answer's.
            settings["max_tokens"] = max_tokens + ANTHROPIC_THINKING_BUDGET_MAP[task.thinking]
    return settings


@lru_cache(maxsize=1024)
def _parameters(task: Task[Any, Any], has_native_output: bool) -> ModelRequestParameters:
    """Built once a task: the same schema each time also hits the provider's own cache (EC-43)."""
    instructions = [InstructionPart(content=task.instructions)]
    if not issubclass(task.output, BaseModel):
        return ModelRequestParameters(instruction_parts=instructions)
    schema = task.output.model_json_schema()
    schema.pop("title", None)
    return ModelRequestParameters(
        instruction_parts=instructions,
        output_mode="native" if has_native_output else "prompted",
        output_object=OutputObjectDefinition(
            name=task.output.__name__,
            description=schema.pop("description", None),
            json_schema=schema,
            strict=True if has_native_output else None,
        ),
    )


def _final_text(reply: ModelResponse) -> str:
    """The text after the last use of a tool; what a model says before one is thinking aloud."""
    text: list[str] = []
    for part in reply.parts:
        if isinstance(part, TextPart):
            text.append(part.content)
        elif isinstance(part, NativeToolCallPart):
            text.clear()
    return "".join(text)


def text_of(event: AgentStreamEvent) -> str:
    """What a piece of a streamed reply adds to its text."""
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _without_fence(text: str) -> str:
    """A model that is only told the schema likes to wrap its JSON in a code fence."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text
