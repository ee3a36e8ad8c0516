"""Talking to a run that waits for a person: go on, change the plan, or leave.

    asked to leave before?
    ├─ yes: the reply denies it       A   go on
    │       the reply confirms it     B   leave; what made us ask is answered next
    │       it says something else    C   leave; that is answered next
    └─ no:  it asks to leave          D   ask whether that is so
            it is about another thing D'  the same, in a model's judgement
            anything else             E   go on, or change the plan and show it again

Leaving ends work that was paid for, so it is never guessed: doubt always goes on. All of it is
decided by the run's own code from replies on record, and so decided again alike after a crash.
"""

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from pydantic import JsonValue

from bottega.core.runs import RunContext
from bottega.errors import ModelError
from bottega.research.agents.definition import StageConfig
from bottega.research.pipeline.state import Moment
from bottega.research.talking.pause_messages import (
    PauseMessage,
    confirmation_message,
    modification_message,
)
from bottega.research.talking.replies import (
    BreakoutResponse,
    classify_breakout_response,
    is_breakout_intent,
    is_proceed,
    open_question,
    wants_to_modify,
)

#: Characters of a person's message that an event keeps; the whole of it is in the reply's own.
LONGEST_TOLD = 500


@dataclass(frozen=True, slots=True)
class Leaving:
    """The person has left the run."""

    #: What they want answered instead, if anything.
    open_question: str | None


class Subject(Protocol):
    """What there is to talk about at a pause."""

    def message(self) -> PauseMessage: ...

    async def has_left(self, reply: str) -> bool:
        """Whether the reply, by its meaning, has nothing to do with the run."""
        ...

    async def modify(self, reply: str) -> bool:
        """Change the plan as the reply wants it; `False` if it is too late for that."""
        ...


async def talk(run: RunContext, stage: StageConfig, subject: Subject) -> Leaving | None:
    """Wait for the person until they go on (`None`) or leave."""
    shown = subject.message()
    while True:
        reply = await _ask(run, stage, shown)
        if is_breakout_intent(reply):
            return await _confirm(run, stage, reply, "keyword")
        if is_proceed(reply):
            return await _go_on(run, stage, reply)
        if wants_to_modify(reply):
            shown = modification_message()
        elif not reply.strip():
            shown = subject.message()
        elif await subject.has_left(reply):
            return await _confirm(run, stage, reply, "semantic")
        else:
            try:
                if not await subject.modify(reply):
                    return await _go_on(run, stage, reply)
                shown = subject.message()
            except ModelError as error:
                shown = _unchanged(subject.message(), error)


async def _confirm(
    run: RunContext, stage: StageConfig, message: str, detected_by: Literal["keyword", "semantic"]
) -> Leaving | None:
    told = {**_of(stage), "user_message": message[:LONGEST_TOLD], "detected_by": detected_by}
    await run.emit(Moment.BREAKOUT_PENDING, told)
    reply = await _ask(run, stage, confirmation_message(message))
    response = classify_breakout_response(reply)
    if response is BreakoutResponse.DENY:
        return await _go_on(run, stage, reply)
    is_explicit = response is BreakoutResponse.CONFIRM
    leaving = Leaving(open_question(message, reply) if is_explicit else reply)
    told = {
        **_of(stage),
        "user_message": (leaving.open_question or message)[:LONGEST_TOLD],
        "confirmed": "explicit" if is_explicit else "implicit",
    }
    await run.emit(Moment.BREAKOUT, told)
    return leaving


async def _ask(run: RunContext, stage: StageConfig, message: PauseMessage) -> str:
    told = {**_of(stage), "kind": message.kind, "text": message.text, "body": message.body}
    await run.emit(Moment.PAUSE_MESSAGE, told)
    reply: JsonValue = await run.pause(f"reply after {stage.name}", prompt=message.as_prompt())
    # The doors of the core take any JSON as a reply.
    return reply if isinstance(reply, str) else str(reply if reply is not None else "")


async def _go_on(run: RunContext, stage: StageConfig, reply: str) -> Leaving | None:
    await run.emit(Moment.RESUMED, {**_of(stage), "reply": reply[:LONGEST_TOLD]})
    return None


def _unchanged(message: PauseMessage, error: ModelError) -> PauseMessage:
    note = f"I could not change the plan just now: {error.message}\nIt is still as it was.\n\n"
    return replace(message, body=note + message.body)


def _of(stage: StageConfig) -> dict[str, object]:
    return {"stage": stage.id, "name": stage.name}
