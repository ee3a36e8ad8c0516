"""What has changed of the resources, told once after a burst: a build writes thousands of files."""

from collections.abc import Awaitable, Callable, Collection, Iterable

import anyio
from anyio.abc import TaskGroup

#: How long changes are gathered before they are told.
GATHER_SECONDS = 0.1

Tell = Callable[[Collection[str], bool], Awaitable[None]]


class Updates:
    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._uris: set[str] = set()
        self._relisted = False
        self._gathering = False

    def add(self, uris: Iterable[str], relisted: bool, tasks: TaskGroup) -> None:
        self._uris.update(uris)
        self._relisted = self._relisted or relisted
        if not self._gathering and (self._uris or self._relisted):
            self._gathering = True
            tasks.start_soon(self._gather)

    async def _gather(self) -> None:
        try:
            await anyio.sleep(GATHER_SECONDS)
        finally:
            uris, relisted = self._uris, self._relisted
            self._uris, self._relisted, self._gathering = set(), False, False
        await self._tell(uris, relisted)
