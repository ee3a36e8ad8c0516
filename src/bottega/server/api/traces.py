"""`/api/traces`: what a call or a run did, step by step."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from bottega.core.bounds import Instant
from bottega.core.callers import CurrentCaller
from bottega.core.rooms import Room
from bottega.core.traces import SpanKind, SpanNode, SpanStatus, Traces, TraceSummary
from bottega.server.api.origins import room_of_span, spans_of
from bottega.server.api.views import Limit, View

Words = Annotated[str, Query(description="Words in the names of its spans.")]
Outcome = Literal["ok", "error"]


class TraceView(View):
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

    @classmethod
    def of(cls, trace: TraceSummary, rooms: Sequence[Room]) -> "TraceView":
        return cls(
            trace_id=trace.trace_id,
            name=trace.name,
            kind=trace.kind,
            room=room_of_span(rooms, trace.name, trace.attributes),
            session_id=trace.session_id,
            run_id=trace.run_id,
            started_at=trace.started_at,
            duration_ms=trace.duration_ms,
            span_count=trace.spans,
            status=SpanStatus.ERROR if trace.errors else SpanStatus.OK,
        )


class SpanView(View):
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

    @classmethod
    def of(cls, node: SpanNode) -> "SpanView":
        span = node.span
        fields = cls.model_fields.keys() - {"depth"}
        return cls(depth=node.depth, **{name: getattr(span, name) for name in fields})


class TraceTree(View):
    trace_id: str
    #: Parents before their children.
    spans: list[SpanView]


def trace_routes(traces: Traces, rooms: Sequence[Room]) -> APIRouter:
    router = APIRouter(prefix="/traces", tags=["traces"])

    @router.get("")
    async def list_traces(
        caller: CurrentCaller,
        session_id: str | None = None,
        run_id: str | None = None,
        kind: SpanKind | None = None,
        room: str | None = None,
        search: Words = "",
        status: Outcome | None = None,
        before: Instant | None = None,
        limit: Limit = 50,
    ) -> list[TraceView]:
        """The caller's traces, newest first."""
        await traces.flush()
        found = await traces.list(
            limit,
            user_id=caller.user_id,
            session_id=session_id,
            run_id=run_id,
            kind=kind,
            room=spans_of(rooms, room) if room else None,
            search=search,
            has_failed=None if status is None else status == "error",
            before=before,
        )
        return [TraceView.of(trace, rooms) for trace in found]

    @router.get("/{trace_id}")
    async def get_trace(trace_id: str, caller: CurrentCaller) -> TraceTree:
        """One trace with all its spans."""
        await traces.flush()
        trace = await traces.get(trace_id, user_id=caller.user_id)
        return TraceTree(trace_id=trace_id, spans=[SpanView.of(node) for node in trace.spans])

    return router
