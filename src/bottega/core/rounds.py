"""Work that is done again and again while the house is open: a scan, a look for the silent."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog

log = structlog.get_logger()


class Rounds:
    def __init__(self, name: str, work: Callable[[], Awaitable[object]], interval: float) -> None:
        """`interval` seconds pass before the first round and between two."""
        self._name = name
        self._work = work
        self._interval = interval
        self._going: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._going = asyncio.create_task(self._go(), name=self._name)

    async def stop(self) -> None:
        if self._going is not None:
            self._going.cancel()
            with suppress(asyncio.CancelledError):
                await self._going
            self._going = None

    async def _go(self) -> None:
        while True:
            await asyncio.sleep(self._interval)
            try:
                await self._work()
            except Exception:
                # The next round may find things better.
                log.exception("round.failed", work=self._name)
