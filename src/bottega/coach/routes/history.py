"""Past sessions over HTTP: `/api/coach/sessions`."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from bottega.coach.history.history import LAST, History, Replay, SessionLine
from bottega.coach.history.report import report
from bottega.core.callers import CurrentCaller
from bottega.core.wire import Wired

SessionId = Annotated[str, Path(description=f"A session's id, or `{LAST}`.")]


class SessionList(Wired):
    sessions: list[SessionLine]


class Report(Wired):
    markdown: str


def router(history: History) -> APIRouter:
    routes = APIRouter(prefix="/coach/sessions")

    @routes.get("")
    async def list_sessions(
        caller: CurrentCaller, limit: Annotated[int, Query(ge=1, le=500)] = 20
    ) -> SessionList:
        """Coaching sessions in this project, newest first."""
        return SessionList(sessions=await history.sessions(caller.user_id, limit))

    @routes.get("/{session_id}/timeline")
    async def replay_session(session_id: SessionId, caller: CurrentCaller) -> Replay:
        """Everything that happened in a session, oldest first."""
        return await history.replay(caller.user_id, session_id)

    @routes.get("/{session_id}/report")
    async def report_session(session_id: SessionId, caller: CurrentCaller) -> Report:
        """A session as a page of markdown."""
        return Report(markdown=report(await history.record(caller.user_id, session_id)))

    return routes
