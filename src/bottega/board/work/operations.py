"""What can be asked of all work together, and of its numbers."""

from typing import TYPE_CHECKING

from bottega.board.work.schemas import BoardStats, StatsRequest, WorkPage, WorkRequest
from bottega.core.operations import Get, operation

if TYPE_CHECKING:
    from bottega.board.work.service import WorkList


@operation(Get("/board/work"))
async def list_work(work: "WorkList", asked: WorkRequest) -> WorkPage:
    """Changes and failures together, what was active last first."""
    return await work.list(asked)


@operation(Get("/board/stats"))
async def show_stats(work: "WorkList", asked: StatsRequest) -> BoardStats:
    """How many of each, who is at work, and how many sessions would be kept busy."""
    return await work.stats(asked.project_id)
