"""Plans, phases, hints and progress, and what the coach notes in the session's own row."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.editor.schemas import IssueContext
from bottega.coach.enums import Difficulty, HintLevel, HintType, PhaseStatus, ProgressType
from bottega.coach.plans.tables import Phase, PhaseHint, Plan, ProgressEvent
from bottega.core import clock
from bottega.core.db.database import Database
from bottega.core.sessions.session import Session, lock
from bottega.core.trust.admission import scrub_all


@dataclass(frozen=True, slots=True)
class NewHint:
    type: HintType
    path: str
    style: str
    start_line: int | None = None
    end_line: int | None = None
    hover_text: str | None = None


@dataclass(frozen=True, slots=True)
class NewPhase:
    number: int
    title: str
    description: str
    hint_level: HintLevel
    expected_files: Sequence[str] = ()
    opportunities: Sequence[str] = ()
    hints: Sequence[NewHint] = ()
    status: PhaseStatus = PhaseStatus.PENDING


@dataclass(frozen=True, slots=True)
class PlanWithPhases:
    plan: Plan
    #: By number.
    phases: Sequence[Phase] = field(default=())

    @property
    def active(self) -> Phase | None:
        return next((phase for phase in self.phases if phase.status == PhaseStatus.ACTIVE), None)


async def create(
    session: AsyncSession,
    session_id: str,
    raw_plan_text: str,
    phases: Sequence[NewPhase],
    *,
    memory_connection: str | None = None,
    estimated_difficulty: Difficulty = Difficulty.INTERMEDIATE,
) -> PlanWithPhases:
    """A plan with its phases and their hints, all or nothing (FR-113)."""
    plan = Plan(
        session_id=session_id,
        raw_plan_text=scrub_all(raw_plan_text),
        memory_connection=memory_connection,
        estimated_difficulty=estimated_difficulty,
    )
    session.add(plan)
    await session.flush()
    rows = [_phase(plan.id, new) for new in phases]
    session.add_all(rows)
    await session.flush()
    for new, row in zip(phases, rows, strict=True):
        session.add_all(PhaseHint(phase_id=row.id, **asdict(hint)) for hint in new.hints)
    await session.flush()
    return PlanWithPhases(plan, sorted(rows, key=lambda row: row.number))


def _phase(plan_id: str, new: NewPhase) -> Phase:
    return Phase(
        plan_id=plan_id,
        number=new.number,
        title=scrub_all(new.title),
        description=scrub_all(new.description),
        status=new.status,
        hint_level=new.hint_level,
        expected_files=list(new.expected_files),
        opportunities=scrub_all(list(new.opportunities)),
        started_at=clock.now() if new.status == PhaseStatus.ACTIVE else None,
    )


async def latest(session: AsyncSession, session_id: str) -> PlanWithPhases | None:
    """The session's current plan: a second pipeline replaces the first one (EC-61)."""
    plan = await session.scalar(
        select(Plan)
        .where(Plan.session_id == session_id)
        .order_by(Plan.created_at.desc(), Plan.id.desc())
        .limit(1)
    )
    return None if plan is None else PlanWithPhases(plan, await phases_of(session, plan.id))


async def phases_of(session: AsyncSession, plan_id: str) -> Sequence[Phase]:
    query = select(Phase).where(Phase.plan_id == plan_id).order_by(Phase.number)
    return (await session.scalars(query)).all()


async def phases_of_session(session: AsyncSession, session_id: str) -> Sequence[Phase]:
    """Of all its plans, oldest plan first."""
    query = (
        select(Phase)
        .join(Plan, Phase.plan_id == Plan.id)
        .where(Plan.session_id == session_id)
        .order_by(Plan.created_at, Phase.number)
    )
    return (await session.scalars(query)).all()


async def active_phase(session: AsyncSession, session_id: str) -> Phase | None:
    plan = await latest(session, session_id)
    return None if plan is None else plan.active


async def hints_of(session: AsyncSession, phase_id: str) -> Sequence[PhaseHint]:
    query = select(PhaseHint).where(PhaseHint.phase_id == phase_id)
    ordered = query.order_by(PhaseHint.path, PhaseHint.start_line, PhaseHint.id)
    return (await session.scalars(ordered)).all()


async def set_status(session: AsyncSession, phase: Phase, status: PhaseStatus) -> Phase:
    """Move a phase, with the moment of it (FR-076)."""
    row = await session.merge(phase)
    row.status = status
    if status == PhaseStatus.ACTIVE:
        row.started_at, row.completed_at = row.started_at or clock.now(), None
    elif status == PhaseStatus.COMPLETE:
        row.completed_at = clock.now()
    else:
        row.started_at, row.completed_at = None, None
    await session.flush()
    return row


async def add_progress(
    session: AsyncSession,
    phase_id: str,
    event_type: ProgressType,
    data: dict[str, Any] | None = None,
) -> ProgressEvent:
    row = ProgressEvent(phase_id=phase_id, event_type=event_type, data=data)
    session.add(row)
    await session.flush()
    return row


async def progress_of(session: AsyncSession, phase_id: str) -> Sequence[ProgressEvent]:
    """Oldest first."""
    query = select(ProgressEvent).where(ProgressEvent.phase_id == phase_id)
    ordered = query.order_by(ProgressEvent.created_at, ProgressEvent.id)
    return (await session.scalars(ordered)).all()


async def progress_of_session(session: AsyncSession, session_id: str) -> Sequence[ProgressEvent]:
    query = (
        select(ProgressEvent)
        .join(Phase, ProgressEvent.phase_id == Phase.id)
        .join(Plan, Phase.plan_id == Plan.id)
        .where(Plan.session_id == session_id)
        .order_by(ProgressEvent.created_at, ProgressEvent.id)
    )
    return (await session.scalars(query)).all()


class SessionFacts(BaseModel):
    #: What is worked on, as it was known at the start.
    issue: IssueContext | None = None
    #: The person's own choice, if they made one.
    hint_level: HintLevel | None = None
    #: The abandoned session that this one goes on with.
    previous_session_id: str | None = None
    #: Those that were open when it began; the log tells what was opened and closed since.
    open_files: list[str] = Field(default_factory=list)

    def as_data(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_none=True)


def facts_of(row: Session) -> SessionFacts:
    return SessionFacts.model_validate(row.data)


def issue_of(row: Session) -> IssueContext:
    """Known from the start, or put together from what the row has."""
    if (issue := facts_of(row).issue) is not None:
        return issue
    number, title = row.issue_number, row.issue_title or row.title
    return IssueContext(number=number, title=title or (f"Issue #{number}" if number else "Session"))


async def choose_level(
    database: Database, session_id: str, user_id: str, level: HintLevel
) -> Session:
    # Merged under the row's lock: another fact may be noted at the same moment.
    async with database.write() as session:
        row = await lock(session, session_id, user_id)
        row.data = {**row.data, "hint_level": level.value}
    return row
