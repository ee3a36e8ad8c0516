"""A session's state in nine items, of which a caller takes what it needs (FR-070)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bottega.coach.desk.contents import buffers, diffs
from bottega.coach.desk.desk import Desk
from bottega.coach.desk.state_views import (
    DiffView,
    FileHintState,
    HintsState,
    LineHintState,
    PhaseLine,
    PhaseState,
    PlanState,
    ProgressState,
    SessionView,
    SkillState,
)
from bottega.coach.enums import FileStyle, HintLevel, HintType, LineStyle, PhaseStatus, ProgressType
from bottega.coach.repository import learning, plans
from bottega.coach.repository.plans import PlanWithPhases
from bottega.coach.sessions.hints import level_at
from bottega.coach.stages import Stage
from bottega.coach.tables import DreyfusAssessment, PhaseHint, ProgressEvent
from bottega.core import clock
from bottega.core.services import Core
from bottega.core.sessions import Session, find


class StateItem(StrEnum):
    OPEN_FILES = "open_files"
    BUFFERS = "buffers"
    DIFFS = "diffs"
    PHASE = "phase"
    PLAN = "plan"
    PROGRESS = "progress"
    HINTS = "hints"
    SESSION = "session"
    DREYFUS = "dreyfus"


@dataclass(frozen=True, slots=True)
class Stored:
    """What the database has of the learner, and of the session under way if there is one."""

    skills: Sequence[DreyfusAssessment] = ()
    session: Session | None = None
    plan: PlanWithPhases | None = None
    hint_level: HintLevel = HintLevel.FILE
    #: Of the active phase.
    hints: Sequence[PhaseHint] = ()
    progress: Sequence[ProgressEvent] = ()


#: The items that are known without the database.
ON_THE_DESK = frozenset({StateItem.OPEN_FILES, StateItem.BUFFERS, StateItem.DIFFS})


class SessionState:
    def __init__(self, core: Core) -> None:
        self._database = core.database

    async def snapshot(self, desk: Desk, include: Collection[StateItem] = ()) -> dict[str, Any]:
        """The items asked for; all nine if none is named (EC-33)."""
        wanted = [item for item in StateItem if item in include or not include]
        stored = Stored() if ON_THE_DESK.issuperset(wanted) else await self._stored(desk)
        unsaved = await diffs(desk) if StateItem.DIFFS in wanted else []
        return {item.value: _show(item, desk, stored, unsaved) for item in wanted}

    async def _stored(self, desk: Desk) -> Stored:
        """All of it in one moment's view."""
        async with self._database.read() as session:
            skills = await learning.assessments(session, desk.user_id)
            if desk.session_id is None:
                return Stored(skills)
            row = await find(session, desk.session_id, desk.user_id)
            plan = await plans.latest(session, row.id)
            active = plan.active if plan else None
            return Stored(
                skills,
                row,
                plan,
                await level_at(session, row.id, active),
                await plans.hints_of(session, active.id) if active else (),
                await plans.progress_of_session(session, row.id),
            )


def _show(item: StateItem, desk: Desk, stored: Stored, unsaved: list[DiffView]) -> Any:
    match item:
        case StateItem.OPEN_FILES:
            return list(desk.open_files)
        case StateItem.BUFFERS:
            return [buffer.state() for buffer in buffers(desk)]
        case StateItem.DIFFS:
            return unsaved
        case StateItem.PHASE:
            return _phase(stored)
        case StateItem.PLAN:
            return _plan(stored.plan)
        case StateItem.PROGRESS:
            return [_progress(event) for event in stored.progress]
        case StateItem.HINTS:
            return _hints(stored.hints)
        case StateItem.SESSION:
            return _session(stored.session)
        case StateItem.DREYFUS:
            return [_skill(row) for row in stored.skills]


def _phase(stored: Stored) -> PhaseState | None:
    active = stored.plan.active if stored.plan else None
    if active is None:
        return None
    return PhaseState(
        id=active.id,
        number=active.number,
        title=active.title,
        status=PhaseStatus(active.status),
        hint_level=stored.hint_level,
    )


def _skill(row: DreyfusAssessment) -> SkillState:
    return SkillState(skill_area=row.skill_area, stage=Stage(row.stage), confidence=row.confidence)


def _plan(plan: PlanWithPhases | None) -> PlanState | None:
    if plan is None:
        return None
    lines = [
        PhaseLine(number=phase.number, title=phase.title, status=PhaseStatus(phase.status))
        for phase in plan.phases
    ]
    return PlanState(id=plan.plan.id, phases=lines)


def _progress(event: ProgressEvent) -> ProgressState:
    return ProgressState(
        event_type=ProgressType(event.event_type),
        data=event.data,
        created_at=clock.iso(event.created_at),
    )


def _hints(hints: Sequence[PhaseHint]) -> HintsState:
    return HintsState(
        file_hints=[
            FileHintState(path=hint.path, style=FileStyle(hint.style))
            for hint in hints
            if hint.type == HintType.FILE
        ],
        line_hints=[
            LineHintState(
                path=hint.path,
                start_line=hint.start_line,
                end_line=hint.end_line,
                style=LineStyle(hint.style),
                hover_text=hint.hover_text,
            )
            for hint in hints
            if hint.type == HintType.LINE
        ],
    )


def _session(row: Session | None) -> SessionView | None:
    if row is None:
        return None
    return SessionView(
        id=row.id,
        project_dir=row.project_dir,
        issue_number=row.issue_number,
        issue_title=row.issue_title,
        started_at=clock.iso(row.started_at),
    )
