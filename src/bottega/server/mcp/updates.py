"""What has changed of the resources, told once after a burst: a build writes thousands of files."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable

#: How long changes are gathered before they are told.
GATHER_SECONDS = 0.1

Tell = Callable[[Collection[str], bool], Awaitable[None]]


class Updates:
    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._uris: set[str] = set()
        self._relisted = False
        self._telling: asyncio.Task[None] | None = None

    def add(self, uris: Iterable[str], relisted: bool, loop: asyncio.AbstractEventLoop) -> None:
        """From any thread: whoever publishes an event may be in another one."""
        loop.call_soon_threadsafe(self._note, list(uris), relisted)

    def stop(self) -> None:
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None

    def _note(self, uris: list[str], relisted: bool) -> None:
        self._uris.update(uris)
        self._relisted = self._relisted or relisted
        if self._telling is None and (self._uris or self._relisted):
            self._telling = asyncio.create_task(self._gather())

    async def _gather(self) -> None:
        await asyncio.sleep(GATHER_SECONDS)
        uris, relisted = self._uris, self._relisted
        self._uris, self._relisted, self._telling = set(), False, None
        await self._tell(uris, relisted)
