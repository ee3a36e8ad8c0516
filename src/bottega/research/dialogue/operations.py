"""What can be asked of a conversation: to say something in it, and to talk with a run.

What a run asks is put to the person by clients that can show a form; others hand it on.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, Field

from bottega.conversation.forms import RunForms
from bottega.core.operations import McpTool, Post, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller, Question
from bottega.errors import Conflict, InvalidInput
from bottega.research import addresses
from bottega.research.agents.definition import Depth
from bottega.research.dialogue.conversation import ConversationTurn
from bottega.research.pipeline.operations import Id, RunArguments
from bottega.research.pipeline.schemas import DEFAULT_AGENT, ResearchOrder
from bottega.research.pipeline.views import ResearchRunView, Waiting
from bottega.research.sessions.operations import Short
from bottega.research.sessions.repository import MessageView

if TYPE_CHECKING:
    from bottega.research.service import Research


LONGEST_MESSAGE = 4_000

#: A run as the tool shows it while nobody answers.
Show = Callable[["Research", str, Caller], Awaitable[Any]]


class PauseForms(RunForms):
    """For tools whose result is a run, or has one as `run`; answered, it is that of a reply."""

    names = ("run_id", "pause")

    def __init__(self, service: "Research", show: Show) -> None:
        super().__init__(service.core)
        self._service = service
        self._show = show

    def question(self, _asked: Any, result: Any) -> Question | None:
        run = result["run"] if isinstance(result, dict) else result
        if not isinstance(run, ResearchRunView) or run.waiting_for is None:
            return None
        waiting = run.waiting_for
        about = {"run_id": run.id, "pause": waiting.key}
        return Question(waiting.text[:LONGEST_MESSAGE], form_of(waiting), about)

    async def answer(
        self, about: Mapping[str, str], form: Mapping[str, Any], caller: Caller
    ) -> dict[str, Any]:
        text = form.get("text") or form.get("choice")
        if not isinstance(text, str):
            raise InvalidInput("The form has neither a choice nor a text. Give one of them.")
        run_id = about["run_id"]
        session_id = await self._service.paused_session(run_id, caller.user_id)
        run = await self._service.runs.get(run_id, caller.user_id)
        if run.waiting_for is None or run.waiting_for["key"] != about["pause"]:
            raise Conflict(f"The run {run_id!r} has gone on since.")
        return await self._service.reply(session_id, text, caller.user_id)

    async def current(self, about: Mapping[str, str], caller: Caller) -> Any:
        return await self._show(self._service, about["run_id"], caller)


def form_of(waiting: Waiting) -> dict[str, Any]:
    text = {
        "type": "string",
        "title": "Your words",
        "description": waiting.otherwise or "Your reply.",
    }
    if not waiting.options:
        return {"type": "object", "properties": {"text": text}, "required": ["text"]}
    explained = "; ".join(f"{option.key}: {option.label}" for option in waiting.options)
    choice = {
        "type": "string",
        "title": "Choice",
        "description": explained,
        "enum": [option.key for option in waiting.options],
    }
    # Words count for more than a choice, so neither is required.
    return {"type": "object", "properties": {"choice": choice, "text": text}}


Words = Annotated[str, Field(max_length=1_000_000)]
#: How long a start that a person wants to be asked about waits for the first question: clients
#: give up after a minute.
FIRST_QUESTION_SECONDS = 50.0


class StartArguments(BaseModel):
    question: Words
    library: Id
    agent: Id = DEFAULT_AGENT
    depth: Depth | None = None
    auto_proceed: bool = Field(True, description="false: pause for a person's reply")
    follow_up_of: Id | None = None
    budget_usd: Annotated[float, Field(ge=0, le=10_000)] | None = None


class ReplyArguments(RunArguments):
    text: Words


class ReplyInput(BaseModel):
    text: Words
    wait: bool = Field(True, description="false: come back at once, and follow the events.")


class RunReplyRequest(ReplyInput):
    run_id: str


class SessionMessage(ReplyInput):
    library: Short | None = Field(None, description="For this turn, over the session's own.")


class SessionMessageRequest(SessionMessage):
    session_id: str


class MessagesRequest(BaseModel):
    session_id: str
    wait: Annotated[float, Field(ge=0, le=60)] = 0


class MessageList(BaseModel):
    messages: list[MessageView]


class Said(BaseModel):
    """What a message led to."""

    #: What was added to the conversation, the person's own words first.
    messages: list[MessageView]
    run: ResearchRunView | None

    @classmethod
    def of(cls, turn: ConversationTurn) -> "Said":
        return cls(
            messages=[MessageView.model_validate(message) for message in turn.messages],
            run=ResearchRunView.of(turn.run) if turn.run else None,
        )


@operation(addresses.REPLY_TO_RUN, needs=Right.DECIDE)
async def reply_to_research(research: "Research", said: RunReplyRequest, caller: Caller) -> Said:
    """Answer a paused run, and come back when it needs somebody again or has ended.

    After leaving a run, what was asked instead is answered too.
    """
    session_id = await research.paused_session(said.run_id, caller.user_id)
    if said.wait:
        turn = await research.conversation.say(session_id, said.text, user_id=caller.user_id)
        return Said.of(turn)
    await research.conversation.begin(session_id, said.text, user_id=caller.user_id)
    return Said(messages=[], run=ResearchRunView.of(await research.runs.get(said.run_id)))


@operation(addresses.READ_MESSAGES)
async def research_messages(
    research: "Research", asked: MessagesRequest, caller: Caller
) -> MessageList:
    """The conversation, with what its runs have come to meanwhile.

    With `wait`, as soon as it works on nothing, or after so many seconds.
    """
    await research.sessions.get(asked.session_id, user_id=caller.user_id)
    if asked.wait:
        with suppress(TimeoutError):
            async with asyncio.timeout(asked.wait):
                await research.conversation.rest(asked.session_id)
    messages = await research.conversation.open(asked.session_id, user_id=caller.user_id)
    return MessageList(messages=[MessageView.model_validate(message) for message in messages])


@operation(Post("/research/sessions/{session_id}/messages"), needs=Right.DECIDE)
async def say_in_research_session(
    research: "Research", said: SessionMessageRequest, caller: Caller
) -> Said:
    """To the run that waits, to an agent (`@deep-research …`), or just so."""
    say = research.conversation.say if said.wait else research.conversation.begin
    turn = await say(said.session_id, said.text, user_id=caller.user_id, library=said.library)
    return Said.of(turn) if turn else Said(messages=[], run=None)


async def _show_run(research: "Research", run_id: str, caller: Caller) -> ResearchRunView:
    return ResearchRunView.of(await research.runs.get(run_id, caller.user_id))


async def _show_status(research: "Research", run_id: str, caller: Caller) -> dict[str, Any]:
    run = await research.runs.get(run_id, caller.user_id)
    state = await research.runs.state(run_id)
    return {
        "run": ResearchRunView.of(run, state.cost),
        "current_stage": state.current_stage,
        "completed_stages": list(state.completed_stages),
    }


async def _show_reply(research: "Research", run_id: str, caller: Caller) -> dict[str, Any]:
    return {"run": await _show_run(research, run_id, caller), "said": []}


@operation(
    McpTool(
        "research_start",
        "Ask a library; answers only with verified citations.",
        asking=lambda research: PauseForms(research, _show_run),
    )
)
async def ask_library(
    research: "Research", asked: StartArguments, caller: Caller
) -> ResearchRunView:
    order = ResearchOrder.model_validate(asked.model_dump())
    run = await research.runs.start(order, user_id=caller.user_id)
    if caller.can_be_asked and not asked.auto_proceed:
        with suppress(TimeoutError):
            async with asyncio.timeout(FIRST_QUESTION_SECONDS):
                run = await research.runs.wait_until_settled(run.id)
    return ResearchRunView.of(run)


@operation(
    McpTool(
        "research_status",
        "How far a run is, and what it asks.",
        # Whoever answers the form that it may put to a person moves the run on.
        asking=lambda research: PauseForms(research, _show_status),
    ),
    needs=Right.READ,
)
async def show_status(research: "Research", asked: RunArguments, caller: Caller) -> dict[str, Any]:
    return await _show_status(research, asked.run_id, caller)


@operation(
    McpTool(
        "research_reply",
        "Reply to a paused run.",
        asking=lambda research: PauseForms(research, _show_reply),
    ),
    needs=Right.DECIDE,
)
async def reply_to_run(
    research: "Research", asked: ReplyArguments, caller: Caller
) -> dict[str, Any]:
    session_id = await research.paused_session(asked.run_id, caller.user_id)
    return await research.reply(session_id, asked.text, caller.user_id)
