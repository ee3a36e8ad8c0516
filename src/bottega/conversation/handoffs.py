"""`transfer_to_{agent}`: hands the conversation to another agent, with the context that it needs.

The conversation stays, and so does whatever must be true of what comes out of it; prompt, tools
and limits are those of the agent that takes over. The context block is required, and is the first
thing that it reads.
"""

import json
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from bottega.conversation.tools import Arguments, BuiltTool
from bottega.errors import Conflict

Points = Annotated[list[Annotated[str, Field(max_length=2000)]], Field(max_length=50)]

#: How a context block begins.
OPENING = "<handoff_context "


class HandoffContext(Arguments):
    decisions: Points = Field(description="what has been decided so far")
    constraints: Points = Field(description="what must hold, whatever comes next")
    reason: str = Field(
        min_length=1, max_length=2000, description="why the other agent should go on"
    )
    open_questions: Points = Field(description="what is not settled yet")


@dataclass(frozen=True, slots=True)
class Handoff:
    from_agent: str
    to_agent: str
    #: Decisions, constraints, reason, open questions.
    context: dict[str, Any]


@dataclass(slots=True)
class PendingHandoff:
    """The handoff that an agent has asked for in this run of it, if any."""

    asked: Handoff | None = None

    def tool(self, from_agent: str, to_agent: str, about: str) -> BuiltTool[HandoffContext]:
        """The tool by which one agent asks for the other, which `about` describes."""

        async def ask(context: HandoffContext) -> str:
            if self.asked is not None:
                raise Conflict(
                    f"The conversation is being handed over to {self.asked.to_agent} already."
                )
            self.asked = Handoff(from_agent, to_agent, context.model_dump())
            return f"{to_agent} goes on from here."

        return BuiltTool(
            tool_name(to_agent),
            f"Hand the conversation over to {to_agent}. {about} "
            "Say what is decided, what must hold, why, and what is open: it goes on from there.",
            HandoffContext,
            ask,
            in_step=False,
        )


def tool_name(agent: str) -> str:
    return f"transfer_to_{agent.replace('-', '_')}"


def context_block(transfer: Handoff) -> str:
    """What the agent that takes over reads before it first answers."""
    # The block's end must be ours: a text within cannot close it.
    body = json.dumps(transfer.context, ensure_ascii=False, indent=1).replace("</", "<\\/")
    return (
        f'{OPENING}from="{transfer.from_agent}" to="{transfer.to_agent}">\n{body}\n'
        "</handoff_context>\n"
        "You have the floor now. Go on with the conversation above from this context."
    )
