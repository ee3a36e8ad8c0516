"""The routes that are no operations: a turn as a stream, and a specification as an upload."""

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Header, Query, Request
from pydantic import BaseModel
from starlette.responses import StreamingResponse

from bottega.core.doors.callers import CurrentCaller
from bottega.core.doors.streams import OpenStreams
from bottega.core.roles import Right, needs
from bottega.core.runs.runs import run_frames
from bottega.errors import InvalidInput

if TYPE_CHECKING:
    from bottega.assistant.service import Assistant

Position = Annotated[int, Query(ge=0, le=2**31 - 1)]
Name = Annotated[str, Query(min_length=1, max_length=200)]


class ImportedView(BaseModel):
    path: str
    title: str
    pages: int
    #: How many different ones were found.
    codes: int
    empty_pages: list[int]


def router(assistant: "Assistant") -> APIRouter:
    routes = APIRouter(prefix="/assistant", tags=["assistant"])

    @routes.get("/sessions/{session_id}/events", response_class=StreamingResponse)
    async def follow_session(
        session_id: str,
        caller: CurrentCaller,
        streams: OpenStreams,
        turn: Annotated[str | None, Query(max_length=100)] = None,
        after: Position = 0,
        last_event_id: Annotated[int | None, Header(ge=0, le=2**31 - 1)] = None,
    ) -> StreamingResponse:
        """A turn, else the newest, as it goes on: tools, hooks, gates and text, until it ends."""
        run = await (
            assistant.turn_of(session_id, turn, caller.user_id)
            if turn
            else assistant.current_turn(session_id, caller.user_id)
        )
        start = after if last_event_id is None else last_event_id
        core = assistant.core
        return streams.send(run_frames(core.runs, core.bus, run.id, after=start))

    @routes.post("/workspaces/{plugin}/specification")
    @needs(Right.EDIT)
    async def take_in_specification(
        plugin: str, name: Name, request: Request, caller: CurrentCaller, replace: bool = False
    ) -> ImportedView:
        """The body is a PDF: it becomes a curriculum file, its codes tagged for look-up."""
        data = await request.body()
        return await _import(assistant, plugin, name, data, caller.user_id, replace=replace)

    return routes


async def _import(
    assistant: "Assistant",
    plugin: str,
    name: str,
    data: bytes,
    user_id: str,
    *,
    replace: bool,
) -> ImportedView:
    from bottega.assistant.curriculum.specifications import import_specification

    stem = Path(name).name
    if stem in ("", ".", ".."):
        raise InvalidInput(f"{name!r} is no file's name.")
    workspace = await assistant.workspace(plugin, user_id)
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
