"""Waiting for something to happen to a run, in this process or in another."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from bottega.core import clock

T = TypeVar("T")

#: News come by the bus at once; looking again now and then is for the case that one got lost.
LOOK_AGAIN_SECONDS = 10.0


@dataclass(eq=False, slots=True)
class _Watcher:
    #: Whether only what changes a run's status or reply concerns it.
    of_moves: bool
    news: asyncio.Event = field(default_factory=asyncio.Event)


class News:
    def __init__(self) -> None:
        self._watchers: dict[str, set[_Watcher]] = {}

    def arrived(self, run_id: str, *, is_move: bool) -> None:
        for watcher in self._watchers.get(run_id, ()):
            if is_move or not watcher.of_moves:
                watcher.news.set()

    async def wait_for(
        self,
        run_id: str,
        look: Callable[[], Awaitable[T | None]],
        deadline: datetime | None = None,
        *,
        of_moves: bool = True,
    ) -> T | None:
        """What `look` finds, as soon as it finds something; `None` when the deadline passes.

        It looks again when the run has moved; not `of_moves`, when anything was told of it.
        """
        with self._watching(run_id, of_moves) as news:
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
    def _watching(self, run_id: str, of_moves: bool) -> Iterator[asyncio.Event]:
        watcher = _Watcher(of_moves)
        watchers = self._watchers.setdefault(run_id, set())
        watchers.add(watcher)
        try:
            yield watcher.news
        finally:
            watchers.discard(watcher)
            if not watchers:
                self._watchers.pop(run_id, None)
