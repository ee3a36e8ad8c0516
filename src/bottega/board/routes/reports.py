"""Test reports over HTTP: `/api/board/reports`."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, status

from bottega.board.intake.intake import Intake
from bottega.board.intake.views import ImportResult, ReportList

UpTo200 = Annotated[int, Query(ge=1, le=200)]
Offset = Annotated[int, Query(ge=0, le=1_000_000)]
ProjectId = Annotated[str, Query(min_length=1, max_length=200)]

#: The body is read as it comes, so its forms are told to readers of the API by hand.
BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "Playwright's JSON report, the Bottega reporter's JSON, or JUnit XML.",
        "content": {
            "application/json": {"schema": {"type": "object"}},
            "application/xml": {"schema": {"type": "string"}},
        },
    }
}


def router(intake: Intake) -> APIRouter:
    routes = APIRouter(prefix="/board/reports", tags=["board"])

    @routes.post("", status_code=status.HTTP_201_CREATED, openapi_extra=BODY)
    async def import_report(request: Request, project_id: ProjectId) -> ImportResult:
        """Each report is a new run of its tests; answers what it has brought."""
        content_type = request.headers.get("content-type")
        return await intake.import_report(project_id, await request.body(), content_type)

    @routes.get("")
    async def list_reports(
        project_id: str | None = None, limit: UpTo200 = 50, offset: Offset = 0
    ) -> ReportList:
        """Newest first."""
        return await intake.reports(project_id, limit, offset)

    return routes
