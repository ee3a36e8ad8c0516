"""The context snapshot: how things stand with a person at one moment (FR-137)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.enums import Stage
from bottega.coach.file_roles import is_test
from bottega.coach.observer.context import (
    FileChange,
    FileWork,
    RecentAction,
    TriageContext,
    format_duration,
    is_expected,
    is_imported,
)
from bottega.coach.observer.state import EditCount, ObserverState
from bottega.coach.plans import repository as plans
from bottega.coach.plans.phases import current_phase
from bottega.coach.plans.tables import Phase
from bottega.coach.skills.service import stage_for
from bottega.core.db.database import Database
from bottega.core.files.project import ProjectFiles
from bottega.core.sessions.actions import OBSERVED, Action, ActionType
from bottega.errors import BottegaError

RECENT_ACTIONS = 20
#: More than a phase's worth; a bound on what a long day costs.
WORK_ACTIONS = 500
#: Imports stand at the top of a file.
IMPORTS_WITHIN = 20_000
READ_FOR_IMPORTS = 5
NEVER = "never"

#: What says something about the work on a file.
WORK_TYPES = (
    ActionType.FILE_SAVE,
    ActionType.BUFFER_SUMMARY,
    ActionType.BUFFER_SIGNIFICANT_CHANGE,
)
#: Older changes say nothing about going in circles now.
KEPT_CHANGES = 8


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
        recorded = await _read(session, state.session_id, state.editor.user_id)
    phase, files = recorded.phase, state.editor.files
    expected = phase.expected_files if phase else []
    return TriageContext(
        current_phase=current_phase(phase),
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
    # What the coach did, such as holding a nudge back, would push out what the person did.
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


def _recent(action: Action, now: float) -> RecentAction:
    return RecentAction(
        type=action.action_type,
        path=path_of(action),
        ago=format_duration(now - action.created_at.timestamp()),
    )


def _since(moment: float | None, now: float) -> str:
    return NEVER if moment is None else format_duration(now - moment)


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


@dataclass(slots=True)
class _Tally:
    edits: int = 0
    saves: int = 0
    last: float = 0.0
    changes: list[FileChange] = field(default_factory=list)

    def add(self, action: Action, data: Mapping[str, Any]) -> None:
        self.last = max(self.last, action.created_at.timestamp())
        if action.action_type == ActionType.FILE_SAVE:
            self.saves += 1
            return
        # A jump in size is logged without its edits: it was one at least.
        change = FileChange(
            edits=int(data.get("editCount", 1)),
            chars=int(data.get("charDelta", data.get("delta", 0))),
        )
        self.edits += change.edits
        self.changes.append(change)


def path_of(action: Action) -> str | None:
    """The file that an action is about, if it is about one."""
    data = action.data or {}
    path = data.get("path") or data.get("toPath")
    return path if isinstance(path, str) else None


def work_on_files(
    actions: Iterable[Action],
    edits: Mapping[str, EditCount],
    *,
    unsaved: Collection[str],
    expected: Collection[str],
    now: float,
) -> list[FileWork]:
    """`actions` oldest first. The file touched last comes first."""
    tallies: dict[str, _Tally] = {}
    for action in actions:
        if path := path_of(action):
            tallies.setdefault(path, _Tally()).add(action, action.data or {})
    for path, counted in edits.items():
        tally = tallies.setdefault(path, _Tally())
        # Ours are exact, the log's survive a restart.
        tally.edits = max(tally.edits, counted.count)
        tally.last = max(tally.last, counted.last)
    newest_first = sorted(tallies.items(), key=lambda item: item[1].last, reverse=True)
    return [
        FileWork(
            path=path,
            is_expected=is_expected(path, expected),
            is_test=is_test(path),
            edits=tally.edits,
            changes=tally.changes[-KEPT_CHANGES:],
            saves=tally.saves,
            is_unsaved=path in unsaved,
            quiet_for=max(0, int(now - tally.last)),
        )
        for path, tally in newest_first
    ]
