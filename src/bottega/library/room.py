"""What libraries add to the house."""

from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.library.desk import open_desk
from bottega.library.resources import generic_resources
from bottega.library.routes import LARGE_BODIES, router
from bottega.library.tools import ROOM, generic_tools, own_rooms
from bottega.memory.room import Memory


def build(core: Core, _memory: Memory) -> Room:
    desk = open_desk(core)
    return Room(
        name=ROOM,
        tools=generic_tools(desk),
        resources=generic_resources(desk),
        routes=[router(desk)],
        large_bodies=LARGE_BODIES,
        within=own_rooms(desk),
        rebuild=desk.ingest.rebuild,
        model_calls=("judge_claim", "library_rerank", "library_web_search"),
    )
