"""The project as its person sees it, over HTTP: state, buffers, diffs, tree and files."""

import asyncio
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Response

from bottega.coach.desk.contents import buffer, content_of, diffs, folder_of
from bottega.coach.desk.desk import Desks
from bottega.coach.desk.editing import Editing
from bottega.coach.desk.state import SessionState, StateItem
from bottega.coach.desk.state_views import BufferView, DiffView
from bottega.coach.protocol.files import Content, FileSave, SaveAck, Tree
from bottega.core.callers import CurrentCaller
from bottega.core.wire import Wired

Include = Annotated[list[StateItem] | None, Query(description="Default: all nine.")]


class DiffList(Wired):
    diffs: list[DiffView]


def router(desks: Desks, editing: Editing, state: SessionState) -> APIRouter:
    routes = APIRouter(prefix="/coach", tags=["coach"])

    @routes.get("/state")
    async def show_state(caller: CurrentCaller, include: Include = None) -> dict[str, Any]:
        """The session under way and what is on the desk; null where there is nothing."""
        return await state.snapshot(desks.of(caller.user_id), include or ())

    @routes.get("/buffer")
    async def show_buffer(caller: CurrentCaller, path: str) -> BufferView | None:
        """A file as it is in the editor, or null."""
        return buffer(desks.of(caller.user_id), path)

    @routes.get("/diffs")
    async def list_diffs(caller: CurrentCaller, path: str | None = None) -> DiffList:
        """Unsaved changes of one file, or of all."""
        return DiffList(diffs=await diffs(desks.of(caller.user_id), path))

    @routes.get("/tree", response_model=Tree)
    async def show_tree(caller: CurrentCaller, path: str = "") -> Response:
        """The project's files from a folder down."""
        root = await folder_of(desks.of(caller.user_id), path)
        body = await asyncio.to_thread(orjson.dumps, {"root": root})
        return Response(body, media_type="application/json")

    @routes.get("/files")
    async def read_file(caller: CurrentCaller, path: str) -> Content:
        """A file with its unsaved edits, if it has any."""
        return await content_of(desks.of(caller.user_id), path)

    @routes.put("/files")
    async def save_file(asked: FileSave, caller: CurrentCaller) -> SaveAck:
        """The person's own save, as `file:save` is. No agent has this."""
        return await editing.save(desks.of(caller.user_id), asked.path, asked.content)

    return routes
