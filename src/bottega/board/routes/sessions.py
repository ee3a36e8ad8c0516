"""Agents' sessions over HTTP: `/api/board/sessions`."""

from fastapi import APIRouter, status
from pydantic import BaseModel

from bottega.board.agents.sessions import AgentSessions
from bottega.board.queue.views import HeartbeatView, SessionView
from bottega.board.tool_arguments import Id, Registration, Why
from bottega.core.callers import CurrentCaller


class SessionList(BaseModel):
    sessions: list[SessionView]


class Farewell(BaseModel):
    why: Why = "The session ended."


def router(sessions: AgentSessions) -> APIRouter:
    routes = APIRouter(prefix="/board/sessions", tags=["board"])

    @routes.post("", status_code=status.HTTP_201_CREATED)
    async def register_session(asked: Registration, caller: CurrentCaller) -> SessionView:
        """A client that registers again under its own id gets the same session."""
        return await sessions.register(caller.user_id, **asked.model_dump())

    @routes.get("")
    async def list_sessions(
        caller: CurrentCaller, project_id: Id | None = None, live_only: bool = True
    ) -> SessionList:
        """Newest first, each with its liveness and what it works on."""
        found = await sessions.list(caller.user_id, project_id=project_id, live_only=live_only)
        return SessionList(sessions=found)

    @routes.get("/{session_id}")
    async def show_session(session_id: Id, caller: CurrentCaller) -> SessionView:
        return await sessions.get(session_id, caller.user_id)

    @routes.post("/{session_id}/heartbeat")
    async def heartbeat(session_id: Id, caller: CurrentCaller) -> HeartbeatView:
        return await sessions.heartbeat(session_id, caller.user_id)

    @routes.post("/{session_id}/end")
    async def end_session(
        session_id: Id, caller: CurrentCaller, asked: Farewell | None = None
    ) -> SessionView:
        """Its work goes back into the queue at once."""
        return await sessions.end(session_id, caller.user_id, (asked or Farewell()).why)

    return routes
