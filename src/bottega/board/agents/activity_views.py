"""Agents and what they do, as every door shows them."""

from datetime import datetime, timedelta
from typing import Any

from pydantic import BaseModel, ConfigDict

from bottega.board.agents.sessions import liveness
from bottega.board.enums import ChangeStatus, Liveness, SessionType
from bottega.board.tables import AgentActivity, Change
from bottega.core.sessions import Session, SessionStatus

IDLE_AFTER = timedelta(minutes=5)


class Ingested(BaseModel):
    """Claude Code reads the answer to a hook: nothing in it asks anything of the agent."""

    recorded: bool
    #: Ours, for the board's tools.
    session_id: str | None = None
    #: Why it was not recorded, and what to do.
    note: str | None = None


class Work(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    project_id: str
    id: str
    title: str
    status: ChangeStatus
    tasks_done: int
    tasks_total: int


class AgentView(BaseModel):
    session_id: str
    client_session_id: str | None
    project_id: str | None
    project_dir: str
    type: SessionType
    status: SessionStatus
    liveness: Liveness
    started_at: datetime
    ended_at: datetime | None
    last_activity_at: datetime
    #: Nothing heard for five minutes.
    idle: bool
    idle_seconds: int
    current_tool: str | None
    current_tool_seconds: int | None
    events: int
    total_tools: int
    succeeded: int
    failed: int
    #: Per cent of the calls that ended; null while none did.
    success_rate: float | None
    average_duration_ms: float | None
    working_on: Work | None


class ToolView(BaseModel):
    tool_name: str
    calls: int
    failed: int
    average_duration_ms: float | None


class AgentSummary(AgentView):
    """One agent's session in the whole."""

    seconds: int
    tools: list[ToolView]


class HookView(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    number: int
    event: str
    tool_name: str | None
    tool_use_id: str | None
    success: bool | None
    duration_ms: int | None
    payload: dict[str, Any]
    created_at: datetime


class Timeline(BaseModel):
    #: The newest first.
    events: list[HookView]
    #: Pass it as `before` for older ones; null where there are none.
    next: int | None


class Metrics(BaseModel):
    sessions: int
    events: int
    total_tools: int
    succeeded: int
    failed: int
    success_rate: float | None
    average_duration_ms: float | None
    #: Of one session only.
    tools: list[ToolView] | None = None


def agent_view(
    row: Session, sums: AgentActivity | None, change: Change | None, now: datetime
) -> AgentView:
    last = sums.last_activity_at if sums else row.started_at
    silent = seconds_between(last, now)
    started = sums.tool_started_at if sums else None
    succeeded, failed = (sums.succeeded, sums.failed) if sums else (0, 0)
    return AgentView(
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
