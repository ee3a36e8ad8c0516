"""One leg of the loop: the model and its tools in turn, until a final text or a handoff.

Pydantic AI's agent does the turning. Limits are looked at between its nodes, hooks are called
through its capabilities (`bridge.py`). Importing this imports it.
"""

from collections.abc import Sequence
from typing import Any

from pydantic_ai import Agent, CallToolsNode, ModelRequestNode, ModelRetry
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.settings import ModelSettings
from pydantic_graph import End

from bottega.assistant.hooks.hook import Transfer
from bottega.assistant.loop.bridge import Bridge
from bottega.assistant.loop.durable import UNCOUNTED, DurableToolset
from bottega.assistant.loop.ending import Final
from bottega.assistant.loop.floor import Floor
from bottega.assistant.loop.handoffs import Switchboard
from bottega.assistant.loop.history import settle
from bottega.assistant.loop.limits import LoopStop
from bottega.assistant.loop.structured import misfit, misfit_of_text, output_type
from bottega.assistant.loop.turn import Turn
from bottega.assistant.orders import LoopStatus

#: How often an answer outside the schema, or an empty one, is asked for again.
OUTPUT_RETRIES = 1


class Leg:
    def __init__(
        self,
        turn: Turn,
        floor: Floor,
        messages: Sequence[ModelMessage],
        *,
        may_use_tools: bool = True,
    ) -> None:
        self._floor = floor
        self._may_use_tools = may_use_tools
        #: The conversation, with what this leg adds to it; whole also when it is stopped.
        self.messages = list(messages)
        self._agent = _make_agent(turn, floor, may_use_tools=may_use_tools)

    async def run(self, prompt: str, switchboard: Switchboard) -> Final | Transfer:
        with self._agent.parallel_tool_call_execution_mode("sequential"):
            async with self._agent.iter(prompt, message_history=self.messages) as graph:
                node: Any = graph.next_node
                try:
                    while not isinstance(node, End):
                        self._check(node)
                        before, node = node, await graph.next(node)
                        if isinstance(before, CallToolsNode) and isinstance(node, ModelRequestNode):
                            if switchboard.asked is not None:
                                return switchboard.asked
                            self._floor.watch.check_progress()
                    return self._final(node.data.output, graph.all_messages())
                except UnexpectedModelBehavior as error:
                    return self._misfitting(graph.all_messages(), error)
                finally:
                    self.messages = _whole(graph.all_messages(), node)

    def _check(self, node: Any) -> None:
        if isinstance(node, ModelRequestNode):
            self._floor.watch.check_turn(self._floor.budget)
        calls_tools = isinstance(node, CallToolsNode) and bool(node.model_response.tool_calls)
        if calls_tools and not self._may_use_tools:
            raise LoopStop(LoopStatus.NO_PROGRESS, "Asked for a last answer, it called a tool.")

    def _final(self, output: Any, messages: Sequence[ModelMessage]) -> Final:
        if isinstance(output, str):
            return Final(output)
        return Final(_last_text(messages), dict(output))

    def _misfitting(self, messages: Sequence[ModelMessage], error: Exception) -> Final:
        text, schema = _last_text(messages), self._floor.output_schema
        if schema is None or not text:
            raise LoopStop(LoopStatus.NO_PROGRESS, f"The model gave no answer: {error}") from error
        return Final(text, remark=misfit_of_text(schema, text))


def _make_agent(turn: Turn, floor: Floor, *, may_use_tools: bool) -> Agent[None, Any]:
    assert floor.model is not None, "the floor is prepared before its first leg"
    agent: Agent[None, Any] = Agent(
        floor.model,
        name=floor.agent.name,
        output_type=output_type(floor.model, floor.output_schema),
        instructions=floor.instructions,
        toolsets=[DurableToolset(floor.tools, turn.steps, turn.core.traces)],
        capabilities=[Bridge(turn, floor)],
        retries={"tools": UNCOUNTED, "output": OUTPUT_RETRIES},
        model_settings=None if may_use_tools else ModelSettings(tool_choice="none"),
    )
    if (schema := floor.output_schema) is not None:

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
