"""A model that answers in the process, from a script.

model = ScriptedModel(ToolUse("search", {"query": "lock"}), Verdict(stuck=True))
gateway = Gateway(ScriptedModels(model), ledger)
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

from pydantic import BaseModel
from pydantic_ai.messages import FinishReason, ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model, StreamedResponse
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from bottega.core.llm.providers import Access, ModelName, Models, choose
from bottega.core.llm.testing.replies import ToolUse

#: An answer, a call of a tool, a whole response, or an error to raise.
Step: TypeAlias = str | BaseModel | ToolUse | ModelResponse | Exception


class StreamedModel(FunctionModel):
    """Ends a function's stream as a provider ends one: with the reason."""

    finish_reason: FinishReason = "stop"

    @asynccontextmanager
    async def request_stream(self, *asked: Any, **more: Any) -> AsyncGenerator[StreamedResponse]:
        async with super().request_stream(*asked, **more) as stream:
            stream.finish_reason = self.finish_reason
            yield stream


class ScriptedModel(StreamedModel):
    def __init__(self, *steps: Step) -> None:
        super().__init__(self._respond, stream_function=self._stream, model_name="scripted")
        self._steps = list(steps)
        #: What it was asked, in order.
        self.conversations: list[list[ModelMessage]] = []

    async def _respond(self, messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        response = self._response(self._next(messages))
        fitting: FinishReason = "tool_call" if response.tool_calls else "stop"
        self.finish_reason = response.finish_reason or fitting
        return response

    def _response(self, step: str | BaseModel | ToolUse | ModelResponse) -> ModelResponse:
        if isinstance(step, ModelResponse):
            return step
        if isinstance(step, ToolUse):
            return ModelResponse(parts=[ToolCallPart(step.name, dict(step.arguments))])
        return ModelResponse(parts=[TextPart(_text(step))])

    async def _stream(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        response = await self._respond(messages, info)
        for index, part in enumerate(response.parts):
            if isinstance(part, ToolCallPart):
                yield {index: DeltaToolCall(part.tool_name, part.args_as_json_str())}
            elif isinstance(part, TextPart):
                for word in re.findall(r"\s*\S+|\s+$", part.content):
                    yield word

    def _next(self, messages: list[ModelMessage]) -> str | BaseModel | ToolUse | ModelResponse:
        self.conversations.append(list(messages))
        if not self._steps:
            raise AssertionError(f"The script has no step for call {len(self.conversations)}.")
        step = self._steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step


class ScriptedModels(Models):
    """The scripted model in place of every other, priced as Anthropic's defaults."""

    def __init__(self, model: Model) -> None:
        access = Access(anthropic_key="scripted")
        super().__init__(choose("anthropic", access), access)
        self._model = model

    async def named(self, name: ModelName) -> Model:
        return self._model


def _text(step: str | BaseModel) -> str:
    return step if isinstance(step, str) else step.model_dump_json()
