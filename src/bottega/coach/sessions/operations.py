"""What can be asked of coaching sessions: the one under way, and earlier ones."""

from typing import TYPE_CHECKING, Any

from bottega.coach.sessions.schemas import (
    CoachReport,
    CoachSessionList,
    DeskView,
    PastSessionRequest,
    Replay,
    RestoredState,
    Resumed,
    ResumeRequest,
    ResumeSession,
    SessionsRequest,
    Started,
    StartSession,
    StateInput,
    StateRequest,
)
from bottega.core.operations import Get, McpTool, Post, SocketMessage, operation
from bottega.core.rooms import Caller
from bottega.core.trust.admission import admit

if TYPE_CHECKING:
    from bottega.coach.service import Coach

SESSION_ID = {"session_id": "A session's id, or `last`."}


# What a window sends after a start belongs to the new session: messages are handled in order.
@operation(Post("/coach/sessions", status=201), SocketMessage("session:start", is_answered=False))
async def start_session(coach: "Coach", asked: StartSession, caller: Caller) -> Started:
    """Work on an issue. A session that is still active is abandoned."""
    return await coach.sessions.start(coach.editor_of(caller), admit(asked, "issue"))


@operation(Get("/coach/session"))
async def current_session(coach: "Coach", caller: Caller) -> RestoredState | None:
    """The session under way, or null."""
    return await coach.sessions.current(coach.editor_of(caller))


@operation(Post("/coach/sessions/{id}/resume"))
async def resume_session(coach: "Coach", asked: ResumeRequest, caller: Caller) -> Resumed:
    """An active session as it is; an abandoned one goes on in a new session."""
    return await coach.sessions.resume(coach.editor_of(caller), asked.id)


@operation(SocketMessage("session:resume", is_answered=False))
async def resume_in_window(coach: "Coach", asked: ResumeSession, caller: Caller) -> Resumed:
    return await coach.sessions.resume(coach.editor_of(caller), asked.session_id)


@operation(Get("/coach/desk"))
async def show_desk(coach: "Coach", caller: Caller) -> DeskView:
    """Everything that a window which opens, or comes back, has to show."""
    editor = coach.editor_of(caller)
    session = await coach.sessions.current(editor)
    shown = await coach.hints.shown(editor)
    return DeskView(
        session=session,
        open_files=session.open_files if session else list(editor.open_files),
        observer=coach.observer.status(editor),
        file_hints=shown.files,
        regions=shown.regions,
        highlights=[*shown.highlights, *editor.highlights],
    )


@operation(Get("/coach/state"))
async def show_state(coach: "Coach", asked: StateRequest, caller: Caller) -> dict[str, Any]:
    """The session under way and what is on the desk; null where there is nothing."""
    return await coach.state.snapshot(coach.editor_of(caller), asked.include or ())


@operation(
    McpTool(
        "paige_get_session_state", "The session: files, plan, progress, skills.", read_only=True
    )
)
async def get_session_state(coach: "Coach", asked: StateInput, caller: Caller) -> dict[str, Any]:
    editor = coach.editor_of(caller)
    editor.require_session()
    return await coach.state.snapshot(editor, asked.include)


@operation(Get("/coach/sessions"))
async def list_sessions(coach: "Coach", asked: SessionsRequest, caller: Caller) -> CoachSessionList:
    """Coaching sessions in this project, newest first."""
    return CoachSessionList(sessions=await coach.history.sessions(caller.user_id, asked.limit))


@operation(Get("/coach/sessions/{session_id}/timeline", describe=SESSION_ID))
async def replay_session(coach: "Coach", asked: PastSessionRequest, caller: Caller) -> Replay:
    """Everything that happened in a session, oldest first."""
    return await coach.history.replay(caller.user_id, asked.session_id)


@operation(Get("/coach/sessions/{session_id}/report", describe=SESSION_ID))
async def report_session(coach: "Coach", asked: PastSessionRequest, caller: Caller) -> CoachReport:
    """A session as a page of markdown."""
    return CoachReport(markdown=await coach.history.report(caller.user_id, asked.session_id))
