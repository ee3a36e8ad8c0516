"""The queue over HTTP: `/api/board/queue` and `/api/board/work/{change_id}`."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from bottega.board.enums import ChangeStatus
from bottega.board.queue.handover import Handover, WorkPackage, task_lines
from bottega.board.queue.queue import Queue
from bottega.board.queue.views import QueueView
from bottega.board.tables import Change
from bottega.board.tool_arguments import Completing, Id, OfSession, Releasing
from bottega.core.callers import CurrentCaller

UpTo1000 = Annotated[int, Query(ge=1, le=1_000)]


class Asking(OfSession):
    change_id: Id | None = Field(None, description="This one, whoever's turn it is.")


class NextWork(BaseModel):
    #: Null if there is none now.
    work: WorkPackage | None
    #: Why there is none.
    reason: str


class Moved(BaseModel):
    change_id: str
    status: ChangeStatus
    #: Tasks that are not ticked.
    open_tasks: int


def router(queue: Queue, handover: Handover) -> APIRouter:
    routes = APIRouter(prefix="/board", tags=["board"])

    @routes.get("/queue")
    async def show_queue(project_id: Id | None = None, limit: UpTo1000 = 200) -> QueueView:
        """What waits, with the reason where it is held back, and who works on what."""
        return await queue.waiting(project_id, limit)

    @routes.post("/queue/next")
    async def next_work(asked: Asking, caller: CurrentCaller) -> NextWork:
        """Claims the next change for a session; a session that has one gets it again."""
        claim = await queue.claim(asked.session_id, caller.user_id, change_id=asked.change_id)
        return NextWork(work=await handover.of_claim(claim), reason=claim.reason)

    @routes.post("/work/{change_id}/complete")
    async def complete_work(change_id: Id, asked: Completing, caller: CurrentCaller) -> Moved:
        return _moved(
            await queue.complete(
                asked.session_id, caller.user_id, change_id, asked.lease_token, asked.finish()
            )
        )

    @routes.post("/work/{change_id}/release")
    async def release_work(change_id: Id, asked: Releasing, caller: CurrentCaller) -> Moved:
        return _moved(
            await queue.release(
                asked.session_id, caller.user_id, change_id, asked.lease_token, asked.why
            )
        )

    return routes


def _moved(change: Change) -> Moved:
    waiting = sum(not task.done for task in task_lines(change.tasks_content))
    return Moved(change_id=change.id, status=ChangeStatus(change.status), open_tasks=waiting)
