"""Agents of whom nothing was heard for five minutes: said once for every silence.

Which silence was told is kept with the session, so that neither a restart nor a second server
tells it again.
"""

from collections.abc import Callable
from datetime import datetime

from bottega.board.agents.activity_views import IDLE_AFTER
from bottega.board.queue.events import agent_event
from bottega.board.repository import activity as repository
from bottega.core import clock
from bottega.core.rounds import Rounds
from bottega.core.services import Core

LOOK_EVERY = 30.0
TOLD = "idle_told"


class IdleAgents:
    def __init__(
        self,
        core: Core,
        *,
        now: Callable[[], datetime] = clock.now,
        interval: float = LOOK_EVERY,
    ) -> None:
        self._core = core
        self._now = now
        self._rounds = Rounds("idle agents", self.look, interval)

    async def start(self) -> None:
        self._rounds.start()

    async def stop(self) -> None:
        await self._rounds.stop()

    async def look(self) -> list[str]:
        """Tell of every agent that fell silent since the last look; their sessions."""
        async with self._core.database.read() as session:
            silent = await repository.silent_since(session, self._now() - IDLE_AFTER)
        return [session_id for session_id, last in silent if await self._tell(session_id, last)]

    async def _tell(self, session_id: str, last: datetime) -> bool:
        since = clock.iso(last)
        async with self._core.database.write(durable=False) as session:
            row = await repository.hold(session, session_id)
            if row is None or row.data.get(TOLD) == since:
                return False
            row.data = {**row.data, TOLD: since}
        minutes = (self._now() - last).total_seconds() // 60
        self._core.bus.publish(agent_event("agents.idle", row, since=since, minutes=int(minutes)))
        return True
