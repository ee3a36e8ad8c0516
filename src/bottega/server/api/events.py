"""`/api/events/log`: what happened, searched or read in order. Live it is `/api/events`."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from bottega.core.callers import CurrentCaller
from bottega.core.events import Event, EventBus
from bottega.server.api.views import Limit

Topics = Annotated[str, Query(description="Patterns, by comma: `session.*,files.*`.")]


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


def event_routes(bus: EventBus) -> APIRouter:
    router = APIRouter(tags=["events"])

    @router.get("/events/log")
    async def search_events(
        caller: CurrentCaller,
        query: str = "",
        topics: Topics = "*",
        project: str | None = None,
        session_id: str | None = None,
        limit: Limit = 50,
    ) -> list[EventView]:
        """The events that contain every word of `query`, newest first."""
        found = await bus.log.search(
            query,
            topics=topics_of(topics),
            project=project,
            user_id=caller.user_id,
            session_id=session_id,
            limit=limit,
        )
        return [EventView.of(committed.event, committed.seq) for committed in found]

    return router
