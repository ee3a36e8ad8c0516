"""The newest committed events in the log's order, as this process has seen them.

Everything that must neither lose nor repeat an event goes by the log's numbers: readers of the
tail (SSE streams), and the delivery of what other processes wrote. Our own commits are taken over
directly while their numbers follow on; any gap is read from the log.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence

from bottega.core.events.event import CommittedEvent, Event, Interest
from bottega.core.events.log import EventLog

PAGE = 500
#: Events kept in memory; a reader further behind reads from the log.
KEEP = 2_000


class Tail:
    def __init__(self, log: EventLog, accept: Callable[[Event], None], keep: int = KEEP) -> None:
        """`accept` is called once for every committed event, in order."""
        self._log = log
        self._accept = accept
        self._keep = keep
        self._recent: deque[CommittedEvent] = deque()
        #: Every event after this number and up to `_seen` is in `_recent`.
        self._complete_after = 0
        self._seen = 0
        self._reading = asyncio.Lock()
        self._grown = asyncio.Event()
        self._closed = False

    async def start(self) -> None:
        self._seen = self._complete_after = await self._log.last_seq()

    def close(self) -> None:
        self._closed = True
        self._signal()

    async def committed(self, events: Sequence[CommittedEvent]) -> None:
        """Take over what this process has just written."""
        async with self._reading:
            if events and events[0].seq == self._seen + 1 and _contiguous(events):
                self._take(events)
            else:
                await self._read_log()

    async def catch_up(self) -> None:
        """Take over what others wrote."""
        async with self._reading:
            await self._read_log()

    def follow(self, after: int | None, interest: Interest) -> AsyncGenerator[CommittedEvent, None]:
        """Replay what followed `after`, then go on live; from now on without an `after`."""
        return self._follow(self._seen if after is None else after, interest)

    async def _follow(
        self, position: int, interest: Interest
    ) -> AsyncGenerator[CommittedEvent, None]:
        if position > self._seen:
            # Read elsewhere and not yet seen here; or from another database: then start afresh.
            position = min(position, await self._log.last_seq())
        while not self._closed:
            grown = self._grown
            if position >= self._complete_after:
                page, end = self._remembered(position), self._seen
            else:
                end = self._seen
                page = await self._log.after(
                    position, interest.topics, interest.project, interest.user_id, PAGE
                )
                if len(page) == PAGE:
                    end = page[-1].seq
            for committed in page:
                if interest.covers(committed.event):
                    yield committed
                position = committed.seq
            position = max(position, end)
            if position >= self._seen:
                await grown.wait()

    def _remembered(self, position: int) -> list[CommittedEvent]:
        newer: list[CommittedEvent] = []
        for committed in reversed(self._recent):
            if committed.seq <= position:
                break
            newer.append(committed)
        return newer[::-1]

    async def _read_log(self) -> None:
        while events := await self._log.after(self._seen, limit=PAGE):
            self._take(events)

    def _take(self, events: Sequence[CommittedEvent]) -> None:
        for committed in events:
            self._recent.append(committed)
            self._seen = committed.seq
            self._accept(committed.event)
        while len(self._recent) > self._keep:
            self._complete_after = self._recent.popleft().seq
        self._signal()

    def _signal(self) -> None:
        self._grown.set()
        if not self._closed:
            self._grown = asyncio.Event()


def _contiguous(events: Sequence[CommittedEvent]) -> bool:
    return events[-1].seq - events[0].seq == len(events) - 1
