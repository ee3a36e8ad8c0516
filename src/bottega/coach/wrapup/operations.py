"""Ending a session."""

from typing import TYPE_CHECKING, Any

from bottega.coach.sessions.schemas import EndInput, EndSession, WrapUpResult
from bottega.core.operations import McpTool, Post, SocketMessage, operation
from bottega.core.rooms import Caller, Incoming

if TYPE_CHECKING:
    from bottega.coach.service import Coach


@operation(
    McpTool("paige_end_session", "End the session; its lessons are kept.", arguments=EndInput),
    Post("/coach/session/end"),
)
async def end_session(coach: "Coach", asked: EndSession, caller: Caller) -> WrapUpResult:
    """End the session at hand; without a transcript the log says what happened."""
    return await coach.wrapup.run(coach.editor_of(caller), asked.session_transcript)


@operation(SocketMessage("session:end"))
async def end_in_window(coach: "Coach", asked: EndSession, incoming: Incoming[Any]) -> None:
    """Answered by `session:completed` and `session:ended`, in all windows."""
    work = coach.wrapup.run(coach.editors.of_sender(incoming), asked.session_transcript)
    coach.background.run(incoming, work)
