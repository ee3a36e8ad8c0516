"""Server-sent events: the event log, live, from wherever the client was cut off.

A logged event carries its place in the log as `id`, which a browser sends back as `Last-Event-ID`
when it reconnects; what it missed is replayed first. Events that are not logged come without one.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from starlette.responses import StreamingResponse

from bottega.core.callers import CurrentCaller
from bottega.core.events import MISSED, CommittedEvent, Event, EventBus, Subscription
from bottega.errors import Unavailable
from bottega.server.api.events import EventView, topics_of

#: Seconds of silence after which a comment shows that the stream lives.
HEARTBEAT = 15.0
#: Milliseconds before a browser that lost the stream comes back.
RETRY = 2_000
#: Frames that may wait for a slow client; the log and the subscription hold the rest.
WAITING_FRAMES = 100


class Streams:
    """The open streams: counted, and ended together when the server goes."""

    def __init__(self, limit: int, heartbeat: float = HEARTBEAT) -> None:
        self._limit = limit
        self._heartbeat = heartbeat
        self._open: set[asyncio.Event] = set()

    def __len__(self) -> int:
        return len(self._open)

    def close(self) -> int:
        """End every stream; how many there were."""
        for ending in self._open:
            ending.set()
        return len(self._open)

    def follow(
        self, logged: AsyncIterator[CommittedEvent], listen: Callable[[], Subscription]
    ) -> AsyncIterator[bytes]:
        """The wire's text for these events. Refuses at once if too many streams are open."""
        if len(self._open) >= self._limit:
            raise Unavailable(f"{self._limit} event streams are open, which is the most there may.")
        return self._write(logged, listen)

    async def _write(
        self, logged: AsyncIterator[CommittedEvent], listen: Callable[[], Subscription]
    ) -> AsyncIterator[bytes]:
        ending = asyncio.Event()
        self._open.add(ending)
        frames: asyncio.Queue[bytes] = asyncio.Queue(WAITING_FRAMES)
        pumps = [
            asyncio.create_task(ending.wait()),
            asyncio.create_task(_pump_logged(logged, frames)),
            asyncio.create_task(_pump_passing(listen(), frames)),
        ]
        try:
            yield f"retry: {RETRY}\n\n".encode()
            while (frame := await self._next(frames, pumps)) is not None:
                yield frame
        finally:
            self._open.discard(ending)
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)

    async def _next(
        self, frames: asyncio.Queue[bytes], pumps: list[asyncio.Task[Any]]
    ) -> bytes | None:
        """A frame, or a sign of life when there is none for a while; `None` when it is over."""
        arrival = asyncio.create_task(frames.get())
        try:
            await asyncio.wait(
                {arrival, *pumps}, timeout=self._heartbeat, return_when=asyncio.FIRST_COMPLETED
            )
            if arrival.done():
                return arrival.result()
            return None if any(pump.done() for pump in pumps) else b": still here\n\n"
        finally:
            arrival.cancel()


async def _pump_logged(events: AsyncIterator[CommittedEvent], frames: asyncio.Queue[bytes]) -> None:
    async for committed in events:
        await frames.put(encode(committed.event, committed.seq))


async def _pump_passing(events: Subscription, frames: asyncio.Queue[bytes]) -> None:
    """What is not logged, such as a model's text as it is written: for whoever listens now."""
    async with events:
        async for event in events:
            if not event.durable and event.topic != MISSED:
                await frames.put(encode(event))


def encode(event: Event, seq: int | None = None) -> bytes:
    data = EventView.of(event, seq).model_dump_json()
    place = "" if seq is None else f"id: {seq}\n"
    return f"{place}data: {data}\n\n".encode()


def stream_routes(bus: EventBus, streams: Streams) -> APIRouter:
    router = APIRouter(tags=["events"])

    @router.get("/events", response_class=StreamingResponse)
    async def stream_events(
        caller: CurrentCaller,
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

        return StreamingResponse(
            streams.follow(logged, listen),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    return router
