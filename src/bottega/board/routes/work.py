"""All work and its numbers over HTTP: `/api/board/work` and `/api/board/stats`."""

from typing import Annotated

from fastapi import APIRouter, Query

from bottega.board.enums import ChangeStatus
from bottega.board.repository.work import WorkQuery
from bottega.board.routes.reports import Offset, UpTo200
from bottega.board.work import Work
from bottega.board.work_items import FailureStatus, Stats, WorkFilter, WorkOrder, WorkPage
from bottega.core.bounds import Instant


def router(work: Work) -> APIRouter:
    routes = APIRouter(prefix="/board", tags=["board"])

    @routes.get("/work")
    async def list_work(
        project_id: str | None = None,
        filter: WorkFilter = WorkFilter.ALL,
        status: Annotated[list[ChangeStatus | FailureStatus] | None, Query()] = None,
        search: Annotated[str | None, Query(max_length=200)] = None,
        since: Instant | None = None,
        until: Instant | None = None,
        order: WorkOrder = WorkOrder.ACTIVITY,
        limit: UpTo200 = 50,
        offset: Offset = 0,
    ) -> WorkPage:
        """Changes and failures together, what was active last first."""
        query = WorkQuery(project_id, filter, tuple(status or ()), since, until, order)
        return await work.list(query, search, limit, offset)

    @routes.get("/stats")
    async def show_stats(project_id: str | None = None) -> Stats:
        """How many of each, who is at work, and how many sessions would be kept busy."""
        return await work.stats(project_id)

    return routes
