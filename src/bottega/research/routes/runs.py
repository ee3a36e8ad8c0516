"""Research runs: ask, watch, reply, read."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, status
from pydantic import BaseModel, Field
from starlette.responses import StreamingResponse

from bottega.core.callers import CurrentCaller
from bottega.core.runs import RunStatus
from bottega.core.runs.following import run_frames
from bottega.core.streams import OpenStreams
from bottega.research.agents.definition import Depth
from bottega.research.desk import Desk
from bottega.research.pipeline.orders import DEFAULT_AGENT, KIND, ResearchOrder
from bottega.research.sessions.views import MessageView, show_message
from bottega.research.talking.conversation import Turn
from bottega.research.views import AnswerView, ResearchRunView, RunState


class StartInput(BaseModel):
    question: Annotated[str, Field(max_length=1_000_000)]
    library: Annotated[str, Field(max_length=100)]
    agent: Annotated[str, Field(max_length=100)] = DEFAULT_AGENT
    depth: Depth | None = Field(None, description="Without, the analysis chooses.")
    auto_proceed: bool = Field(False, description="Do not stop to ask.")
    follow_up_of: Annotated[str, Field(max_length=100)] | None = None
    budget_usd: Annotated[float, Field(ge=0, le=10_000)] | None = None
    session_id: Annotated[str, Field(max_length=100)] | None = None


class ReplyInput(BaseModel):
    text: Annotated[str, Field(max_length=1_000_000)]
    wait: bool = Field(True, description="false: come back at once, and follow the events.")


class RunList(BaseModel):
    runs: list[ResearchRunView]


class Said(BaseModel):
    """What a message led to."""

    #: What was added to the conversation, the person's own words first.
    messages: list[MessageView]
    run: ResearchRunView | None

    @classmethod
    def of(cls, turn: Turn) -> "Said":
        return cls(
            messages=[show_message(message) for message in turn.messages],
            run=ResearchRunView.of(turn.run) if turn.run else None,
        )


def add_routes(routes: APIRouter, desk: Desk) -> None:
    runs = desk.runs

    @routes.post("/runs", status_code=status.HTTP_201_CREATED)
    async def start_research(asked: StartInput, caller: CurrentCaller) -> ResearchRunView:
        """Ask a library a question; the run goes on by itself until it needs somebody."""
        order = ResearchOrder.model_validate(asked.model_dump(exclude={"session_id"}))
        run = await runs.start(order, user_id=caller.user_id, session_id=asked.session_id)
        return ResearchRunView.of(run)

    @routes.get("/runs")
    async def list_research_runs(
        caller: CurrentCaller,
        status: RunStatus | None = None,
        session_id: Annotated[str | None, Query(max_length=100)] = None,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> RunList:
        """The caller's, newest first."""
        found = await desk.core.runs.list(
            kind=KIND, status=status, user_id=caller.user_id, session_id=session_id, limit=limit
        )
        return RunList(runs=[ResearchRunView.of(run) for run in found])

    @routes.get("/runs/{run_id}")
    async def research_run(run_id: str, caller: CurrentCaller) -> RunState:
        """With its stages, what each did, took and cost, and what was said at its pauses."""
        run = await runs.get(run_id, caller.user_id)
        return RunState.showing(run, await runs.history(run_id), await runs.planned(run))

    @routes.post("/runs/{run_id}/messages")
    async def reply_to_research(run_id: str, said: ReplyInput, caller: CurrentCaller) -> Said:
        """Answer a paused run, and come back when it needs somebody again or has ended.

        After leaving a run, what was asked instead is answered too.
        """
        session_id = await desk.paused_session(run_id, caller.user_id)
        if said.wait:
            turn = await desk.conversation.say(session_id, said.text, user_id=caller.user_id)
            return Said.of(turn)
        await desk.conversation.begin(session_id, said.text, user_id=caller.user_id)
        return Said(messages=[], run=ResearchRunView.of(await runs.get(run_id)))

    @routes.get("/runs/{run_id}/events", response_class=StreamingResponse)
    async def follow_research(
        run_id: str,
        caller: CurrentCaller,
        streams: OpenStreams,
        after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
        last_event_id: Annotated[int | None, Header(ge=0, le=2**31 - 1)] = None,
    ) -> StreamingResponse:
        """Stages, substeps and text as they come, from any event on, until the run has ended."""
        await runs.get(run_id, caller.user_id)
        start = after if last_event_id is None else last_event_id
        return streams.send(run_frames(desk.core.runs, desk.core.bus, run_id, after=start))

    @routes.get("/runs/{run_id}/answer")
    async def research_answer(run_id: str, caller: CurrentCaller) -> AnswerView:
        """What the run came to; 409 while it goes on."""
        return AnswerView.of(run_id, await runs.answer(run_id, caller.user_id))

    @routes.post("/runs/{run_id}/cancel")
    async def cancel_research(run_id: str, caller: CurrentCaller) -> ResearchRunView:
        """Stop it for good. What it had found is summarised and kept."""
        return ResearchRunView.of(await runs.cancel(run_id, caller.user_id))
