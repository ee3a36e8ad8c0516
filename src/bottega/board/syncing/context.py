"""On whose behalf files and rows are brought together, and what is to be told of it afterwards."""

from dataclasses import dataclass, field
from typing import Any

from bottega.board.enums import Actor
from bottega.board.tables import Change, Project
from bottega.core.events import Event


@dataclass(frozen=True, slots=True)
class Cause:
    """Who is behind what is found: the system, when it merely looked."""

    by: Actor = Actor.SYSTEM
    user_id: str | None = None
    session_id: str | None = None
    #: What a new change's history begins with.
    notes: str | None = None


@dataclass(slots=True)
class News:
    """What is published once the transaction is over."""

    project: Project
    events: list[Event] = field(default_factory=list)

    def add(self, topic: str, row: Change, **facts: Any) -> None:
        payload = {"project_id": row.project_id, "change_id": row.id, "title": row.title, **facts}
        self.events.append(Event(topic, payload, self.project.path))
