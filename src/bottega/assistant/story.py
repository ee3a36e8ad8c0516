"""What happened in a turn, for whoever tells it again: the run's events, each with its own fields.

The stream of a turn (`/events`) sends the same objects, with the position as the frame's id.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from bottega.assistant.gates.gate import Gate, GateKind, GateReply
from bottega.assistant.hooks.hook import Point
from bottega.assistant.hooks.lifecycle import HookOutcome
from bottega.assistant.loop.turn import CallState
from bottega.assistant.orders import LoopResult
from bottega.core.runs import RunEvent


class Told(BaseModel):
    model_config = ConfigDict(frozen=True)

    position: int
    at: datetime


class TurnStarted(Told):
    type: Literal["turn_started"]
    input: str
    agent: str
    trace_id: str


class HookTold(Told):
    type: Literal["hook"]
    name: str
    point: Point
    outcome: HookOutcome
    note: str


class PromptTold(Told):
    type: Literal["prompt_assembled"]
    agent: str
    #: By section.
    tokens: dict[str, int]


class ModelTurnTold(Told):
    type: Literal["model_turn"]
    agent: str
    turn: int
    input_tokens: int
    output_tokens: int
    cost: float
    text: str


class ToolCallTold(Told):
    type: Literal["tool_call"]
    agent: str
    id: str
    name: str
    arguments: dict[str, Any]
    state: CallState
    #: Its beginning; nothing if the tool was never reached.
    result: str | None = None


class GateTold(Told):
    type: Literal["gate"]
    gate: Gate


class GateAnsweredTold(Told):
    type: Literal["gate_answered"]
    kind: GateKind
    reply: GateReply


class HandoffTold(Told):
    type: Literal["handoff"]
    sender: str = Field(alias="from")
    to: str
    #: Decisions, constraints, reason, open questions.
    context: dict[str, Any]


class SubagentTold(Told):
    type: Literal["subagent"]
    agent: str
    task: str
    state: Literal["started", "ended"]
    summary: str | None = None


class ArtefactTold(Told):
    type: Literal["artefact"]
    text: str
    #: Where in the workspace it was put.
    path: str | None


class Ended(Told):
    type: Literal["completed", "failed", "cancelled"]
    output: LoopResult | None = None
    error: dict[str, Any] | None = None


TurnEvent = Annotated[
    TurnStarted
    | HookTold
    | PromptTold
    | ModelTurnTold
    | ToolCallTold
    | GateTold
    | GateAnsweredTold
    | HandoffTold
    | SubagentTold
    | ArtefactTold
    | Ended,
    Field(discriminator="type"),
]

_EVENT: TypeAdapter[TurnEvent] = TypeAdapter(TurnEvent)
_TYPES = {
    "turn_started",
    "hook",
    "prompt_assembled",
    "model_turn",
    "tool_call",
    "gate",
    "gate_answered",
    "handoff",
    "subagent",
    "artefact",
    "completed",
    "failed",
    "cancelled",
}


def story_of(events: Iterable[RunEvent]) -> list[TurnEvent]:
    """Without what only moves the run: queued, paused, replied."""
    return [
        _EVENT.validate_python(
            {
                **event.payload,
                "type": event.type,
                "position": event.position,
                "at": event.created_at,
            }
        )
        for event in events
        if event.type in _TYPES
    ]
