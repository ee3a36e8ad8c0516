"""A run waits out a database that does not answer: it has lasted longer than most outages."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from bottega.core.write_behind import TRANSIENT

T = TypeVar("T")

#: Seconds between attempts; the last one repeats.
PAUSES = (0.05, 0.2, 1.0, 5.0)

log = structlog.get_logger()


async def patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """The answer, asked for until there is one. Errors that are not outages are raised."""
    for attempt in itertools.count():
        try:
            return await ask()
        except TRANSIENT as error:
            pause = PAUSES[min(attempt, len(PAUSES) - 1)]
            log.warning("run.waits_for_database", error=str(error), pause=pause)
            await asyncio.sleep(pause)
    raise AssertionError("counting does not end")
