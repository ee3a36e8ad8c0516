"""What agents and skills of plugins are told, as their files have it."""

import asyncio

from fastapi import APIRouter
from pydantic import BaseModel

from bottega.assistant.desk import Desk
from bottega.assistant.plugins.definition import AgentDefinition, AgentMeta, Plugin, SkillDefinition
from bottega.assistant.plugins.folder import MarkdownFolder
from bottega.assistant.plugins.references import SKILL_FILE
from bottega.core.callers import CurrentCaller
from bottega.core.documents import parse_document


class PluginAgentView(BaseModel):
    name: str
    plugin: str
    origin: str
    meta: AgentMeta
    #: Markdown.
    instructions: str
    file: str
    #: What calls it: `lesson-planning:create-lesson`.
    commands: list[str]


class PluginAgentList(BaseModel):
    agents: list[PluginAgentView]


class PluginSkillView(BaseModel):
    name: str
    plugin: str
    origin: str
    description: str
    #: Markdown.
    text: str
    file: str
    #: The agents that may read it.
    agents: list[str]


class PluginSkillList(BaseModel):
    skills: list[PluginSkillView]


def add_routes(routes: APIRouter, desk: Desk) -> None:
    @routes.get("/agents")
    async def list_plugin_agents(_caller: CurrentCaller) -> PluginAgentList:
        """Those whose files can be read; what is wrong with others is told with their plugins."""
        plugins = await desk.plugins()
        return PluginAgentList(
            agents=[_agent(plugin, agent) for plugin in plugins for agent in plugin.agents.values()]
        )

    @routes.get("/skills")
    async def list_plugin_skills(_caller: CurrentCaller) -> PluginSkillList:
        plugins = await desk.plugins()
        found = await asyncio.to_thread(
            lambda: [
                _skill(plugin, skill) for plugin in plugins for skill in plugin.skills.values()
            ]
        )
        return PluginSkillList(skills=found)


def _agent(plugin: Plugin, agent: AgentDefinition) -> PluginAgentView:
    return PluginAgentView(
        name=agent.name,
        plugin=plugin.name,
        origin=plugin.origin,
        meta=agent.meta,
        instructions=agent.instructions.strip(),
        file=str(agent.path),
        commands=[
            command.full_name
            for command in plugin.commands.values()
            if command.meta.agent == agent.name
        ],
    )


def _skill(plugin: Plugin, skill: SkillDefinition) -> PluginSkillView:
    """Blocking."""
    text = MarkdownFolder(skill.folder).read_if_there(SKILL_FILE) or ""
    return PluginSkillView(
        name=skill.name,
        plugin=plugin.name,
        origin=plugin.origin,
        description=skill.meta.description,
        text=parse_document(text).body.strip(),
        file=str(skill.folder / SKILL_FILE),
        agents=[agent.name for agent in plugin.agents.values() if skill.name in agent.meta.skills],
    )
