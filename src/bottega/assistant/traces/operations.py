"""What can be asked about turns that were taken: what happened in one, and figures of all."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, Field

from bottega.assistant.traces.timeline import TurnEvent, timeline_of
from bottega.core.operations import Get, Instant, operation
from bottega.core.rooms import Caller

if TYPE_CHECKING:
    from bottega.assistant.service import Assistant

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
