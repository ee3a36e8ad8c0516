"""The files that mirror conversations, for people and tools: `{folder}/{session}/session.jsonl`.

The database is the truth. A change is noted at once and written after half a second of quiet, so
that a burst of changes is one write. A write that fails is tried again and troubles nobody; what
a crash kept from being written is found at the next start, because the first line of a file says
which state of the session it shows.
"""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

import structlog

from bottega.conversation.transcripts import TRANSCRIPT
from bottega.core.files.sandbox import Sandbox

#: Seconds of quiet before a change is written, and the longest that changes can put it off.
DELAY = 0.5
PATIENCE = 5.0
#: Seconds before a write that failed is tried again, the last of them for good.
RETRY_PAUSES = (1.0, 5.0, 30.0)
#: Seconds that a stop waits for the disk.
STOP_TIMEOUT = 10.0
WRITERS = 4
LARGEST_MIRROR = 1024**3
log = structlog.get_logger()
#: The whole text of a session's mirror; `None` for a session that is gone.
Export = Callable[[str], Awaitable[str | None]]


@dataclass(eq=False)
class SessionMirror:
    folder: Path
    export: Export
    _: KW_ONLY
    delay: float = DELAY
    patience: float = PATIENCE
    retry_pauses: Sequence[float] = RETRY_PAUSES

    def __post_init__(self) -> None:
        #: When each changed session is to be written, and since when it waits.
        self._due: dict[str, float] = {}
        self._since: dict[str, float] = {}
        self._failures: dict[str, int] = {}
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._writing = asyncio.Lock()
        self._stopping = False
        self._running: asyncio.Task[None] | None = None

    def changed(self, session_id: str) -> None:
        """Note that a session is to be written. Never fails."""
        now = asyncio.get_running_loop().time()
        since = self._since.setdefault(session_id, now)
        self._put(session_id, min(now + self.delay, since + self.patience))

    async def start(self) -> None:
        self._stopping = False
        self._running = asyncio.create_task(self._run(), name="session-mirror")

    async def stop(self) -> None:
        """Write what waits. What the disk does not take now is written at the next start."""
        self._stopping = True
        self._wake.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_TIMEOUT):
                if self._running is not None:
                    await self._running
                await self.flush()
        self._running = None
        if self._due:
            log.error("conversation.mirror_left_behind", sessions=len(self._due))

    async def flush(self) -> None:
        """Try to write everything that waits, now."""
        async with self._writing:
            await self._write_all(tuple(self._due))

    async def settled(self) -> None:
        """Return when nothing waits to be written."""
        await self._idle.wait()

    async def remove(self, session_id: str) -> None:
        """Everything that the session has on disk."""
        async with self._writing:
            self._forget(session_id)
            await asyncio.to_thread(shutil.rmtree, self.folder / session_id, ignore_errors=True)

    async def first_line(self, session_id: str) -> str | None:
        return await asyncio.to_thread(self._first_line, session_id)

    def _first_line(self, session_id: str) -> str | None:
        try:
            with (self.folder / session_id / TRANSCRIPT).open(encoding="utf-8") as file:
                return file.readline()
        except (OSError, UnicodeDecodeError):
            return None

    def _put(self, session_id: str, when: float) -> None:
        self._due[session_id] = when
        self._idle.clear()
        self._wake.set()

    def _forget(self, session_id: str) -> None:
        for noted in (self._due, self._since, self._failures):
            noted.pop(session_id, None)
        if not self._due:
            self._idle.set()

    async def _run(self) -> None:
        while not self._stopping:
            self._wake.clear()
            now = asyncio.get_running_loop().time()
            if due := [each for each, when in self._due.items() if when <= now]:
                async with self._writing:
                    await self._write_all(due)
                continue
            soonest = min(self._due.values(), default=None)
            with suppress(TimeoutError):
                async with asyncio.timeout_at(soonest):
                    await self._wake.wait()

    async def _write_all(self, sessions: Sequence[str]) -> None:
        waiting = iter(sessions)

        async def write() -> None:
            for session_id in waiting:
                await self._write(session_id)

        await asyncio.gather(*(write() for _ in range(min(WRITERS, len(sessions)))))

    async def _write(self, session_id: str) -> None:
        noted = self._due.get(session_id)
        try:
            text = await self.export(session_id)
            if text is not None:
                await self._replace(session_id, text)
        except Exception as error:
            # A full disk must not end the loop: the text is safe in the database.
            self._try_later(session_id, error)
            return
        # Unless it changed again meanwhile.
        if self._due.get(session_id) == noted:
            self._forget(session_id)
        self._since.pop(session_id, None)
        self._failures.pop(session_id, None)

    async def _replace(self, session_id: str, text: str) -> None:
        await asyncio.to_thread(self.folder.mkdir, parents=True, exist_ok=True)
        sandbox = Sandbox(self.folder, max_file_bytes=LARGEST_MIRROR)
        await sandbox.write(f"{session_id}/{TRANSCRIPT}", text.encode())

    def _try_later(self, session_id: str, error: Exception) -> None:
        failed = self._failures.get(session_id, 0)
        self._failures[session_id] = failed + 1
        pause = self.retry_pauses[min(failed, len(self.retry_pauses) - 1)]
        self._put(session_id, asyncio.get_running_loop().time() + pause)
        log.warning(
            "conversation.mirror_failed", session_id=session_id, error=str(error), again_in=pause
        )
