"""`transfer_to_{agent}`: gives the floor to a peer, with what it has to know.

The conversation stays; prompt, tools, hooks and limits are those of the agent that takes over. The
context block is required, and is the first thing that it reads.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bottega.assistant.hooks.hook import Transfer
from bottega.assistant.plugins.definition import AgentDefinition
from bottega.errors import Conflict, InvalidInput

Points = Annotated[list[Annotated[str, Field(max_length=2000)]], Field(max_length=50)]


class HandoffContext(BaseModel):
    model_config = ConfigDict(extra="forbid")

    decisions: Points = Field(description="what has been decided so far")
    constraints: Points = Field(description="what must hold, whatever comes next")
    reason: str = Field(
        min_length=1, max_length=2000, description="why the other agent should go on"
    )
    open_questions: Points = Field(description="what is not settled yet")


@dataclass(slots=True)
class Switchboard:
    """Which transfer an agent has asked for in this leg."""

    asked: Transfer | None = None


@dataclass(frozen=True, slots=True)
class TransferTool:
    target: AgentDefinition
    from_agent: str
    switchboard: Switchboard
    in_step: bool = field(default=False, init=False)

    @property
    def name(self) -> str:
        return tool_name(self.target.name)

    @property
    def description(self) -> str:
        return (
            f"Hand the conversation over to {self.target.name}. {self.target.meta.description} "
            "Say what is decided, what must hold, why, and what is open: it goes on from there."
        )

    @property
    def schema(self) -> Mapping[str, Any]:
        return HandoffContext.model_json_schema()

    async def run(self, arguments: dict[str, Any]) -> str:
        try:
            context = HandoffContext.model_validate(arguments)
        except ValidationError as error:
            wrong = "; ".join(
                f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()
            )
            raise InvalidInput(f"A handoff needs its whole context block: {wrong}.") from error
        if (asked := self.switchboard.asked) is not None:
            raise Conflict(f"The conversation is being handed over to {asked.to_agent} already.")
        self.switchboard.asked = Transfer(self.from_agent, self.target.name, context.model_dump())
        return f"{self.target.name} goes on from here."


def tool_name(agent: str) -> str:
    return f"transfer_to_{agent.replace('-', '_')}"


def context_block(transfer: Transfer) -> str:
    """What the agent that takes over reads before it first answers."""
    # The block's end must be ours: a text within cannot close it.
    body = json.dumps(transfer.context, ensure_ascii=False, indent=1).replace("</", "<\\/")
    return (
        f'<handoff_context from="{transfer.from_agent}" to="{transfer.to_agent}">\n{body}\n'
        "</handoff_context>\n"
        "You have the floor now. Go on with the conversation above from this context."
    )
