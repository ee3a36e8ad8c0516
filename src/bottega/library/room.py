"""What libraries add to the house."""

from functools import partial

from fastapi import APIRouter

from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.library.resources import library_resources
from bottega.library.service import LibraryRoom, open_library_room
from bottega.library.tools import ROOM, bind, own_rooms
from bottega.library.topics import TOPICS
from bottega.memory.room import Memory

#: Some two hundred documents at once.
LARGEST_UPLOAD = 60_000_000


def build(core: Core, _memory: Memory) -> Room:
    room = open_library_room(core)
    return Room(
        name=ROOM,
        operations=[bind(room)],
        resources=library_resources(room),
        routes=partial(_routes, room),
        paths=("/libraries",),
        large_bodies={"/libraries/upload": LARGEST_UPLOAD},
        within=own_rooms(room),
        rebuild=room.ingest.rebuild,
        model_calls=("judge_claim", "library_rerank", "library_web_search"),
        topics=TOPICS,
    )


def _routes(room: LibraryRoom) -> list[APIRouter]:
    from bottega.library.routes import router

    return [router(room)]
