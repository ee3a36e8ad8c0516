"""Research over MCP: ask, see how far it is, reply, read the answer.

What a run asks is put to the person by clients that can show a form; others hand it on.
"""

import asyncio
from contextlib import suppress
from typing import Annotated, Any

from pydantic import BaseModel, Field

from bottega.core.rooms import Caller, Tool
from bottega.research.agents.definition import Depth
from bottega.research.desk import Desk
from bottega.research.forms import RunForms, reply
from bottega.research.pipeline.orders import DEFAULT_AGENT, ResearchOrder
from bottega.research.views import AnswerView, ResearchRunView

Id = Annotated[str, Field(max_length=100)]
#: How long a start that a person wants to be asked about waits for the first question: clients
#: give up after a minute.
FIRST_QUESTION_SECONDS = 50.0


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

    async def show(run_id: str, caller: Caller) -> ResearchRunView:
        return ResearchRunView.of(await runs.get(run_id, caller.user_id))

    async def show_status(run_id: str, caller: Caller) -> dict[str, Any]:
        run = await runs.get(run_id, caller.user_id)
        state = await runs.state(run_id)
        return {
            "run": ResearchRunView.of(run, state.cost),
            "current_stage": state.current_stage,
            "completed_stages": list(state.completed_stages),
        }

    async def show_reply(run_id: str, caller: Caller) -> dict[str, Any]:
        return {"run": await show(run_id, caller), "said": []}

    async def research_start(asked: StartArguments, caller: Caller) -> ResearchRunView:
        order = ResearchOrder.model_validate(asked.model_dump())
        run = await runs.start(order, user_id=caller.user_id)
        if caller.can_be_asked and not asked.auto_proceed:
            with suppress(TimeoutError):
                async with asyncio.timeout(FIRST_QUESTION_SECONDS):
                    run = await runs.wait_until_settled(run.id)
        return ResearchRunView.of(run)

    async def research_status(asked: RunArguments, caller: Caller) -> dict[str, Any]:
        return await show_status(asked.run_id, caller)

    async def research_reply(asked: ReplyArguments, caller: Caller) -> dict[str, Any]:
        session_id = await desk.paused_session(asked.run_id, caller.user_id)
        return await reply(desk, session_id, asked.text, caller)

    async def research_answer(asked: RunArguments, caller: Caller) -> AnswerView:
        return AnswerView.of(asked.run_id, await runs.answer(asked.run_id, caller.user_id))

    return [
        Tool(
            "research_start",
            "Ask a library; answers only with verified citations.",
            StartArguments,
            research_start,
            asking=RunForms(desk, show),
        ),
        Tool(
            "research_status",
            "How far a run is, and what it asks.",
            RunArguments,
            research_status,
            read_only=True,
            asking=RunForms(desk, show_status),
        ),
        Tool(
            "research_reply",
            "Reply to a paused run.",
            ReplyArguments,
            research_reply,
            asking=RunForms(desk, show_reply),
        ),
        Tool(
            "research_answer",
            "The answer of a finished run, with its sources.",
            RunArguments,
            research_answer,
            read_only=True,
        ),
    ]
