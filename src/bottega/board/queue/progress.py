"""What a holder reports of its tasks while it works."""

from bottega.board.changes.changes import Changes
from bottega.board.changes.views import ChangeView
from bottega.board.enums import Actor, ChangeStatus
from bottega.board.queue.queue import Queue
from bottega.core.events import Event
from bottega.core.services import Core


class Progress:
    def __init__(self, core: Core, queue: Queue, changes: Changes) -> None:
        self._core = core
        self._queue = queue
        self._changes = changes

    async def report(
        self,
        session_id: str,
        user_id: str | None,
        change_id: str,
        token: int,
        tasks: list[str],
        done: bool = True,
    ) -> ChangeView:
        """Tick the tasks in the file. Whoever reports works; the last task is the way to review."""
        held = await self._queue.work_on(session_id, user_id, change_id, token)
        change = await self._changes.tick(
            held.project_id, change_id, tasks, done, by=Actor.AGENT, session_id=session_id
        )
        finished = change.status is ChangeStatus.REVIEW
        payload = {
            "project_id": change.project_id,
            "change_id": change.id,
            "title": change.title,
            "status": change.status,
            "lease_token": token,
            "tasks_done": change.tasks_done,
            "tasks_total": change.tasks_total,
        }
        topic = "work.completed" if finished else "work.progress"
        session = await self._core.sessions.get(session_id, user_id=user_id)
        self._core.bus.publish(
            Event(topic, payload, project=session.project_dir, session_id=session_id)
        )
        return change
