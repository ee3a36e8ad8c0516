"""`spawn_subagent`: another agent does a piece of work by itself, and brings back a summary.

It sees the workspace and the memory, and nothing of the conversation. It can neither spawn nor hand
over, has its own turns, and spends from what remains of its parent's budget.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bottega.assistant.loop.ending import Ending
from bottega.assistant.loop.steps import PaidSteps
from bottega.assistant.loop.turn import LoopContext, Turn
from bottega.assistant.plugins.definition import AgentDefinition
from bottega.core.budgets import Budget
from bottega.errors import InvalidInput

NAME = "spawn_subagent"

_TEXTS = {"type": "array", "items": {"type": "string"}}
#: What a subagent brings back, unless its own file has an `outputSchema`.
SUMMARY_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "summary": {"type": "string", "description": "the result, whole enough to be used"},
        "decisions": {**_TEXTS, "description": "what was decided on the way"},
        "constraints": {**_TEXTS, "description": "what limited the work or must be respected"},
    },
    "required": ["summary", "decisions", "constraints"],
    "additionalProperties": False,
}


class SpawnArguments(BaseModel):
    model_config = ConfigDict(extra="forbid")

    agent: str = Field(max_length=64)
    task: str = Field(
        min_length=1,
        max_length=20_000,
        description="all that it needs to know: it sees nothing of this conversation",
    )


Spawn = Callable[[AgentDefinition, str], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class SubagentTool:
    agents: Mapping[str, AgentDefinition]
    spawn: Spawn
    name: str = field(default=NAME, init=False)
    #: Its model calls and tools are steps of their own.
    in_step: bool = field(default=False, init=False)

    @property
    def description(self) -> str:
        known = "; ".join(
            f"{name}: {agent.meta.description}" for name, agent in self.agents.items()
        )
        return f"Have another agent do a piece of work and bring back a summary. Agents: {known}"

    @property
    def schema(self) -> Mapping[str, Any]:
        schema = SpawnArguments.model_json_schema()
        schema["properties"]["agent"]["enum"] = sorted(self.agents)
        return schema

    async def run(self, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            asked = SpawnArguments.model_validate(arguments)
        except ValidationError as error:
            raise InvalidInput(f"Say which agent and what task: {error}") from error
        agent = self.agents.get(asked.agent)
        if agent is None:
            raise InvalidInput(
                f"There is no agent {asked.agent!r} to spawn. There are: "
                f"{', '.join(sorted(self.agents))}."
            )
        return await self.spawn(agent, asked.task)


def child_turn(
    turn: Turn, agent: AgentDefinition, task: str, budget: Budget, steps: PaidSteps
) -> Turn:
    """A turn within a turn: the same person and places, another conversation."""
    order = turn.order.model_copy(update={"agent": agent.name, "command": None, "input": task})
    return replace(
        turn,
        order=order,
        agent=agent,
        command=None,
        steps=steps,
        budget=budget,
        context=LoopContext(),
        input=task,
        # What the person put right about the context holds for everybody.
        additions=dict(turn.additions),
        output="",
        decisions=[],
    )


def report(agent: AgentDefinition, ending: Ending, child: Turn) -> dict[str, Any]:
    """What the parent's model reads."""
    output = ending.output or {}
    told: dict[str, Any] = {
        "agent": agent.name,
        "status": ending.status.value,
        "summary": ending.text,
        "decisions": [],
        "constraints": [],
        "turns": child.context.summary.turns,
    }
    if agent.meta.output_schema is None and "summary" in output:
        told |= {key: output[key] for key in ("summary", "decisions", "constraints")}
    elif output:
        told["summary"] = json.dumps(output, ensure_ascii=False)
    if ending.reason is not None:
        told["reason"] = ending.reason
    return told
