"""Hook events written behind the door, in the order in which they came, and what follows from them.

One transaction takes a batch: the events, the sums over them and the sessions' signs of life. What
an event sets off happens after that, so that it never undoes or repeats the writing.
"""

from collections import defaultdict
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.agents.sessions import AgentSessions
from bottega.board.hooks.event import TOOL_ENDS, Hook, HookName
from bottega.board.hooks.tool_calls import OpenCalls, count, took
from bottega.board.queue.queue import Queue
from bottega.board.repository import activity as repository
from bottega.board.tables import AgentActivity
from bottega.core.database import Database
from bottega.core.write_behind import TRANSIENT, WriteBehind
from bottega.errors import BottegaError

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Received:
    session_id: str
    hook: Hook
    at: datetime


class HookLog:
    def __init__(self, database: Database, sessions: AgentSessions, queue: Queue) -> None:
        self._database = database
        self._sessions = sessions
        self._queue = queue
        self._behind: WriteBehind[Received] = WriteBehind(self._write, name="hook events")

    async def start(self) -> None:
        await self._behind.start()

    async def stop(self) -> None:
        await self._behind.stop()

    async def flush(self) -> None:
        """Return when everything received so far is written."""
        await self._behind.flush()

    def put(self, received: Received) -> None:
        self._behind.put(received)

    async def _write(self, batch: list[Received]) -> None:
        theirs: defaultdict[str, list[Received]] = defaultdict(list)
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

    async def _about_to_begin(self, existing: set[str], batch: Sequence[Received]) -> set[str]:
        """Who uses a tool and was given work that does not count as begun."""
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
    """The event is written: what fails now must not have it written again."""
    try:
        await effect
    except BottegaError as error:
        log.info("board.hook_without_effect", session=session_id, reason=error.message)
    except Exception:
        log.exception("board.hook_effect_failed", session=session_id)


async def _follow(
    session: AsyncSession, sums: AgentActivity, received: Sequence[Received]
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
                "payload": hook.payload,
                "created_at": each.at,
            }
        )
    return rows


def _farewell(hook: Hook) -> str:
    reason = hook.payload.get("reason")
    return f"Claude Code ended the session ({reason})." if reason else "Claude Code ended it."
