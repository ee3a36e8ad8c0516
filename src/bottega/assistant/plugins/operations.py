"""What can be asked of plugins: their commands, agents and skills as their files have them."""

import asyncio
from typing import TYPE_CHECKING, Self

from pydantic import BaseModel

from bottega.assistant.plugins.definition import AgentDefinition, AgentMeta, Plugin, SkillDefinition
from bottega.assistant.plugins.skills import read_skill_file
from bottega.core.operations import Get, McpTool, operation

if TYPE_CHECKING:
    from bottega.assistant.service import Assistant


class CommandView(BaseModel):
    #: As it is called: `lesson-planning:create-lesson`.
    name: str
    description: str
    agent: str
    #: `single` or `interactive`.
    mode: str
    #: Something that people might say to it.
    example: str | None
    #: Where in the workspace its output is put.
    writes: str | None


class PluginView(BaseModel):
    name: str
    origin: str
    commands: list[CommandView]
    agents: list[str]
    skills: list[str]
    #: What is wrong with its files, each with line and column.
    problems: list[str]

    @classmethod
    def of(cls, plugin: Plugin) -> Self:
        return cls(
            name=plugin.name,
            origin=str(plugin.origin),
            commands=[
                CommandView(name=command.full_name, **dict(command.meta))
                for command in plugin.commands.values()
            ],
            agents=sorted(plugin.agents),
            skills=sorted(plugin.skills),
            problems=[str(problem) for problem in plugin.problems],
        )


class PluginList(BaseModel):
    plugins: list[PluginView]


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

    @classmethod
    def of(cls, plugin: Plugin, agent: AgentDefinition) -> Self:
        return cls(
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

    @classmethod
    def of(cls, plugin: Plugin, skill: SkillDefinition) -> Self:
        """Blocking."""
        path, text = read_skill_file(skill)
        return cls(
            name=skill.name,
            plugin=plugin.name,
            origin=plugin.origin,
            description=skill.meta.description,
            text=text,
            file=str(path),
            agents=[
                agent.name for agent in plugin.agents.values() if skill.name in agent.meta.skills
            ],
        )


class PluginSkillList(BaseModel):
    skills: list[PluginSkillView]


@operation(
    McpTool("assistant_commands", "What assistants can be asked to do.", read_only=True),
    Get("/assistant/commands"),
)
async def list_commands(assistant: "Assistant") -> PluginList:
    """Every plugin with its commands, and what is wrong with broken files."""
    return PluginList(plugins=[PluginView.of(each) for each in await assistant.plugins()])


@operation(Get("/assistant/agents"))
async def list_plugin_agents(assistant: "Assistant") -> PluginAgentList:
    """Those whose files can be read; what is wrong with others is told with their plugins."""
    return PluginAgentList(
        agents=[
            PluginAgentView.of(plugin, agent)
            for plugin in await assistant.plugins()
            for agent in plugin.agents.values()
        ]
    )


@operation(Get("/assistant/skills"))
async def list_plugin_skills(assistant: "Assistant") -> PluginSkillList:
    plugins = await assistant.plugins()

    def read() -> list[PluginSkillView]:
        return [
            PluginSkillView.of(plugin, each)
            for plugin in plugins
            for each in plugin.skills.values()
        ]

    return PluginSkillList(skills=await asyncio.to_thread(read))
