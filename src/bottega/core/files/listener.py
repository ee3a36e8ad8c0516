"""Hears from the operating system where in a project something happened, through `watchfiles`.

It is given every directory one by one: its own recursion would also listen to `node_modules`, and
follow links out of the project. Blocking: belongs to the watcher's thread.
"""

import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import structlog
from watchfiles import Change

# Used directly, not through `awatch`, which opens it on the event loop and does not tell when it
# has begun to listen.
from watchfiles._rust_notify import RustNotify

log = structlog.get_logger()

#: Milliseconds: hints are gathered for at most so long, and told after so long a silence.
DEBOUNCE, STEP = 50, 10
#: Milliseconds between looks at the disk where it cannot be listened to.
POLL_INTERVAL = 1_000
#: On macOS one stream covers all that is below a directory, and follows no links.
LISTENS_DEEP = sys.platform == "darwin"


@dataclass(frozen=True, slots=True)
class Hints:
    """Relative paths at which something happened; the root is the empty string."""

    paths: frozenset[str] = frozenset()
    #: Those that are told as new.
    appeared: frozenset[str] = frozenset()
    #: The root was removed, though another may stand in its place by now.
    root_removed: bool = False


class Listener:
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
