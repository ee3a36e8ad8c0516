"""What can be asked of agents and skills: which there are, and what is wrong with broken ones."""

import asyncio
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from bottega.core.operations import Get, operation
from bottega.core.services import Core
from bottega.research import addresses
from bottega.research.agents.definition import AgentConfig
from bottega.research.agents.folders import TEMPLATE, AgentFiles, agent_folders
from bottega.research.agents.skills import FILE, Skill, skill_folders

if TYPE_CHECKING:
    from bottega.research.service import Research


class SlugRequest(BaseModel):
    slug: str


class ResearchAgentView(BaseModel):
    slug: str
    name: str
    description: str
    origin: str
    sources: list[str]
    #: Each with file, line and column.
    problems: list[str]


class AgentList(BaseModel):
    agents: list[ResearchAgentView]
    #: Folders that a person can put agents into: the project's, the house's own.
    places: list[str]
    #: A folder to copy.
    template: str


class AgentDetail(ResearchAgentView):
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


@operation(addresses.LIST_AGENTS)
async def list_research_agents(research: "Research") -> AgentList:
    found = await asyncio.to_thread(lambda: agent_folders(research.core).list())
    return AgentList(
        agents=[ResearchAgentView(**_agent(each)) for each in found],
        places=_places(research.core, "agents"),
        template=str(TEMPLATE),
    )


@operation(Get("/research/agents/{slug}"))
async def get_research_agent(research: "Research", asked: SlugRequest) -> AgentDetail:
    """A broken one too, as far as it can be read."""
    files = await asyncio.to_thread(lambda: agent_folders(research.core).look_up(asked.slug))
    document = files.document
    return AgentDetail(
        **_agent(files),
        folder=str(files.found.folder),
        library=document.meta.library if document else None,
        instructions=document.body.strip() if document else "",
        config=files.config,
        prompts=dict(files.prompts),
    )


@operation(Get("/research/skills"))
async def list_skills(research: "Research") -> SkillList:
    found = await asyncio.to_thread(skill_folders(research.core).list)
    return SkillList(
        skills=[SkillView(**_skill(each)) for each in found],
        places=_places(research.core, "skills"),
    )


@operation(Get("/research/skills/{slug}"))
async def get_skill(research: "Research", asked: SlugRequest) -> SkillDetail:
    found = await asyncio.to_thread(skill_folders(research.core).get, asked.slug)
    return SkillDetail(
        **_skill(found), file=str(found.folder / FILE), fields=found.fields, text=found.body
    )


def _places(core: Core, kind: str) -> list[str]:
    return [str(core.files.root / ".bottega" / kind), str(core.choices.data_dir / kind)]


def _agent(files: AgentFiles) -> dict[str, Any]:
    """The fields of a `ResearchAgentView`."""
    meta = files.document.meta if files.document else None
    return {
        "slug": files.slug,
        "name": files.name,
        "description": meta.description if meta else "",
        "origin": files.found.origin,
        "sources": meta.sources if meta else [],
        "problems": [str(problem) for problem in files.problems],
    }


def _skill(skill: Skill) -> dict[str, Any]:
    """The fields of a `SkillView`."""
    return {
        "slug": skill.slug,
        "origin": skill.origin,
        "description": skill.description,
        "problems": [f"{FILE}:{p.line}:{p.column}: {p.message}" for p in skill.problems],
    }
