"""What plugins are made of: their commands, and the hooks that watch over their agents."""

import asyncio
import sys

from fastapi import APIRouter
from pydantic import BaseModel

from bottega.assistant.desk import Desk
from bottega.assistant.hooks.hook import Point
from bottega.assistant.hooks.lifecycle import points_of
from bottega.assistant.hooks.registry import shipped_hook
from bottega.assistant.plugins.definition import AgentDefinition
from bottega.assistant.plugins.loading import plugin_folders
from bottega.assistant.views import PluginView
from bottega.core.callers import CurrentCaller


class PluginList(BaseModel):
    plugins: list[PluginView]


class LoopHookView(BaseModel):
    name: str
    #: What it does, in a sentence.
    about: str
    points: list[Point]

    @classmethod
    def named(cls, name: str) -> "LoopHookView":
        kind = shipped_hook(name)
        about = (sys.modules[kind.__module__].__doc__ or "").partition("\n")[0]
        return cls(name=name, about=about, points=points_of(kind))


class HookedAgentView(BaseModel):
    name: str
    description: str
    #: In the order in which they run.
    hooks: list[LoopHookView]

    @classmethod
    def of(cls, agent: AgentDefinition) -> "HookedAgentView":
        hooks = [LoopHookView.named(name) for name in agent.meta.hooks]
        return cls(name=agent.name, description=agent.meta.description, hooks=hooks)


class HookedAgentList(BaseModel):
    #: All that there are, in the order in which a turn comes to them.
    points: list[Point] = list(Point)
    agents: list[HookedAgentView]


def add_routes(routes: APIRouter, desk: Desk) -> None:
    @routes.get("/commands")
    async def list_commands(_caller: CurrentCaller) -> PluginList:
        """Every plugin with its commands, and what is wrong with broken files."""
        return PluginList(plugins=[PluginView.showing(each) for each in await desk.plugins()])

    @routes.get("/plugins/{plugin}/agents")
    async def list_agents(plugin: str, _caller: CurrentCaller) -> HookedAgentList:
        """Its agents, and which hooks run at which points of their turns."""

        def read() -> list[HookedAgentView]:
            found = plugin_folders(desk.core).load(plugin)
            return [HookedAgentView.of(agent) for agent in found.agents.values()]

        return HookedAgentList(agents=await asyncio.to_thread(read))
