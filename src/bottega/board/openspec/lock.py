"""One writer at a time in a project's OpenSpec directory, among all our processes."""

from types import TracebackType

from bottega.board.openspec.reading import ROOT
from bottega.core.fairlock import FairLock
from bottega.core.files.noise import TEMPORARY_PREFIX
from bottega.core.files.sandbox import Sandbox

#: Hidden from the CLI by its dot and from our watcher by its prefix.
LOCK = f"{ROOT}/{TEMPORARY_PREFIX}lock"


class WriteLock:
    def __init__(self, files: Sandbox) -> None:
        self._files = files
        self._lock = FairLock(files.root / LOCK)

    async def __aenter__(self) -> None:
        # The lock is opened by its name: not if that leads out of the project.
        await self._files.type_of(LOCK)
        await self._lock.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._lock.__aexit__(kind, error, trace)

    def close(self) -> None:
        self._lock.close()
