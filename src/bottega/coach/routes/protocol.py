"""The protocol as a document: `/api/coach/protocol`."""

from typing import Any

from fastapi import APIRouter

from bottega.coach.protocol.document import schema


def router() -> APIRouter:
    routes = APIRouter(prefix="/coach", tags=["coach"])

    @routes.get("/protocol")
    async def show_protocol() -> dict[str, Any]:
        """Every WebSocket message, as JSON Schema."""
        return schema()

    return routes
