"""Past sessions: listed, replayed, and written up as a report."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.enums import PhaseStatus
from bottega.coach.history.timeline import Moment, timeline
from bottega.coach.repository import learning, plans
from bottega.coach.repository.plans import PlanWithPhases
from bottega.coach.tables import KataSpec, KnowledgeGap, Phase, Plan
from bottega.core import clock
from bottega.core.actions import Action
from bottega.core.llm.ledger import ApiCall
from bottega.core.services import Core
from bottega.core.sessions import Session, SessionKind
from bottega.core.wire import Wired
from bottega.errors import NotFound

#: The word that stands for the newest session.
LAST = "last"


class SessionLine(Wired):
    """One session in a list."""

    id: str
    issue_number: int | None
    issue_title: str | None
    status: str
    started_at: str
    ended_at: str | None
    minutes: float
    phases_completed: int
    phases_total: int


class MomentView(Wired):
    at: str
    #: Milliseconds after the session's start.
    offset_ms: int
    kind: str
    text: str
    data: dict[str, Any]


class Replay(Wired):
    session: SessionLine
    moments: list[MomentView]


@dataclass(frozen=True, slots=True)
class Record:
    """Everything that is kept of one session."""

    session: Session
    plan: PlanWithPhases | None
    moments: Sequence[Moment]
    gaps: Sequence[KnowledgeGap]
    katas: Sequence[tuple[KataSpec, KnowledgeGap]]
    cost: float

    @property
    def minutes(self) -> float:
        return minutes_of(self.session, clock.now())


class History:
    def __init__(self, core: Core) -> None:
        self._core = core

    @property
    def project(self) -> str:
        return str(self._core.files.root)

    async def sessions(self, user_id: str, limit: int = 20) -> list[SessionLine]:
        """Newest first."""
        rows = await self._core.sessions.list(
            user_id=user_id, kind=SessionKind.COACHING, project_dir=self.project, limit=limit
        )
        async with self._core.database.read() as session:
            statuses = await _phase_statuses(session, [row.id for row in rows])
        return [_line(row, statuses.get(row.id, [])) for row in rows]

    async def replay(self, user_id: str, session_id: str) -> Replay:
        record = await self.record(user_id, session_id)
        start = record.session.started_at
        statuses = [phase.status for phase in record.plan.phases] if record.plan else []
        return Replay(
            session=_line(record.session, statuses),
            moments=[
                MomentView(
                    at=clock.iso(moment.at),
                    offset_ms=round((moment.at - start).total_seconds() * 1000),
                    kind=moment.kind,
                    text=moment.text,
                    data=dict(moment.data),
                )
                for moment in record.moments
            ],
        )

    async def record(self, user_id: str, session_id: str) -> Record:
        await self._core.ledger.flush()
        row = await self._find(user_id, session_id)
        async with self._core.database.read() as session:
            actions = await session.scalars(select(Action).filter_by(session_id=row.id))
            calls = (await session.scalars(select(ApiCall).filter_by(session_id=row.id))).all()
            progress = await plans.progress_of_session(session, row.id)
            gaps = await learning.gaps(session, user_id, session_id=row.id)
            katas = await learning.katas(session, user_id)
            mine = {gap.id for gap in gaps}
            return Record(
                session=row,
                plan=await plans.latest(session, row.id),
                moments=timeline(actions.all(), calls, progress),
                gaps=gaps,
                katas=[pair for pair in katas if pair[1].id in mine],
                cost=sum(call.cost_estimate for call in calls),
            )

    async def _find(self, user_id: str, session_id: str) -> Session:
        if session_id != LAST:
            row = await self._core.sessions.get(session_id, user_id=user_id)
            if row.kind != SessionKind.COACHING:
                raise NotFound(f"Session {session_id!r} is no coaching session, but {row.kind}.")
            return row
        newest = await self._core.sessions.list(
            user_id=user_id, kind=SessionKind.COACHING, project_dir=self.project, limit=1
        )
        if not newest:
            raise NotFound("There is no coaching session yet in this project. Start one first.")
        return newest[0]


def minutes_of(session: Session, now: datetime) -> float:
    return round(((session.ended_at or now) - session.started_at).total_seconds() / 60, 1)


def _line(row: Session, statuses: Sequence[str]) -> SessionLine:
    return SessionLine(
        id=row.id,
        issue_number=row.issue_number,
        issue_title=row.issue_title,
        status=row.status,
        started_at=clock.iso(row.started_at),
        ended_at=clock.iso(row.ended_at) if row.ended_at else None,
        minutes=minutes_of(row, clock.now()),
        phases_completed=sum(status == PhaseStatus.COMPLETE for status in statuses),
        phases_total=len(statuses),
    )


async def _phase_statuses(session: AsyncSession, ids: Sequence[str]) -> dict[str, list[str]]:
    """Of each session's latest plan."""
    query = (
        select(Plan.session_id, Plan.id, Phase.status)
        .join(Phase, Phase.plan_id == Plan.id)
        .where(Plan.session_id.in_(ids))
        .order_by(Plan.created_at, Plan.id)
    )
    newest: dict[str, str] = {}
    statuses: dict[str, list[str]] = {}
    for session_id, plan_id, status in (await session.execute(query)).all():
        if newest.get(session_id) != plan_id:
            newest[session_id], statuses[session_id] = plan_id, []
        statuses[session_id].append(status)
    return statuses
