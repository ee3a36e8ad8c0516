"""Agents' sessions: one sitting of one agent in one project, alive as long as it is heard of.

A session that falls silent is given up by the monitor and loses its work. If it speaks again it is
alive again, empty-handed.

Silence is measured on the wall clock, because it must outlive a restart, and wall clocks jump:
when they are set, or when the machine was asleep. A jump shows as a difference to the monotonic
clock. After one every session gets its full ten minutes anew, and nothing is taken back before.
"""

import asyncio
import os
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.agents import repository as agents
from bottega.board.agents.schemas import (
    BoardSessionView,
    ClarificationView,
    HeartbeatView,
    SessionType,
)
from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.changes.tables import Change
from bottega.board.projects import repository as projects
from bottega.board.projects.tables import Project
from bottega.board.queue import repository as queue
from bottega.board.queue.leases import (
    STALE_AFTER,
    LeaseMove,
    give_all_back,
    liveness,
    lock_agent,
    lock_session,
    unknown_session,
    wake,
    work_events,
)
from bottega.board.queue.schemas import Lease
from bottega.core import clock
from bottega.core.background import PeriodicTask
from bottega.core.events import Event
from bottega.core.services import Core
from bottega.core.sessions import session as core_sessions
from bottega.core.sessions.session import LIVE, Session, SessionKind, SessionStatus
from bottega.errors import Conflict, InvalidInput, NotFound


class AgentSessions:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def register(
        self,
        user_id: str,
        *,
        project_id: str | None = None,
        project_path: str | None = None,
        type: SessionType = SessionType.WORKER,
        client_session_id: str | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> BoardSessionView:
        """A new session; for a client that registered before and still lives, the same again."""
        folders = await _folders(project_path)
        async with self._core.database.write() as session:
            project = await _project(session, project_id, folders)
            known = await _known(session, client_session_id, user_id)
            woken = known is not None and wake(known)
            row = known or Session(
                kind=SessionKind.AGENT, type=type, user_id=user_id, project_dir=project.path
            )
            _stay_in(row, project)
            row.data = {
                "project_id": project.id,
                "client_session_id": client_session_id,
                "metadata": {**(known.data["metadata"] if known else {}), **(metadata or {})},
            }
            session.add(row)
            await session.flush()
            held = await queue.held_by(session, row.id)
        if known is None or woken:
            event = agent_event("agents.registered", row, client_session_id=client_session_id)
            self._core.bus.publish(event)
        return view(row, held)

    async def heartbeat(self, session_id: str, user_id: str | None) -> HeartbeatView:
        """Count a heartbeat; returns the lease and the answers not delivered yet."""
        async with self._core.database.write() as session:
            row = await lock_agent(session, session_id, user_id)
            woken = wake(row)
            held = await queue.held_by(session, session_id)
            answers = await agents.deliver_answers(session, session_id, clock.now())
        if woken:
            self._core.bus.publish(agent_event("agents.registered", row, woken=True))
        return HeartbeatView(
            session_id=row.id,
            woken=woken,
            lease=_lease(row, held),
            minutes_left=STALE_AFTER // timedelta(minutes=1),
            answers=[ClarificationView.model_validate(answer) for answer in answers],
        )

    async def seen(self, session_id: str, user_id: str | None) -> BoardSessionView:
        """Count a heartbeat; returns the session with its lease."""
        async with self._core.database.write(durable=False) as session:
            row = await lock_agent(session, session_id, user_id)
            woken = wake(row)
            held = await queue.held_by(session, session_id)
        if woken:
            self._core.bus.publish(agent_event("agents.registered", row, woken=True))
        return view(row, held)

    async def end(
        self, session_id: str, user_id: str | None, why: str = "The session ended."
    ) -> BoardSessionView:
        """Its work goes back into the queue at once and its questions are closed. Ending it again
        changes nothing."""
        async with self._core.database.write() as session:
            row = await lock_session(session, session_id, user_id)
            over = row.status not in LIVE
            moves = []
            if not over:
                row.status, row.ended_at = SessionStatus.ENDED, clock.now()
                moves = await give_all_back(session, session_id, Actor.AGENT, why)
                await agents.close_questions(session, session_id, clock.now())
        if not over:
            for move in moves:
                for event in work_events("work.released", move, row, why=why):
                    self._core.bus.publish(event)
            self._core.bus.publish(agent_event("agents.ended", row, status=row.status, why=why))
        return view(row, None)

    async def get(self, session_id: str, user_id: str | None) -> BoardSessionView:
        async with self._core.database.read() as session:
            row = await core_sessions.find(session, session_id, user_id)
            if row.kind != SessionKind.AGENT:
                raise unknown_session(session_id)
            return view(row, await queue.held_by(session, session_id))

    async def of_client(self, client_session_id: str, user_id: str) -> BoardSessionView | None:
        """The live session that a client knows by its own id."""
        async with self._core.database.read() as session:
            row = await agents.session_of_client(session, client_session_id, user_id)
            return None if row is None else view(row, await queue.held_by(session, row.id))

    async def list(
        self,
        user_id: str | None,
        *,
        project_id: str | None = None,
        live_only: bool = True,
        limit: int = 200,
    ) -> list[BoardSessionView]:
        """Newest first."""
        async with self._core.database.read() as session:
            project = await projects.get(session, project_id) if project_id else None
            rows = await agents.sessions_with_work(
                session,
                user_id=user_id,
                project_dir=project.path if project else None,
                live_only=live_only,
                limit=limit,
            )
        return [view(row, held) for row, held in rows]


def view(row: Session, held: Change | None) -> BoardSessionView:
    return BoardSessionView(
        id=row.id,
        project_id=row.data["project_id"],
        project_dir=row.project_dir,
        type=SessionType(row.type or SessionType.MANUAL),
        status=SessionStatus(row.status),
        liveness=liveness(row, clock.now()),
        client_session_id=row.data.get("client_session_id"),
        metadata=row.data.get("metadata") or {},
        started_at=row.started_at,
        seen_at=row.seen_at,
        ended_at=row.ended_at,
        lease=_lease(row, held),
    )


def _lease(row: Session, held: Change | None) -> Lease | None:
    if held is None:
        return None
    return Lease(
        change_id=held.id,
        title=held.title,
        lease_token=held.lease_token,
        status=ChangeStatus(held.status),
        agent_type=held.agent_type,
        expires_at=row.seen_at + STALE_AFTER,
    )


async def _known(
    session: AsyncSession, client_session_id: str | None, user_id: str
) -> Session | None:
    if client_session_id is None:
        return None
    # Its hooks and its tools may register it at the same moment.
    await queue.take_lock(session, f"registers {client_session_id}")
    row = await agents.session_of_client(session, client_session_id, user_id)
    return None if row is None else await lock_agent(session, row.id, user_id)


def _stay_in(row: Session, project: Project) -> None:
    if row.project_dir != project.path:
        raise Conflict(
            f"Session {row.id!r} works in {row.project_dir!r}. For {project.path!r} end it first, "
            "or start another one: a session has one project."
        )


async def _folders(path: str | None) -> list[str]:
    """A path and all folders around it, with and without its symlinks."""
    if path is None:
        return []
    real = await asyncio.to_thread(os.path.realpath, path)
    return [str(folder) for p in (PurePath(path), PurePath(real)) for folder in (p, *p.parents)]


async def _project(session: AsyncSession, project_id: str | None, folders: list[str]) -> Project:
    if project_id is not None:
        return await projects.get(session, project_id)
    if not folders:
        raise InvalidInput("Give the project: its `project_id`, or the `project_path` you work in.")
    project = await projects.innermost(session, folders)
    if project is None:
        raise NotFound(
            f"{folders[0]!r} is in no project of the board. A project is a folder with `openspec` "
            "in it, in PROJECTS_DIR; run `openspec init` there, then `POST /api/projects/scan`."
        )
    return project


def agent_event(topic: str, row: Session, **payload: Any) -> Event:
    return Event(
        topic,
        {"project_id": row.data.get("project_id"), "type": row.type, **payload},
        project=row.project_dir,
        user_id=row.user_id,
        session_id=row.id,
    )


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
        self.rounds = PeriodicTask(
            "idle agents", self.look, interval, lease=core.leases.of("idle agents")
        )

    async def look(self) -> list[str]:
        """Tell of every agent that fell silent since the last look; their sessions."""
        async with self._core.database.read() as session:
            silent = await agents.silent_since(session, self._now() - IDLE_AFTER)
        return [session_id for session_id, last in silent if await self._publish(session_id, last)]

    async def _publish(self, session_id: str, last: datetime) -> bool:
        since = clock.iso(last)
        async with self._core.database.write(durable=False) as session:
            row = await agents.hold(session, session_id)
            if row is None or row.data.get(IDLE_REPORTED) == since:
                return False
            row.data = {**row.data, IDLE_REPORTED: since}
        minutes = (self._now() - last).total_seconds() // 60
        self._core.bus.publish(agent_event("agents.idle", row, since=since, minutes=int(minutes)))
        return True
