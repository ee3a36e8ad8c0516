"""What agents do, seen through the hooks of Claude Code (decision 7)."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.agents import repository
from bottega.board.agents.hooks import HookIntake, HookLog
from bottega.board.agents.schemas import (
    AgentSummary,
    BoardAgentView,
    BoardToolView,
    HookView,
    Ingested,
    Metrics,
    SessionType,
    Timeline,
    Work,
)
from bottega.board.agents.sessions import IDLE_AFTER, AgentSessions, IdleAgents
from bottega.board.agents.tables import AgentActivity
from bottega.board.changes.tables import Change
from bottega.board.queue.leases import liveness
from bottega.board.queue.service import Queue
from bottega.core import clock
from bottega.core.events import Event
from bottega.core.services import Core
from bottega.core.sessions.session import Session, SessionStatus
from bottega.errors import NotFound

log = structlog.get_logger()


class Activity:
    def __init__(
        self,
        core: Core,
        sessions: AgentSessions,
        queue: Queue,
        *,
        now: Callable[[], datetime] = clock.now,
    ) -> None:
        self._core = core
        self._now = now
        self._log = HookLog(core.database, sessions, queue)
        self._intake = HookIntake(core, sessions, self._log, now)
        self.idle = IdleAgents(core, now=now)
        self._unsubscribe: list[Callable[[], None]] = []
        self._summing_up: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        bus = self._core.bus
        self._unsubscribe = [
            bus.on("agents.ended", lambda event: self._intake.forget(event.session_id)),
            bus.on("agents.ended", self._begin_to_sum_up, own_only=True),
        ]
        await self._log.behind.start()
        self.idle.rounds.start()

    async def stop(self) -> None:
        await self.idle.rounds.stop()
        await self._log.behind.stop()
        await asyncio.gather(*self._summing_up)
        for unsubscribe in self._unsubscribe:
            unsubscribe()

    async def flush(self) -> None:
        """Return when everything taken in so far is written."""
        await self._log.behind.flush()

    async def ingest(self, body: Mapping[str, Any], user_id: str) -> Ingested:
        """One hook event, as Claude Code sends it."""
        return await self._intake.take(body, user_id)

    async def agents(self, user_id: str | None = None) -> list[BoardAgentView]:
        """Those at work, the liveliest first."""
        async with self._core.database.read() as session:
            rows = await repository.agents(session, user_id)
        now = self._now()
        return [agent_view(row, sums, change, now) for row, sums, change in rows]

    async def summary(self, session_id: str, user_id: str | None = None) -> AgentSummary:
        """One agent's session, at work or over: what it did, with which tools."""
        async with self._core.database.read() as session:
            row, sums, change = await _find(session, session_id, user_id)
            tools = await repository.by_tool(session, session_id)
        seen = agent_view(row, sums, change, self._now())
        until = row.ended_at or seen.last_activity_at
        return AgentSummary(
            **seen.model_dump(),
            seconds=seconds_between(row.started_at, until),
            tools=[_tool(each) for each in tools],
        )

    async def timeline(
        self,
        session_id: str,
        user_id: str | None = None,
        *,
        before: int | None = None,
        limit: int = 50,
    ) -> Timeline:
        async with self._core.database.read() as session:
            await _find(session, session_id, user_id)
            rows = await repository.timeline(session, session_id, before, limit + 1)
        more = rows[limit - 1].number if len(rows) > limit else None
        return Timeline(events=[HookView.model_validate(row) for row in rows[:limit]], next=more)

    async def metrics(self, session_id: str | None = None, user_id: str | None = None) -> Metrics:
        """Of all sessions, or of one with its tools."""
        async with self._core.database.read() as session:
            if session_id is not None:
                await _find(session, session_id, user_id)
            sums = await repository.totals(session, user_id, session_id)
            tools = await repository.by_tool(session, session_id) if session_id else None
        return Metrics(
            sessions=sums.sessions,
            events=sums.events,
            total_tools=sums.total_tools,
            succeeded=sums.succeeded,
            failed=sums.failed,
            success_rate=per_cent(sums.succeeded, sums.failed),
            average_duration_ms=mean(sums.total_duration_ms, sums.timed),
            tools=None if tools is None else [_tool(each) for each in tools],
        )

    def _begin_to_sum_up(self, event: Event) -> None:
        task = asyncio.create_task(self._sum_up(event), name="sum up a session")
        self._summing_up.add(task)
        task.add_done_callback(self._summing_up.discard)

    async def _sum_up(self, ended: Event) -> None:
        """What the session did, told once it is over and its last event is written."""
        try:
            await self.flush()
            summary = await self.summary(str(ended.session_id))
        except Exception:
            log.exception("board.no_summary", session=ended.session_id)
            return
        facts = {"project_id", "seconds", "events", "total_tools", "failed", "success_rate"}
        self._core.bus.publish(
            Event(
                "agents.summary",
                summary.model_dump(mode="json", include={*facts, "tools"}),
                project=ended.project,
                user_id=ended.user_id,
                session_id=ended.session_id,
            )
        )


def _tool(row: Any) -> BoardToolView:
    average = None if row.average_ms is None else round(float(row.average_ms), 1)
    return BoardToolView(
        tool_name=row.tool_name, calls=row.calls, failed=row.failed, average_duration_ms=average
    )


async def _find(
    session: AsyncSession, session_id: str, user_id: str | None
) -> Row[Session, AgentActivity, Change]:
    rows = await repository.agents(session, user_id, session_id=session_id, limit=1)
    if not rows:
        raise NotFound(
            f"There is no agent session {session_id!r}. `GET /api/board/agents` lists them."
        )
    return rows[0]


def agent_view(
    row: Session, sums: AgentActivity | None, change: Change | None, now: datetime
) -> BoardAgentView:
    last = sums.last_activity_at if sums else row.started_at
    silent = seconds_between(last, now)
    started = sums.tool_started_at if sums else None
    succeeded, failed = (sums.succeeded, sums.failed) if sums else (0, 0)
    return BoardAgentView(
        session_id=row.id,
        client_session_id=row.data.get("client_session_id"),
        project_id=row.data.get("project_id"),
        project_dir=row.project_dir,
        type=SessionType(row.type or SessionType.MANUAL),
        status=SessionStatus(row.status),
        liveness=liveness(row, now),
        started_at=row.started_at,
        ended_at=row.ended_at,
        last_activity_at=last,
        idle=timedelta(seconds=silent) >= IDLE_AFTER,
        idle_seconds=silent,
        current_tool=sums.current_tool if sums else None,
        current_tool_seconds=None if started is None else seconds_between(started, now),
        events=sums.events if sums else 0,
        total_tools=sums.total_tools if sums else 0,
        succeeded=succeeded,
        failed=failed,
        success_rate=per_cent(succeeded, failed),
        average_duration_ms=mean(sums.total_duration_ms, sums.timed) if sums else None,
        working_on=Work.model_validate(change) if change else None,
    )


def per_cent(succeeded: int, failed: int) -> float | None:
    ended = succeeded + failed
    return round(100 * succeeded / ended, 1) if ended else None


def mean(total: int, number: int) -> float | None:
    return round(total / number, 1) if number else None


def seconds_between(earlier: datetime, later: datetime) -> int:
    """Never less than none, though the clock may have jumped."""
    return max(0, int((later - earlier).total_seconds()))
