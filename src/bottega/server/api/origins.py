"""Which room a model call or a span belongs to."""

from collections.abc import Iterable, Mapping
from typing import Any

from bottega.core.rooms import Room
from bottega.core.traces import RoomSpans

#: What belongs to no room, or to one that is gone.
OTHER = "other"


def room_of_call(rooms: Iterable[Room], call_type: str) -> str:
    return next((room.name for room in rooms if call_type in room.model_calls), OTHER)


def spans_of(rooms: Iterable[Room], name: str) -> RoomSpans:
    """How to know the spans of the room of that name."""
    calls = [call for room in rooms if room.name == name for call in room.model_calls]
    return RoomSpans(name, tuple(calls))


def room_of_span(rooms: Iterable[Room], name: str, attributes: Mapping[str, Any]) -> str | None:
    known = [spans_of(rooms, room.name) for room in rooms]
    return next((spans.room for spans in known if spans.cover(name, attributes)), None)
