"""What can be asked of sessions: to begin one, go on with it, answer it, and look at it again."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bottega.assistant.sessions.schemas import KIND, AssistantOrder
from bottega.assistant.sessions.views import (
    AssistantSessionFilter,
    AssistantSessionList,
    AssistantSessionRequest,
    AssistantSessionView,
    AssistantStartInput,
    Conversation,
    DecisionList,
    DecisionView,
    FoundList,
    FoundView,
    ListedSession,
    Rehearsed,
    ReplyArguments,
    ReplyRequest,
    RunArguments,
    SaidView,
    SayRequest,
    SessionSearchRequest,
    SessionState,
    TurnArguments,
    TurnList,
    TurnOptions,
    TurnView,
)
from bottega.assistant.workspace.operations import RemovedItem
from bottega.conversation.forms import RunForms, form_of, message_of, reply_of
from bottega.conversation.gates import GateReply
from bottega.core.operations import Delete, Get, McpTool, Post, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller, Question
from bottega.core.trust.permissions import PermissionMode
from bottega.errors import Conflict, Forbidden

if TYPE_CHECKING:
    from bottega.assistant.service import Assistant

MOST_TURNS = 500


class GateForms(RunForms):
    """Puts what a turn asks to the person, as a form of the client."""

    names = ("run_id", "position")

    def __init__(self, assistant: "Assistant") -> None:
        super().__init__(assistant.core)
        self._assistant = assistant

    def question(self, _asked: Any, result: TurnView) -> Question | None:
        if result.gate is None:
            return None
        # A turn asks one thing at a time: its newest event is the pause.
        about = {"run_id": result.run_id, "position": str(result.position)}
        return Question(message_of(result.gate), form_of(result.gate), about)

    async def answer(
        self, about: Mapping[str, str], form: Mapping[str, Any], caller: Caller
    ) -> TurnView:
        turn = await self.current(about, caller)
        if turn.gate is None or str(turn.position) != about["position"]:
            raise Conflict(f"The turn {turn.run_id!r} has gone on since.", status=turn.status)
        return await _answer(self._assistant, turn.run_id, reply_of(turn.gate, form), caller)

    async def current(self, about: Mapping[str, str], caller: Caller) -> TurnView:
        return TurnView.of(await self._assistant.runs.get(about["run_id"], user_id=caller.user_id))


@operation(
    McpTool(
        "assistant_run",
        "Call a command or go on with a session; comes back when done or asking.",
        asking=GateForms,
    )
)
async def run_turn(assistant: "Assistant", asked: RunArguments, caller: Caller) -> TurnView:
    order = await assistant.order(
        asked.input, caller.user_id, command=asked.command, session_id=asked.session_id
    )
    run = await assistant.runs.start(order, user_id=caller.user_id, session_id=asked.session_id)
    return TurnView.of(await assistant.runs.wait_until_settled(run.id))


@operation(
    McpTool("assistant_reply", "Answer a turn's gate.", asking=GateForms), needs=Right.DECIDE
)
async def answer_turn(assistant: "Assistant", asked: ReplyArguments, caller: Caller) -> TurnView:
    gate = TurnView.of(await assistant.runs.get(asked.run_id, user_id=caller.user_id)).gate
    if gate is not None and gate.kind.is_a_persons:
        raise Forbidden(
            f"This gate ({gate.kind}) is a person's to answer, whoever the agent works for: in the "
            "web app, with `bottega assist --resume`, or in a form of your client, if it has them.",
            gate=gate.kind,
        )
    return await _answer(assistant, asked.run_id, asked.reply, caller)


@operation(McpTool("assistant_result", "A turn: its text, or what it asks.", read_only=True))
async def read_turn(assistant: "Assistant", asked: TurnArguments, caller: Caller) -> TurnView:
    return TurnView.of(await assistant.runs.get(asked.run_id, user_id=caller.user_id))


@operation(Post("/assistant/rehearsals"), needs=Right.READ)
async def rehearse(assistant: "Assistant", asked: AssistantStartInput, caller: Caller) -> Rehearsed:
    """The prompt that a command would begin with, without asking a model."""
    order = await _order(assistant, asked, caller)
    prompt = await assistant.rehearse(order, caller.user_id)
    return Rehearsed.model_validate(prompt, from_attributes=True)


@operation(Post("/assistant/sessions", status=201))
async def start_session(
    assistant: "Assistant", asked: AssistantStartInput, caller: Caller
) -> TurnView:
    """Call a command: a session begins, and its first turn."""
    order = await _order(assistant, asked, caller)
    return TurnView.of(await assistant.runs.start(order, user_id=caller.user_id))


@operation(Get("/assistant/sessions"))
async def list_sessions(
    assistant: "Assistant", wanted: AssistantSessionFilter, caller: Caller
) -> AssistantSessionList:
    """The one that something last happened in comes first."""
    sessions = assistant.runs.sessions
    found = await sessions.list(user_id=caller.user_id, **dict(wanted))
    turns = await sessions.newest_turns(found)
    return AssistantSessionList(
        sessions=[ListedSession.beside(each, turns.get(each.id)) for each in found]
    )


@operation(Get("/assistant/search"))
async def search_sessions(
    assistant: "Assistant", wanted: SessionSearchRequest, caller: Caller
) -> FoundList:
    """Sessions in which every word was said."""
    found = await assistant.runs.sessions.search(user_id=caller.user_id, **dict(wanted))
    return FoundList(
        found=[
            FoundView(session=AssistantSessionView.of(each.view), excerpt=each.excerpt)
            for each in found
        ]
    )


@operation(Get("/assistant/sessions/{session_id}"))
async def get_session(
    assistant: "Assistant", asked: AssistantSessionRequest, caller: Caller
) -> SessionState:
    found = await assistant.runs.sessions.get(asked.session_id, user_id=caller.user_id)
    run = await assistant.newest_turn(asked.session_id, caller.user_id)
    turn = TurnView.of(run) if run else None
    return SessionState(session=AssistantSessionView.of(found), turn=turn)


@operation(Get("/assistant/sessions/{session_id}/turns"))
async def list_turns(
    assistant: "Assistant", asked: AssistantSessionRequest, caller: Caller
) -> TurnList:
    """What was asked in the session, oldest first, and what each came to."""
    await assistant.runs.sessions.get(asked.session_id, user_id=caller.user_id)
    runs = assistant.core.runs
    found = await runs.list(kind=KIND, session_id=asked.session_id, limit=MOST_TURNS)
    return TurnList(turns=[TurnView.of(run) for run in reversed(found)])


@operation(Delete("/assistant/sessions/{session_id}"))
async def remove_session(
    assistant: "Assistant", asked: AssistantSessionRequest, caller: Caller
) -> RemovedItem:
    """With all that was said and decided in it."""
    await assistant.runs.sessions.delete(asked.session_id, user_id=caller.user_id)
    return RemovedItem(removed=asked.session_id)


@operation(Get("/assistant/sessions/{session_id}/messages"))
async def list_messages(
    assistant: "Assistant", asked: AssistantSessionRequest, caller: Caller
) -> Conversation:
    said = await assistant.runs.sessions.messages(asked.session_id, user_id=caller.user_id)
    return Conversation(messages=[SaidView.model_validate(message) for message in said])


@operation(Post("/assistant/sessions/{session_id}/messages", status=201))
async def say(assistant: "Assistant", said: SayRequest, caller: Caller) -> TurnView:
    """Go on with the session's agent: its next turn."""
    _check_choices(said, caller)
    options = said.model_dump(exclude={"text", "session_id"})
    order = await assistant.order(said.text, caller.user_id, session_id=said.session_id, **options)
    run = await assistant.runs.start(order, user_id=caller.user_id, session_id=said.session_id)
    return TurnView.of(run)


@operation(Post("/assistant/sessions/{session_id}/reply"), needs=Right.DECIDE)
async def reply(assistant: "Assistant", given: ReplyRequest, caller: Caller) -> TurnView:
    """Answer what the session's turn asks; what it does not offer is refused."""
    run = await assistant.current_turn(given.session_id, caller.user_id)
    return TurnView.of(await assistant.runs.reply(run.id, given.reply, user_id=caller.user_id))


@operation(Post("/assistant/sessions/{session_id}/cancel"))
async def cancel(
    assistant: "Assistant", asked: AssistantSessionRequest, caller: Caller
) -> TurnView:
    """Stop the turn for good; what was said stays."""
    run = await assistant.current_turn(asked.session_id, caller.user_id)
    return TurnView.of(await assistant.runs.cancel(run.id, user_id=caller.user_id))


@operation(Get("/assistant/sessions/{session_id}/decisions"))
async def list_decisions(
    assistant: "Assistant", asked: AssistantSessionRequest, caller: Caller
) -> DecisionList:
    found = await assistant.runs.sessions.decisions(asked.session_id, user_id=caller.user_id)
    return DecisionList(decisions=[DecisionView.model_validate(each) for each in found])


async def _order(
    assistant: "Assistant", asked: AssistantStartInput, caller: Caller
) -> AssistantOrder:
    _check_choices(asked, caller)
    options = asked.model_dump(exclude={"command", "input"})
    return await assistant.order(asked.input, caller.user_id, command=asked.command, **options)


def _check_choices(options: TurnOptions, caller: Caller) -> None:
    """To let an assistant work by itself, or unchecked, is for people to decide."""
    if options.permission is PermissionMode.EXECUTE or "hooks" in options.without:
        caller.grant.check(Right.DECIDE, "assistant")


async def _answer(
    assistant: "Assistant", run_id: str, given: GateReply, caller: Caller
) -> TurnView:
    await assistant.runs.reply(run_id, given, user_id=caller.user_id)
    return TurnView.of(await assistant.runs.wait_until_settled(run_id))
