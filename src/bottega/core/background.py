"""Work beside the requests: tasks that repeat, and loading that waits until the start is over."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog

log = structlog.get_logger()

#: Seconds after a start in which the first requests have the processor to themselves.
STARTUP_SECONDS = 0.5


class PeriodicTask:
    """Calls `work` again and again; an error is logged and does not end it."""

    def __init__(
        self,
        name: str,
        work: Callable[[], Awaitable[object]],
        interval: float,
        *,
        first: float | None = None,
        lease: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        """`interval` seconds pass between two calls and, if `first` is not given, before one. With
        a `lease` (`Leases.of`) only the process that holds it calls."""
        self._name = name
        self._work = work
        self._interval = interval
        self._first = interval if first is None else first
        self._lease = lease
        self._going: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._going = asyncio.create_task(self._go(), name=self._name)

    async def stop(self) -> None:
        await cancel(self._going)
        self._going = None

    async def _go(self) -> None:
        pause = self._first
        while True:
            await asyncio.sleep(pause)
            pause = self._interval
            try:
                if self._lease is None or await self._lease():
                    await self._work()
            except Exception:
                # The next call may find things better.
                log.exception("round.failed", work=self._name)


async def cancel(task: asyncio.Task[None] | None) -> None:
    """Cancel a task, if there is one, and return when it is over."""
    if task is not None:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def after_startup() -> None:
    """Return when the first requests after a start have had their time: load what can wait now."""
    await asyncio.sleep(STARTUP_SECONDS)
