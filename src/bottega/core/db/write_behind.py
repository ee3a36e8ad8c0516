"""Rows written behind the call that made them: the caller does not wait, the writes are batches.

Idle, an item is written at once; while a batch is being written the next one gathers, so the
batches grow with the load. Order is kept.

What happens when a write fails depends on whose fault it is. A database that does not answer is
asked again, with growing pauses, for as long as it takes. A batch that it refuses is written item
by item, and only the item that is refused alone is given up, with its error in the log. While the
database is away at most `max_pending` items wait; beyond that the oldest goes, because the newest
say how things stand now. What was given up is counted in `lost`.

A batch may be written twice when the answer to the first try got lost: `write` should leave rows
that exist already alone.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from typing import Generic, TypeVar

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from bottega.errors import Unavailable

T = TypeVar("T")

#: Errors that say "not now", as opposed to "not this".
TRANSIENT = (OperationalError, InterfaceError, PoolTimeout, Unavailable, OSError)

log = structlog.get_logger()


@dataclass(eq=False)
class WriteBehind(Generic[T]):
    write: Callable[[list[T]], Awaitable[None]]
    _: KW_ONLY
    name: str = "rows"
    max_batch: int = 500
    max_pending: int = 100_000
    #: Seconds that are waited for company after the first item: fewer, bigger batches.
    linger: float = 0.0
    retry_pauses: Sequence[float] = (0.05, 0.2, 1.0, 5.0)
    stop_timeout: float = 5.0

    def __post_init__(self) -> None:
        self._pending: deque[T] = deque()
        self._lost = 0
        # Spans end in any thread, so `put` may be called from any.
        self._guard = threading.Lock()
        self._signalled = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        self._stopping = asyncio.Event()
        self._writing = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    @property
    def lost(self) -> int:
        """Items given up so far."""
        return self._lost

    @property
    def pending(self) -> int:
        return len(self._pending)

    def put(self, item: T) -> None:
        """Queue an item, from any thread. Never blocks and never raises."""
        with self._guard:
            self._pending.append(item)
            if len(self._pending) > self.max_pending:
                self._pending.popleft()
                self._give_up(1, "too many are waiting to be written")
            loop = self._loop
            if self._signalled or loop is None:
                return
            self._signalled = True
        # A loop that closed without a stop writes nothing any more; the caller need not suffer.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._wake.set)

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping.clear()
        self._wake.set()
        self._task = asyncio.create_task(self._run(), name=f"write-behind {self.name}")

    async def stop(self) -> None:
        """Write what waits, within `stop_timeout` seconds; what is left then is lost, and said."""
        task, self._task, self._loop = self._task, None, None
        self._stopping.set()
        self._wake.set()
        try:
            async with asyncio.timeout(self.stop_timeout):
                if task is not None:
                    await task
                await self.flush()
        except TimeoutError:
            self._give_up(len(self._pending), "the database did not take them before the stop")
            self._pending.clear()

    async def flush(self) -> None:
        """Return when everything put before the call is written or given up."""
        waiting = len(self._pending)
        async with self._writing:
            await self._drain(waiting)

    async def _run(self) -> None:
        while not self._stopping.is_set():
            await self._wake.wait()
            await self._gather()
            self._wake.clear()
            self._signalled = False
            async with self._writing:
                await self._drain(len(self._pending))

    async def _gather(self) -> None:
        if self.linger and self._pending and not self._stopping.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(self.linger):
                    await self._stopping.wait()

    async def _drain(self, count: int) -> None:
        while count > 0 and (batch := self._take(min(count, self.max_batch))):
            count -= len(batch)
            try:
                await self._write_surely(batch)
            except BaseException:
                self._pending.extendleft(reversed(batch))
                raise

    def _take(self, count: int) -> list[T]:
        with self._guard:
            return [self._pending.popleft() for _ in range(min(count, len(self._pending)))]

    async def _write_surely(self, batch: list[T]) -> None:
        attempt = 0
        while True:
            try:
                await self.write(batch)
            except TRANSIENT as error:
                pause = self.retry_pauses[min(attempt, len(self.retry_pauses) - 1)]
                attempt += 1
                log.warning("write_behind.retry", what=self.name, error=str(error), pause=pause)
                await asyncio.sleep(pause)
            except Exception as error:
                await self._write_one_by_one(batch, error)
                return
            else:
                return

    async def _write_one_by_one(self, batch: list[T], error: Exception) -> None:
        if len(batch) == 1:
            self._give_up(1, f"the database refuses it: {error}")
            return
        for item in batch:
            await self._write_surely([item])

    def _give_up(self, count: int, reason: str) -> None:
        if count == 0:
            return
        # Once full it may be every item: say so at 1, 2, 4, 8, … and not a thousand times.
        before, self._lost = self._lost, self._lost + count
        if self._lost.bit_length() > before.bit_length():
            log.error("write_behind.lost", what=self.name, lost=self._lost, reason=reason)
