"""What an earlier session left, for one that goes on with it."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.enums import Difficulty, HintLevel, HintType, PhaseStatus
from bottega.coach.repository import plans
from bottega.coach.repository.plans import NewHint, NewPhase
from bottega.coach.sessions.facts import facts_of
from bottega.coach.tables import Phase, PhaseHint
from bottega.core.actions import Actions, ActionType
from bottega.core.sessions import Session

#: More files than that nobody has open.
LOOKED_AT = 1_000


async def remembered_files(actions: Actions, row: Session) -> list[str]:
    """What was open when it was last heard of, in the order of opening."""
    opened = await actions.recent(row.id, LOOKED_AT, ActionType.FILE_OPEN)
    closed = await actions.recent(row.id, LOOKED_AT, ActionType.FILE_CLOSE)
    files = dict.fromkeys(facts_of(row).open_files)
    for action in sorted([*opened, *closed], key=lambda action: (action.created_at, action.id)):
        path = str((action.data or {}).get("path", ""))
        if action.action_type == ActionType.FILE_CLOSE:
            files.pop(path, None)
        elif path:
            files[path] = None
    return list(files)


async def copy_plan(session: AsyncSession, from_session: str, to_session: str) -> None:
    """The latest plan as it stands: statuses, moments and hints."""
    old = await plans.latest(session, from_session)
    if old is None:
        return
    hints = [await plans.hints_of(session, phase.id) for phase in old.phases]
    new = await plans.create(
        session,
        to_session,
        old.plan.raw_plan_text,
        [_phase(phase, found) for phase, found in zip(old.phases, hints, strict=True)],
        memory_connection=old.plan.memory_connection,
        estimated_difficulty=Difficulty(old.plan.estimated_difficulty),
    )
    for before, after in zip(old.phases, new.phases, strict=True):
        after.started_at, after.completed_at = before.started_at, before.completed_at


def _phase(phase: Phase, hints: Sequence[PhaseHint]) -> NewPhase:
    return NewPhase(
        number=phase.number,
        title=phase.title,
        description=phase.description,
        hint_level=HintLevel(phase.hint_level),
        expected_files=phase.expected_files,
        opportunities=phase.opportunities,
        hints=[_hint(hint) for hint in hints],
        status=PhaseStatus(phase.status),
    )


def _hint(hint: PhaseHint) -> NewHint:
    return NewHint(
        type=HintType(hint.type),
        path=hint.path,
        style=hint.style,
        start_line=hint.start_line,
        end_line=hint.end_line,
        hover_text=hint.hover_text,
    )
