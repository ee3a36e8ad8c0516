"""The figures of every turn as files: CSV for a spreadsheet, JSON Lines for a program."""

import csv
import io
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.assistant.loop.turn import trace_id_of
from bottega.assistant.memory_files.repository import MemoryEvent
from bottega.assistant.sessions.schemas import KIND
from bottega.assistant.sessions.tables import AssistantDecision, AssistantSession
from bottega.assistant.traces.figures import TurnMetrics, TurnTrace, metrics_of
from bottega.core.runs.run import RunEventRow, RunRow
from bottega.core.services import Core
from bottega.core.traces import SpanRow

#: Turns that are read at once.
PAGE = 50

T = TypeVar("T")
COLUMNS = tuple(TurnMetrics.model_fields)
#: What a spreadsheet takes for the beginning of a formula, in their wide forms too.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


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


async def read_page(session: AsyncSession, wanted: ExportFilter, after: str) -> list[TurnTrace]:
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
        TurnTrace(
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


class ResearchExport:
    def __init__(self, core: Core) -> None:
        self._database = core.database
        self._traces = core.traces

    async def rows(self, wanted: ExportFilter) -> AsyncIterator[TurnMetrics]:
        """Every turn, the oldest first; one that goes on as far as it has come."""
        await self._traces.flush()
        after = ""
        while True:
            page = await self._database.ask(read_page, wanted, after)
            for trace in page:
                yield metrics_of(trace, personal=wanted.personal)
            if len(page) < PAGE:
                return
            after = page[-1].run.id

    async def csv(self, wanted: ExportFilter) -> AsyncIterator[str]:
        """Line by line, the heading first."""
        yield _csv_line(COLUMNS)
        async for row in self.rows(wanted):
            cells = row.model_dump(mode="json")
            yield _csv_line([_cell(cells[column]) for column in COLUMNS])

    async def json_lines(self, wanted: ExportFilter) -> AsyncIterator[str]:
        async for row in self.rows(wanted):
            yield row.model_dump_json() + "\n"


def _cell(value: Any) -> str:
    """Lists and counts as JSON; nothing that a spreadsheet would calculate."""
    if value is None:
        return ""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool | int | float):
        return str(value)
    text = str(value)
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def _csv_line(cells: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue()
