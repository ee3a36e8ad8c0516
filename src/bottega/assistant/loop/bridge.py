"""Between Pydantic AI's agent and ours: its capability hooks become the loop's points and counts.

Importing this imports Pydantic AI.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pydantic import ValidationError
from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ModelRetry, ToolFailed
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import ToolDefinition

from bottega.assistant.hooks.hook import Point, ToolUse
from bottega.assistant.loop.durable import Failure
from bottega.assistant.loop.floor import Floor
from bottega.assistant.loop.turn import ToolCallRecord, Turn

#: Characters of a tool's result that are told of; the trace has all of it.
LONGEST_RESULT = 4_000


class Bridge(AbstractCapability[None]):
    def __init__(self, turn: Turn, floor: Floor) -> None:
        self._turn = turn
        self._floor = floor
        self._spent_before = 0.0

    @classmethod
    def get_serialization_name(cls) -> str | None:
        return None

    async def before_model_request(
        self, ctx: RunContext[None], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        self._turn.context.history = list(request_context.messages)
        self._spent_before = self._floor.budget.spent
        await self._floor.run_hooks(Point.PRE_MODEL, self._turn)
        return request_context

    async def after_model_request(
        self,
        ctx: RunContext[None],
        *,
        request_context: ModelRequestContext,
        response: ModelResponse,
    ) -> ModelResponse:
        turn, watch = self._turn, self._floor.watch
        cost = self._floor.budget.spent - self._spent_before
        calls = watch.hear(response, cost)
        turn.context.history.append(response)
        await turn.steps.emit("model_turn", self._told(response, calls, cost))
        for call in calls:
            if call.name not in self._floor.tool_names:
                # Pydantic AI tells the model so by itself, and asks nobody first.
                watch.settle(call.id, failed=True)
                await self._tell_call(call)
        await self._floor.run_hooks(Point.POST_MODEL, turn)
        return response

    async def on_tool_validate_error(
        self,
        ctx: RunContext[None],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: str | dict[str, Any],
        error: ValidationError | ModelRetry,
    ) -> dict[str, Any]:
        await self._tell_call(self._floor.watch.settle(call.tool_call_id, failed=True))
        raise error

    async def wrap_tool_execute(
        self,
        ctx: RunContext[None],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: Any,
    ) -> Any:
        use = ToolUse(call.tool_name, args)
        await self._floor.run_hooks(Point.PRE_TOOL, self._turn, use)
        result = await handler(use.arguments)
        use.failed = isinstance(result, Failure)
        use.result = result.text if isinstance(result, Failure) else result
        settled = self._floor.watch.settle(call.tool_call_id, failed=use.failed)
        await self._tell_call(settled, str(use.result)[:LONGEST_RESULT])
        await self._floor.run_hooks(Point.POST_TOOL, self._turn, use)
        if use.failed:
            raise ToolFailed(str(use.result))
        return use.result

    def _told(
        self, response: ModelResponse, calls: Sequence[ToolCallRecord], cost: float
    ) -> dict[str, Any]:
        return {
            "agent": self._floor.agent.name,
            "turn": self._turn.context.summary.turns,
            "input_tokens": response.usage.input_tokens,
            "output_tokens": response.usage.output_tokens,
            "cost": cost,
            "stop_reason": response.finish_reason,
            "text": response.text or "",
            "tool_calls": [{"id": call.id, "name": call.name} for call in calls],
        }

    async def _tell_call(self, call: ToolCallRecord, result: str | None = None) -> None:
        told = {"agent": self._floor.agent.name, **asdict(call), "result": result}
        await self._turn.steps.emit("tool_call", told)
