"""Server-sent events that rooms send: counted with all others, kept alive, ended with the server.

A route takes `OpenStreams` as a parameter and gives it an iterator of frames.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.responses import StreamingResponse

from bottega.errors import Unavailable

#: Seconds of silence after which a comment shows that the stream lives.
HEARTBEAT = 15.0
#: Milliseconds before a browser that lost the stream comes back.
RETRY = 2_000
#: Frames that may wait for a slow client; where they come from holds the rest.
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

    def send(self, *sources: AsyncIterator[bytes]) -> StreamingResponse:
        """The frames of all sources, as they come, until one of them ends.

        Refuses at once if too many streams are open.
        """
        return StreamingResponse(
            self.frames(*sources),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    def frames(self, *sources: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        if len(self._open) >= self._limit:
            raise Unavailable(f"{self._limit} event streams are open, which is the most there may.")
        return self._write(sources)

    async def _write(self, sources: tuple[AsyncIterator[bytes], ...]) -> AsyncIterator[bytes]:
        ending = asyncio.Event()
        self._open.add(ending)
        waiting: asyncio.Queue[bytes] = asyncio.Queue(WAITING_FRAMES)
        pumps = [
            asyncio.create_task(ending.wait()),
            *(asyncio.create_task(_pump(source, waiting)) for source in sources),
        ]
        try:
            yield f"retry: {RETRY}\n\n".encode()
            while (frame := await self._next(waiting, pumps)) is not None:
                yield frame
        finally:
            self._open.discard(ending)
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)

    async def _next(
        self, waiting: asyncio.Queue[bytes], pumps: list[asyncio.Task[Any]]
    ) -> bytes | None:
        """A frame, or a sign of life when there is none for a while; `None` when it is over."""
        # Before looking at who has ended: what a source gave before it did is still sent.
        if not waiting.empty():
            return waiting.get_nowait()
        arrival = asyncio.create_task(waiting.get())
        try:
            await asyncio.wait(
                {arrival, *pumps}, timeout=self._heartbeat, return_when=asyncio.FIRST_COMPLETED
            )
            if arrival.done():
                return arrival.result()
            if not waiting.empty():
                return waiting.get_nowait()
            return None if any(pump.done() for pump in pumps) else b": still here\n\n"
        finally:
            arrival.cancel()


async def _pump(source: AsyncIterator[bytes], waiting: asyncio.Queue[bytes]) -> None:
    async for frame in source:
        await waiting.put(frame)


def frame(data: str, *, id: int | None = None, event: str | None = None) -> bytes:
    """One event on the wire; `data` is a line of JSON."""
    place = "" if id is None else f"id: {id}\n"
    name = "" if event is None else f"event: {event}\n"
    return f"{place}{name}data: {data}\n\n".encode()


def _streams_of(request: Request) -> Streams:
    streams: Streams = request.app.state.streams
    return streams


#: For a route's parameter: where to send a stream.
OpenStreams = Annotated[Streams, Depends(_streams_of)]
