"""Waiting for something to happen to a run, in this process or in another."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TypeVar

from bottega.core import clock

T = TypeVar("T")

#: News come by the bus at once; looking again now and then is for the case that one got lost.
LOOK_AGAIN_SECONDS = 10.0


class News:
    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Event]] = {}

    def arrived(self, run_id: str) -> None:
        for waiting in self._waiting.get(run_id, ()):
            waiting.set()

    async def wait_for(
        self,
        run_id: str,
        look: Callable[[], Awaitable[T | None]],
        deadline: datetime | None = None,
    ) -> T | None:
        """What `look` finds, as soon as it finds something; `None` when the deadline passes."""
        with self._watching(run_id) as news:
            while True:
                news.clear()
                if (found := await look()) is not None:
                    return found
                patience = LOOK_AGAIN_SECONDS
                if deadline is not None:
                    left = (deadline - clock.now()).total_seconds()
                    if left <= 0:
                        return None
                    patience = min(patience, left)
                try:
                    async with asyncio.timeout(patience):
                        await news.wait()
                except TimeoutError:
                    pass

    @contextmanager
    def _watching(self, run_id: str) -> Iterator[asyncio.Event]:
        news = asyncio.Event()
        watchers = self._waiting.setdefault(run_id, set())
        watchers.add(news)
        try:
            yield news
        finally:
            watchers.discard(news)
            if not watchers:
                self._waiting.pop(run_id, None)
