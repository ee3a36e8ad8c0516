"""What is measured and taken in: research export, evals, specifications."""

import asyncio
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, status
from pydantic import BaseModel

from bottega.assistant.desk import Desk
from bottega.assistant.evals.report import Report
from bottega.assistant.evals.runs import EvalOrder
from bottega.assistant.plugins.loading import plugin_folders
from bottega.assistant.traces.reading import ExportFilter
from bottega.assistant.workspace.workspace import workspace_for
from bottega.core.bounds import Instant
from bottega.core.callers import CurrentCaller
from bottega.core.runs import Run, RunStatus
from bottega.errors import InvalidInput

Name = Annotated[str, Query(min_length=1, max_length=200)]


class Exported(BaseModel):
    rows: int
    content: str


class EvalState(BaseModel):
    run_id: str
    status: RunStatus
    #: When it has been completed.
    report: Report | None
    error: dict[str, Any] | None

    @classmethod
    def of(cls, run: Run) -> "EvalState":
        report = Report.model_validate(run.output) if run.output else None
        return cls(run_id=run.id, status=run.status, report=report, error=run.error)


class ImportedView(BaseModel):
    path: str
    title: str
    pages: int
    #: How many different ones were found.
    codes: int
    empty_pages: list[int]


def add_routes(routes: APIRouter, desk: Desk) -> None:
    @routes.get("/export")
    async def export_turns(
        caller: CurrentCaller,
        format: Literal["csv", "jsonl"] = "csv",
        plugin: Annotated[str | None, Query(max_length=100)] = None,
        since: Instant | None = None,
        until: Instant | None = None,
        with_text: Annotated[bool, Query(description="Also what people wrote.")] = False,
    ) -> Exported:
        """A row a turn: counts, costs and decisions, for research."""
        from bottega.assistant.traces.export import ResearchExport

        wanted = ExportFilter(caller.user_id, plugin, since, until, personal=with_text)
        export = ResearchExport(desk.core)
        lines = export.csv(wanted) if format == "csv" else export.json_lines(wanted)
        parts = [line async for line in lines]
        heading = 1 if format == "csv" else 0
        return Exported(rows=len(parts) - heading, content="".join(parts))

    @routes.post("/evals", status_code=status.HTTP_201_CREATED)
    async def start_eval(order: EvalOrder, caller: CurrentCaller) -> EvalState:
        """Play the shipped cases, judge them, and compare with what is left out."""
        return EvalState.of(await desk.evals.start(order, user_id=caller.user_id))

    @routes.get("/evals/{run_id}")
    async def get_eval(
        run_id: str, caller: CurrentCaller, wait: Annotated[float, Query(ge=0, le=30)] = 0
    ) -> EvalState:
        """Its report; with `wait`, as soon as it is there or after so many seconds."""
        run = await desk.evals.get(run_id, user_id=caller.user_id)
        if wait and not run.status.is_final:
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await desk.core.runs.wait(run_id)
        return EvalState.of(await desk.evals.get(run_id, user_id=caller.user_id))

    @routes.post("/workspaces/{plugin}/specification")
    async def take_in_specification(
        plugin: str, name: Name, request: Request, caller: CurrentCaller, replace: bool = False
    ) -> ImportedView:
        """The body is a PDF: it becomes a curriculum file, its codes tagged for look-up."""
        from bottega.assistant.importing import import_specification

        stem = Path(name).name
        if stem in ("", ".", ".."):
            raise InvalidInput(f"{name!r} is no file's name.")
        found = await asyncio.to_thread(plugin_folders(desk.core).load, plugin)
        workspace = workspace_for(desk.core, caller.user_id, found)
        data = await request.body()
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, stem)
            await asyncio.to_thread(source.write_bytes, data)
            imported = await import_specification(workspace, source, replace=replace)
        return ImportedView(
            path=imported.path,
            title=imported.title,
            pages=imported.pages,
            codes=len(imported.codes),
            empty_pages=list(imported.empty_pages),
        )
