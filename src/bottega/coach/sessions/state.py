"""A session's state in nine items, of which a caller takes what it needs (FR-070)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from bottega.coach.editor.schemas import DiffView
from bottega.coach.editor.state import EditorState, buffers, diffs
from bottega.coach.enums import (
    HintLevel,
    HintType,
    PhaseStatus,
)
from bottega.coach.plans import repository as plans
from bottega.coach.plans.hints import level_at
from bottega.coach.plans.repository import PlanWithPhases
from bottega.coach.plans.tables import PhaseHint, ProgressEvent
from bottega.coach.sessions.schemas import (
    FileHintState,
    HintsState,
    LineHintState,
    PhaseLine,
    PhaseState,
    PlanState,
    ProgressState,
    SessionView,
    SkillState,
    StateItem,
)
from bottega.coach.skills import repository as skill_records
from bottega.coach.skills.tables import DreyfusAssessment
from bottega.core.services import Core
from bottega.core.sessions.session import Session, find


@dataclass(frozen=True, slots=True)
class StoredState:
    """What the database has of the learner, and of the session under way if there is one."""

    skills: Sequence[DreyfusAssessment] = ()
    session: Session | None = None
    plan: PlanWithPhases | None = None
    hint_level: HintLevel = HintLevel.FILE
    #: Of the active phase.
    hints: Sequence[PhaseHint] = ()
    progress: Sequence[ProgressEvent] = ()


#: The items that are known without the database.
WITHOUT_DATABASE = frozenset({StateItem.OPEN_FILES, StateItem.BUFFERS, StateItem.DIFFS})


class SessionState:
    def __init__(self, core: Core) -> None:
        self._database = core.database

    async def snapshot(
        self, editor: EditorState, include: Collection[StateItem] = ()
    ) -> dict[str, Any]:
        """The items asked for; all nine if none is named (EC-33)."""
        wanted = [item for item in StateItem if item in include or not include]
        stored = (
            StoredState()
            if WITHOUT_DATABASE.issuperset(wanted)
            else await self._read_stored(editor)
        )
        unsaved = await diffs(editor) if StateItem.DIFFS in wanted else []
        return {item.value: _show(item, editor, stored, unsaved) for item in wanted}

    async def _read_stored(self, editor: EditorState) -> StoredState:
        """All of it in one moment's view."""
        async with self._database.read() as session:
            skills = await skill_records.assessments(session, editor.user_id)
            if editor.session_id is None:
                return StoredState(skills)
            row = await find(session, editor.session_id, editor.user_id)
            plan = await plans.latest(session, row.id)
            active = plan.active if plan else None
            return StoredState(
                skills,
                row,
                plan,
                await level_at(session, row.id, active),
                await plans.hints_of(session, active.id) if active else (),
                await plans.progress_of_session(session, row.id),
            )


def _show(
    item: StateItem, editor: EditorState, stored: StoredState, unsaved: list[DiffView]
) -> Any:
    match item:
        case StateItem.OPEN_FILES:
            return list(editor.open_files)
        case StateItem.BUFFERS:
            return [buffer.state() for buffer in buffers(editor)]
        case StateItem.DIFFS:
            return unsaved
        case StateItem.PHASE:
            return _phase(stored)
        case StateItem.PLAN:
            return _plan(stored.plan)
        case StateItem.PROGRESS:
            return [
                ProgressState.model_validate(event, from_attributes=True)
                for event in stored.progress
            ]
        case StateItem.HINTS:
            return _hints(stored.hints)
        case StateItem.SESSION:
            row = stored.session
            return row and SessionView.model_validate(row, from_attributes=True)
        case StateItem.DREYFUS:
            return [SkillState.model_validate(row, from_attributes=True) for row in stored.skills]


def _phase(stored: StoredState) -> PhaseState | None:
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


def _plan(plan: PlanWithPhases | None) -> PlanState | None:
    if plan is None:
        return None
    lines = [PhaseLine.model_validate(phase, from_attributes=True) for phase in plan.phases]
    return PlanState(id=plan.plan.id, phases=lines)


def _hints(hints: Sequence[PhaseHint]) -> HintsState:
    files = [hint for hint in hints if hint.type == HintType.FILE]
    lines = [hint for hint in hints if hint.type == HintType.LINE]
    return HintsState(
        file_hints=[FileHintState.model_validate(hint, from_attributes=True) for hint in files],
        line_hints=[LineHintState.model_validate(hint, from_attributes=True) for hint in lines],
    )
