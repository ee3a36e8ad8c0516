"""A span as the database keeps it, and traces as the trace page reads them: a list, or one tree."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Index, Row, Select, case, func, or_, select
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core.db.database import Base, Database
from bottega.core.trust.redaction import Redact, clean
from bottega.core.users import LOCAL_USER
from bottega.errors import NotFound

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan


KIND = "bottega.kind"
SESSION = "session.id"
USER = "user.id"
RUN = "bottega.run.id"
ROOM, TASK = "bottega.room", "bottega.task"


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


@dataclass(frozen=True, slots=True)
class RoomSpans:
    """Those of its tools, of its model calls, and of its runs, whose names begin with its own."""

    room: str
    model_calls: tuple[str, ...] = ()

    def cover(self, name: str, attributes: Mapping[str, Any]) -> bool:
        return (
            attributes.get(ROOM) == self.room
            or attributes.get(TASK) in self.model_calls
            or name.startswith(self._runs)
        )

    @property
    def condition(self) -> ColumnElement[bool]:
        return or_(
            SpanRow.attributes[ROOM].as_string() == self.room,
            SpanRow.attributes[TASK].as_string().in_(self.model_calls),
            *(SpanRow.name.startswith(start, autoescape=True) for start in self._runs),
        )

    @property
    def _runs(self) -> tuple[str, str]:
        return f"{self.room} ", f"{self.room}_"


@dataclass(frozen=True, slots=True)
class TraceSummary:
    trace_id: str
    #: Name and kind of its first span.
    name: str
    kind: str
    session_id: str | None
    user_id: str | None
    run_id: str | None
    started_at: datetime
    duration_ms: float
    spans: int
    errors: int
    #: Of its first span.
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SpanNode:
    span: SpanRow
    #: How deep it stands in the tree; 0 at the top.
    depth: int


@dataclass(frozen=True, slots=True)
class Trace:
    trace_id: str
    #: Parents before their children, siblings by their start.
    spans: Sequence[SpanNode]


Rows = list[dict[str, Any]]


class StoredTraces:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, rows: Rows) -> None:
        async with self._database.write(durable=False) as session:
            # A batch may come twice when the first answer got lost.
            await session.execute(self._database.insert(SpanRow).on_conflict_do_nothing(), rows)

    async def list(
        self,
        limit: int = 50,
        *,
        session_id: str | None = None,
        user_id: str | None = None,
        run_id: str | None = None,
        kind: SpanKind | None = None,
        room: RoomSpans | None = None,
        search: str | None = None,
        has_failed: bool | None = None,
        before: datetime | None = None,
    ) -> Sequence[TraceSummary]:
        """Newest first; a filter finds the traces that have such a span."""
        filters = (
            (SpanRow.session_id, session_id),
            (SpanRow.run_id, run_id),
            (SpanRow.kind, kind),
        )
        wanted = [column == value for column, value in filters if value is not None]
        if user_id is not None:
            wanted.append(_seen_by(user_id))
        found = [select(SpanRow.trace_id).where(*wanted)] if wanted else []
        if room is not None:
            found.append(select(SpanRow.trace_id).where(room.condition))
        for word in (search or "").split():
            named = SpanRow.name.icontains(word, autoescape=True)
            found.append(select(SpanRow.trace_id).where(named))
        page = _page(found, has_failed, before, limit).subquery()
        at_the_start = (SpanRow.trace_id == page.c.trace_id) & (
            SpanRow.started_at == page.c.started_at
        )
        query = (
            select(page, SpanRow)
            .join(SpanRow, at_the_start)
            # Where several start in the same microsecond, the one without a parent leads.
            .order_by(page.c.started_at.desc(), SpanRow.parent_id.isnot(None))
        )
        async with self._database.read() as session:
            rows = (await session.execute(query)).all()
        summaries: dict[str, TraceSummary] = {}
        for row in rows:
            summaries.setdefault(row.SpanRow.trace_id, _summarise(row))
        return list(summaries.values())

    async def get(self, trace_id: str, *, user_id: str | None = None) -> Trace:
        """One trace as a tree; with a `user_id`, only if it is that user's."""
        query = select(SpanRow).where(SpanRow.trace_id == trace_id).order_by(SpanRow.started_at)
        async with self._database.read() as session:
            spans = (await session.scalars(query)).all()
        if not spans or not (user_id is None or _is_seen_by(user_id, spans[0])):
            raise NotFound(f"There is no trace {trace_id!r}.")
        return Trace(trace_id, list(_in_tree_order(spans)))


def _seen_by(user_id: str) -> ColumnElement[bool]:
    """A user's own spans; the local user also sees those that belong to no user."""
    own = SpanRow.user_id == user_id
    return or_(own, SpanRow.user_id.is_(None)) if user_id == LOCAL_USER else own


def _is_seen_by(user_id: str, span: SpanRow) -> bool:
    return span.user_id == user_id or (user_id == LOCAL_USER and span.user_id is None)


def _page(
    found: Sequence[Select[str]],
    has_failed: bool | None,
    before: datetime | None,
    limit: int,
) -> Select[*tuple[Any, ...]]:
    started = func.min(SpanRow.started_at, type_=SpanRow.started_at.type)
    ended = func.max(SpanRow.ended_at, type_=SpanRow.ended_at.type)
    errors = func.sum(case((SpanRow.status == SpanStatus.ERROR, 1), else_=0))
    query = (
        select(
            SpanRow.trace_id,
            started.label("started_at"),
            ended.label("ended_at"),
            func.count().label("spans"),
            errors.label("errors"),
        )
        .group_by(SpanRow.trace_id)
        .order_by(started.desc())
        .limit(limit)
    )
    for traces in found:
        query = query.where(SpanRow.trace_id.in_(traces))
    if has_failed is not None:
        query = query.having(errors > 0 if has_failed else errors == 0)
    return query if before is None else query.having(started < before)


def _summarise(row: Row[Any]) -> TraceSummary:
    first: SpanRow = row.SpanRow
    measured = {
        "duration_ms": (row.ended_at - row.started_at).total_seconds() * 1000,
        "spans": row.spans,
        "errors": int(row.errors),
    }
    names = {each.name for each in fields(TraceSummary)} - measured.keys()
    return TraceSummary(**measured, **{name: getattr(first, name) for name in names})


def _in_tree_order(spans: Sequence[SpanRow]) -> Iterator[SpanNode]:
    known = {span.span_id for span in spans}
    children: dict[str | None, list[SpanRow]] = {}
    for span in spans:
        # A parent that still runs, or was in another process, is not here: its children lead.
        parent = span.parent_id if span.parent_id in known else None
        children.setdefault(parent, []).append(span)
    todo = [SpanNode(span, 0) for span in reversed(children.get(None, []))]
    while todo:
        node = todo.pop()
        yield node
        todo += [
            SpanNode(child, node.depth + 1)
            for child in reversed(children.get(node.span.span_id, []))
        ]
