"""`spawn_subagent`: another agent does a piece of work by itself, and brings back a summary.

It sees the workspace and the memory, and nothing of the conversation. It can neither spawn nor hand
over, has its own turns, and spends from what remains of its parent's budget.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import Field

from bottega.assistant.loop.steps import PaidSteps
from bottega.assistant.loop.turn import LoopContext, LoopOutcome, Turn
from bottega.assistant.plugins.definition import AgentDefinition
from bottega.conversation.tools import Arguments, BuiltTool
from bottega.core.llm.costs import Budget
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


class SpawnArguments(Arguments):
    agent: str = Field(max_length=64)
    task: str = Field(
        min_length=1,
        max_length=20_000,
        description="all that it needs to know: it sees nothing of this conversation",
    )


Spawn = Callable[[AgentDefinition, str], Awaitable[dict[str, Any]]]


def subagent_tool(agents: Mapping[str, AgentDefinition], spawn: Spawn) -> BuiltTool[SpawnArguments]:
    async def act(asked: SpawnArguments) -> dict[str, Any]:
        agent = agents.get(asked.agent)
        if agent is None:
            raise InvalidInput(
                f"There is no agent {asked.agent!r} to spawn. There are: "
                f"{', '.join(sorted(agents))}."
            )
        return await spawn(agent, asked.task)

    known = "; ".join(f"{name}: {agent.meta.description}" for name, agent in agents.items())
    return BuiltTool(
        NAME,
        f"Have another agent do a piece of work and bring back a summary. Agents: {known}",
        SpawnArguments,
        act,
        # Its model calls and tools are steps of their own.
        in_step=False,
        choices={"agent": sorted(agents)},
    )


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


def report(agent: AgentDefinition, outcome: LoopOutcome, child: Turn) -> dict[str, Any]:
    """What the parent's model reads."""
    output = outcome.output or {}
    told: dict[str, Any] = {
        "agent": agent.name,
        "status": outcome.status.value,
        "summary": outcome.text,
        "decisions": [],
        "constraints": [],
        "turns": child.context.summary.turns,
    }
    if agent.meta.output_schema is None and "summary" in output:
        told |= {key: output[key] for key in ("summary", "decisions", "constraints")}
    elif output:
        told["summary"] = json.dumps(output, ensure_ascii=False)
    if outcome.reason is not None:
        told["reason"] = outcome.reason
    return told
