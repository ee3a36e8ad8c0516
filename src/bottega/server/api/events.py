"""`/api/events`: the event log, live, as server-sent events; and `/api/events/log`: what happened,
searched or read in order.

A logged event carries its place in the log as `id`, which a browser sends back as `Last-Event-ID`
when it reconnects; what it missed is replayed first. Events that are not logged come without one.
"""

from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from pydantic import BaseModel, Field
from starlette.responses import StreamingResponse

from bottega.core.doors.callers import CurrentCaller
from bottega.core.doors.streams import OpenStreams, frame
from bottega.core.events import MISSED, CommittedEvent, Event, EventBus, Subscription
from bottega.core.operations import Get, operation
from bottega.core.rooms import Caller
from bottega.server.api.views import House, Limit, RowView


class EventSearch(BaseModel):
    query: str = ""
    topics: str = Field("*", description="Patterns, by comma: `session.*,files.*`.")
    project: str | None = None
    session_id: str | None = None
    limit: Limit = 50


class EventView(RowView):
    #: Its place in the log; none if it is not logged.
    seq: int | None
    id: str
    topic: str
    project: str | None
    session_id: str | None
    payload: dict[str, Any]
    created_at: datetime


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
    return [EventView.of(committed.event, seq=committed.seq) for committed in found]


async def logged_frames(events: AsyncIterator[CommittedEvent]) -> AsyncIterator[bytes]:
    async for committed in events:
        yield encode(committed.event, committed.seq)


async def passing_frames(listen: Callable[[], Subscription]) -> AsyncIterator[bytes]:
    """What is not logged, such as a model's text as it is written: for whoever listens now."""
    async with listen() as events:
        async for event in events:
            if not event.durable and event.topic != MISSED:
                yield encode(event)


def encode(event: Event, seq: int | None = None) -> bytes:
    return frame(EventView.of(event, seq=seq).model_dump_json(), id=seq)


def stream_routes(bus: EventBus) -> APIRouter:
    router = APIRouter(tags=["events"])

    @router.get("/events", response_class=StreamingResponse)
    async def stream_events(
        caller: CurrentCaller,
        streams: OpenStreams,
        topics: Annotated[str, Query(description="Patterns, by comma: `session.*,files.*`.")] = "*",
        project: str | None = None,
        after: Annotated[int | None, Query(ge=0, description="Replay from this `seq` on.")] = None,
        last_event_id: Annotated[int | None, Header(ge=0)] = None,
    ) -> StreamingResponse:
        """Follow the event log as server-sent events."""
        wanted = topics_of(topics)
        logged = bus.stream(
            after=after if last_event_id is None else last_event_id,
            topics=wanted,
            project=project,
            user_id=caller.user_id,
        )

        def listen() -> Subscription:
            return bus.subscribe(*wanted, project=project, user_id=caller.user_id)

        return streams.send(logged_frames(logged), passing_frames(listen))

    return router
