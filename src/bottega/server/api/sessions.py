"""`/api/sessions`: sittings, what was said in them and what was done."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query

from bottega.core.actions import ActionType
from bottega.core.callers import CurrentCaller
from bottega.core.services import Core
from bottega.core.sessions import SessionKind, SessionStatus
from bottega.server.api.views import Limit, View


class SessionView(View):
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


class MessageView(View):
    id: str
    position: int
    role: str
    content: dict[str, Any]
    text: str
    created_at: datetime


class ActionView(View):
    id: str
    action_type: str
    data: dict[str, Any] | None
    created_at: datetime


def session_routes(core: Core) -> APIRouter:
    router = APIRouter(prefix="/sessions", tags=["sessions"])

    @router.get("", response_model=list[SessionView])
    async def list_sessions(
        caller: CurrentCaller,
        kind: SessionKind | None = None,
        status: SessionStatus | None = None,
        project: str | None = None,
        limit: Limit = 50,
    ) -> Sequence[object]:
        """The caller's sessions, newest first."""
        return await core.sessions.list(
            user_id=caller.user_id, kind=kind, status=status, project_dir=project, limit=limit
        )

    @router.get("/{session_id}", response_model=SessionView)
    async def get_session(session_id: str, caller: CurrentCaller) -> object:
        return await core.sessions.get(session_id, user_id=caller.user_id)

    @router.get("/{session_id}/messages", response_model=list[MessageView])
    async def list_messages(
        session_id: str,
        caller: CurrentCaller,
        start: Annotated[int, Query(ge=0, description="The first position wanted.")] = 0,
        limit: Limit = 100,
    ) -> Sequence[object]:
        """What was said, in order."""
        return await core.conversations.list(
            session_id, user_id=caller.user_id, start=start, limit=limit
        )

    @router.get("/{session_id}/actions", response_model=list[ActionView])
    async def list_actions(
        session_id: str,
        caller: CurrentCaller,
        action_type: ActionType | None = None,
        limit: Limit = 50,
    ) -> Sequence[object]:
        """What was done, newest first."""
        await core.sessions.get(session_id, user_id=caller.user_id)
        return await core.actions.recent(session_id, limit, action_type)

    return router
