"""The phases of a plan, moved by the person or by their agent."""

from collections.abc import Sequence
from dataclasses import dataclass

from bottega.coach.desk.desk import Desk
from bottega.coach.desk.voice import Voice
from bottega.coach.enums import PhaseStatus
from bottega.coach.protocol.sessions import PhaseUpdate, PhaseView
from bottega.coach.repository import plans
from bottega.coach.repository.plans import PlanWithPhases
from bottega.coach.sessions.hints import Hints
from bottega.coach.tables import Phase
from bottega.core.actions import ActionType
from bottega.core.services import Core
from bottega.core.sessions import lock
from bottega.errors import Conflict, NotFound

LOGGED_AS = {
    PhaseStatus.ACTIVE: ActionType.PHASE_STARTED,
    PhaseStatus.COMPLETE: ActionType.PHASE_COMPLETED,
}


@dataclass(frozen=True, slots=True)
class Move:
    phase: Phase
    #: All that changed: a phase that had to make way, then the phase itself. None: it was there.
    changed: Sequence[Phase] = ()
    #: Another phase is active now, or none is.
    switched: bool = False


class Phases:
    def __init__(self, core: Core, voice: Voice, hints: Hints) -> None:
        self._core = core
        self._voice = voice
        self._hints = hints

    async def update(self, desk: Desk, number: int, status: PhaseStatus) -> PhaseView:
        """FR-076. Hints follow the active phase; without one there are none."""
        session_id = desk.require_session()
        move = await self._move(desk, session_id, number, status)
        if not move.changed:
            return view(move.phase)
        if (action := LOGGED_AS.get(status)) is not None:
            await self._core.actions.log_action(session_id, action, _named(move.phase))
        self._voice.say(desk, *(_update(phase) for phase in move.changed))
        if move.switched:
            self._hints.clear(desk)
            await self._hints.show(desk)
        return view(move.phase)

    async def _move(self, desk: Desk, session_id: str, number: int, status: PhaseStatus) -> Move:
        async with self._core.database.write() as session:
            # Two moves at once must not leave two phases active.
            await lock(session, session_id, desk.user_id)
            plan = await plans.latest(session, session_id)
            if plan is None:
                raise Conflict(
                    "This session has no plan yet. Submit one, or ask for a draft first; then it "
                    "has phases to work through."
                )
            phase, before = _phase(plan, number), plan.active
            if phase.status == status:
                return Move(phase)
            changed = []
            if status == PhaseStatus.ACTIVE and before is not None:
                changed.append(await plans.set_status(session, before, PhaseStatus.PENDING))
            changed.append(await plans.set_status(session, phase, status))
            return Move(phase, changed, switched=status == PhaseStatus.ACTIVE or phase is before)


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


def _update(phase: Phase) -> PhaseUpdate:
    return PhaseUpdate(
        phase=view(phase), status=PhaseStatus(phase.status), description=phase.description
    )
