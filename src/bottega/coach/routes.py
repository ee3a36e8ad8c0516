"""Routes that are no operations: the project's tree, encoded without a copy of its nodes, and the
protocol as a document."""

import asyncio
from typing import Any

import orjson
from fastapi import APIRouter, Response

from bottega.coach.editor.schemas import Tree
from bottega.coach.editor.state import folder_of
from bottega.coach.protocol.document import schema
from bottega.coach.service import Coach
from bottega.core.doors.callers import CurrentCaller


def routers(coach: Coach) -> list[APIRouter]:
    routes = APIRouter(prefix="/coach", tags=["coach"])

    @routes.get("/tree", response_model=Tree)
    async def show_tree(caller: CurrentCaller, path: str = "") -> Response:
        """The project's files from a folder down."""
        root = await folder_of(coach.editor_of(caller), path)
        body = await asyncio.to_thread(orjson.dumps, {"root": root})
        return Response(body, media_type="application/json")

    @routes.get("/protocol")
    async def show_protocol() -> dict[str, Any]:
        """Every WebSocket message, as JSON Schema."""
        return schema()

    return [routes]
