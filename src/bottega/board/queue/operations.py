"""What can be asked of the queue: what waits, the next work, and how work ends."""

from typing import TYPE_CHECKING, Any

from bottega.board.changes.states import OPEN_STATUSES
from bottega.board.queue.schemas import (
    Asking,
    Completion,
    Moved,
    NextWork,
    OfChange,
    OfSession,
    QueueRequest,
    QueueView,
    Release,
    TaskUpdate,
    WorkFilter,
    task_lines,
)
from bottega.core.operations import Get, McpTool, Post, operation
from bottega.core.rooms import Caller

if TYPE_CHECKING:
    from bottega.board.service import Board

MOST_LISTED = 100


def _claimed(found: NextWork) -> dict[str, Any]:
    if found.work is None:
        return {"work": None, "reason": found.reason}
    return {"work": found.work.model_dump(mode="json", exclude_none=True)}


def _released(moved: Moved) -> dict[str, Any]:
    return {"change_id": moved.change_id, "status": moved.status}


@operation(Get("/board/queue"))
async def show_queue(board: "Board", asked: QueueRequest) -> QueueView:
    """What waits, with the reason where it is held back, and who works on what."""
    return await board.queue.waiting(asked.project_id, asked.limit)


@operation(
    McpTool(
        "board_next_work",
        "Your next change with all you need for it, or why there is none.",
        shape=_claimed,
        arguments=OfSession,
    ),
    Post("/board/queue/next"),
)
async def next_work(board: "Board", asked: Asking, caller: Caller) -> NextWork:
    """Claims the next change for a session; a session that has one gets it again."""
    claim = await board.queue.claim(asked.session_id, caller.user_id, change_id=asked.change_id)
    return NextWork(work=await board.handover.of_claim(claim), reason=claim.reason)


@operation(McpTool("board_update_tasks", "Tick tasks as you finish them."))
async def update_tasks(board: "Board", asked: TaskUpdate, caller: Caller) -> dict[str, Any]:
    change = await board.progress.report(
        asked.session_id,
        caller.user_id,
        asked.change_id,
        asked.lease_token,
        asked.tasks,
        asked.done,
    )
    waiting = [task.id for task in change.tasks if not task.done]
    return {"change_id": change.id, "status": change.status, "open_tasks": waiting}


@operation(
    McpTool("board_complete_work", "Hand your change in for review.", shape=Moved.with_open_tasks),
    Post("/board/work/{change_id}/complete"),
)
async def complete_work(board: "Board", asked: Completion, caller: Caller) -> Moved:
    change = await board.queue.complete(
        asked.session_id, caller.user_id, asked.change_id, asked.lease_token, asked.finish()
    )
    return Moved.of(change)


@operation(
    McpTool("board_release_work", "Give your change back.", shape=_released),
    Post("/board/work/{change_id}/release"),
)
async def release_work(board: "Board", asked: Release, caller: Caller) -> Moved:
    change = await board.queue.release(
        asked.session_id, caller.user_id, asked.change_id, asked.lease_token, asked.why
    )
    return Moved.of(change)


@operation(McpTool("board_list_work", "Changes and where they stand.", read_only=True))
async def list_queued_work(board: "Board", asked: WorkFilter) -> dict[str, Any]:
    listed = await board.changes.list(asked.project_id, asked.status or OPEN_STATUSES)
    queued = await board.queue.waiting(asked.project_id)
    why = {(item.project_id, item.change_id): item.held_back for item in queued.waiting}
    rows = [
        {
            "project_id": row.project_id,
            "change_id": row.id,
            "title": row.title,
            "status": row.status,
            "priority": row.priority,
            "tasks": f"{row.tasks_done}/{row.tasks_total}",
            "session_id": row.assigned_session_id,
            "held_back": why.get((row.project_id, row.id)),
        }
        for row in listed[:MOST_LISTED]
    ]
    # A model pays for every empty field.
    shown = [{name: value for name, value in row.items() if value} for row in rows]
    return {"work": shown, "total": len(listed)}


@operation(McpTool("board_show_change", "A change with its texts.", read_only=True))
async def show_texts(board: "Board", asked: OfChange) -> dict[str, Any]:
    change = await board.changes.find(asked.change_id, asked.project_id)
    shown = {
        "project_id": change.project_id,
        "change_id": change.id,
        "title": change.title,
        "status": change.status,
        "priority": change.priority,
        "proposal": change.proposal_content,
        "tasks": [line.model_dump() for line in task_lines(change.tasks_content)],
        "design": change.design_content,
        "specs": change.specs,
        "session_id": change.assigned_session_id,
        "result": change.result,
        "sync_error": change.sync_error,
        "rejection_reason": change.rejection_reason,
    }
    return {name: value for name, value in shown.items() if value is not None}
