"""Sessions, the queue and questions, as every door shows them."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from bottega.board.enums import ChangeStatus, Liveness, SessionType
from bottega.core.sessions import SessionStatus


class View(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class ClarificationView(View):
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


class Lease(View):
    """What a session holds."""

    change_id: str
    title: str
    lease_token: int
    status: ChangeStatus
    agent_type: str | None
    #: When it is lost, unless the session is heard of before.
    expires_at: datetime


class SessionView(View):
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


class HeartbeatView(View):
    session_id: str
    #: It had been given up, and lost its work with that.
    woken: bool
    #: Null: it holds nothing, or no longer.
    lease: Lease | None
    #: Until it is given up, unless it is heard of before.
    minutes_left: int
    #: Answers it was not told yet.
    answers: list[ClarificationView]


class WaitingItem(View):
    project_id: str
    change_id: str
    title: str
    priority: int
    approved_at: datetime | None
    #: Why it is not handed out now; null if it may be.
    held_back: str | None


class LeasedItem(View):
    project_id: str
    change_id: str
    title: str
    priority: int
    status: ChangeStatus
    lease_token: int
    assigned_at: datetime | None
    session_id: str | None
    session_type: str | None
    liveness: Liveness | None
    tasks_done: int
    tasks_total: int


class QueueView(View):
    #: In the order in which they will be handed out.
    waiting: list[WaitingItem]
    leased: list[LeasedItem]
