"""What can be asked of hooks: which of them run at which points of an agent's turns."""

import asyncio
import sys
from typing import TYPE_CHECKING, Self

from pydantic import BaseModel

from bottega.assistant.sessions.schemas import Point
from bottega.core.operations import Get, operation

if TYPE_CHECKING:
    from bottega.assistant.plugins.definition import AgentDefinition
    from bottega.assistant.service import Assistant


class LoopHookView(BaseModel):
    name: str
    #: What it does, in a sentence.
    about: str
    points: list[Point]

    @classmethod
    def named(cls, name: str) -> Self:
        from bottega.assistant.hooks.registry import shipped_hook
        from bottega.assistant.loop.hooks import points_of

        kind = shipped_hook(name)
        about = (sys.modules[kind.__module__].__doc__ or "").partition("\n")[0]
        return cls(name=name, about=about, points=points_of(kind))


class HookedAgentView(BaseModel):
    name: str
    description: str
    #: In the order in which they run.
    hooks: list[LoopHookView]

    @classmethod
    def of(cls, agent: "AgentDefinition") -> Self:
        hooks = [LoopHookView.named(name) for name in agent.meta.hooks]
        return cls(name=agent.name, description=agent.meta.description, hooks=hooks)


class HookedAgentList(BaseModel):
    #: All that there are, in the order in which a turn comes to them.
    points: list[Point] = list(Point)
    agents: list[HookedAgentView]


class PluginRequest(BaseModel):
    plugin: str


@operation(Get("/assistant/plugins/{plugin}/agents"))
async def list_agents(assistant: "Assistant", asked: PluginRequest) -> HookedAgentList:
    """Its agents, and which hooks run at which points of their turns."""
    found = await assistant.plugin(asked.plugin)

    def read() -> list[HookedAgentView]:
        return [HookedAgentView.of(agent) for agent in found.agents.values()]

    return HookedAgentList(agents=await asyncio.to_thread(read))
