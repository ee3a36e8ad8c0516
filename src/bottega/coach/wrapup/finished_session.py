"""One session as the wrap-up reads it: its log, its phases, and what they come to when counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.enums import PhaseStatus
from bottega.coach.file_roles import language_name
from bottega.coach.plans import repository as plans
from bottega.coach.plans.session_facts import issue_of
from bottega.coach.plans.tables import Phase, ProgressEvent
from bottega.coach.sessions.timeline import timeline
from bottega.coach.wrapup.evidence import SessionEvidence, gather
from bottega.core import clock
from bottega.core.sessions.actions import Action, ActionType
from bottega.core.sessions.session import Session, find

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
