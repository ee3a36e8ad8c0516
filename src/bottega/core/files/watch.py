"""Tells, within some 20 ms, which files of a project were added, changed or removed.

A thread listens through `watchfiles` and compares with what it knew (`snapshot.py`); the event
loop only gets the result. Whatever fails is tried again: a watch never dies silently.
"""

import asyncio
import sys
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import structlog
from watchfiles import Change
from watchfiles._rust_notify import RustNotify

from bottega.core.files.closed import CLOSED, ClosedPaths
from bottega.core.files.snapshot import FileChange, Snapshot, without_repeats
from bottega.errors import BottegaError, Conflict, NotFound

log = structlog.get_logger()

#: Milliseconds: hints are gathered for at most so long, and told after so long a silence.
DEBOUNCE, STEP = 50, 10
#: Milliseconds between looks at the disk where it cannot be listened to.
POLL_INTERVAL = 1_000
#: On macOS one stream covers all that is below a directory, and follows no links.
LISTENS_DEEP = sys.platform == "darwin"
#: Milliseconds between looks whether the root is still there.
HEARTBEAT = 1_000
#: Seconds until a watch that failed, or a root that vanished, is tried again.
RETRY = 0.25


@dataclass(frozen=True, slots=True)
class Hints:
    """Relative paths at which something happened; the root is the empty string."""

    paths: frozenset[str] = frozenset()
    #: Those that are told as new.
    appeared: frozenset[str] = frozenset()
    #: The root was removed, though another may stand in its place by now.
    root_removed: bool = False


class Listener:
    """Hears from the operating system where in a project something happened.

    It is given every directory one by one: the recursion of `watchfiles` would also listen to
    `node_modules`, and follow links out of the project. Blocking: belongs to the watcher's thread.
    """

    def __init__(self, root: Path, stopping: threading.Event, *, polling: bool = False) -> None:
        self._root = root
        self._stopping = stopping
        self._polling = polling
        self._notifier: RustNotify | None = None
        #: Where it listens now.
        self.directories: frozenset[str] = frozenset()

    def listen(self, directories: set[str]) -> Hints:
        """Listen to these from now on. Returns what was heard until then, so that nothing falls
        between: the old ear closes only when the new one is open."""
        newer = self._open(directories)
        try:
            last = self.hear(1) if self._notifier else Hints()
        finally:
            self.close()
            self._notifier = newer
            self.directories = frozenset(directories)
        return last

    def hear(self, timeout: int) -> Hints:
        """Wait up to `timeout` milliseconds for something to happen."""
        if self._notifier is None:
            return Hints()
        raw = self._notifier.watch(DEBOUNCE, min(STEP, timeout), timeout, self._stopping)
        if isinstance(raw, str):
            return Hints()
        heard = {(change, self._relative(path)) for change, path in raw}
        return Hints(
            frozenset(path for _, path in heard),
            frozenset(path for change, path in heard if change == Change.added),
            (Change.deleted, "") in heard,
        )

    def close(self) -> None:
        if self._notifier is not None:
            self._notifier.close()
            self._notifier = None

    def _open(self, directories: set[str]) -> RustNotify:
        paths = [str(self._root / path) for path in sorted({""} if LISTENS_DEEP else directories)]
        try:
            return self._notify(paths)
        except FileNotFoundError:
            there = {path for path in directories if (self._root / path).is_dir()}
            if there == directories or "" not in there:
                raise
            return self._open(there)
        except OSError as error:
            if self._polling:
                raise
            log.warning(
                "cannot listen for file changes, looking every second instead; on Linux a higher "
                "fs.inotify.max_user_watches may help",
                root=str(self._root),
                directories=len(paths),
                error=str(error),
            )
            self._polling = True
            return self._notify(paths)

    def _notify(self, paths: list[str]) -> RustNotify:
        return RustNotify(
            watch_paths=paths,
            debug=False,
            force_polling=self._polling,
            poll_delay_ms=POLL_INTERVAL,
            recursive=LISTENS_DEEP,
            # Ignoring them would also ignore the limit on watches.
            ignore_permission_denied=False,
        )

    def _relative(self, path: str) -> str:
        return path.removeprefix(str(self._root)).lstrip("/")


class Watcher:
    """FR-035 to FR-037. `on_change` is called on the event loop with each batch of changes."""

    def __init__(
        self,
        root: Path,
        on_change: Callable[[list[FileChange]], None],
        *,
        polling: bool = False,
        closed: ClosedPaths = CLOSED,
    ) -> None:
        """`polling` looks at the disk every second instead of listening: slower, but it works
        where the system tells nothing (some network and virtual file systems)."""
        self._root = root.resolve()
        self._on_change = on_change
        self._polling = polling
        self._closed = closed
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

    async def __aexit__(self, *_error: object) -> None:
        await self.stop()

    def _run(self) -> None:
        snapshot = Snapshot(self._root, self._closed)
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
        if hidden := self._hidden(changes):
            changes = [change for change in changes if change.path not in hidden]
        if changes:
            self._on_loop(self._deliver, without_repeats(changes))

    def _hidden(self, changes: list[FileChange]) -> set[str]:
        ignored = self._closed.ignored
        return ignored.among(change.path for change in changes) if ignored is not None else set()

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
