"""The monitor: gives up sessions that fell silent, so that their work is free again.

Silence is measured on the wall clock, because it must outlive a restart, and wall clocks jump:
when they are set, or when the machine was asleep. A jump shows as a difference to the monotonic
clock. After one every session gets its full ten minutes anew, and nothing is taken back before. So
it does after a start: who could not be heard was not silent, and what the clock did is not known.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog

from bottega.board.agents import repository
from bottega.board.agents import repository as agents
from bottega.board.agents.sessions import agent_event
from bottega.board.changes.states import Actor
from bottega.board.queue import repository as queue
from bottega.board.queue.leases import STALE_AFTER, LeaseMove, give_all_back, work_events
from bottega.core import clock
from bottega.core.background import PeriodicTask
from bottega.core.services import Core
from bottega.core.sessions.session import Session

INTERVAL = 120.0
#: Wall and monotonic clock never agree quite; beyond this one of them jumped.
TOLERANCE = timedelta(minutes=1)
SILENT = "No heartbeat for more than 10 minutes."

log = structlog.get_logger()


class Monitor:
    def __init__(
        self,
        core: Core,
        *,
        now: Callable[[], datetime] = clock.now,
        monotonic: Callable[[], float] = time.monotonic,
        interval: float = INTERVAL,
    ) -> None:
        self._core = core
        self._now = now
        self._monotonic = monotonic
        self._jumps = clock.JumpDetector(now, monotonic)
        #: On the monotonic clock: nobody is given up before.
        self._patient_until = monotonic()
        self._rounds = PeriodicTask(
            "board monitor", self.look, interval, lease=core.leases.of("board monitor")
        )

    async def start(self) -> None:
        self._be_patient()
        self._rounds.start()

    async def stop(self) -> None:
        await self._rounds.stop()

    async def look(self) -> list[str]:
        """One round; returns the sessions given up in it."""
        self._notice_jump()
        given_up: list[tuple[Session, list[LeaseMove]]] = []
        async with self._core.database.write() as session:
            await queue.take_lock(session, "gives up sessions")
            now = self._now()
            await agents.bring_back_from_future(session, now + TOLERANCE, now)
            if self._monotonic() < self._patient_until:
                return []
            for row in await agents.make_inactive(session, now - STALE_AFTER):
                moves = await give_all_back(session, row.id, Actor.SYSTEM, SILENT)
                given_up.append((row, moves))
        for row, moves in given_up:
            self._publish(row, moves)
        return [row.id for row, _ in given_up]

    def _notice_jump(self) -> None:
        jump = self._jumps.seconds()
        if abs(jump) <= TOLERANCE.total_seconds():
            return
        log.warning("board.clock_jumped", seconds=round(jump))
        self._be_patient()

    def _be_patient(self) -> None:
        self._patient_until = self._monotonic() + STALE_AFTER.total_seconds()

    def _publish(self, row: Session, moves: list[LeaseMove]) -> None:
        for move in moves:
            log.info("board.work_taken_back", change=move.change.id, session=row.id)
            for event in work_events("work.released", move, row, why=SILENT):
                self._core.bus.publish(event)
        self._core.bus.publish(agent_event("agents.ended", row, status=row.status, why=SILENT))


IDLE_AFTER = timedelta(minutes=5)
LOOK_EVERY = 30.0
IDLE_REPORTED = "idle_told"


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
        self._rounds = PeriodicTask(
            "idle agents", self.look, interval, lease=core.leases.of("idle agents")
        )

    async def start(self) -> None:
        self._rounds.start()

    async def stop(self) -> None:
        await self._rounds.stop()

    async def look(self) -> list[str]:
        """Tell of every agent that fell silent since the last look; their sessions."""
        async with self._core.database.read() as session:
            silent = await repository.silent_since(session, self._now() - IDLE_AFTER)
        return [session_id for session_id, last in silent if await self._publish(session_id, last)]

    async def _publish(self, session_id: str, last: datetime) -> bool:
        since = clock.iso(last)
        async with self._core.database.write(durable=False) as session:
            row = await repository.hold(session, session_id)
            if row is None or row.data.get(IDLE_REPORTED) == since:
                return False
            row.data = {**row.data, IDLE_REPORTED: since}
        minutes = (self._now() - last).total_seconds() // 60
        self._core.bus.publish(agent_event("agents.idle", row, since=since, minutes=int(minutes)))
        return True
