"""Which spans are a room's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, or_

from bottega.core.traces.spans import SpanRow

ROOM, TASK = "bottega.room", "bottega.task"


@dataclass(frozen=True, slots=True)
class RoomSpans:
    """Those of its tools, of its model calls, and of its runs, whose names begin with its own."""

    room: str
    model_calls: tuple[str, ...] = ()

    def cover(self, name: str, attributes: Mapping[str, Any]) -> bool:
        return (
            attributes.get(ROOM) == self.room
            or attributes.get(TASK) in self.model_calls
            or name.startswith(self._runs)
        )

    @property
    def condition(self) -> ColumnElement[bool]:
        return or_(
            SpanRow.attributes[ROOM].as_string() == self.room,
            SpanRow.attributes[TASK].as_string().in_(self.model_calls),
            *(SpanRow.name.startswith(start, autoescape=True) for start in self._runs),
        )

    @property
    def _runs(self) -> tuple[str, str]:
        return f"{self.room} ", f"{self.room}_"
