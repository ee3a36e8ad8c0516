"""A task is one typed question for a model.

One module in a room's `prompts/` folder holds one task: its instructions, what goes in, what
comes out, how the prompt is put together, and what to answer without a model (FR-094):

    INSTRUCTIONS = "You judge whether a learner is stuck. …"

    class Situation(BaseModel): ...

    class Verdict(BaseModel): ...

    def prompt(situation: Situation) -> str: ...

    def offline(situation: Situation) -> Verdict: ...

    triage = Task("observer_triage", Tier.FAST, INSTRUCTIONS, prompt, Verdict, offline)
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, Literal, TypeVar, cast

from pydantic import BaseModel

In = TypeVar("In")
Out = TypeVar("Out", bound=BaseModel | str)

Effort = Literal["low", "medium", "high"]


class Tier(StrEnum):
    """How able a model the task needs; the specs say haiku and sonnet."""

    FAST = "fast"
    STRONG = "strong"


@dataclass(frozen=True, slots=True, eq=False)
class Task(Generic[In, Out]):
    #: Its name in the ledger (`call_type`).
    name: str
    tier: Tier
    #: What the model is told to be and do, the same on every call.
    instructions: str
    #: The user's message, made from the input.
    prompt: Callable[[In], str]
    #: What comes back: a pydantic model, which the provider is held to, or `str` for plain text.
    output: type[Out]
    #: The answer without a model. A plain function runs in a thread, so it may take its time.
    offline: Callable[[In], Out | Awaitable[Out]]
    #: Think before answering, where the model can.
    thinking: Effort | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens
        )


@dataclass(frozen=True, slots=True)
class Source:
    """A page that a search tool returned while the model worked."""

    url: str
    title: str


@dataclass(frozen=True, slots=True)
class Answer(Generic[Out]):
    """What a task gave, and what that took."""

    output: Out
    #: The full model id, or `offline`.
    model: str
    #: Worked out by our own code, without a model: whoever shows it says so.
    offline: bool
    usage: Usage = Usage()
    #: US dollars.
    cost: float = 0.0
    latency_ms: int = 0
    sources: tuple[Source, ...] = field(default=())


async def answer_offline(task: Task[In, Out], input: In) -> Out:
    """The task's answer by its own code.

    A real mode: no key, no network, and every task still does its job as well as deterministic
    code can. Its calls stand in the ledger as `offline`, free, and its answers say what they are.
    """
    if inspect.iscoroutinefunction(task.offline):
        return await cast("Callable[[In], Awaitable[Out]]", task.offline)(input)
    # It may rank or read at length: not on the loop.
    return await asyncio.to_thread(cast("Callable[[In], Out]", task.offline), input)


def as_text(output: BaseModel | str) -> str:
    """An answer in the form in which a model would have streamed it."""
    return output if isinstance(output, str) else output.model_dump_json()
