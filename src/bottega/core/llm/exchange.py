"""One exchange with a model: a task's request out, a checked reply back.

Importing this imports Pydantic AI: only the gateway does, when a model is first called.
"""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any, Generic

from pydantic import BaseModel, ValidationError
from pydantic_ai import exceptions as ai
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponseStreamEvent,
    NativeToolCallPart,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles.anthropic import ANTHROPIC_THINKING_BUDGET_MAP
from pydantic_ai.settings import ModelSettings

from bottega.core.llm import connectors, failures
from bottega.core.llm.connectors import Connector
from bottega.core.llm.providers import ModelName, Provider
from bottega.core.llm.tasks import Out, Source, Task, Usage
from bottega.errors import ApiMaxTokensError, ModelError

#: How often a provider may pause a long turn of its own tools before we stop going on with it.
MOST_PAUSES = 10


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
            native = connectors.native_tools(tools, model)
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
                            if text := _text_of(event):
                                yield text
                    finally:
                        # Also when the listener left: what came was paid for.
                        self._messages.append(events.get())

    @property
    def usage(self) -> Usage:
        tokens = Usage()
        for reply in self._replies:
            tokens += Usage(reply.usage.input_tokens, reply.usage.output_tokens)
        return tokens

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(source for reply in self._replies for source in connectors.sources(reply))

    def output(self) -> Out:
        """The checked answer; a refusal or a cut-off raises (FR-089, FR-090)."""
        last = self._replies[-1]
        if last.finish_reason == "content_filter":
            raise failures.refused(last, self._name, self._task.name)
        if last.finish_reason == "length":
            raise ApiMaxTokensError(
                f"{self._name.id} was cut off in {self._task.name} after "
                f"{last.usage.output_tokens} of at most {self._max_tokens} tokens. "
                "Ask for less, or raise max_tokens.",
                provider=self._name.provider.value,
                model=self._name.id,
                max_tokens=self._max_tokens,
            )
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


def _text_of(event: ModelResponseStreamEvent) -> str:
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _without_fence(text: str) -> str:
    """A model that is only told the schema likes to wrap its JSON in a code fence."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text
