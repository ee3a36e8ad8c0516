"""One listener's queue: bounded, oldest out first, and honest about what was lost."""

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType

from bottega.core.events.event import MISSED, Event, Interest


class Subscription:
    """An async iterator of events; leaving its `async with` ends it.

    A listener that falls more than `limit` behind loses the oldest. The next event it gets is then
    `events.missed`, so that it can read again from the log.
    """

    def __init__(
        self, interest: Interest, limit: int, leave: Callable[["Subscription"], None]
    ) -> None:
        self.interest = interest
        self._limit = limit
        self._leave = leave
        self._queue: deque[Event] = deque()
        self._missed = 0
        self._arrived = asyncio.Event()
        self._closed = False

    def offer(self, event: Event) -> None:
        if self._closed or not self.interest.covers(event):
            return
        self._queue.append(event)
        if len(self._queue) > self._limit:
            self._queue.popleft()
            self._missed += 1
        self._arrived.set()

    def close(self) -> None:
        """What was queued can still be read; then the iteration ends."""
        self._closed = True
        self._leave(self)
        self._arrived.set()

    async def __aenter__(self) -> "Subscription":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __aiter__(self) -> "Subscription":
        return self

    async def __anext__(self) -> Event:
        while not self._queue:
            if self._closed:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        if self._missed:
            missed, self._missed = self._missed, 0
            return Event(MISSED, {"missed": missed}, durable=False)
        return self._queue.popleft()
