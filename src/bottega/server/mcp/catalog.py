"""Which tools, resources and prompts are at which path. Rooms come and go at any time."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from bottega.core.roles import OWNERS, Grant, Right
from bottega.core.rooms import Prompt, Resource, Room, Tool
from bottega.errors import Conflict, InvalidInput, NotFound
from bottega.server.mcp.schemas import Schema, describe_tool

#: Where every shared room's tools are: `/mcp` itself.
SHARED = ""
_ROOM_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")


@dataclass(frozen=True)
class RoomTool:
    room: str
    tool: Tool[Any]
    #: As grants name it: the room that it is a part of, or itself.
    granted_as: str

    @cached_property
    def description(self) -> Schema:
        return describe_tool(self.tool)

    @cached_property
    def header_schema(self) -> Schema | None:
        """The input schema, if an argument stands in a header too and the two have to agree."""
        schema: Schema = self.description["inputSchema"]
        return schema if b'"x-mcp-header"' in orjson.dumps(schema) else None


class Catalog:
    def __init__(self, rooms: Iterable[Room] = ()) -> None:
        self._rooms: dict[str, Room] = {}
        self._tools: dict[str, dict[str, RoomTool]] = {SHARED: {}}
        for room in rooms:
            self.add(room)

    @property
    def rooms(self) -> list[Room]:
        return list(self._rooms.values())

    def add(self, room: Room) -> None:
        if not _ROOM_NAME.fullmatch(room.name):
            raise InvalidInput(
                f"A room cannot be called {room.name!r}: use lower-case letters, digits, - and _."
            )
        if room.name in self._rooms:
            raise Conflict(f"There is a room {room.name!r} already.")
        self._check_offers(room)
        tools = self._own_tools(room)
        self._rooms[room.name] = room
        self._tools[room.name] = tools
        if room.shared:
            self._tools[SHARED] |= tools

    def remove(self, name: str) -> Room:
        self._require(name)
        tools = self._tools.pop(name)
        room = self._rooms.pop(name)
        if room.shared:
            for tool in tools:
                del self._tools[SHARED][tool]
        return room

    def tools_at(self, name: str) -> Mapping[str, RoomTool]:
        """The tools of a room, or of `SHARED`; raises `NotFound` with the rooms there are."""
        if name != SHARED:
            self._require(name)
        return self._tools[name]

    def resources_at(self, name: str, grant: Grant = OWNERS) -> list[Resource]:
        return [resource for room in self._rooms_at(name, grant) for resource in room.resources]

    def room_of(self, name: str, resource: Resource) -> str:
        """The room that a resource at this path belongs to, as grants name it."""
        rooms = self._rooms_at(name)
        return next(_granted_as(room) for room in rooms if resource in room.resources)

    def prompts_at(self, name: str, grant: Grant = OWNERS) -> dict[str, Prompt]:
        rooms = self._rooms_at(name, grant)
        return {prompt.name: prompt for room in rooms for prompt in room.prompts}

    def _rooms_at(self, name: str, grant: Grant = OWNERS) -> list[Room]:
        if name != SHARED:
            self._require(name)
            return [self._rooms[name]]
        rooms = [room for room in self._rooms.values() if room.shared]
        return [room for room in rooms if grant.allows(Right.READ, _granted_as(room))]

    def _check_offers(self, room: Room) -> None:
        """Nothing at one path may be meant by two."""
        others = [room, *(self._rooms_at(SHARED) if room.shared else ())]
        for what, names in (
            ("resource", [each.uri for other in others for each in other.resources]),
            ("prompt", [each.name for other in others for each in other.prompts]),
        ):
            twice = [name for name, count in Counter(names).items() if count > 1]
            if twice:
                raise Conflict(f"Room {room.name!r} cannot add the {what} {twice[0]!r} once more.")

    def _require(self, name: str) -> None:
        if name not in self._rooms:
            # One that is not shared may be another user's: its name is nobody's business.
            rooms = sorted(room.name for room in self._rooms.values() if room.shared)
            raise NotFound(
                f"There is no room {name!r} here. Rooms: {', '.join(rooms) or 'none'}; "
                "all of them together are at /mcp.",
                rooms=rooms,
            )

    def _own_tools(self, room: Room) -> dict[str, RoomTool]:
        granted_as = _granted_as(room)
        tools = {tool.name: RoomTool(room.name, tool, granted_as) for tool in room.tools}
        if len(tools) < len(room.tools):
            raise Conflict(f"Room {room.name!r} has two tools of the same name.")
        taken = sorted(tools.keys() & self._tools[SHARED].keys()) if room.shared else []
        if taken:
            owner = self._tools[SHARED][taken[0]].room
            raise Conflict(
                f"Room {room.name!r} cannot add {taken[0]!r}: room {owner!r} has that tool already."
            )
        return tools


def _granted_as(room: Room) -> str:
    return room.part_of or room.name
