"""`/api/traces`: what a call or a run did, step by step."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from bottega.core.operations import Get, Instant, operation
from bottega.core.rooms import Caller
from bottega.core.traces import SpanKind, SpanStatus
from bottega.server.api.views import House, Limit, RowView, room_of_span, spans_of


class TraceFilter(BaseModel):
    session_id: str | None = None
    run_id: str | None = None
    kind: SpanKind | None = None
    room: str | None = None
    search: str = Field("", description="Words in the names of its spans.")
    status: Literal["ok", "error"] | None = None
    before: Instant | None = None
    limit: Limit = 50


class TraceRequest(BaseModel):
    trace_id: str


class TraceView(RowView):
    trace_id: str
    #: Name and kind of its first span.
    name: str
    kind: str
    #: Whose work it was; none if that cannot be told.
    room: str | None
    session_id: str | None
    run_id: str | None
    started_at: datetime
    duration_ms: float
    span_count: int
    #: `error` if any of its spans failed.
    status: SpanStatus


class SpanView(RowView):
    trace_id: str
    span_id: str
    parent_id: str | None
    #: How deep it stands in the tree; 0 at the top.
    depth: int
    name: str
    kind: str
    session_id: str | None
    run_id: str | None
    started_at: datetime
    duration_ms: float
    status: str
    attributes: dict[str, Any]
    events: list[Any]


class TraceTree(RowView):
    trace_id: str
    #: Parents before their children.
    spans: list[SpanView]


@operation(Get("/traces"))
async def list_traces(house: House, asked: TraceFilter, caller: Caller) -> list[TraceView]:
    """The caller's traces, newest first."""
    await house.core.traces.flush()
    found = await house.core.traces.list(
        asked.limit,
        user_id=caller.user_id,
        session_id=asked.session_id,
        run_id=asked.run_id,
        kind=asked.kind,
        room=spans_of(house.rooms, asked.room) if asked.room else None,
        search=asked.search,
        has_failed=None if asked.status is None else asked.status == "error",
        before=asked.before,
    )
    return [
        TraceView.of(
            trace,
            room=room_of_span(house.rooms, trace.name, trace.attributes),
            span_count=trace.spans,
            status=SpanStatus.ERROR if trace.errors else SpanStatus.OK,
        )
        for trace in found
    ]


@operation(Get("/traces/{trace_id}"))
async def get_trace(house: House, asked: TraceRequest, caller: Caller) -> TraceTree:
    """One trace with all its spans."""
    await house.core.traces.flush()
    trace = await house.core.traces.get(asked.trace_id, user_id=caller.user_id)
    spans = [SpanView.of(node.span, depth=node.depth) for node in trace.spans]
    return TraceTree(trace_id=asked.trace_id, spans=spans)
