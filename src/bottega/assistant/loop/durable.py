"""A model and a toolset whose every call is one durable step.

What is inside a step happens once: the model is asked and paid, the tool does what it does. What is
around them (hooks, limits, the agent's own graph) runs again on a replay and comes to the same.

Importing this imports Pydantic AI.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from opentelemetry.trace import get_current_span
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelRetry
from pydantic_ai.messages import (
    INVALID_JSON_KEY,
    ModelMessage,
    ModelResponse,
)
from pydantic_ai.models import (
    CompletedStreamedResponse,
    Model,
    ModelRequestParameters,
    StreamedResponse,
)
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema, to_jsonable_python

from bottega.assistant.loop.hooks import AgentTool, HookAbort
from bottega.assistant.loop.limits import LoopStop
from bottega.assistant.loop.turn import Steps
from bottega.core.llm.exchange import text_of
from bottega.core.text.words import excerpt_json, shorten
from bottega.core.traces import SpanKind, Traces
from bottega.errors import BottegaError, BudgetExceeded

log = structlog.get_logger()

#: Of a tool's arguments and result, what its span keeps; the whole is in the turn's events.
LONGEST_TRACED, MOST_TRACED = 500, 20
#: Pydantic AI's own counts must never end a loop: ours do.
UNCOUNTED = 1_000_000
#: Tools check their arguments themselves; here they need only be an object.
_ANY_OBJECT = SchemaValidator(
    core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())
)


class DurableModel(WrapperModel):
    def __init__(
        self,
        wrapped: Model,
        steps: Steps,
        name: str,
        tell: Callable[[str], None],
        *,
        offline_in: Traces | None = None,
    ) -> None:
        """`tell` hears the text as it is written. A model that is none (`offline_in`) has no meter
        that would trace it, and says all at once."""
        super().__init__(wrapped)
        self._steps = steps
        self._name = name
        self._tell = tell
        self._traces = offline_in

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        async def ask() -> ModelResponse:
            asked = messages, model_settings, model_request_parameters
            reply = await (self._listen(*asked) if self._traces is None else self._work_out(*asked))
            _trace(reply)
            return reply

        return await self._steps.step(self._name, ask)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """For whoever wants a stream: of what the step has come to, piece by piece."""
        reply = await self.request(messages, model_settings, model_request_parameters)
        yield CompletedStreamedResponse(
            reply, model_request_parameters=model_request_parameters, replay_events=True
        )

    async def _listen(
        self,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> ModelResponse:
        async with self.wrapped.request_stream(messages, settings, parameters) as stream:
            async for event in stream:
                if text := text_of(event):
                    self._tell(text)
        return stream.get()

    async def _work_out(
        self,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> ModelResponse:
        assert self._traces is not None
        attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": self.model_name}
        with self._traces.span("chat offline", SpanKind.MODEL, attributes=attributes):
            reply = await self.wrapped.request(messages, settings, parameters)
        self._tell(reply.text or "")
        return reply


@dataclass(frozen=True, slots=True)
class Failure:
    """What a failed tool says to the model."""

    text: str


class DurableToolset(AbstractToolset[None]):
    def __init__(self, tools: Sequence[AgentTool], steps: Steps, traces: Traces) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._steps = steps
        self._traces = traces
        # Once: the agent asks before each of its turns, and schemas take their time.
        self._offered = {tool.name: self._offer(tool) for tool in tools}

    @property
    def id(self) -> str:
        return "assistant"

    async def get_tools(self, ctx: RunContext[None]) -> dict[str, ToolsetTool[None]]:
        return self._offered

    def _offer(self, tool: AgentTool) -> ToolsetTool[None]:
        return ToolsetTool(
            toolset=self,
            tool_def=ToolDefinition(
                name=tool.name,
                description=tool.description,
                parameters_json_schema=dict(tool.schema),
                # In order, one by one: steps are known again by their order.
                sequential=True,
            ),
            max_retries=UNCOUNTED,
            args_validator=_ANY_OBJECT,
        )

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[None], tool: ToolsetTool[None]
    ) -> Any:
        """The tool's result, or a `Failure`: an error is for the model to think about."""
        called = self._tools[name]
        if INVALID_JSON_KEY in tool_args:
            return Failure(f"The arguments of {name} are not a JSON object. Send them again.")

        async def call() -> Any:
            attributes = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
                "gen_ai.tool.call.id": ctx.tool_call_id or "",
                "gen_ai.tool.call.arguments": excerpt_json(tool_args, LONGEST_TRACED, MOST_TRACED),
            }
            with self._traces.span(f"tool {name}", SpanKind.TOOL, attributes=attributes) as span:
                result = to_jsonable_python(await called.run(tool_args), fallback=str)
                shown = result if isinstance(result, str) else str(result)
                span.set_attribute("gen_ai.tool.call.result", shorten(shown, LONGEST_TRACED))
                return result

        try:
            return await (self._steps.step(f"tool {name}", call) if called.in_step else call())
        except (HookAbort, LoopStop, BudgetExceeded):
            raise
        except (
            Exception
        ) as error:  # the edge of a tool: whatever went wrong there, the loop goes on
            return Failure(_told(error))


def _told(error: Exception) -> str:
    if isinstance(error, BottegaError | ModelRetry):
        return error.message
    log.warning("tool.failed", error=str(error), exc_info=error)
    return f"{type(error).__name__}: {error}"


def _trace(reply: ModelResponse) -> None:
    span = get_current_span()
    attributes: Mapping[str, Any] = {
        "gen_ai.response.finish_reasons": [reply.finish_reason or "unknown"],
        "gen_ai.usage.input_tokens": reply.usage.input_tokens,
        "gen_ai.usage.output_tokens": reply.usage.output_tokens,
    }
    span.set_attributes(attributes)
