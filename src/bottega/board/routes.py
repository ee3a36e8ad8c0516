"""The board's routes that take or give more than an operation can say."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request, status

from bottega.board.agents.schemas import BoardSessionView, Farewell, Ingested
from bottega.board.failures.schemas import ImportResult
from bottega.board.knowledge.operations import check_tier
from bottega.board.knowledge.schemas import Item
from bottega.board.queue.schemas import Id
from bottega.board.service import Board
from bottega.core.doors.callers import CurrentCaller
from bottega.core.trust.admission import admit

ProjectId = Annotated[str, Query(min_length=1, max_length=200)]

#: The body is read as it comes, so its forms are told to readers of the API by hand.
REPORT: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "Playwright's JSON report, the Bottega reporter's JSON, or JUnit XML.",
        "content": {
            "application/json": {"schema": {"type": "object"}},
            "application/xml": {"schema": {"type": "string"}},
        },
    }
}


def router(board: Board) -> APIRouter:
    routes = APIRouter(prefix="/board", tags=["board"])

    @routes.post("/reports", status_code=status.HTTP_201_CREATED, openapi_extra=REPORT)
    async def import_report(request: Request, project_id: ProjectId) -> ImportResult:
        """Each report is a new run of its tests; answers what it has brought."""
        content_type = request.headers.get("content-type")
        return await board.intake.import_report(project_id, await request.body(), content_type)

    @routes.post("/hooks")
    async def take_hook(body: Annotated[dict[str, Any], Body()], caller: CurrentCaller) -> Ingested:
        """Takes the JSON that Claude Code hands to a hook, as it is."""
        return await board.activity.ingest(body, caller.user_id)

    @routes.post("/sessions/{session_id}/end")
    async def end_session(
        session_id: Id, caller: CurrentCaller, asked: Farewell | None = None
    ) -> BoardSessionView:
        """Its work goes back into the queue at once."""
        return await board.sessions.end(session_id, caller.user_id, (asked or Farewell()).why)

    @routes.post("/knowledge/restore", status_code=status.HTTP_201_CREATED)
    async def restore_knowledge(item: Item, caller: CurrentCaller) -> Item:
        """Undo a deletion: takes what the deletion returned."""
        check_tier(caller, item.tier)
        return await board.knowledge.curation.restore(admit(item, "knowledge"))

    return routes
