"""What can be asked about turns that were taken: what happened in one, and figures of all.

What happened are the run's events, each with its own fields. The stream of a turn (`/events`) sends
the same objects, with the position as the frame's id.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import BaseModel, Field, TypeAdapter

from bottega.assistant.sessions.schemas import CallState, HookOutcome, LoopResult, Point
from bottega.conversation.gates import Gate, GateKind, GateReply
from bottega.core.operations import Get, Instant, operation
from bottega.core.rooms import Caller

if TYPE_CHECKING:
    from bottega.assistant.service import Assistant
    from bottega.core.runs import RunEvent


class TimelineEntry(BaseModel, frozen=True):
    position: int
    at: datetime


class TurnStarted(TimelineEntry):
    type: Literal["turn_started"]
    input: str
    agent: str
    trace_id: str


class HookTold(TimelineEntry):
    type: Literal["hook"]
    name: str
    point: Point
    outcome: HookOutcome
    note: str


class PromptTold(TimelineEntry):
    type: Literal["prompt_assembled"]
    agent: str
    #: By section.
    tokens: dict[str, int]


class ModelTurnTold(TimelineEntry):
    type: Literal["model_turn"]
    agent: str
    turn: int
    input_tokens: int
    output_tokens: int
    cost: float
    text: str


class ToolCallTold(TimelineEntry):
    type: Literal["tool_call"]
    agent: str
    id: str
    name: str
    arguments: dict[str, Any]
    state: CallState
    #: Its beginning; nothing if the tool was never reached.
    result: str | None = None


class GateTold(TimelineEntry):
    type: Literal["gate"]
    gate: Gate


class GateAnsweredTold(TimelineEntry):
    type: Literal["gate_answered"]
    kind: GateKind
    reply: GateReply


class HandoffTold(TimelineEntry):
    type: Literal["handoff"]
    sender: str = Field(alias="from")
    to: str
    #: Decisions, constraints, reason, open questions.
    context: dict[str, Any]


class SubagentTold(TimelineEntry):
    type: Literal["subagent"]
    agent: str
    task: str
    state: Literal["started", "ended"]
    summary: str | None = None


class ArtefactTold(TimelineEntry):
    type: Literal["artefact"]
    text: str
    #: Where in the workspace it was put.
    path: str | None


class Ended(TimelineEntry):
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
    name
    for kind in get_args(get_args(TurnEvent)[0])
    for name in get_args(kind.model_fields["type"].annotation)
}


def timeline_of(events: Iterable["RunEvent"]) -> list[TurnEvent]:
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


MOST_EVENTS = 10_000


class TurnRequest(BaseModel):
    session_id: str
    run_id: str


class TurnStory(BaseModel):
    events: list[TurnEvent]


class ExportRequest(BaseModel):
    format: Literal["csv", "jsonl"] = "csv"
    plugin: Annotated[str | None, Field(max_length=100)] = None
    since: Instant | None = None
    until: Instant | None = None
    with_text: bool = Field(False, description="Also what people wrote.")


class Exported(BaseModel):
    rows: int
    content: str


@operation(Get("/assistant/sessions/{session_id}/turns/{run_id}"))
async def get_turn(assistant: "Assistant", asked: TurnRequest, caller: Caller) -> TurnStory:
    """All that happened in one of its turns: tools, hooks, gates and text."""
    run = await assistant.turn_of(asked.session_id, asked.run_id, caller.user_id)
    return TurnStory(events=timeline_of(await assistant.runs.events(run.id, limit=MOST_EVENTS)))


@operation(Get("/assistant/export"))
async def export_turns(assistant: "Assistant", asked: ExportRequest, caller: Caller) -> Exported:
    """A row a turn: counts, costs and decisions, for research."""
    from bottega.assistant.traces.export import ExportFilter, ResearchExport

    wanted = ExportFilter(
        caller.user_id, asked.plugin, asked.since, asked.until, personal=asked.with_text
    )
    export = ResearchExport(assistant.core)
    lines = export.csv(wanted) if asked.format == "csv" else export.json_lines(wanted)
    parts = [line async for line in lines]
    heading = 1 if asked.format == "csv" else 0
    return Exported(rows=len(parts) - heading, content="".join(parts))
