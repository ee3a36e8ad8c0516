"""What the assistant adds to the house."""

from functools import partial

from fastapi import APIRouter

from bottega.assistant.desk import Desk, open_desk
from bottega.assistant.loop.models import CALL_TYPE
from bottega.assistant.mcp_tools import assistant_tools
from bottega.assistant.topics import TOPICS
from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.memory.room import Memory


def build(core: Core, memory: Memory) -> Room:
    desk = open_desk(core)
    memory.recall.add_store(desk.memory_store)
    return Room(
        name="assistant",
        tools=assistant_tools(desk),
        routes=partial(_routes, desk),
        paths=("/assistant",),
        model_calls=(
            CALL_TYPE,
            "age_appropriate",
            "assistant_eval_rubric",
            "feedforward",
            "memory_capture",
            "reflection",
            "scope_check",
        ),
        start=desk.start,
        stop=desk.stop,
        topics=TOPICS,
    )


def _routes(desk: Desk) -> list[APIRouter]:
    from bottega.assistant.routes import router

    return [router(desk)]
