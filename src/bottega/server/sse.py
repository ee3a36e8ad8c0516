"""Server-sent events: the event log, live, from wherever the client was cut off.

A logged event carries its place in the log as `id`, which a browser sends back as `Last-Event-ID`
when it reconnects; what it missed is replayed first. Events that are not logged come without one.
"""

from collections.abc import AsyncIterator, Callable
from typing import Annotated

from fastapi import APIRouter, Header, Query
from starlette.responses import StreamingResponse

from bottega.core.doors.callers import CurrentCaller
from bottega.core.doors.streams import OpenStreams, frame
from bottega.core.events import MISSED, CommittedEvent, Event, EventBus, Subscription
from bottega.server.api.events import EventView, topics_of


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
    return frame(EventView.of(event, seq).model_dump_json(), id=seq)


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
