"""What can be asked of issues, plans, phases and hints."""

from typing import TYPE_CHECKING, Any

from bottega.coach.editor.schemas import LevelChange
from bottega.coach.plans.schemas import (
    CurrentLevel,
    DraftPlan,
    IssueList,
    PhaseInput,
    PhaseMoveRequest,
    PhaseView,
    PipelineInput,
    PlanDraft,
    PlanReady,
    Source,
    SubmitPlan,
    UpdatePhase,
)
from bottega.core.operations import Get, McpTool, Post, Put, SocketMessage, operation
from bottega.core.rooms import Caller, Incoming
from bottega.errors import Unavailable

if TYPE_CHECKING:
    from bottega.coach.service import Coach


def _moved(phase: PhaseView) -> dict[str, Any]:
    fields = {"id", "number", "title", "status"}
    return {"success": True, "phase": phase.model_dump(include=fields)}


@operation(Post("/coach/plan/draft"))
async def draft_plan(coach: "Coach", caller: Caller) -> PlanDraft:
    """A first plan for the session's issue, to be edited and submitted."""
    return await coach.drafter.draft(coach.editor_of(caller))


@operation(SocketMessage("coaching:draft_plan"))
async def draft_in_window(coach: "Coach", _asked: DraftPlan, incoming: Incoming[Any]) -> None:
    async def draft() -> None:
        drafted = await coach.drafter.draft(coach.editors.of_sender(incoming))
        incoming.reply(drafted.type, drafted)

    coach.background.run(incoming, draft())


@operation(Get("/coach/issues"))
async def list_issues(coach: "Coach") -> IssueList:
    """The project's open issues: GitHub's, or those in its own folder. `note` says why there
    are none of GitHub's."""
    try:
        return await coach.issues.list()
    except Unavailable as error:
        return IssueList(source=Source.FILES, issues=[], note=error.message)


@operation(Post("/coach/phases/{number}", describe={"number": "The phase's number."}))
async def update_phase(coach: "Coach", asked: PhaseMoveRequest, caller: Caller) -> PhaseView:
    """Begin, complete or put back a phase of the plan."""
    return await coach.phases.update(coach.editor_of(caller), asked.number, asked.status)


@operation(
    McpTool(
        "paige_update_phase",
        "Start or complete a phase of the plan.",
        arguments=PhaseInput,
        shape=_moved,
    ),
    SocketMessage("coaching:update_phase", is_answered=False),
)
async def move_phase(coach: "Coach", asked: UpdatePhase, caller: Caller) -> PhaseView:
    return await coach.phases.update(coach.editor_of(caller), asked.phase, asked.status)


@operation(Put("/coach/hints"), SocketMessage("hints:level_change", is_answered=False))
async def set_hint_level(coach: "Coach", asked: LevelChange, caller: Caller) -> CurrentLevel:
    """How closely hints point, for this session."""
    editor = coach.editor_of(caller)
    await coach.hints.set_level(editor, asked)
    return CurrentLevel(level=await coach.hints.level(editor))


@operation(Post("/coach/plan"))
async def submit_plan(coach: "Coach", asked: SubmitPlan, caller: Caller) -> PlanReady:
    """Turn a plan into phases for the session at hand."""
    return await coach.pipeline.run(
        coach.editor_of(caller), asked.plan_text, asked.issue_summary, asked.issue_number
    )


@operation(
    McpTool(
        "paige_run_coaching_pipeline",
        "Turn your plan into phases that the person is coached through.",
    )
)
async def run_pipeline(coach: "Coach", asked: PipelineInput, caller: Caller) -> dict[str, Any]:
    plan = await coach.pipeline.run(
        coach.editor_of(caller), asked.plan_text, asked.issue_summary, asked.issue_number
    )
    return plan.model_dump(mode="json", by_alias=True, exclude={"phases": {"__all__": {"status"}}})


@operation(SocketMessage("coaching:submit_plan"))
async def submit_in_window(coach: "Coach", asked: SubmitPlan, incoming: Incoming[Any]) -> None:
    """Answered by `coaching:plan_ready` and the first phase's hints, in all windows."""
    work = coach.pipeline.run(
        coach.editors.of_sender(incoming), asked.plan_text, asked.issue_summary, asked.issue_number
    )
    coach.background.run(incoming, work)
