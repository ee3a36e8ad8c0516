"""Past sessions: listed, replayed, and written up as a report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.enums import PhaseStatus
from bottega.coach.plans import repository as plans
from bottega.coach.plans.repository import PlanWithPhases
from bottega.coach.plans.tables import Phase, Plan
from bottega.coach.practice import repository as kata_records
from bottega.coach.practice.tables import KataSpec
from bottega.coach.sessions.schemas import MomentView, Replay, SessionLine
from bottega.coach.sessions.timeline import Moment, timeline
from bottega.coach.skills import repository as skill_records
from bottega.coach.skills.tables import KnowledgeGap
from bottega.core import clock
from bottega.core.llm.ledger import ApiCall
from bottega.core.services import Core
from bottega.core.sessions.actions import Action, ActionType
from bottega.core.sessions.session import Session, SessionKind
from bottega.core.text.words import one_line
from bottega.errors import NotFound

#: The word that stands for the newest session.
LAST = "last"

MARKS = {PhaseStatus.COMPLETE: "x", PhaseStatus.ACTIVE: "~", PhaseStatus.PENDING: " "}
#: Too many of them, and no story: left out of the report, kept in the replay.
NOISE = {
    ActionType.SELECTION,
    ActionType.TAB_SWITCH,
    ActionType.MCP_TOOL_CALL,
    ActionType.NUDGE_SUPPRESSED,
    ActionType.DECORATIONS_APPLIED,
    ActionType.FILE_HINTS_APPLIED,
    "model_call",
}


@dataclass(frozen=True, slots=True)
class SessionRecord:
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


class SessionHistory:
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

    async def report(self, user_id: str, session_id: str) -> str:
        """The session as a page of markdown."""
        return report(await self.record(user_id, session_id))

    async def record(self, user_id: str, session_id: str) -> SessionRecord:
        await self._core.ledger.flush()
        row = await self._find(user_id, session_id)
        async with self._core.database.read() as session:
            actions = await session.scalars(select(Action).filter_by(session_id=row.id))
            calls = (await session.scalars(select(ApiCall).filter_by(session_id=row.id))).all()
            progress = await plans.progress_of_session(session, row.id)
            gaps = await skill_records.gaps(session, user_id, session_id=row.id)
            katas = await kata_records.katas(session, user_id)
            mine = {gap.id for gap in gaps}
            return SessionRecord(
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


def report(record: SessionRecord) -> str:
    sections = [_head(record), _phases(record), _timeline(record), _learned(record)]
    return "\n\n".join("\n".join(section) for section in map(list, sections) if section) + "\n"


def _head(record: SessionRecord) -> Iterator[str]:
    session = record.session
    number = f"#{session.issue_number} " if session.issue_number else ""
    yield f"# {number}{one_line(session.issue_title or session.title or 'Coaching session')}"
    yield ""
    yield f"- Session `{session.id}`, {session.status}"
    yield f"- Begun {session.started_at:%Y-%m-%d %H:%M} UTC, {record.minutes:g} minutes"
    if record.cost:
        yield f"- Models: ${record.cost:.4f}"
    if record.plan and record.plan.plan.memory_connection:
        yield f"- Reminded of: {one_line(record.plan.plan.memory_connection)}"


def _phases(record: SessionRecord) -> Iterator[str]:
    if record.plan is None or not record.plan.phases:
        return
    yield "## Phases"
    yield ""
    for phase in record.plan.phases:
        mark = MARKS[PhaseStatus(phase.status)]
        yield f"- [{mark}] **{phase.number}. {one_line(phase.title)}**"
        yield ""
        yield from (f"  {line}".rstrip() for line in phase.description.splitlines())


def _timeline(record: SessionRecord) -> Iterator[str]:
    moments = [moment for moment in record.moments if moment.kind not in NOISE]
    if not moments:
        return
    yield "## How it went"
    yield ""
    for moment in moments:
        yield f"- {moment.at:%H:%M} {one_line(moment.text)}"


def _learned(record: SessionRecord) -> Iterator[str]:
    if not record.gaps:
        return
    yield "## To practise"
    yield ""
    for gap in record.gaps:
        state = "addressed" if gap.addressed else f"{gap.severity}, met {_times(gap.frequency)}"
        yield f"- **{one_line(gap.topic)}** ({state}): {one_line(gap.evidence)}"
        for kata, of in record.katas:
            if of.id == gap.id:
                yield f"  - Kata: {one_line(kata.title)}, tried {_times(len(kata.user_attempts))}"


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")
