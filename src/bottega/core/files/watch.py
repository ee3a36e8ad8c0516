"""Tells, within some 20 ms, which files of a project were added, changed or removed.

A thread listens (`listener.py`) and compares with what it knew (`snapshot.py`); the event loop only
gets the result. Whatever fails is tried again: a watch never dies silently.
"""

import asyncio
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import structlog

from bottega.core.files.listener import Hints, Listener
from bottega.core.files.snapshot import FileChange, Snapshot, without_repeats
from bottega.errors import BottegaError, Conflict, NotFound

log = structlog.get_logger()

#: Milliseconds between looks whether the root is still there.
HEARTBEAT = 1_000
#: Seconds until a watch that failed, or a root that vanished, is tried again.
RETRY = 0.25


class Watcher:
    """FR-035 to FR-037. `on_change` is called on the event loop with each batch of changes."""

    def __init__(
        self, root: Path, on_change: Callable[[list[FileChange]], None], *, polling: bool = False
    ) -> None:
        """`polling` looks at the disk every second instead of listening: slower, but it works
        where the system tells nothing (some network and virtual file systems)."""
        self._root = root.resolve()
        self._on_change = on_change
        self._polling = polling
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._complaint = ""

    async def start(self) -> None:
        """Returns when changes are being listened for; what is there already is not reported."""
        if self._thread is not None:
            raise Conflict(f"{str(self._root)!r} is being watched already.")
        self._stopping.clear()
        self._loop = asyncio.get_running_loop()
        self._ready = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="bottega-watch", daemon=True)
        self._thread.start()
        await self._ready.wait()

    async def stop(self) -> None:
        """EC-16: from this call on nothing is reported, not even what was under way."""
        self._stopping.set()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)
            self._thread = None

    async def __aenter__(self) -> "Watcher":
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    def _run(self) -> None:
        snapshot = Snapshot(self._root)
        with suppress(OSError, BottegaError):
            snapshot.rescan()
        while not self._stopping.is_set():
            listener = Listener(self._root, self._stopping, polling=self._polling)
            try:
                self._watch(snapshot, listener)
            except Exception as error:
                self._complain(error)
            finally:
                listener.close()
            self._on_loop(self._ready.set)
            self._stopping.wait(RETRY)

    def _watch(self, snapshot: Snapshot, listener: Listener) -> None:
        """Listen until told to stop, or until it fails."""
        listener.listen(snapshot.directories | {""})
        changes, hints = snapshot.rescan(), Hints()
        while not self._stopping.is_set():
            # A directory that went and came back is another one, which nobody listens to.
            unheard = (snapshot.directories - listener.directories) | (
                hints.appeared & listener.directories
            )
            if unheard:
                hints = listener.listen(snapshot.directories)
            # Only now: whoever hears of a new file may change it, and that must be heard too.
            self._report(changes)
            if unheard:
                changes = [change for path in _topmost(unheard) for change in snapshot.rescan(path)]
            else:
                self._complaint = ""
                self._on_loop(self._ready.set)
                changes, hints = [], listener.hear(HEARTBEAT)
            if hints.root_removed or not self._root.is_dir():
                self._report(changes + snapshot.forget())
                raise NotFound(f"The watched directory {str(self._root)!r} was removed.")
            changes += snapshot.look(hints.paths, hints.appeared)

    def _complain(self, error: Exception) -> None:
        """Once, not at every attempt."""
        if self._complaint != str(error):
            self._complaint = str(error)
            log.warning(
                "watching failed, trying again", root=str(self._root), error=self._complaint
            )

    def _report(self, changes: list[FileChange]) -> None:
        if changes:
            self._on_loop(self._deliver, without_repeats(changes))

    def _on_loop(self, call: Callable[..., None], *arguments: object) -> None:
        try:
            self._loop.call_soon_threadsafe(call, *arguments)
        except RuntimeError:
            # The loop was closed without `stop`: there is nobody left to tell.
            self._stopping.set()

    def _deliver(self, changes: list[FileChange]) -> None:
        if self._stopping.is_set():
            return
        try:
            self._on_change(changes)
        except Exception:
            log.exception("a listener for file changes failed", changes=len(changes))


def _topmost(paths: Collection[str]) -> list[str]:
    """Those that lie in none of the others."""
    return [path for path in paths if not path or path.rpartition("/")[0] not in paths]
