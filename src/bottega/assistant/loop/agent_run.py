"""One run of an agent: the model and its tools in turn, until a final text or a handoff.

Pydantic AI's agent does the turning. Limits are checked between its nodes, hooks are called through
a capability of it. Importing this imports it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_ai import (
    Agent,
    CallToolsNode,
    ModelRequestNode,
    NativeOutput,
    PromptedOutput,
    RunContext,
    StructuredDict,
)
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ModelRetry, ToolFailed, UnexpectedModelBehavior
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.output import OutputSpec
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_graph import End

from bottega.assistant.loop.durable import UNCOUNTED, DurableToolset, Failure
from bottega.assistant.loop.hooks import AgentTool, Hook, HookSubject, Revision, ToolUse, run_hooks
from bottega.assistant.loop.limits import LimitGuard, LoopStop
from bottega.assistant.loop.turn import FinalAnswer, ToolCallRecord, Turn
from bottega.assistant.plugins.definition import AgentDefinition
from bottega.assistant.sessions.schemas import LoopStatus, Point
from bottega.conversation.messages import settle
from bottega.conversation.tools import Handoff, PendingHandoff
from bottega.core.llm.costs import Budget

#: Characters of a tool's result that are told of; the trace has all of it.
LONGEST_RESULT = 4_000


@dataclass(slots=True)
class ActiveAgent:
    """An agent with the hooks, tools, model and limits resolved for it."""

    agent: AgentDefinition
    budget: Budget
    guard: LimitGuard
    hooks: Sequence[Hook]
    output_schema: Mapping[str, Any] | None
    #: The rest is there once preLoop hooks have had their say.
    model: Model | None = None
    instructions: str = ""
    tools: Sequence[AgentTool] = ()

    @property
    def tool_names(self) -> frozenset[str]:
        return frozenset(tool.name for tool in self.tools)

    async def run_hooks(
        self, point: Point, turn: Turn, subject: HookSubject | None = None
    ) -> Revision | None:
        return await run_hooks(point, self.hooks, turn, subject)


class LoopCapability(AbstractCapability[None]):
    """Calls the hooks and counts for the limits, around every model request and tool call."""

    def __init__(self, turn: Turn, active: ActiveAgent) -> None:
        self._turn = turn
        self._active = active
        self._spent_before = 0.0

    @classmethod
    def get_serialization_name(cls) -> str | None:
        return None

    async def before_model_request(
        self, ctx: RunContext[None], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        self._turn.context.history = list(request_context.messages)
        self._spent_before = self._active.budget.spent
        await self._active.run_hooks(Point.PRE_MODEL, self._turn)
        return request_context

    async def after_model_request(
        self,
        ctx: RunContext[None],
        *,
        request_context: ModelRequestContext,
        response: ModelResponse,
    ) -> ModelResponse:
        turn, guard = self._turn, self._active.guard
        cost = self._active.budget.spent - self._spent_before
        calls = guard.count_reply(response, cost)
        turn.context.history.append(response)
        await turn.steps.emit("model_turn", self._told(response, calls, cost))
        for call in calls:
            if call.name not in self._active.tool_names:
                # Pydantic AI tells the model so by itself, and asks nobody first.
                guard.settle(call.id, failed=True)
                await self._tell_call(call)
        await self._active.run_hooks(Point.POST_MODEL, turn)
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
        await self._tell_call(self._active.guard.settle(call.tool_call_id, failed=True))
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
        await self._active.run_hooks(Point.PRE_TOOL, self._turn, use)
        result = await handler(use.arguments)
        use.failed = isinstance(result, Failure)
        use.result = result.text if isinstance(result, Failure) else result
        settled = self._active.guard.settle(call.tool_call_id, failed=use.failed)
        await self._tell_call(settled, str(use.result)[:LONGEST_RESULT])
        await self._active.run_hooks(Point.POST_TOOL, self._turn, use)
        if use.failed:
            raise ToolFailed(str(use.result))
        return use.result

    def _told(
        self, response: ModelResponse, calls: Sequence[ToolCallRecord], cost: float
    ) -> dict[str, Any]:
        return {
            "agent": self._active.agent.name,
            "turn": self._turn.context.summary.turns,
            "input_tokens": response.usage.input_tokens,
            "output_tokens": response.usage.output_tokens,
            "cost": cost,
            "stop_reason": response.finish_reason,
            "text": response.text or "",
            "tool_calls": [{"id": call.id, "name": call.name} for call in calls],
        }

    async def _tell_call(self, call: ToolCallRecord, result: str | None = None) -> None:
        told = {"agent": self._active.agent.name, **asdict(call), "result": result}
        await self._turn.steps.emit("tool_call", told)


#: How often an answer outside the schema, or an empty one, is asked for again.
OUTPUT_RETRIES = 1


def output_type(model: Model, schema: Mapping[str, Any] | None) -> OutputSpec[Any]:
    if schema is None:
        return str
    shape = StructuredDict(dict(schema), name="answer")
    if model.profile.get("supports_json_schema_output"):
        return NativeOutput(shape)
    return PromptedOutput(shape)


def misfit(schema: Mapping[str, Any], value: object) -> str | None:
    """How the value fails the schema, in words for the model; `None` if it fits."""
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
    from jsonschema.exceptions import best_match  # type: ignore[import-untyped]

    error = best_match(Draft202012Validator(schema).iter_errors(value))
    if error is None:
        return None
    place = "".join(f"[{step!r}]" for step in error.absolute_path) or "the answer"
    return f"It does not fit the outputSchema at {place}: {error.message}"


def misfit_of_text(schema: Mapping[str, Any], text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return "It does not fit the outputSchema: it is not even JSON."
    return misfit(schema, value) or "It does not fit the outputSchema."


class AgentRun:
    def __init__(
        self,
        turn: Turn,
        active: ActiveAgent,
        messages: Sequence[ModelMessage],
        *,
        may_use_tools: bool = True,
    ) -> None:
        self._active = active
        self._may_use_tools = may_use_tools
        #: The conversation, with what this run adds to it; whole also when it is stopped.
        self.messages = list(messages)
        self._agent = _make_agent(turn, active, may_use_tools=may_use_tools)

    async def run(self, prompt: str, pending: PendingHandoff) -> FinalAnswer | Handoff:
        with self._agent.parallel_tool_call_execution_mode("sequential"):
            async with self._agent.iter(prompt, message_history=self.messages) as graph:
                node: Any = graph.next_node
                try:
                    while not isinstance(node, End):
                        self._check(node)
                        before, node = node, await graph.next(node)
                        if isinstance(before, CallToolsNode) and isinstance(node, ModelRequestNode):
                            if pending.asked is not None:
                                return pending.asked
                            self._active.guard.check_progress()
                    return self._final(node.data.output, graph.all_messages())
                except UnexpectedModelBehavior as error:
                    return self._misfitting(graph.all_messages(), error)
                finally:
                    self.messages = _whole(graph.all_messages(), node)

    def _check(self, node: Any) -> None:
        if isinstance(node, ModelRequestNode):
            self._active.guard.check_turn(self._active.budget)
        calls_tools = isinstance(node, CallToolsNode) and bool(node.model_response.tool_calls)
        if calls_tools and not self._may_use_tools:
            raise LoopStop(LoopStatus.NO_PROGRESS, "Asked for a last answer, it called a tool.")

    def _final(self, output: Any, messages: Sequence[ModelMessage]) -> FinalAnswer:
        if isinstance(output, str):
            return FinalAnswer(output)
        return FinalAnswer(_last_text(messages), dict(output))

    def _misfitting(self, messages: Sequence[ModelMessage], error: Exception) -> FinalAnswer:
        text, schema = _last_text(messages), self._active.output_schema
        if schema is None or not text:
            raise LoopStop(LoopStatus.NO_PROGRESS, f"The model gave no answer: {error}") from error
        return FinalAnswer(text, remark=misfit_of_text(schema, text))


def _make_agent(turn: Turn, active: ActiveAgent, *, may_use_tools: bool) -> Agent[None, Any]:
    assert active.model is not None, "the agent is prepared before its first run"
    agent: Agent[None, Any] = Agent(
        active.model,
        name=active.agent.name,
        output_type=output_type(active.model, active.output_schema),
        instructions=active.instructions,
        toolsets=[DurableToolset(active.tools, turn.steps, turn.core.traces)],
        capabilities=[LoopCapability(turn, active)],
        retries={"tools": UNCOUNTED, "output": OUTPUT_RETRIES},
        model_settings=None if may_use_tools else ModelSettings(tool_choice="none"),
    )
    if (schema := active.output_schema) is not None:

        @agent.output_validator
        def fit(output: dict[str, Any]) -> dict[str, Any]:
            if wrong := misfit(schema, output):
                raise ModelRetry(wrong)
            return output

    return agent


def _whole(messages: Sequence[ModelMessage], node: Any) -> list[ModelMessage]:
    """With the request that was about to be sent, if the graph has not noted it yet."""
    unsent = node.request if isinstance(node, ModelRequestNode) else None
    if unsent is None or (messages and messages[-1] is unsent):
        return settle(messages)
    return settle([*messages, unsent])


def _last_text(messages: Sequence[ModelMessage]) -> str:
    replies = [message for message in messages if isinstance(message, ModelResponse)]
    return (replies[-1].text or "") if replies else ""
