"""What became of a change is told to what was remembered for it.

Applied: it helped, and what was learned on the way is the project's. Reopened, or given back by the
agent that had it: it did not. A session that merely died says nothing about what it was told.
"""

import asyncio

import structlog

from bottega.board.enums import Actor, ChangeStatus
from bottega.board.knowledge.service import Knowledge
from bottega.core.events import Event
from bottega.core.services import Core

LEASED = {ChangeStatus.ASSIGNED, ChangeStatus.IN_PROGRESS}
FINISHED = {ChangeStatus.REVIEW, ChangeStatus.APPLIED}

log = structlog.get_logger()


class Lessons:
    def __init__(self, core: Core, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._learning: set[asyncio.Task[None]] = set()
        # Once, however many servers share the database.
        core.bus.on("specs.moved", self._hear, own_only=True)

    async def stop(self) -> None:
        """Return when what was heard is learned."""
        await asyncio.gather(*self._learning, return_exceptions=True)

    def _hear(self, event: Event) -> None:
        helped = has_helped(
            event.payload["from_state"], event.payload["to_state"], event.payload["triggered_by"]
        )
        if helped is None:
            return
        work = self._learn(event.payload["project_id"], event.payload["change_id"], helped)
        task = asyncio.create_task(work)
        self._learning.add(task)
        task.add_done_callback(self._learning.discard)

    async def _learn(self, project_id: str, change_id: str, helped: bool) -> None:
        try:
            await self._knowledge.outcome(project_id, change_id, helped)
            if helped:
                await self._knowledge.promote(project_id, change_id)
        except Exception:
            log.exception("board.nothing_learned", project=project_id, change=change_id)


def has_helped(before: str | None, after: str, by: str) -> bool | None:
    """What a move says about what was handed over with the change; `None` for nothing."""
    if after == ChangeStatus.APPLIED:
        return True
    if after != ChangeStatus.APPROVED:
        return None
    if before in FINISHED or (before in LEASED and by == Actor.AGENT):
        return False
    return None
