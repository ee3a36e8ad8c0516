"""A built-in tool: a name, what it is for, the shape of its arguments, and what it does.

`built` makes one of a function, whose docstring is what the model reads of it.

`transfer_to_{agent}` hands the conversation to another agent, with the context that it needs. The
conversation stays, and so does whatever must be true of what comes out of it; prompt, tools and
limits are those of the agent that takes over. The context block is required, and is the first thing
that it reads.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bottega.core.text.words import one_line
from bottega.errors import Conflict, InvalidInput


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


Path = Annotated[str, Field(max_length=4096)]
Text = Annotated[str, Field(max_length=4_000_000)]

A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class BuiltTool(Generic[A]):
    """What the loop calls an `AgentTool`."""

    name: str
    description: str
    arguments: type[A]
    act: Callable[[A], Awaitable[Any]]
    #: A call is one durable step, unless it asks the person or changes the turn.
    in_step: bool = True
    #: What an argument may be, where that is known only now.
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def schema(self) -> Mapping[str, Any]:
        schema = self.arguments.model_json_schema(by_alias=True)
        for name, choices in self.choices.items():
            schema["properties"][name]["enum"] = list(choices)
        return schema

    async def run(self, arguments: dict[str, Any]) -> Any:
        try:
            asked = self.arguments.model_validate(arguments)
        except ValidationError as error:
            raise InvalidInput(f"{self.name}: {_problems(error)}") from None
        return await self.act(asked)


def built(act: Callable[[A], Awaitable[Any]], *, in_step: bool = True) -> BuiltTool[A]:
    """By its name, its docstring and the model that it takes."""
    [asked] = [hint for name, hint in get_type_hints(act).items() if name != "return"]
    return BuiltTool(act.__name__, one_line(act.__doc__ or ""), asked, act, in_step)


def _problems(error: ValidationError) -> str:
    told = [
        f"{'.'.join(map(str, problem['loc'])) or 'the arguments'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)
    ]
    return "; ".join(told[:5]) + ". Put it right and call it again."


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
