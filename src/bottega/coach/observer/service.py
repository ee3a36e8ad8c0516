"""What the observer receives, when it evaluates, and when it does not (muted, cooldown, flow).

It follows each session from its start to its end. What is called here is quick and never waits:
evaluations, and logging that there was none, run as background tasks.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from datetime import UTC, datetime
from typing import Any

import structlog

from bottega.coach.editor.state import Editors, EditorState, Windows
from bottega.coach.observer.schemas import IdleStart, ObserverStatus
from bottega.coach.observer.snapshot import path_of
from bottega.coach.observer.state import (
    EDITS_TO_EVALUATE,
    Nudges,
    ObserverState,
    SentNudge,
    Suppression,
)
from bottega.coach.observer.triage import ObserverTriage
from bottega.core import clock
from bottega.core.events import Event
from bottega.core.services import Core
from bottega.core.sessions.actions import OBSERVED, Action, ActionType
from bottega.core.sessions.session import SessionKind
from bottega.core.users import LOCAL_USER
from bottega.errors import BottegaError

#: FR-132.
IDLE_CHECK_INTERVAL = 30.0
TRIGGERS = frozenset(
    {
        ActionType.FILE_OPEN,
        ActionType.FILE_SAVE,
        ActionType.PHASE_STARTED,
        ActionType.PHASE_COMPLETED,
    }
)
#: That the editor noticed nobody there is no sign of life.
SIGNS_OF_LIFE = OBSERVED - {ActionType.IDLE_START}
#: Actions that show which file the person is in. A save may be of all files at once.
TURNS_TO_FILE = frozenset(
    {
        ActionType.FILE_OPEN,
        ActionType.TAB_SWITCH,
        ActionType.SELECTION,
        ActionType.BUFFER_SIGNIFICANT_CHANGE,
    }
)

log = structlog.get_logger()


class Observer:
    def __init__(
        self,
        core: Core,
        editors: Editors,
        windows: Windows,
        *,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._core = core
        self._editors = editors
        self._windows = windows
        self._now = now
        self._sleep = sleep
        self._sent = Nudges()
        self._triage = ObserverTriage(core, windows, self._sent, now)
        #: By session, those that are active.
        self._states: dict[str, ObserverState] = {}
        self._timers: dict[str, asyncio.Task[None]] = {}
        self._behind: set[asyncio.Task[None]] = set()
        self._leave: list[Callable[[], None]] = []

    async def start(self) -> None:
        bus = self._core.bus
        self._leave = [
            # One process watches a session, the one that started it; any may end it.
            bus.on("session.started", self._on_session_started, own_only=True),
            bus.on("session.ended", self._on_session_ended),
            self._core.actions.on_action(self._on_action),
        ]

    async def stop(self) -> None:
        """Hear no more; clear every timer and every look under way."""
        for leave in self._leave:
            leave()
        self._leave = []
        stopping = [*self._timers.values(), *self._behind]
        for state in self._states.values():
            state.active = False
        self._states.clear()
        self._timers.clear()
        for task in stopping:
            task.cancel()
        await asyncio.gather(*stopping, return_exceptions=True)

    async def settled(self) -> None:
        """Return when everything begun so far is done."""
        while self._behind:
            await asyncio.wait(tuple(self._behind))

    def watch(self, editor: EditorState) -> None:
        """FR-129: follow the editor's session."""
        session_id = editor.require_session()
        if session_id in self._states:
            return
        state = ObserverState(session_id, editor, last_activity_timestamp=self._now())
        self._states[session_id] = state
        self._timers[session_id] = asyncio.create_task(
            self._check_regularly(state), name=f"observer {session_id}"
        )
        self._windows.send(editor, _status(state))

    def edited(self, editor: EditorState, path: str) -> None:
        """Every edit, logged or not."""
        state = self._states.get(editor.session_id or "")
        if state is None:
            return
        state.edited(path, self._now())
        if state.buffer_updates_since_last_eval >= EDITS_TO_EVALUATE:
            self._consider(state, by_edit=True)

    def active(self, editor: EditorState) -> None:
        """A sign of life that is no action, such as typing in the terminal."""
        if state := self._states.get(editor.session_id or ""):
            state.was_active(self._now())

    async def mute(self, editor: EditorState, muted: bool) -> ObserverStatus:
        """FR-144."""
        state = self._states.get(editor.session_id or "")
        if state is None:
            log.warning("observer.mute_ignored", user=editor.user_id, reason="no session")  # EC-70
            return _status(None)
        state.muted = muted
        await self._core.actions.log_action(
            state.session_id, ActionType.OBSERVER_MUTED, {"muted": muted}
        )
        self._windows.send(editor, _status(state))
        return _status(state)

    async def log_idle(self, editor: EditorState, start: IdleStart | None) -> None:
        """A window saw the person leave; without `start`, come back."""
        action = ActionType.IDLE_START if start else ActionType.IDLE_END
        data = start.model_dump(by_alias=True) if start else {}
        await self._core.actions.log_action(editor.session_id, action, data)

    def status(self, editor: EditorState) -> ObserverStatus:
        return _status(self._states.get(editor.session_id or ""))

    def nudges(self, editor: EditorState) -> list[SentNudge]:
        """The latest, oldest first."""
        return self._sent.of(editor.user_id)

    def hand_over(self, editor: EditorState, after: datetime | None = None) -> list[SentNudge]:
        """Nudges for an agent: those since `after`, or those that none was given yet."""
        return self._sent.hand_over(editor.user_id, after)

    def _on_session_started(self, event: Event) -> None:
        is_coaching = event.payload.get("kind") == SessionKind.COACHING
        if is_coaching and event.project == self._editors.project:
            self.watch(self._editors.of(event.user_id or LOCAL_USER))

    def _on_session_ended(self, event: Event) -> None:
        """FR-130. A look under way is left to finish; its result is dropped (EC-66)."""
        session_id = event.session_id or ""
        state = self._states.pop(session_id, None)
        if state is None:
            return
        state.active = False
        self._timers.pop(session_id).cancel()
        self._windows.send(state.editor, _status(None))

    def _on_action(self, action: Action) -> None:
        state = self._states.get(action.session_id)
        if state is None or action.action_type not in SIGNS_OF_LIFE:
            return
        now = self._now()
        state.acted(now)
        path = path_of(action)
        if action.action_type in TURNS_TO_FILE and path is not None:
            state.turned_to(path, now)
        elif action.action_type == ActionType.FILE_CLOSE and path == state.current_file:
            state.turned_to(None, now)
        elif action.action_type == ActionType.PHASE_STARTED:
            state.edits.clear()
        if action.action_type in TRIGGERS:
            self._consider(state)

    def _consider(self, state: ObserverState, *, by_edit: bool = False) -> None:
        """Look, unless there is a reason not to (FR-133) or one look is under way (EC-65)."""
        reason = state.suppression(self._now())
        if reason is None:
            if not state.evaluation_in_progress:
                state.begin_evaluation()
                self._run(self._triage.evaluate(state))
            return
        is_news = not by_edit or reason != state.edits_held_back
        if by_edit:
            state.edits_held_back = reason
        if is_news and reason != Suppression.MUTED:
            self._run(self._log_suppressed(state.session_id, reason))

    async def _log_suppressed(self, session_id: str, reason: Suppression) -> None:
        """FR-135, FR-136."""
        await self._core.actions.log_action(
            session_id, ActionType.NUDGE_SUPPRESSED, {"reason": reason}
        )

    async def _check_regularly(self, state: ObserverState) -> None:
        while True:
            await self._sleep(IDLE_CHECK_INTERVAL)
            self._check_idle(state)

    def _check_idle(self, state: ObserverState) -> None:
        idle = state.idle_for(self._now())
        if state.active and idle > state.idle_patience:  # EC-71
            state.idle_patience = 2 * idle
            self._consider(state)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(_survive(work))
        self._behind.add(task)

        def forget(done: asyncio.Task[None]) -> None:
            # Stopped before its first step, the work was never begun.
            work.close()
            self._behind.discard(done)

        task.add_done_callback(forget)


async def _survive(work: Coroutine[Any, Any, None]) -> None:
    """FR-146: what fails is logged, and tried again at the next trigger."""
    try:
        await work
    except BottegaError as error:
        log.warning("observer.failed", why=error.message)
    except Exception:
        log.exception("observer.failed")


def _status(state: ObserverState | None) -> ObserverStatus:
    if state is None:
        return ObserverStatus(active=False, muted=False, last_evaluation=None)
    last = state.last_evaluation_timestamp
    return ObserverStatus(
        active=state.active,
        muted=state.muted,
        last_evaluation=None if last is None else clock.iso(datetime.fromtimestamp(last, UTC)),
    )
