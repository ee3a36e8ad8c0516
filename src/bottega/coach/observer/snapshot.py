"""The context snapshot: how things stand with a person at one moment (FR-137)."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.observer.belonging import is_expected, is_imported, is_test
from bottega.coach.observer.context import CurrentPhase, RecentAction, TriageContext
from bottega.coach.observer.durations import spoken
from bottega.coach.observer.state import ObserverState
from bottega.coach.observer.work import WORK_TYPES, path_of, work_on_files
from bottega.coach.repository import plans
from bottega.coach.skills import stage_for
from bottega.coach.stages import Stage
from bottega.coach.tables import Phase
from bottega.core.actions import OBSERVED, Action, ActionType
from bottega.core.database import Database
from bottega.core.files.project import ProjectFiles
from bottega.errors import BottegaError

RECENT_ACTIONS = 20
#: More than a phase's worth; a bound on what a long day costs.
WORK_ACTIONS = 500
#: Imports stand at the top of a file.
IMPORTS_WITHIN = 20_000
READ_FOR_IMPORTS = 5
NEVER = "never"


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What the database knows."""

    phase: Phase | None
    #: Newest first.
    recent: Sequence[Action]
    #: Oldest first.
    work: Sequence[Action]
    last_save: float | None
    stage: Stage


async def take_snapshot(database: Database, state: ObserverState, now: float) -> TriageContext:
    async with database.read() as session:
        recorded = await _read(session, state.session_id, state.desk.user_id)
    phase, files = recorded.phase, state.desk.files
    expected = phase.expected_files if phase else []
    return TriageContext(
        current_phase=_shown(phase),
        recent_actions=[_recent(action, now) for action in recorded.recent],
        time_since_last_save=_since(recorded.last_save, now),
        time_since_last_nudge=_since(state.last_nudge_timestamp, now),
        dreyfus_stage=recorded.stage,
        user_idle=state.is_idle(now),
        idle_for=int(state.idle_for(now)),
        current_file=state.current_file,
        in_current_file_for=int(now - state.current_file_since) if state.current_file else 0,
        is_current_file_related=await _is_related(files, state.current_file, expected),
        files=work_on_files(
            recorded.work, state.edits, unsaved=files.buffers.dirty(), expected=expected, now=now
        ),
    )


async def _read(session: AsyncSession, session_id: str, user_id: str) -> _Recorded:
    phase = await plans.active_phase(session, session_id)
    newest = (
        select(Action)
        .where(Action.session_id == session_id)
        .order_by(Action.created_at.desc(), Action.id.desc())
    )
    # What the house did, such as holding a nudge back, would push out what the person did.
    recent = newest.where(Action.action_type.in_(OBSERVED)).limit(RECENT_ACTIONS)
    work = newest.where(Action.action_type.in_(WORK_TYPES)).limit(WORK_ACTIONS)
    if phase is not None and phase.started_at is not None:
        work = work.where(Action.created_at >= phase.started_at)
    saved = newest.where(Action.action_type == ActionType.FILE_SAVE).limit(1)
    last_save = await session.scalar(saved)
    topics = (phase.title, phase.description, *phase.expected_files) if phase else ()
    return _Recorded(
        phase=phase,
        recent=(await session.scalars(recent)).all(),
        work=list(reversed((await session.scalars(work)).all())),
        last_save=last_save.created_at.timestamp() if last_save else None,
        stage=await stage_for(session, user_id, *topics),
    )


def _shown(phase: Phase | None) -> CurrentPhase | None:
    if phase is None:
        return None
    return CurrentPhase(
        number=phase.number,
        title=phase.title,
        description=phase.description,
        expected_files=phase.expected_files,
    )


def _recent(action: Action, now: float) -> RecentAction:
    return RecentAction(
        type=action.action_type,
        path=path_of(action),
        ago=spoken(now - action.created_at.timestamp()),
    )


def _since(moment: float | None, now: float) -> str:
    return NEVER if moment is None else spoken(now - moment)


async def _is_related(files: ProjectFiles, path: str | None, expected: Sequence[str]) -> bool:
    """Whether a file is one that the phase's work naturally leads to."""
    if path is None or is_expected(path, expected):
        return False
    if is_test(path):
        return True
    for name in expected[:READ_FOR_IMPORTS]:
        if is_imported(path, await _top_of(files, name)):
            return True
    return False


async def _top_of(files: ProjectFiles, path: str) -> str:
    try:
        buffer = files.get_buffer(path)
        text = buffer.content if buffer else (await files.read(path)).content
    except BottegaError:
        # A plan may expect a file that is still to be written, or a folder.
        return ""
    return text[:IMPORTS_WITHIN]
