"""Writes hook events in batches, in the order in which they came, and does what follows from them.

One transaction takes a batch: the events, the sums over them and the sessions' signs of life. What
an event sets off happens after that, so that it never undoes or repeats the writing.
"""

from collections import defaultdict
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.agents import repository
from bottega.board.agents.hook_events import TOOL_ENDS, TURNS, Hook, HookName, kept_payload
from bottega.board.agents.sessions import AgentSessions
from bottega.board.agents.tables import AgentActivity
from bottega.board.queue.service import Queue
from bottega.core.db.database import Database
from bottega.core.db.write_behind import TRANSIENT, WriteBehind
from bottega.errors import BottegaError

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ReceivedHook:
    session_id: str
    hook: Hook
    at: datetime


class HookLog:
    def __init__(self, database: Database, sessions: AgentSessions, queue: Queue) -> None:
        self._database = database
        self._sessions = sessions
        self._queue = queue
        self._behind: WriteBehind[ReceivedHook] = WriteBehind(self._write, name="hook events")

    async def start(self) -> None:
        await self._behind.start()

    async def stop(self) -> None:
        await self._behind.stop()

    async def flush(self) -> None:
        """Return when everything received so far is written."""
        await self._behind.flush()

    def put(self, received: ReceivedHook) -> None:
        self._behind.put(received)

    async def _write(self, batch: list[ReceivedHook]) -> None:
        theirs: defaultdict[str, list[ReceivedHook]] = defaultdict(list)
        for each in batch:
            theirs[each.session_id].append(each)
        async with self._database.write(durable=False) as session:
            existing = await repository.see(session, theirs.keys(), batch[-1].at)
            sums = await repository.sums_of(session, existing)
            rows: list[dict[str, Any]] = []
            for session_id in sorted(existing):
                rows += await _follow(session, sums[session_id], theirs[session_id])
            if rows:
                await session.flush()
                await repository.add(session, rows)
        for session_id in sorted(await self._about_to_begin(existing, batch)):
            await _surely(session_id, self._queue.first_tool(session_id))
        for each in batch:
            if each.hook.event == HookName.SESSION_END and each.session_id in existing:
                why = _farewell(each.hook)
                await _surely(each.session_id, self._sessions.end(each.session_id, None, why))

    async def _about_to_begin(self, existing: set[str], batch: Sequence[ReceivedHook]) -> set[str]:
        """The sessions that used a tool and hold a change that is only assigned."""
        users = {each.session_id for each in batch if each.hook.event == HookName.PRE_TOOL_USE}
        if not users & existing:
            return set()
        try:
            async with self._database.read() as session:
                return await repository.about_to_begin(session, users & existing)
        except TRANSIENT as error:
            # The next tool will tell as well; the batch is written and must not be again.
            log.warning("board.hook_effect_failed", error=str(error))
            return set()


async def _surely(session_id: str, effect: Awaitable[object]) -> None:
    """Await an effect and log its failure: the event is written and must not be written again."""
    try:
        await effect
    except BottegaError as error:
        log.info("board.hook_without_effect", session=session_id, reason=error.message)
    except Exception:
        log.exception("board.hook_effect_failed", session=session_id)


async def _follow(
    session: AsyncSession, sums: AgentActivity, received: Sequence[ReceivedHook]
) -> list[dict[str, Any]]:
    """Add a session's events to its sums; returns their rows."""
    calls = OpenCalls()
    # Without a current tool nothing is open that could end.
    if sums.current_tool and any(each.hook.event in TOOL_ENDS for each in received):
        for event, tool, tool_use_id, at in await repository.recent_calls(session, sums.session_id):
            calls.note(event, tool, tool_use_id, at)
    rows: list[dict[str, Any]] = []
    for each in received:
        hook = each.hook
        ended = calls.note(hook.event, hook.tool_name, hook.tool_use_id, each.at)
        duration = took(ended, hook.duration_ms, each.at) if hook.event in TOOL_ENDS else None
        count(sums, calls, hook.event, hook.success, duration, ended, each.at)
        rows.append(
            {
                "session_id": sums.session_id,
                "event": hook.event,
                "tool_name": hook.tool_name,
                "tool_use_id": hook.tool_use_id,
                "success": hook.success,
                "duration_ms": duration,
                "payload": kept_payload(hook),
                "created_at": each.at,
            }
        )
    return rows


def _farewell(hook: Hook) -> str:
    reason = hook.payload.get("reason")
    return f"Claude Code ended the session ({reason})." if reason else "Claude Code ended it."


#: Events after which another tool may be the current one.
OF_CALLS = frozenset({HookName.PRE_TOOL_USE, *TOOL_ENDS, *TURNS})


@dataclass(frozen=True, slots=True)
class OpenCall:
    tool: str
    tool_use_id: str | None
    started_at: datetime


@dataclass(slots=True)
class OpenCalls:
    """What has begun and not ended, the oldest first."""

    calls: list[OpenCall] = field(default_factory=list)

    def begin(self, call: OpenCall) -> None:
        self.calls.append(call)

    def end(self, tool: str | None, tool_use_id: str | None) -> OpenCall | None:
        """The call that ended, if its beginning was heard of."""
        for call in reversed(self.calls):
            by_id = tool_use_id is not None and call.tool_use_id == tool_use_id
            by_name = call.tool == tool and None in (tool_use_id, call.tool_use_id)
            if by_id or by_name:
                self.calls.remove(call)
                return call
        return None

    def note(
        self, event: str, tool: str | None, tool_use_id: str | None, at: datetime
    ) -> OpenCall | None:
        """Follow one event; the call that it ended."""
        if event == HookName.PRE_TOOL_USE and tool is not None:
            self.begin(OpenCall(tool, tool_use_id, at))
        elif event in TOOL_ENDS:
            return self.end(tool, tool_use_id)
        elif event in TURNS:
            self.calls.clear()
        return None


def count(
    activity: AgentActivity,
    calls: OpenCalls,
    event: str,
    success: bool | None,
    duration_ms: int | None,
    ended: OpenCall | None,
    at: datetime,
) -> None:
    """Add one event to a session's sums."""
    activity.events += 1
    activity.last_activity_at = at
    # The end of a call whose beginning nobody heard is a call too.
    if event == HookName.PRE_TOOL_USE or (event in TOOL_ENDS and ended is None):
        activity.total_tools += 1
    if success is not None:
        activity.succeeded += success
        activity.failed += not success
    if duration_ms is not None:
        activity.timed += 1
        activity.total_duration_ms += duration_ms
    if event in OF_CALLS:
        latest = calls.calls[-1] if calls.calls else None
        activity.current_tool = latest.tool if latest else None
        activity.tool_started_at = latest.started_at if latest else None


def took(ended: OpenCall | None, said_ms: int | None, at: datetime) -> int | None:
    """Milliseconds, of a call that ended."""
    if said_ms is not None:
        return said_ms
    if ended is None:
        return None
    return max(at - ended.started_at, timedelta(0)) // timedelta(milliseconds=1)
