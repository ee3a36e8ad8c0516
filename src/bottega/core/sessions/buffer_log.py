"""Typing, as the action log should see it: not every keystroke, but every sign.

Each edit only updates a count in memory. A jump in size is logged at once; everything else is
summed up per file every half minute (FR-043, FR-044).
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from bottega.core.sessions.actions import Action, Actions, ActionType

SUMMARY_INTERVAL = 30.0
SIGNIFICANT_SHARE = 0.5
SIGNIFICANT_CHARS = 500

log = structlog.get_logger()

Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class BufferLogState:
    last_logged_char_count: int
    edit_count_since_last_log: int = 0
    char_count: int = 0

    @property
    def delta(self) -> int:
        return self.char_count - self.last_logged_char_count

    @property
    def is_significant(self) -> bool:
        return (
            abs(self.delta) > SIGNIFICANT_CHARS
            or abs(self.delta) > SIGNIFICANT_SHARE * self.last_logged_char_count
        )

    def logged(self) -> None:
        self.last_logged_char_count = self.char_count
        self.edit_count_since_last_log = 0


class BufferLog:
    def __init__(
        self,
        actions: Actions,
        interval: float = SUMMARY_INTERVAL,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._actions = actions
        self._interval = interval
        self._sleep = sleep
        self._buffers: dict[str, dict[str, BufferLogState]] = {}
        self._timers: dict[str, asyncio.Task[None]] = {}
        actions.on_action(self._hear)

    async def buffer_updated(
        self, session_id: str, path: str, char_count: int, saved_char_count: int = 0
    ) -> None:
        """Note an edit. `saved_char_count`, the file's size on disk, counts on first sight."""
        buffers = self._buffers.setdefault(session_id, {})
        if session_id not in self._timers:
            self._timers[session_id] = asyncio.create_task(
                self._summarise_regularly(session_id), name=f"buffer-summary {session_id}"
            )
        state = buffers.setdefault(path, BufferLogState(saved_char_count))
        state.edit_count_since_last_log += 1
        state.char_count = char_count
        if state.is_significant:
            data = {
                "path": path,
                "previousCharCount": state.last_logged_char_count,
                "newCharCount": char_count,
                "delta": state.delta,
            }
            state.logged()
            await self._actions.log_action(session_id, ActionType.BUFFER_SIGNIFICANT_CHANGE, data)

    async def summarise(self, session_id: str) -> None:
        """Log a summary of each file edited since the last one."""
        for path, state in tuple(self._buffers.get(session_id, {}).items()):
            if state.edit_count_since_last_log == 0:
                continue
            data = {
                "path": path,
                "editCount": state.edit_count_since_last_log,
                "charDelta": state.delta,
                "charCount": state.char_count,
            }
            state.logged()
            await self._actions.log_action(session_id, ActionType.BUFFER_SUMMARY, data)

    async def stop(self) -> None:
        """Clear every timer; none fires during shutdown (EC-18)."""
        timers = tuple(self._timers.values())
        for session_id in tuple(self._timers):
            self._end_session(session_id)
        if timers:
            await asyncio.wait(timers)

    def _hear(self, action: Action) -> None:
        if action.action_type == ActionType.SESSION_ENDED:
            self._end_session(action.session_id)

    def _end_session(self, session_id: str) -> None:
        """FR-047."""
        self._buffers.pop(session_id, None)
        if timer := self._timers.pop(session_id, None):
            timer.cancel()

    async def _summarise_regularly(self, session_id: str) -> None:
        while True:
            await self._sleep(self._interval)
            try:
                await self.summarise(session_id)
            except Exception:
                log.exception("buffer_log.summary_failed", session=session_id)
