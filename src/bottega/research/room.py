"""What research adds to the house."""

from functools import partial

from fastapi import APIRouter

from bottega.core.operations import Bound, operations_of
from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.memory.room import Memory
from bottega.research.agents import operations as agents
from bottega.research.dialogue import operations as dialogue
from bottega.research.external_agents import operations as external_agents
from bottega.research.mcp_prompts import research_prompt
from bottega.research.pipeline import operations as pipeline
from bottega.research.pipeline.schemas import KIND
from bottega.research.service import Research, open_research
from bottega.research.sessions import operations as sessions
from bottega.research.sources import operations as sources
from bottega.research.topics import TOPICS

#: What such a run told on its way shows where its answer comes from.
EVIDENCE_RUNS = (KIND,)


def build(core: Core, _memory: Memory) -> Room:
    research = open_research(core)
    return Room(
        name="research",
        operations=[
            *(Bound(research, operations_of(each)) for each in (pipeline, dialogue)),
            *(Bound(research, operations_of(each)) for each in (sessions, agents)),
            Bound(research.sources, operations_of(sources)),
            Bound(research.session, operations_of(external_agents)),
        ],
        prompts=[research_prompt(research)],
        routes=partial(_routes, research),
        paths=("/research",),
        model_calls=(
            "classify_breakout",
            "research_analyze_query",
            "research_calibrate",
            "research_chat",
            "research_revise_plan",
            "research_synthesize",
            "research_title",
        ),
        start=research.start,
        stop=research.stop,
        topics=TOPICS,
    )


def _routes(research: Research) -> list[APIRouter]:
    from bottega.research.routes import router

    return [router(research)]
