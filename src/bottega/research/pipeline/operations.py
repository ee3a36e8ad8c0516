"""What can be asked of research runs: start one, see how far it is, read its answer, cancel it."""

from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field

from bottega.core.operations import McpTool, operation
from bottega.core.rooms import Caller
from bottega.core.runs import RunStatus
from bottega.research import addresses
from bottega.research.agents.definition import Depth
from bottega.research.pipeline.schemas import DEFAULT_AGENT, KIND, ResearchOrder
from bottega.research.pipeline.views import AnswerView, ResearchRunView, RunState

if TYPE_CHECKING:
    from bottega.research.service import Research

Id = Annotated[str, Field(max_length=100)]


class ResearchStartInput(BaseModel):
    question: Annotated[str, Field(max_length=1_000_000)]
    library: Id
    agent: Id = DEFAULT_AGENT
    depth: Depth | None = Field(None, description="Without, the analysis chooses.")
    auto_proceed: bool = Field(False, description="Do not stop to ask.")
    follow_up_of: Id | None = None
    budget_usd: Annotated[float, Field(ge=0, le=10_000)] | None = None
    session_id: Id | None = None


class RunArguments(BaseModel):
    run_id: Id


class RunRequest(RunArguments):
    run_id: str


class RunListRequest(BaseModel):
    status: RunStatus | None = None
    session_id: Id | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 50


class RunList(BaseModel):
    runs: list[ResearchRunView]


@operation(addresses.START_RUN)
async def start_research(
    research: "Research", asked: ResearchStartInput, caller: Caller
) -> ResearchRunView:
    """Ask a library a question; the run goes on by itself until it needs somebody."""
    order = ResearchOrder.model_validate(asked.model_dump(exclude={"session_id"}))
    run = await research.runs.start(order, user_id=caller.user_id, session_id=asked.session_id)
    return ResearchRunView.of(run)


@operation(addresses.LIST_RUNS)
async def list_research_runs(
    research: "Research", wanted: RunListRequest, caller: Caller
) -> RunList:
    """The caller's, newest first."""
    found = await research.core.runs.list(kind=KIND, user_id=caller.user_id, **dict(wanted))
    return RunList(runs=[ResearchRunView.of(run) for run in found])


@operation(addresses.SHOW_RUN)
async def research_run(research: "Research", asked: RunRequest, caller: Caller) -> RunState:
    """With its stages, what each did, took and cost, and what was said at its pauses."""
    run = await research.runs.get(asked.run_id, caller.user_id)
    events = await research.runs.history(asked.run_id)
    return RunState.showing(run, events, await research.runs.planned(run))


@operation(
    McpTool(
        "research_answer",
        "The answer of a finished run, with its sources.",
        read_only=True,
        arguments=RunArguments,
    ),
    addresses.READ_ANSWER,
)
async def research_answer(research: "Research", asked: RunRequest, caller: Caller) -> AnswerView:
    """What the run came to; 409 while it goes on."""
    outcome = await research.runs.result(asked.run_id, caller.user_id)
    return AnswerView.of(asked.run_id, outcome)


@operation(addresses.CANCEL_RUN)
async def cancel_research(
    research: "Research", asked: RunRequest, caller: Caller
) -> ResearchRunView:
    """Stop it for good. What it had found is summarised and kept."""
    return ResearchRunView.of(await research.runs.cancel(asked.run_id, caller.user_id))
