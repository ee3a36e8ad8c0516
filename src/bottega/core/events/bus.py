"""The bus: an event is delivered at once here, logged behind, and soon delivered elsewhere.

How a process learns that another one has added to the log: PostgreSQL notifies; the notification
carries no event, so a lost one costs nothing: after every reconnection the log is read from the
last number seen. SQLite has no such call, but counts the commits of others in `data_version`,
which is read from memory and is cheap to ask for.
"""

import asyncio
import sqlite3
import threading
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import structlog
from sqlalchemy import URL

from bottega.core.background import cancel
from bottega.core.clock import new_id
from bottega.core.db import sqlite as sqlite_driver
from bottega.core.db.database import Database
from bottega.core.db.write_behind import WriteBehind
from bottega.core.events.log import CHANNEL, MISSED, CommittedEvent, Event, EventLog, Interest, Tail

#: Seconds between two looks at a SQLite file.
POLL = 0.2
#: Seconds of silence after which a connection that listens is tried.
QUIET = 30.0
#: Seconds before a lost connection is made again.
RECONNECT = 0.5
#: How the connection that listens is called in `pg_stat_activity`.
LISTENER = "bottega-events"

log = structlog.get_logger()

CatchUp = Callable[[], Awaitable[None]]


async def watch(database: Database, catch_up: CatchUp) -> None:
    """Call `catch_up` whenever the log may have grown, until cancelled."""
    while True:
        try:
            if database.path is not None:
                await _watch_sqlite(database.path, catch_up)
            else:
                await _watch_postgres(database.url, catch_up)
        except Exception as error:
            log.warning("events.bridge_lost", error=str(error), retry_in=RECONNECT)
        await asyncio.sleep(RECONNECT)


async def _watch_sqlite(path: Path, catch_up: CatchUp) -> None:
    connection = await sqlite_driver.connect(path)
    try:
        known = None
        while True:
            if (version := await connection.run(_data_version)) != known:
                await catch_up()
                known = version
            await asyncio.sleep(POLL)
    finally:
        await connection.close()


def _data_version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


async def _watch_postgres(url: URL, catch_up: CatchUp) -> None:
    import psycopg

    dsn = url.set(drivername="postgresql").render_as_string(hide_password=False)
    async with await psycopg.AsyncConnection.connect(
        dsn, autocommit=True, application_name=LISTENER
    ) as connection:
        await connection.execute(f"LISTEN {CHANNEL}")
        while True:
            await catch_up()
            # A notification ends this and so does silence; then a dead connection shows.
            async for _ in connection.notifies(timeout=QUIET, stop_after=1):
                pass
            await connection.execute("SELECT 1")


#: Seconds an event waits for company before it is logged: a burst becomes one transaction.
LINGER = 0.01
QUEUE_LIMIT = 1_000
#: Longest wait for the log before a change is acknowledged.
SETTLE_SECONDS = 30.0
#: Seconds between attempts to log while the database is away; short, because callers wait.
RETRY_PAUSES = (0.05, 0.2, 0.5, 1.0)


Callback = Callable[[Event], None]


class Subscription:
    """An async iterator of events with a bounded queue; leaving its `async with` ends it.

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

    async def __aexit__(self, *_error: object) -> None:
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


class EventBus:
    """Durable events are logged and cross to other processes; the rest stay in this one."""

    def __init__(self, database: Database) -> None:
        self.log = EventLog(database)
        self.origin = new_id("bus_")
        self._database = database
        self._writer = WriteBehind(
            self._write, name="events", linger=LINGER, retry_pauses=RETRY_PAUSES
        )
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
        await cancel(self._bridge)
        self._tail.close()
        for subscription in tuple(self._subscriptions):
            subscription.close()

    async def flush(self) -> None:
        """Return when every event published so far is in the log."""
        await self._writer.flush()

    async def settle(self) -> None:
        """The same, but not for ever: a database that goes away now may stay away."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SETTLE_SECONDS):
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
