"""Which agents and skills there are, with what is wrong with the broken ones."""

import asyncio

from fastapi import APIRouter
from pydantic import BaseModel

from bottega.core.callers import CurrentCaller
from bottega.research.desk import Desk
from bottega.research.skills import skill_folders


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


class SkillView(BaseModel):
    slug: str
    origin: str
    description: str
    problems: list[str]


class SkillList(BaseModel):
    skills: list[SkillView]


def add_routes(routes: APIRouter, desk: Desk) -> None:
    @routes.get("/agents")
    async def list_research_agents(_caller: CurrentCaller) -> AgentList:
        return AgentList(
            agents=[
                AgentView(
                    slug=each.slug,
                    name=each.name,
                    description=each.description,
                    origin=each.origin,
                    sources=list(each.sources),
                    problems=[str(problem) for problem in each.problems],
                )
                for each in await desk.runs.agents()
            ]
        )

    @routes.get("/skills")
    async def list_skills(_caller: CurrentCaller) -> SkillList:
        found = await asyncio.to_thread(skill_folders(desk.core).list)
        return SkillList(
            skills=[
                SkillView(
                    slug=each.slug,
                    origin=each.origin,
                    description=each.description,
                    problems=[f"{p.line}:{p.column}: {p.message}" for p in each.problems],
                )
                for each in found
            ]
        )
