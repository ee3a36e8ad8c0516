"""`/api/events/log`: what happened, searched or read in order. Live it is `/api/events`."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from bottega.core.events import Event
from bottega.core.operations import Get, operation
from bottega.core.rooms import Caller
from bottega.server.api.views import House, Limit


class EventSearch(BaseModel):
    query: str = ""
    topics: str = Field("*", description="Patterns, by comma: `session.*,files.*`.")
    project: str | None = None
    session_id: str | None = None
    limit: Limit = 50


class EventView(BaseModel):
    #: Its place in the log; none if it is not logged.
    seq: int | None
    id: str
    topic: str
    project: str | None
    session_id: str | None
    payload: dict[str, Any]
    created_at: datetime

    @classmethod
    def of(cls, event: Event, seq: int | None) -> "EventView":
        return cls(
            seq=seq,
            id=event.id,
            topic=event.topic,
            project=event.project,
            session_id=event.session_id,
            payload=event.payload,
            created_at=event.created_at,
        )


def topics_of(patterns: str) -> list[str]:
    return [topic.strip() for topic in patterns.split(",") if topic.strip()]


@operation(Get("/events/log"))
async def search_events(house: House, asked: EventSearch, caller: Caller) -> list[EventView]:
    """The events that contain every word of `query`, newest first."""
    found = await house.core.bus.log.search(
        asked.query,
        topics=topics_of(asked.topics),
        project=asked.project,
        user_id=caller.user_id,
        session_id=asked.session_id,
        limit=asked.limit,
    )
    return [EventView.of(committed.event, committed.seq) for committed in found]
