"""What the operations of the core share: what they are asked of, rows seen through typed views,
the usual limit, and which room a model call or a span belongs to."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field

from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.core.traces import RoomSpans
from bottega.settings import Settings

Limit = Annotated[int, Field(ge=1, le=500, description="How many at most.")]


@dataclass(frozen=True, slots=True)
class House:
    """What the operations of the core are asked of."""

    core: Core
    rooms: Sequence[Room]
    settings: Settings | None


class RowView(BaseModel, from_attributes=True):
    """Made from a row or a dataclass by its attributes."""

    @classmethod
    def of(cls, row: object, **more: Any) -> Self:
        """With `more`, where the view has what the row has not, or has otherwise."""
        names = cls.model_fields.keys() - more.keys()
        return cls(**{name: getattr(row, name) for name in names}, **more)


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
