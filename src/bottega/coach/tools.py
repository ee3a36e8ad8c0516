"""The coach over MCP: fourteen tools, exactly as the specification names them.

None of them can write a file (FR-081). What they show reaches the person's windows, if any are
open (EC-35). Each call is logged to the session under way (FR-079); without one it is only on the
bus, as every MCP call is.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic import BaseModel

from bottega.coach.desk.contents import buffer, diffs
from bottega.coach.desk.desk import Desk, Desks
from bottega.coach.desk.showing import Showing
from bottega.coach.desk.state import SessionState
from bottega.coach.desk.state_views import BufferView
from bottega.coach.planning.pipeline import Pipeline
from bottega.coach.protocol.files import HighlightLines
from bottega.coach.protocol.sessions import CoachingMessage, ShowIssue
from bottega.coach.reflection.wrapup import WrapUp, WrapUpResult
from bottega.coach.sessions.phases import Phases
from bottega.coach.tool_arguments import (
    AtPath,
    AtPathOrAll,
    EndInput,
    HighlightInput,
    HintFilesInput,
    IssueInput,
    MessageInput,
    Nothing,
    PhaseInput,
    PipelineInput,
    StateInput,
)
from bottega.core.actions import ActionType
from bottega.core.rooms import Caller, Tool
from bottega.core.services import Core

In = TypeVar("In", bound=BaseModel)
Result = dict[str, Any]

DONE: Result = {"success": True}


class Toolbox:
    """Tools that know whose desk they work at."""

    def __init__(self, core: Core, desks: Desks) -> None:
        self._core = core
        self._desks = desks

    def tool(
        self,
        name: str,
        description: str,
        arguments: type[In],
        run: Callable[[In, Desk], Awaitable[Any]],
        reads: bool = False,
    ) -> Tool[In]:
        async def logged(asked: In, caller: Caller) -> Any:
            desk = self._desks.of(caller.user_id)
            # Before the call: it may be the one that ends the session.
            if desk.session_id is not None:
                data = {"toolName": name, "sessionId": desk.session_id}
                await self._core.actions.log_action(desk.session_id, ActionType.MCP_TOOL_CALL, data)
            return await run(asked, desk)

        return Tool(name, description, arguments, logged, read_only=reads)


def tools(
    core: Core,
    desks: Desks,
    showing: Showing,
    state: SessionState,
    phases: Phases,
    pipeline: Pipeline,
    wrapup: WrapUp,
) -> list[Tool[Any]]:
    box = Toolbox(core, desks)
    return [
        *reading(box, state),
        *pointing(box, showing),
        *coaching(box, showing, phases),
        *planning(box, pipeline, wrapup),
    ]


def reading(box: Toolbox, state: SessionState) -> list[Tool[Any]]:
    async def get_buffer(asked: AtPath, desk: Desk) -> BufferView | None:
        return buffer(desk, asked.path)

    async def get_open_files(_asked: Nothing, desk: Desk) -> Result:
        return {"files": list(desk.open_files)}

    async def get_diff(asked: AtPathOrAll, desk: Desk) -> Result:
        return {"diffs": await diffs(desk, asked.path)}

    async def get_session_state(asked: StateInput, desk: Desk) -> Result:
        desk.require_session()
        return await state.snapshot(desk, asked.include)

    return [
        box.tool(
            "paige_get_buffer",
            "A file as it is in the editor; null if untouched.",
            AtPath,
            get_buffer,
            True,
        ),
        box.tool("paige_get_open_files", "Open files.", Nothing, get_open_files, reads=True),
        box.tool(
            "paige_get_diff", "Unsaved changes as unified diffs.", AtPathOrAll, get_diff, reads=True
        ),
        box.tool(
            "paige_get_session_state",
            "The session: files, plan, progress, skills.",
            StateInput,
            get_session_state,
            reads=True,
        ),
    ]


def pointing(box: Toolbox, showing: Showing) -> list[Tool[Any]]:
    async def open_file(asked: AtPath, desk: Desk) -> Result:
        shown = await showing.open_file(desk, asked.path)
        return {"success": True, "path": shown.path}

    async def highlight_lines(asked: HighlightInput, desk: Desk) -> Result:
        await showing.highlight(desk, HighlightLines(**asked.model_dump()))
        return DONE

    async def clear_highlights(asked: AtPathOrAll, desk: Desk) -> Result:
        showing.clear_highlights(desk, asked.path)
        return DONE

    async def hint_files(asked: HintFilesInput, desk: Desk) -> Result:
        await showing.hint_files(desk, asked.all())
        return DONE

    async def clear_hints(_asked: Nothing, desk: Desk) -> Result:
        showing.clear_hints(desk)
        return DONE

    return [
        box.tool("paige_open_file", "Show a file in the editor.", AtPath, open_file),
        box.tool(
            "paige_highlight_lines",
            "Highlight lines, beside those before.",
            HighlightInput,
            highlight_lines,
        ),
        box.tool("paige_clear_highlights", "Remove highlights.", AtPathOrAll, clear_highlights),
        box.tool("paige_hint_files", "Mark files in the tree.", HintFilesInput, hint_files),
        box.tool("paige_clear_hints", "Unmark the tree.", Nothing, clear_hints),
    ]


def coaching(box: Toolbox, showing: Showing, phases: Phases) -> list[Tool[Any]]:
    async def update_phase(asked: PhaseInput, desk: Desk) -> Result:
        phase = await phases.update(desk, asked.phase, asked.status)
        fields = {"id", "number", "title", "status"}
        return {"success": True, "phase": phase.model_dump(include=fields)}

    async def show_message(asked: MessageInput, desk: Desk) -> Result:
        message = CoachingMessage(
            message=asked.message, message_type=asked.type, anchor=asked.anchor
        )
        await showing.message(desk, message)
        return DONE

    async def show_issue_context(asked: IssueInput, desk: Desk) -> Result:
        showing.issue(desk, ShowIssue(**asked.model_dump()))
        return DONE

    return [
        box.tool(
            "paige_update_phase", "Start or complete a phase of the plan.", PhaseInput, update_phase
        ),
        box.tool("paige_show_message", "Tell the person something.", MessageInput, show_message),
        box.tool("paige_show_issue_context", "Show the issue.", IssueInput, show_issue_context),
    ]


def planning(box: Toolbox, pipeline: Pipeline, wrapup: WrapUp) -> list[Tool[Any]]:
    async def run_coaching_pipeline(asked: PipelineInput, desk: Desk) -> Result:
        plan = await pipeline.run(desk, asked.plan_text, asked.issue_summary, asked.issue_number)
        return plan.model_dump(
            mode="json", by_alias=True, exclude={"phases": {"__all__": {"status"}}}
        )

    async def end_session(asked: EndInput, desk: Desk) -> WrapUpResult:
        return await wrapup.run(desk, asked.session_transcript)

    return [
        box.tool(
            "paige_run_coaching_pipeline",
            "Turn your plan into phases that the person is coached through.",
            PipelineInput,
            run_coaching_pipeline,
        ),
        box.tool(
            "paige_end_session", "End the session; its lessons are kept.", EndInput, end_session
        ),
    ]
