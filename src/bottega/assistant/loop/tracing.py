"""One trace for one run, however often it is put down and taken up again."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager


def trace_id_of(run_id: str) -> str:
    return hashlib.sha256(run_id.encode()).hexdigest()[:32]


@contextmanager
def in_trace_of(run_id: str) -> Iterator[str]:
    """Spans opened within belong to the run's trace, whose id follows from the run's."""
    from opentelemetry import context
    from opentelemetry.trace import (
        NonRecordingSpan,
        SpanContext,
        TraceFlags,
        set_span_in_context,
    )

    trace_id = trace_id_of(run_id)
    root = SpanContext(
        trace_id=int(trace_id, 16),
        span_id=int(trace_id[:16], 16),
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )
    token = context.attach(set_span_in_context(NonRecordingSpan(root)))
    try:
        yield trace_id
    finally:
        context.detach(token)
