"""Which turns are wanted, and all that they left, page by page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.assistant.loop.tracing import trace_id_of
from bottega.assistant.orders import KIND
from bottega.assistant.tables import AssistantDecision, AssistantSession, MemoryEvent
from bottega.assistant.traces.gathering import Left
from bottega.core.runs.tables import RunEventRow, RunRow
from bottega.core.traces import SpanRow

#: Turns that are read at once.
PAGE = 50

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ExportFilter:
    #: `None` is everybody: for whoever runs the house.
    user_id: str | None
    plugin: str | None = None
    #: When a turn began: from, and before.
    since: datetime | None = None
    until: datetime | None = None
    #: Whether what people and agents wrote is wanted too.
    personal: bool = False


async def read_page(session: AsyncSession, wanted: ExportFilter, after: str) -> list[Left]:
    """The turns that began after the one with that id; fewer than `PAGE` are the last."""
    turns = (await session.execute(_turns(wanted, after))).all()
    ids = [run.id for run, _ in turns]
    traces = {trace_id_of(run_id): run_id for run_id in ids}
    decided, remembered = AssistantDecision, MemoryEvent
    events = await _all(session, RunEventRow, RunEventRow.run_id, ids, RunEventRow.position)
    spans = await _all(session, SpanRow, SpanRow.run_id, ids, SpanRow.started_at)
    decisions = await _all(session, decided, decided.run_id, ids, decided.created_at, decided.id)
    memory = await _all(
        session, remembered, remembered.trace_id, traces, remembered.created_at, remembered.id
    )
    return [
        Left(
            run,
            row,
            [each for each in events if each.run_id == run.id],
            [each for each in spans if each.run_id == run.id],
            [each for each in decisions if each.run_id == run.id],
            [each for each in memory if traces[each.trace_id or ""] == run.id],
        )
        for run, row in turns
    ]


def _turns(wanted: ExportFilter, after: str) -> Select[RunRow, AssistantSession]:
    query = (
        select(RunRow, AssistantSession)
        .join(AssistantSession, AssistantSession.session_id == RunRow.session_id)
        .where(RunRow.kind == KIND, RunRow.id > after)
        # Ids of runs sort by when they were made.
        .order_by(RunRow.id)
        .limit(PAGE)
    )
    if wanted.user_id is not None:
        query = query.where(RunRow.user_id == wanted.user_id)
    if wanted.plugin is not None:
        query = query.where(AssistantSession.plugin == wanted.plugin)
    if wanted.since is not None:
        query = query.where(RunRow.created_at >= wanted.since)
    if wanted.until is not None:
        query = query.where(RunRow.created_at < wanted.until)
    return query


async def _all(
    session: AsyncSession,
    table: type[T],
    # Columns of any type.
    key: Any,
    values: Iterable[str],
    *order: Any,
) -> Sequence[T]:
    query = select(table).where(key.in_(values)).order_by(*order)
    return (await session.scalars(query)).all()
