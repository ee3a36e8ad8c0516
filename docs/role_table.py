"""Everything that can be asked, at every door, with what it takes: the page of the reference and
the test that asks all of it are made from this."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.routing import APIRoute

from bottega.core.roles import HOUSE, Right, right_of
from bottega.core.rooms import Door, Room
from bottega.server.api import core_routes
from bottega.server.api.events import stream_routes
from bottega.server.doors import House
from bottega.server.rest import room_routers

#: What needs no role: to see that the server lives, and to come in and leave.
OPEN_ROUTES = ("GET /health", "POST /api/login", "POST /api/logout")


@dataclass(frozen=True, slots=True)
class Entry:
    room: str
    door: Door
    #: `GET /api/memories`, the tool's name, the message's type, the resource's address.
    name: str
    right: Right


def role_table(house: House) -> list[Entry]:
    shared = [stream_routes(house.core.bus), *core_routes(house.core, house.rooms, None)]
    return [
        *_routes(HOUSE, shared),
        *(entry for room in house.rooms for entry in _entries(room)),
    ]


def _entries(room: Room) -> Iterator[Entry]:
    yield from _routes(room.name, room_routers(room))
    for tool in room.tools:
        yield Entry(room.name, Door.MCP, tool.name, tool.right)
    for resource in room.resources:
        yield Entry(room.name, Door.MCP, resource.uri, Right.READ)
    for message in room.messages:
        yield Entry(room.name, Door.WEBSOCKET, message.type, message.right)


def _routes(room: str, routers: Sequence[APIRouter]) -> Iterator[Entry]:
    for router in routers:
        for route in router.routes:
            assert isinstance(route, APIRoute)
            for method in sorted(route.methods or ()):
                right = right_of(route.endpoint, method)
                yield Entry(room, Door.HTTP, f"{method} /api{route.path}", right)
