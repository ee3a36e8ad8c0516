"""What research adds to the house."""

from functools import partial

from fastapi import APIRouter

from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.memory.room import Memory
from bottega.research.desk import Desk, open_desk
from bottega.research.mcp_prompts import research_prompt
from bottega.research.session_tools.tools import session_tools
from bottega.research.tools import research_tools
from bottega.research.topics import TOPICS


def build(core: Core, _memory: Memory) -> Room:
    desk = open_desk(core)
    return Room(
        name="research",
        tools=[*research_tools(desk), *session_tools(desk.session)],
        prompts=[research_prompt(desk)],
        routes=partial(_routes, desk),
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
        start=desk.start,
        stop=desk.stop,
        topics=TOPICS,
    )


def _routes(desk: Desk) -> list[APIRouter]:
    from bottega.research.routes import router

    return [router(desk)]
