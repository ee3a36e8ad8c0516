"""Research over MCP: ask, see how far it is, reply, read the answer."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from bottega.core.rooms import Caller, Tool
from bottega.research.agents.definition import Depth
from bottega.research.desk import Desk
from bottega.research.pipeline.orders import DEFAULT_AGENT, ResearchOrder
from bottega.research.views import AnswerView, ResearchRunView

Id = Annotated[str, Field(max_length=100)]


class StartArguments(BaseModel):
    question: Annotated[str, Field(max_length=1_000_000)]
    library: Id
    agent: Id = DEFAULT_AGENT
    depth: Depth | None = None
    auto_proceed: bool = Field(True, description="false: pause for a person's reply")
    follow_up_of: Id | None = None
    budget_usd: Annotated[float, Field(ge=0, le=10_000)] | None = None


class RunArguments(BaseModel):
    run_id: Id


class ReplyArguments(RunArguments):
    text: Annotated[str, Field(max_length=1_000_000)]


def research_tools(desk: Desk) -> list[Tool[Any]]:
    runs = desk.runs

    async def research_start(asked: StartArguments, caller: Caller) -> ResearchRunView:
        order = ResearchOrder.model_validate(asked.model_dump())
        return ResearchRunView.of(await runs.start(order, user_id=caller.user_id))

    async def research_status(asked: RunArguments, caller: Caller) -> dict[str, Any]:
        run = await runs.get(asked.run_id, caller.user_id)
        state = await runs.state(asked.run_id)
        return {
            "run": ResearchRunView.of(run, state.cost),
            "current_stage": state.current_stage,
            "completed_stages": list(state.completed_stages),
        }

    async def research_reply(asked: ReplyArguments, caller: Caller) -> dict[str, Any]:
        session_id = await desk.paused_session(asked.run_id, caller.user_id)
        turn = await desk.conversation.say(session_id, asked.text, user_id=caller.user_id)
        return {
            "run": ResearchRunView.of(turn.run) if turn.run else None,
            "said": [message.text for message in turn.messages if message.role == "assistant"],
        }

    async def research_answer(asked: RunArguments, caller: Caller) -> AnswerView:
        return AnswerView.of(asked.run_id, await runs.answer(asked.run_id, caller.user_id))

    return [
        Tool(
            "research_start",
            "Ask a library; answers only with verified citations.",
            StartArguments,
            research_start,
        ),
        Tool(
            "research_status",
            "How far a run is, and what it asks.",
            RunArguments,
            research_status,
            read_only=True,
        ),
        Tool("research_reply", "Reply to a paused run.", ReplyArguments, research_reply),
        Tool(
            "research_answer",
            "The answer of a finished run, with its sources.",
            RunArguments,
            research_answer,
            read_only=True,
        ),
    ]
