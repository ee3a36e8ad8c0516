"""`/api/sessions`: sittings, what was said in them and what was done."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from bottega.core.operations import Get, operation
from bottega.core.rooms import Caller
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import SessionKind, SessionStatus
from bottega.server.api.views import House, Limit, RowView


class SessionFilter(BaseModel):
    kind: SessionKind | None = None
    status: SessionStatus | None = None
    project: str | None = None
    limit: Limit = 50


class SessionLookup(BaseModel):
    session_id: str


class MessagesRequest(SessionLookup):
    start: Annotated[int, Field(ge=0, description="The first position wanted.")] = 0
    limit: Limit = 100


class ActionsRequest(SessionLookup):
    action_type: ActionType | None = None
    limit: Limit = 50


class SessionView(RowView):
    id: str
    kind: str
    type: str | None
    status: str
    project_dir: str
    title: str | None
    issue_number: int | None
    issue_title: str | None
    data: dict[str, Any]
    started_at: datetime
    #: The last sign of life.
    seen_at: datetime
    ended_at: datetime | None


class MessageView(RowView):
    id: str
    position: int
    role: str
    content: dict[str, Any]
    text: str
    created_at: datetime


class ActionView(RowView):
    id: str
    action_type: str
    data: dict[str, Any] | None
    created_at: datetime


@operation(Get("/sessions"))
async def list_sessions(house: House, asked: SessionFilter, caller: Caller) -> list[SessionView]:
    """The caller's sessions, newest first."""
    found = await house.core.sessions.list(
        user_id=caller.user_id,
        kind=asked.kind,
        status=asked.status,
        project_dir=asked.project,
        limit=asked.limit,
    )
    return [SessionView.model_validate(session) for session in found]


@operation(Get("/sessions/{session_id}"))
async def get_session(house: House, asked: SessionLookup, caller: Caller) -> SessionView:
    found = await house.core.sessions.get(asked.session_id, user_id=caller.user_id)
    return SessionView.model_validate(found)


@operation(Get("/sessions/{session_id}/messages"))
async def list_messages(house: House, asked: MessagesRequest, caller: Caller) -> list[MessageView]:
    """What was said, in order."""
    found = await house.core.conversations.list(**dict(asked), user_id=caller.user_id)
    return [MessageView.model_validate(message) for message in found]


@operation(Get("/sessions/{session_id}/actions"))
async def list_actions(house: House, asked: ActionsRequest, caller: Caller) -> list[ActionView]:
    """What was done, newest first."""
    await house.core.sessions.get(asked.session_id, user_id=caller.user_id)
    found = await house.core.actions.recent(asked.session_id, asked.limit, asked.action_type)
    return [ActionView.model_validate(action) for action in found]
