"""Who has the floor: an agent with its hooks, tools, model and limits, each resolved for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bottega.assistant.hooks.hook import Hook, Point, Revision
from bottega.assistant.loop.limits import Watch
from bottega.assistant.loop.parts import AgentTool, RunHooks, Subject
from bottega.assistant.loop.turn import Turn
from bottega.assistant.plugins.definition import AgentDefinition
from bottega.core.budgets import Budget

if TYPE_CHECKING:
    from pydantic_ai.models import Model


@dataclass(slots=True)
class Floor:
    agent: AgentDefinition
    budget: Budget
    watch: Watch
    hooks: Sequence[Hook]
    hook_runner: RunHooks
    output_schema: Mapping[str, Any] | None
    #: The rest is there once preLoop hooks have had their say.
    model: "Model | None" = None
    instructions: str = ""
    tools: Sequence[AgentTool] = ()

    @property
    def tool_names(self) -> frozenset[str]:
        return frozenset(tool.name for tool in self.tools)

    async def run_hooks(
        self, point: Point, turn: Turn, subject: Subject | None = None
    ) -> Revision | None:
        if not self.hooks:
            return None
        return await self.hook_runner(point, self.hooks, turn, subject)
