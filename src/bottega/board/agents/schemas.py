"""Agents' sessions, questions and activity as every door shows them."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, Field

from bottega.board.changes.states import ChangeStatus
from bottega.board.projects.schemas import RowView
from bottega.board.queue.arguments import Why
from bottega.board.queue.schemas import Lease, Liveness
from bottega.core.session_kinds import SessionStatus

#: Seconds that one call waits for an answer at most: clients give up after a minute.
LONGEST_WAIT = 50.0


class SessionType(StrEnum):
    MASTER = "master"
    WORKER = "worker"
    MANUAL = "manual"


class ClarificationView(RowView):
    id: str
    session_id: str
    project_id: str | None
    change_id: str | None
    question: str
    options: list[str]
    blocking: bool
    #: Null while it is open, and if the session ended before anyone answered.
    answer: str | None
    answered_by: str | None
    created_at: datetime
    answered_at: datetime | None


class BoardSessionView(RowView):
    id: str
    project_id: str
    project_dir: str
    type: SessionType
    status: SessionStatus
    liveness: Liveness
    #: The client's own id, if it has one: Claude Code's.
    client_session_id: str | None
    metadata: dict[str, Any]
    started_at: datetime
    #: The last heartbeat.
    seen_at: datetime
    ended_at: datetime | None
    lease: Lease | None


class HeartbeatView(RowView):
    session_id: str
    #: It had been given up, and lost its work with that.
    woken: bool
    #: Null: it holds nothing, or no longer.
    lease: Lease | None
    #: Until it is given up, unless it is heard of before.
    minutes_left: int
    #: Answers it was not told yet.
    answers: list[ClarificationView]


class Ingested(BaseModel):
    """Claude Code reads the answer to a hook: nothing in it asks anything of the agent."""

    recorded: bool
    #: Ours, for the board's tools.
    session_id: str | None = None
    #: Why it was not recorded, and what to do.
    note: str | None = None


class Work(RowView):
    project_id: str
    id: str
    title: str
    status: ChangeStatus
    tasks_done: int
    tasks_total: int


class BoardAgentView(BaseModel):
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


class BoardToolView(BaseModel):
    tool_name: str
    calls: int
    failed: int
    average_duration_ms: float | None


class AgentSummary(BoardAgentView):
    """One agent's session in the whole."""

    seconds: int
    tools: list[BoardToolView]


class HookView(RowView):
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
    tools: list[BoardToolView] | None = None


class BoardSessionList(BaseModel):
    sessions: list[BoardSessionView]


class Farewell(BaseModel):
    why: Why = "The session ended."


class ClarificationList(BaseModel):
    clarifications: list[ClarificationView] = Field(description="Open ones: the oldest first.")
