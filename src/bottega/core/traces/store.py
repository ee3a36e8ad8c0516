"""Traces as the trace page reads them: a list of what ran, and one of them as a tree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, case, delete, func, or_, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from bottega.core.database import Database
from bottega.core.traces.rooms import RoomSpans
from bottega.core.traces.spans import SpanKind, SpanRow, SpanStatus
from bottega.core.users import LOCAL_USER
from bottega.errors import NotFound


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
        make = sqlite_insert if self._database.dialect == "sqlite" else postgresql_insert
        async with self._database.write(durable=False) as session:
            # A batch may come twice when the first answer got lost.
            await session.execute(make(SpanRow).on_conflict_do_nothing(), rows)

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

    async def delete_before(self, moment: datetime) -> int:
        """Forget old spans; how many they were."""
        old = delete(SpanRow).where(SpanRow.started_at < moment).returning(SpanRow.span_id)
        async with self._database.write() as session:
            return len((await session.scalars(old)).all())


def _seen_by(user_id: str) -> ColumnElement[bool]:
    """A user's own; the owner of the house also sees what was done for nobody in particular."""
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
    return TraceSummary(
        trace_id=first.trace_id,
        name=first.name,
        kind=first.kind,
        session_id=first.session_id,
        user_id=first.user_id,
        run_id=first.run_id,
        started_at=first.started_at,
        duration_ms=(row.ended_at - row.started_at).total_seconds() * 1000,
        spans=row.spans,
        errors=int(row.errors),
        attributes=first.attributes,
    )


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
