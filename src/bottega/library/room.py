"""What libraries add to the house."""

from functools import partial

from fastapi import APIRouter

from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.library.desk import Desk, open_desk
from bottega.library.resources import generic_resources
from bottega.library.tools import ROOM, generic_tools, own_rooms
from bottega.library.topics import TOPICS
from bottega.memory.room import Memory

#: Some two hundred documents at once.
LARGEST_UPLOAD = 60_000_000


def build(core: Core, _memory: Memory) -> Room:
    desk = open_desk(core)
    return Room(
        name=ROOM,
        tools=generic_tools(desk),
        resources=generic_resources(desk),
        routes=partial(_routes, desk),
        paths=("/libraries",),
        large_bodies={"/libraries/upload": LARGEST_UPLOAD},
        within=own_rooms(desk),
        rebuild=desk.ingest.rebuild,
        model_calls=("judge_claim", "library_rerank", "library_web_search"),
        topics=TOPICS,
    )


def _routes(desk: Desk) -> list[APIRouter]:
    from bottega.library.routes import router

    return [router(desk)]
