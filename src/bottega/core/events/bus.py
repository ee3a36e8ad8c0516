"""The bus: publish once, heard at once here, logged behind, heard soon in every other process."""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import structlog

from bottega.core.database import Database
from bottega.core.events.bridge import watch
from bottega.core.events.event import CommittedEvent, Event, Interest
from bottega.core.events.log import EventLog
from bottega.core.events.subscription import Subscription
from bottega.core.events.tail import Tail
from bottega.core.ids import new_id
from bottega.core.write_behind import WriteBehind

#: Seconds an event waits for company before it is logged: a burst becomes one transaction.
LINGER = 0.01
QUEUE_LIMIT = 1_000

log = structlog.get_logger()

Callback = Callable[[Event], None]


class EventBus:
    """Durable events are logged and cross to other processes; the rest stay in this one."""

    def __init__(self, database: Database) -> None:
        self.log = EventLog(database)
        self.origin = new_id("bus_")
        self._database = database
        self._writer = WriteBehind(self._write, name="events", linger=LINGER)
        self._tail = Tail(self.log, accept=self._hear)
        self._subscriptions: list[Subscription] = []
        self._callbacks: list[tuple[Interest, Callback, bool]] = []
        self._arriving: deque[Event] = deque()
        self._delivering = False
        self._bridge: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.get_ident()

    async def start(self) -> None:
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        await self._tail.start()
        await self._writer.start()
        self._bridge = asyncio.create_task(
            watch(self._database, self._tail.catch_up), name="event-bridge"
        )

    async def stop(self) -> None:
        """Write what waits, then end every subscription and stream."""
        await self._writer.stop()
        if self._bridge is not None:
            self._bridge.cancel()
            with suppress(asyncio.CancelledError):
                await self._bridge
        self._tail.close()
        for subscription in tuple(self._subscriptions):
            subscription.close()

    async def flush(self) -> None:
        """Return when every event published so far is in the log."""
        await self._writer.flush()

    def publish(self, event: Event) -> None:
        """Deliver at once in this process; log behind. Never blocks, from any thread."""
        event = replace(event, origin=self.origin)
        if event.durable:
            self._writer.put(event)
        if threading.get_ident() == self._thread or self._loop is None:
            self._deliver(event)
        else:
            self._loop.call_soon_threadsafe(self._deliver, event)

    def subscribe(
        self,
        *topics: str,
        project: str | None = None,
        user_id: str | None = None,
        limit: int = QUEUE_LIMIT,
    ) -> Subscription:
        """Hear what is published from now on, here and, once logged, elsewhere."""
        interest = Interest(topics, project, user_id)
        subscription = Subscription(interest, limit, leave=self._forget)
        self._subscriptions.append(subscription)
        return subscription

    def on(self, topic: str, callback: Callback, *, own_only: bool = False) -> Callable[[], None]:
        """Call `callback` with each event; returns the way to stop that.

        It runs inside `publish`, so it must be quick. `own_only` is for what may happen only once
        however many processes share the database.
        """
        entry = (Interest((topic,)), callback, own_only)
        self._callbacks.append(entry)

        def unsubscribe() -> None:
            with suppress(ValueError):
                self._callbacks.remove(entry)

        return unsubscribe

    def stream(
        self,
        after: int | None = None,
        topics: Sequence[str] = (),
        project: str | None = None,
        user_id: str | None = None,
    ) -> AsyncGenerator[CommittedEvent, None]:
        """Committed events: those after the number `after`, then live; none lost, none twice."""
        return self._tail.follow(after, Interest(tuple(topics), project, user_id))

    async def _write(self, events: list[Event]) -> None:
        await self._tail.committed(await self.log.append(events))

    def _hear(self, event: Event) -> None:
        if event.origin != self.origin:
            self._deliver(event)

    def _deliver(self, event: Event) -> None:
        # A callback may publish: its event waits, so that all hear both in the same order.
        self._arriving.append(event)
        if self._delivering:
            return
        self._delivering = True
        try:
            while self._arriving:
                self._hand_out(self._arriving.popleft())
        finally:
            self._delivering = False

    def _hand_out(self, event: Event) -> None:
        for interest, callback, own_only in tuple(self._callbacks):
            if interest.covers(event) and (event.origin == self.origin or not own_only):
                try:
                    callback(event)
                except Exception:
                    log.exception("events.callback_failed", topic=event.topic)
        for subscription in tuple(self._subscriptions):
            subscription.offer(event)

    def _forget(self, subscription: Subscription) -> None:
        with suppress(ValueError):
            self._subscriptions.remove(subscription)
