"""The assistant over MCP: its commands, a turn, an answer to what it asks, its result.

What a turn asks is put to the person by clients that can show a form; others hand it on.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field

from bottega.assistant.desk import Desk
from bottega.assistant.gates.forms import form_of, message_of, reply_of
from bottega.assistant.gates.gate import GateReply
from bottega.assistant.views import PluginView, TurnView
from bottega.core.rooms import Asking, Caller, Question, Tool
from bottega.core.runs import RunStatus
from bottega.errors import Conflict

Id = Annotated[str, Field(max_length=200)]
NOT_PAUSED = frozenset(RunStatus) - {RunStatus.PAUSED}


class NoArguments(BaseModel):
    pass


class RunArguments(BaseModel):
    input: Annotated[str, Field(max_length=1_000_000)]
    command: Id | None = Field(None, description="plugin:command")
    session_id: Id | None = Field(None, description="to go on with")


class TurnArguments(BaseModel):
    run_id: Id


class ReplyArguments(TurnArguments):
    reply: GateReply


class GateForms(Asking):
    """For tools whose result is a turn."""

    names = ("run_id", "position")

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def question(self, _asked: Any, result: TurnView) -> Question | None:
        if result.gate is None:
            return None
        # A turn asks one thing at a time: its newest event is the pause.
        about = {"run_id": result.run_id, "position": str(result.position)}
        return Question(message_of(result.gate), form_of(result.gate), about)

    async def answer(
        self, about: Mapping[str, str], form: Mapping[str, Any], caller: Caller
    ) -> TurnView:
        run_id = about["run_id"]
        turn = await self.current(about, caller)
        if turn.gate is None or str(turn.position) != about["position"]:
            raise Conflict(f"The turn {run_id!r} has gone on since.", status=turn.status)
        return await self.reply(run_id, reply_of(turn.gate, form), caller)

    async def reply(self, run_id: str, reply: GateReply, caller: Caller) -> TurnView:
        await self._desk.runs.reply(run_id, reply, user_id=caller.user_id)
        return TurnView.of(await self._desk.runs.wait_until_settled(run_id))

    async def current(self, about: Mapping[str, str], caller: Caller) -> TurnView:
        return TurnView.of(await self._desk.runs.get(about["run_id"], user_id=caller.user_id))

    async def closed(self, about: Mapping[str, str], caller: Caller) -> None:
        await self._desk.runs.get(about["run_id"], user_id=caller.user_id)
        await self._desk.core.runs.wait(about["run_id"], NOT_PAUSED)


def assistant_tools(desk: Desk) -> list[Tool[Any]]:
    runs, forms = desk.runs, GateForms(desk)

    async def assistant_commands(_asked: NoArguments, _caller: Caller) -> dict[str, Any]:
        return {"plugins": [PluginView.showing(each) for each in await desk.plugins()]}

    async def assistant_run(asked: RunArguments, caller: Caller) -> TurnView:
        order = await desk.order(
            asked.input, caller.user_id, command=asked.command, session_id=asked.session_id
        )
        run = await runs.start(order, user_id=caller.user_id, session_id=asked.session_id)
        return TurnView.of(await runs.wait_until_settled(run.id))

    async def assistant_reply(asked: ReplyArguments, caller: Caller) -> TurnView:
        return await forms.reply(asked.run_id, asked.reply, caller)

    async def assistant_result(asked: TurnArguments, caller: Caller) -> TurnView:
        return TurnView.of(await runs.get(asked.run_id, user_id=caller.user_id))

    return [
        Tool(
            "assistant_commands",
            "What assistants can be asked to do.",
            NoArguments,
            assistant_commands,
            read_only=True,
        ),
        Tool(
            "assistant_run",
            "Call a command or go on with a session; comes back when done or asking.",
            RunArguments,
            assistant_run,
            asking=forms,
        ),
        Tool(
            "assistant_reply",
            "Answer a turn's gate.",
            ReplyArguments,
            assistant_reply,
            asking=forms,
        ),
        Tool(
            "assistant_result",
            "A turn: its text, or what it asks.",
            TurnArguments,
            assistant_result,
            read_only=True,
        ),
    ]
