"""What was done, in OpenTelemetry's terms: kept in the database, and sent on when configured."""

from bottega.core.traces.rooms import RoomSpans
from bottega.core.traces.spans import SpanKind, SpanRow, SpanStatus
from bottega.core.traces.store import SpanNode, Trace, TraceSummary
from bottega.core.traces.traces import Traces

__all__ = [
    "RoomSpans",
    "SpanKind",
    "SpanNode",
    "SpanRow",
    "SpanStatus",
    "Trace",
    "TraceSummary",
    "Traces",
]
