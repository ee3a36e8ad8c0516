"""A span as the database keeps it."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core.database import Base
from bottega.core.traces.redaction import Redact, clean

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

KIND = "bottega.kind"
SESSION = "session.id"
USER = "user.id"
RUN = "bottega.run.id"


class SpanKind(StrEnum):
    MODEL = "model"
    TOOL = "tool"
    HOOK = "hook"
    MEMORY = "memory"
    RETRIEVAL = "retrieval"
    RUN = "run"
    REQUEST = "request"


class SpanStatus(StrEnum):
    UNSET = "unset"
    OK = "ok"
    ERROR = "error"


#: Spans that a library made carry no kind of ours; the GenAI conventions say what they are.
_KIND_OF_OPERATION = {
    "chat": SpanKind.MODEL,
    "text_completion": SpanKind.MODEL,
    "generate_content": SpanKind.MODEL,
    "embeddings": SpanKind.RETRIEVAL,
    "execute_tool": SpanKind.TOOL,
    "invoke_agent": SpanKind.RUN,
}


class SpanRow(Base):
    __tablename__ = "spans"
    __table_args__ = (
        Index("ix_spans_session_started", "session_id", "started_at"),
        Index("ix_spans_run_id", "run_id"),
        Index("ix_spans_started", "started_at"),
    )

    trace_id: Mapped[str] = mapped_column(primary_key=True)
    span_id: Mapped[str] = mapped_column(primary_key=True)
    parent_id: Mapped[str | None]
    name: Mapped[str]
    kind: Mapped[str]
    # No foreign keys: spans are written behind, and must outlive what they tell of.
    session_id: Mapped[str | None]
    user_id: Mapped[str | None]
    run_id: Mapped[str | None]
    started_at: Mapped[datetime]
    ended_at: Mapped[datetime]
    duration_ms: Mapped[float]
    status: Mapped[str]
    attributes: Mapped[dict[str, Any]]
    #: What happened within it, such as an exception: `{name, at, attributes}`.
    events: Mapped[list[Any]]


def to_row(span: "ReadableSpan", redact: Redact) -> dict[str, Any]:
    attributes = clean(span.attributes or {}, redact)
    started, ended = span.start_time or 0, span.end_time or 0
    if span.status.description:
        attributes["error.message"] = redact(span.status.description)
    return {
        "trace_id": f"{span.context.trace_id:032x}",
        "span_id": f"{span.context.span_id:016x}",
        "parent_id": f"{span.parent.span_id:016x}" if span.parent else None,
        "name": span.name,
        "kind": attributes.pop(KIND, None) or _kind(attributes),
        "session_id": attributes.pop(SESSION, None),
        "user_id": attributes.pop(USER, None),
        "run_id": attributes.pop(RUN, None),
        "started_at": _moment(started),
        "ended_at": _moment(ended),
        "duration_ms": (ended - started) / 1e6,
        "status": SpanStatus[span.status.status_code.name],
        "attributes": attributes,
        "events": [
            {
                "name": event.name,
                "at": _moment(event.timestamp).isoformat(),
                "attributes": clean(event.attributes or {}, redact),
            }
            for event in span.events
        ],
    }


def to_attribute(value: object) -> Any:
    """A value as OpenTelemetry takes it: plain ones as they are, others as JSON text."""
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _kind(attributes: Mapping[str, Any]) -> SpanKind:
    operation = attributes.get("gen_ai.operation.name")
    return _KIND_OF_OPERATION.get(str(operation), SpanKind.REQUEST)


def _moment(nanoseconds: int) -> datetime:
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC)
