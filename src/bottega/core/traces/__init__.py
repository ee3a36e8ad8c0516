"""What was done, in OpenTelemetry's terms: kept in the database, and sent on when configured."""

from bottega.core.traces.service import Traces
from bottega.core.traces.store import (
    RoomSpans,
    SpanKind,
    SpanNode,
    SpanRow,
    SpanStatus,
    Trace,
    TraceSummary,
)

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
