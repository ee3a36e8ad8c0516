"""One session as the wrap-up reads it: its log, its phases, and what they show when counted: where
help was asked for, where work went in circles, what went without help. Nothing here judges.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.enums import HintLevel, PhaseStatus, ProgressType, Signal
from bottega.coach.file_roles import language_name
from bottega.coach.observer.context import EditLoop, FileChange, find_edit_loop
from bottega.coach.plans import repository as plans
from bottega.coach.plans.repository import issue_of
from bottega.coach.plans.tables import Phase, ProgressEvent
from bottega.coach.sessions.history import timeline
from bottega.core import clock
from bottega.core.sessions.actions import Action, ActionType
from bottega.core.sessions.session import Session, find

#: What is counted of the log; the rest of it says nothing about how someone fares.
COUNTED = (
    ActionType.PHASE_STARTED,
    ActionType.PHASE_COMPLETED,
    ActionType.HINT_LEVEL_CHANGE,
    ActionType.EXPLAIN_REQUESTED,
    ActionType.BUFFER_SUMMARY,
    ActionType.IDLE_START,
    ActionType.NUDGE_SENT,
    ActionType.FILE_OPEN,
    ActionType.FILE_SAVE,
)
#: What happens without the person.
BY_ITSELF = (ActionType.IDLE_START, ActionType.PHASE_STARTED, ActionType.NUDGE_SENT)
#: In place of a phase's id, where none was active.
OUTSIDE = ""


@dataclass(slots=True)
class PhaseEvidence:
    """One phase that was begun. Number 0 is the time in which no phase was."""

    number: int = 0
    title: str = ""
    complete: bool = False
    files: Sequence[str] = ()
    opportunities: Sequence[str] = ()
    hint_level: HintLevel = HintLevel.FILE
    minutes: float = 0.0
    #: Files opened because a hint pointed at them.
    hints_used: int = 0
    #: Those of them while hints pointed at regions or lines.
    close_hints_used: int = 0
    escalations: int = 0
    reviews_requested: int = 0
    reviews_passed: int = 0
    idle_stretches: int = 0
    #: Explanations asked for, by file.
    explained: Counter[str] = field(default_factory=Counter)
    nudges: Counter[str] = field(default_factory=Counter)
    edit_loops: Sequence[EditLoop] = ()
    #: Whether the person did anything in it; the first phase begins by itself.
    touched: bool = False

    @property
    def help_taken(self) -> int:
        """How often someone leaned on more than the name of a file."""
        return self.close_hints_used + self.escalations + self.explained.total()

    @property
    def failed_reviews(self) -> int:
        return max(0, self.reviews_requested - self.reviews_passed)

    @property
    def independent(self) -> bool:
        """Done, without help and without going in circles."""
        return (
            self.complete and not self.help_taken and not self.failed_reviews and not self.struggles
        )

    @property
    def struggles(self) -> int:
        return len(self.edit_loops) + self.idle_stretches + self.stuck_nudges

    @property
    def stuck_nudges(self) -> int:
        """Those that say someone was lost; `phase_complete` is a compliment."""
        return sum(n for signal, n in self.nudges.items() if signal != Signal.PHASE_COMPLETE)


@dataclass(frozen=True, slots=True)
class SessionEvidence:
    #: First the time outside of any, then those that were begun, in the order of their plans.
    phases: Sequence[PhaseEvidence]
    #: Of the plan that stood at the end.
    phases_total: int
    minutes: float
    #: Whether anything at all was done.
    active: bool

    @property
    def worked(self) -> list[PhaseEvidence]:
        return [p for p in self.phases if p.number and (p.complete or p.touched)]

    @property
    def completed(self) -> list[PhaseEvidence]:
        return [phase for phase in self.worked if phase.complete]

    @property
    def hints_used(self) -> int:
        return sum(phase.hints_used for phase in self.phases)

    @property
    def independent_completions(self) -> int:
        return sum(phase.independent for phase in self.phases)


async def gather(session: AsyncSession, row: Session) -> SessionEvidence:
    query = (
        select(Action)
        .where(Action.session_id == row.id, Action.action_type.in_(COUNTED))
        .order_by(Action.created_at, Action.id)
    )
    actions = (await session.scalars(query)).all()
    phases = await plans.phases_of_session(session, row.id)
    current = await plans.latest(session, row.id)
    progress = await plans.progress_of_session(session, row.id)
    total = len(current.phases) if current else 0
    return count(phases, actions, progress, total, row.started_at, row.ended_at or clock.now())


def count(
    phases: Sequence[Phase],
    actions: Sequence[Action],
    progress: Sequence[ProgressEvent],
    total: int,
    start: datetime,
    end: datetime,
) -> SessionEvidence:
    records = {OUTSIDE: PhaseEvidence()}
    records |= {phase.id: _record(phase, end) for phase in phases if _begun(phase, start)}
    _count_actions(actions, records)
    _count_progress(progress, records, _levels(actions))
    active = any(action.action_type not in BY_ITSELF for action in actions)
    return SessionEvidence(list(records.values()), total, _minutes(start, end), active)


def _begun(phase: Phase, start: datetime) -> bool:
    """A plan taken over from an abandoned session brings phases that were done in that one."""
    if phase.started_at is None:
        return False
    return phase.completed_at is None or phase.completed_at >= start


def _record(phase: Phase, end: datetime) -> PhaseEvidence:
    return PhaseEvidence(
        number=phase.number,
        title=phase.title,
        complete=phase.status == PhaseStatus.COMPLETE,
        files=phase.expected_files,
        opportunities=phase.opportunities,
        hint_level=HintLevel(phase.hint_level),
        minutes=_minutes(phase.started_at or end, phase.completed_at or end),
    )


def _count_actions(actions: Iterable[Action], records: dict[str, PhaseEvidence]) -> None:
    """Each action belongs to the phase that was active when it happened."""
    current = OUTSIDE
    edits: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for action in actions:
        data = action.data or {}
        record = records[current]
        record.touched |= action.action_type not in BY_ITSELF
        match action.action_type:
            case ActionType.PHASE_STARTED:
                phase_id = data.get("phaseId", OUTSIDE)
                current = phase_id if phase_id in records else OUTSIDE
            case ActionType.PHASE_COMPLETED:
                current = OUTSIDE
            case ActionType.EXPLAIN_REQUESTED:
                record.explained[data.get("path", "")] += 1
            case ActionType.NUDGE_SENT:
                record.nudges[data.get("signal", "")] += 1
            case ActionType.IDLE_START:
                record.idle_stretches += 1
            case ActionType.BUFFER_SUMMARY:
                edits[current].append(data)
    for phase_id, summaries in edits.items():
        records[phase_id].edit_loops = _loops(summaries)


def _loops(summaries: Iterable[dict[str, Any]]) -> list[EditLoop]:
    by_file: defaultdict[str, list[FileChange]] = defaultdict(list)
    for data in summaries:
        change = FileChange(edits=data.get("editCount", 0), chars=data.get("charDelta", 0))
        by_file[data.get("path", "")].append(change)
    found = (find_edit_loop(path, changes) for path, changes in by_file.items())
    return [loop for loop in found if loop is not None]


def _levels(actions: Iterable[Action]) -> list[tuple[datetime, HintLevel]]:
    """The person's own choices of a hint level, oldest first."""
    return [
        (action.created_at, HintLevel(action.data["level"]))
        for action in actions
        if action.action_type == ActionType.HINT_LEVEL_CHANGE and action.data
    ]


def _count_progress(
    progress: Iterable[ProgressEvent],
    records: dict[str, PhaseEvidence],
    levels: Sequence[tuple[datetime, HintLevel]],
) -> None:
    for event in progress:
        record = records.get(event.phase_id)
        if record is None:
            continue
        match event.event_type:
            case ProgressType.HINT_USED:
                record.hints_used += 1
                chosen = [level for at, level in levels if at <= event.created_at]
                level = chosen[-1] if chosen else record.hint_level
                record.close_hints_used += level.rank >= HintLevel.REGION.rank
            case ProgressType.HINT_ESCALATED:
                record.escalations += 1
            case ProgressType.REVIEW_REQUESTED:
                record.reviews_requested += 1
            case ProgressType.REVIEW_PASSED:
                record.reviews_passed += 1


def _minutes(start: datetime, end: datetime) -> float:
    return round(max(timedelta(), end - start).total_seconds() / 60, 1)


#: The newest; a day of typing would fill any model's window.
ACTIONS_READ = 400
#: Done by the coach itself: they say nothing about the person.
OURS = (
    ActionType.MCP_TOOL_CALL,
    ActionType.DASHBOARD_LOADED,
    ActionType.NUDGE_SUPPRESSED,
    ActionType.DECORATIONS_APPLIED,
    ActionType.FILE_HINTS_APPLIED,
)
#: EC-63.
LONGEST_TRANSCRIPT = 50_000


@dataclass(frozen=True, slots=True)
class FinishedSession:
    row: Session
    #: Of the plan that stands.
    phases: Sequence[Phase]
    #: Oldest first, as far as they are read.
    actions: Sequence[Action]
    progress: Sequence[ProgressEvent]
    evidence: SessionEvidence

    @property
    def issue(self) -> str:
        issue = issue_of(self.row)
        return f"#{issue.number} {issue.title}" if issue.number else issue.title

    @property
    def project(self) -> str:
        """Its name; where it lies on somebody's disk is nobody's business."""
        return PurePath(self.row.project_dir).name

    @property
    def languages(self) -> list[str]:
        files = (path for phase in self.phases for path in phase.expected_files)
        return list(dict.fromkeys(filter(None, map(language_name, files))))

    @property
    def open_phases(self) -> list[str]:
        return [phase.title for phase in self.phases if phase.status != PhaseStatus.COMPLETE]

    def log(self) -> list[dict[str, Any]]:
        return [
            {
                "action_type": action.action_type,
                "data": action.data,
                "created_at": clock.iso(action.created_at),
            }
            for action in self.actions
        ]

    def story(self) -> str:
        """What happened, in words, for when nobody wrote a transcript."""
        moments = timeline(self.actions, (), self.progress)
        return "\n".join(f"{moment.at:%H:%M} {moment.text}" for moment in moments)


async def read_finished_session(
    session: AsyncSession, session_id: str, user_id: str
) -> FinishedSession:
    row = await find(session, session_id, user_id)
    newest = (
        select(Action)
        .where(Action.session_id == session_id, Action.action_type.not_in(OURS))
        .order_by(Action.created_at.desc(), Action.id.desc())
        .limit(ACTIONS_READ)
    )
    actions = (await session.scalars(newest)).all()
    plan = await plans.latest(session, session_id)
    return FinishedSession(
        row,
        plan.phases if plan else (),
        actions[::-1],
        await plans.progress_of_session(session, session_id),
        await gather(session, row),
    )


def without_middle(transcript: str, longest: int = LONGEST_TRANSCRIPT) -> str:
    """How it began and how it ended say the most."""
    if len(transcript) <= longest:
        return transcript
    mark = f"\n[… {len(transcript) - longest} or more characters left out …]\n"
    half = (longest - len(mark)) // 2
    return transcript[:half] + mark + transcript[-half:]
