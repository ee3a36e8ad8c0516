"""The rows as files: CSV for a spreadsheet, JSON Lines for a program."""

import csv
import io
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from bottega.assistant.traces.gathering import metrics_of
from bottega.assistant.traces.metrics import TurnMetrics
from bottega.assistant.traces.reading import PAGE, ExportFilter, read_page
from bottega.core.services import Core

COLUMNS = tuple(TurnMetrics.model_fields)
#: What a spreadsheet takes for the beginning of a formula, in their wide forms too.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


class ResearchExport:
    def __init__(self, core: Core) -> None:
        self._database = core.database
        self._traces = core.traces

    async def rows(self, wanted: ExportFilter) -> AsyncIterator[TurnMetrics]:
        """Every turn, the oldest first; one that goes on as far as it has come."""
        await self._traces.flush()
        after = ""
        while True:
            async with self._database.read() as session:
                page = await read_page(session, wanted, after)
            for left in page:
                yield metrics_of(left, personal=wanted.personal)
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
