"""The phases of a plan, moved by the person or by their agent."""

from collections.abc import Sequence
from dataclasses import dataclass

from bottega.coach.editor.state import EditorState, Windows
from bottega.coach.enums import PhaseStatus
from bottega.coach.plans import repository as plans
from bottega.coach.plans.hints import PhaseHints
from bottega.coach.plans.repository import PlanWithPhases
from bottega.coach.plans.schemas import PhaseUpdate, PhaseView
from bottega.coach.plans.tables import Phase
from bottega.core.db.database import Database
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import lock
from bottega.errors import Conflict, NotFound

LOGGED_AS = {
    PhaseStatus.ACTIVE: ActionType.PHASE_STARTED,
    PhaseStatus.COMPLETE: ActionType.PHASE_COMPLETED,
}


@dataclass(frozen=True, slots=True)
class CurrentPhase:
    """The phase of the plan that the learner is in."""

    number: int
    title: str
    description: str
    #: The files that the plan expects the phase to touch, where the caller knows them.
    expected_files: tuple[str, ...] = ()


async def find_active_phase(database: Database, session_id: str | None) -> Phase | None:
    """None without a session, without a plan, and between phases."""
    if session_id is None:
        return None
    async with database.read() as session:
        return await plans.active_phase(session, session_id)


def current_phase(phase: Phase | None) -> CurrentPhase | None:
    if phase is None:
        return None
    return CurrentPhase(phase.number, phase.title, phase.description, tuple(phase.expected_files))


@dataclass(frozen=True, slots=True)
class PhaseChange:
    phase: Phase
    #: All that changed: a phase that had to make way, then the phase itself. None: it was there.
    changed: Sequence[Phase] = ()
    #: Another phase is active now, or none is.
    switched: bool = False


class Phases:
    def __init__(self, core: Core, windows: Windows, hints: PhaseHints) -> None:
        self._core = core
        self._windows = windows
        self._hints = hints

    async def update(self, editor: EditorState, number: int, status: PhaseStatus) -> PhaseView:
        """FR-076. Hints follow the active phase; without one there are none."""
        session_id = editor.require_session()
        move = await self._move(editor, session_id, number, status)
        if not move.changed:
            return view(move.phase)
        if (action := LOGGED_AS.get(status)) is not None:
            await self._core.actions.log_action(session_id, action, _named(move.phase))
        for phase in move.changed:
            moved = view(phase)
            update = PhaseUpdate(phase=moved, status=moved.status, description=moved.description)
            self._windows.send(editor, update)
        if move.switched:
            self._hints.clear(editor)
            await self._hints.show(editor)
        return view(move.phase)

    async def _move(
        self, editor: EditorState, session_id: str, number: int, status: PhaseStatus
    ) -> PhaseChange:
        async with self._core.database.write() as session:
            # Two moves at once must not leave two phases active.
            await lock(session, session_id, editor.user_id)
            plan = await plans.latest(session, session_id)
            if plan is None:
                raise Conflict(
                    "This session has no plan yet. Submit one, or ask for a draft first; then it "
                    "has phases to work through."
                )
            phase, before = _phase(plan, number), plan.active
            if phase.status == status:
                return PhaseChange(phase)
            changed = []
            if status == PhaseStatus.ACTIVE and before is not None:
                changed.append(await plans.set_status(session, before, PhaseStatus.PENDING))
            changed.append(await plans.set_status(session, phase, status))
            return PhaseChange(
                phase, changed, switched=status == PhaseStatus.ACTIVE or phase is before
            )


def view(phase: Phase) -> PhaseView:
    return PhaseView.model_validate(phase, from_attributes=True)


def _phase(plan: PlanWithPhases, number: int) -> Phase:
    found = next((phase for phase in plan.phases if phase.number == number), None)
    if found is None:
        numbers = ", ".join(str(phase.number) for phase in plan.phases) or "none"
        raise NotFound(f"The plan has no phase {number}; its phases are: {numbers}.")
    return found


def _named(phase: Phase) -> dict[str, str | int]:
    return {"phaseId": phase.id, "phaseNumber": phase.number, "title": phase.title}
