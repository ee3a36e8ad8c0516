"""A lock that many processes share and that serves them in turn.

In one process callers queue in an `asyncio.Lock`; between processes the kernel queues them on a
lock file. A dead process's lock is released by the kernel, so nothing is ever stuck.
"""

import asyncio
import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Any


class FairLock:
    def __init__(self, path: Path | None) -> None:
        """`path` is the lock file; without one the lock holds within this process only."""
        self._path = path
        self._file: int | None = None
        self._turn = asyncio.Lock()
        self._holder: asyncio.Task[Any] | None = None

    async def __aenter__(self) -> None:
        task = asyncio.current_task()
        if self._holder is not None and self._holder is task:
            raise RuntimeError("This task holds the lock already and would wait for itself.")
        await self._turn.acquire()
        self._holder = task
        try:
            waiting = self._try_file()
        except BaseException:
            self._hand_on()
            raise
        if waiting is None:
            return
        try:
            await asyncio.shield(waiting)
        except asyncio.CancelledError:
            # The thread cannot be called back: it gets the lock some day and then gives it up.
            waiting.add_done_callback(lambda _: self._release())
            raise
        except BaseException:
            self._hand_on()
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._release()

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _try_file(self) -> "asyncio.Future[None] | None":
        """Take the file's lock if it is free; otherwise a future that holds once it is ours."""
        if self._path is None:
            return None
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            wait = asyncio.to_thread(fcntl.flock, self._file, fcntl.LOCK_EX)
            return asyncio.ensure_future(wait)
        return None

    def _release(self) -> None:
        if self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        self._hand_on()

    def _hand_on(self) -> None:
        self._holder = None
        self._turn.release()
