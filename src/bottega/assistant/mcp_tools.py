"""The assistant over MCP: its commands, a turn, an answer to what it asks, its result."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from bottega.assistant.desk import Desk
from bottega.assistant.gates.gate import GateReply
from bottega.assistant.views import PluginView, TurnView
from bottega.core.rooms import Caller, Tool

Id = Annotated[str, Field(max_length=200)]


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


def assistant_tools(desk: Desk) -> list[Tool[Any]]:
    runs = desk.runs

    async def assistant_commands(_asked: NoArguments, _caller: Caller) -> dict[str, Any]:
        return {"plugins": [PluginView.showing(each) for each in await desk.plugins()]}

    async def assistant_run(asked: RunArguments, caller: Caller) -> TurnView:
        order = await desk.order(
            asked.input, caller.user_id, command=asked.command, session_id=asked.session_id
        )
        run = await runs.start(order, user_id=caller.user_id, session_id=asked.session_id)
        return TurnView.of(await runs.wait_until_settled(run.id))

    async def assistant_reply(asked: ReplyArguments, caller: Caller) -> TurnView:
        await runs.reply(asked.run_id, asked.reply, user_id=caller.user_id)
        return TurnView.of(await runs.wait_until_settled(asked.run_id))

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
        ),
        Tool("assistant_reply", "Answer a turn's gate.", ReplyArguments, assistant_reply),
        Tool(
            "assistant_result",
            "A turn: its text, or what it asks.",
            TurnArguments,
            assistant_result,
            read_only=True,
        ),
    ]
