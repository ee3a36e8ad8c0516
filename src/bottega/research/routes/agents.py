"""Which agents and skills there are, with what is wrong with the broken ones."""

import asyncio
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from bottega.core.callers import CurrentCaller
from bottega.core.services import Core
from bottega.research.agents.definition import AgentConfig
from bottega.research.agents.loading import TEMPLATE, AgentDescription, AgentListing
from bottega.research.desk import Desk
from bottega.research.skills import FILE, Skill, skill_folders


class AgentView(BaseModel):
    slug: str
    name: str
    description: str
    origin: str
    sources: list[str]
    #: Each with file, line and column.
    problems: list[str]


class AgentList(BaseModel):
    agents: list[AgentView]
    #: Folders that a person can put agents into: the project's, the house's own.
    places: list[str]
    #: A folder to copy.
    template: str


class AgentDetail(AgentView):
    """An agent with all that could be read of its files."""

    folder: str
    #: The library it asks unless another is named.
    library: str | None
    #: The body of `AGENT.md`.
    instructions: str
    config: AgentConfig | None
    #: By file name: what a stage is told beside its own instructions.
    prompts: dict[str, str]


class SkillView(BaseModel):
    slug: str
    origin: str
    description: str
    problems: list[str]


class SkillList(BaseModel):
    skills: list[SkillView]
    #: Folders that a person can put skills into: the project's, the house's own.
    places: list[str]


class SkillDetail(SkillView):
    file: str
    #: The frontmatter, as far as it says more than a name and a description.
    fields: dict[str, Any]
    #: Markdown.
    text: str


def add_routes(routes: APIRouter, desk: Desk) -> None:
    skills = skill_folders(desk.core)

    @routes.get("/agents")
    async def list_research_agents(_caller: CurrentCaller) -> AgentList:
        return AgentList(
            agents=[AgentView(**_agent(each)) for each in await desk.runs.agents()],
            places=_places(desk.core, "agents"),
            template=str(TEMPLATE),
        )

    @routes.get("/agents/{slug}")
    async def get_research_agent(slug: str, _caller: CurrentCaller) -> AgentDetail:
        """A broken one too, as far as it can be read."""
        return _described(await desk.runs.describe_agent(slug))

    @routes.get("/skills")
    async def list_skills(_caller: CurrentCaller) -> SkillList:
        found = await asyncio.to_thread(skills.list)
        return SkillList(
            skills=[SkillView(**_skill(each)) for each in found],
            places=_places(desk.core, "skills"),
        )

    @routes.get("/skills/{slug}")
    async def get_skill(slug: str, _caller: CurrentCaller) -> SkillDetail:
        found = await asyncio.to_thread(skills.get, slug)
        return SkillDetail(
            **_skill(found),
            file=str(found.folder / FILE),
            fields=found.fields,
            text=found.body,
        )


def _places(core: Core, kind: str) -> list[str]:
    return [str(core.files.root / ".bottega" / kind), str(core.choices.data_dir / kind)]


def _agent(agent: AgentListing) -> dict[str, Any]:
    """The fields of an `AgentView`."""
    return {
        "slug": agent.slug,
        "name": agent.name,
        "description": agent.description,
        "origin": agent.origin,
        "sources": list(agent.sources),
        "problems": [str(problem) for problem in agent.problems],
    }


def _described(agent: AgentDescription) -> AgentDetail:
    document = agent.files.document
    return AgentDetail(
        **_agent(agent.listing),
        folder=str(agent.folder),
        library=document.meta.library if document else None,
        instructions=document.body.strip() if document else "",
        config=agent.files.config,
        prompts=agent.files.prompts or {},
    )


def _skill(skill: Skill) -> dict[str, Any]:
    """The fields of a `SkillView`."""
    return {
        "slug": skill.slug,
        "origin": skill.origin,
        "description": skill.description,
        "problems": [f"{FILE}:{p.line}:{p.column}: {p.message}" for p in skill.problems],
    }
