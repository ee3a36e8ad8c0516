"""Coaching sessions: begun, taken up again, left. One is active for a person and project.

How they end well is in `coach/wrapup/service.py`.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.editor.schemas import IssueContext, ShowIssue
from bottega.coach.editor.state import EditorState, Windows
from bottega.coach.enums import Difficulty, HintLevel, HintType, PhaseStatus
from bottega.coach.plans import repository as plans
from bottega.coach.plans.hints import PhaseHints
from bottega.coach.plans.issues import Issues, describe_issue
from bottega.coach.plans.phases import view
from bottega.coach.plans.repository import NewHint, NewPhase, SessionFacts, facts_of, issue_of
from bottega.coach.plans.tables import Phase, PhaseHint
from bottega.coach.sessions.schemas import (
    Ended,
    RestoredState,
    Resumed,
    Started,
    StartSession,
    Summary,
)
from bottega.core import clock
from bottega.core.services import Core
from bottega.core.sessions.actions import Actions, ActionType
from bottega.core.sessions.session import LIVE, Session, SessionKind, SessionStatus
from bottega.errors import BottegaError, Conflict, NotFound

#: More files than that nobody has open.
LOOKED_AT = 1_000


async def remembered_files(actions: Actions, row: Session) -> list[str]:
    """The files that were open at the end of the session, in the order of opening."""
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
    lines = hint.start_line, hint.end_line
    return NewHint(HintType(hint.type), hint.path, hint.style, *lines, hint.hover_text)


log = structlog.get_logger()


class CoachingSessions:
    def __init__(self, core: Core, windows: Windows, hints: PhaseHints, issues: Issues) -> None:
        self._core = core
        self._windows = windows
        self._hints = hints
        self._issues = issues
        #: By user: two starts at once leave one session, and the windows hear of it last.
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def start(self, editor: EditorState, asked: StartSession) -> Started:
        """Begin; a session that is still active is abandoned for it.

        What is wrong with the request is found before that.
        """
        issue = await describe_issue(
            self._issues, asked.issue_number, asked.issue_title, asked.issue_summary
        )
        facts = SessionFacts(issue=issue, open_files=list(editor.open_files))
        async with self._turns[editor.user_id]:
            await self._abandon_active(editor)
            row = await self._create(editor, issue, facts)
            await self._core.actions.log_action(
                row.id, ActionType.SESSION_STARTED, {"issueNumber": issue.number}
            )
            started = Started(
                session_id=row.id,
                issue_context=issue,
                phases=[],
                hint_level=await self._hints.level(editor),
                open_files=facts.open_files,
            )
            self._windows.send(editor, started)
            await self._show_issue_and_tree(editor, issue)
        return started

    async def resume(self, editor: EditorState, session_id: str) -> Resumed:
        """Take up an active session as it is, or go on with an abandoned one in a new session."""
        async with self._turns[editor.user_id]:
            row = await self._reopen(editor, await self._resumable(editor, session_id))
            await self._core.actions.log_action(
                row.id, ActionType.SESSION_RESUMED, {"previousSessionId": session_id}
            )
            resumed = Resumed(restored_state=await self._state(editor, row))
            self._windows.send(editor, resumed)
            await self._show_issue_and_tree(editor, resumed.restored_state.issue_context)
            await self._hints.show(editor)
        return resumed

    async def abandon(self, editor: EditorState) -> None:
        """Leave it without a wrap-up; it can be resumed."""
        async with self._turns[editor.user_id]:
            session_id = editor.require_session()
            row = await self._core.sessions.get(session_id, user_id=editor.user_id)
            await self._abandon(editor, row)

    async def current(self, editor: EditorState) -> RestoredState | None:
        if editor.session_id is None:
            return None
        row = await self._core.sessions.get(editor.session_id, user_id=editor.user_id)
        return await self._state(editor, row)

    async def _create(
        self, editor: EditorState, issue: IssueContext, facts: SessionFacts
    ) -> Session:
        row = await self._core.sessions.create(
            SessionKind.COACHING,
            editor.project,
            user_id=editor.user_id,
            title=issue.title,
            issue_number=issue.number,
            issue_title=issue.title,
            data=facts.as_data(),
        )
        # Another server of this house may have begun one at the same moment: the newest stays.
        active = await self._active(editor)
        for older in active[1:]:
            await self._abandon(editor, older)
        if not active or active[0].id != row.id:
            raise Conflict("Another session was begun at the same moment, and that one goes on.")
        return row

    async def _abandon_active(self, editor: EditorState, keep: str | None = None) -> None:
        for row in await self._active(editor):
            if row.id != keep:
                await self._abandon(editor, row)

    async def _active(self, editor: EditorState) -> Sequence[Session]:
        """Newest first."""
        return await self._core.sessions.list(
            user_id=editor.user_id,
            kind=SessionKind.COACHING,
            status=SessionStatus.ACTIVE,
            project_dir=editor.project,
        )

    async def _abandon(self, editor: EditorState, row: Session) -> None:
        try:
            over = await self._core.sessions.end(
                row.id, SessionStatus.ABANDONED, user_id=editor.user_id
            )
        except Conflict:
            # Its wrap-up came first: the session is over, and the windows know.
            return
        summary = await self._summary(over)
        await self._core.actions.log_action(
            row.id,
            ActionType.SESSION_ENDED,
            {"status": summary.status, "durationMs": summary.duration_ms},
        )
        self._hints.clear(editor)
        self._windows.send(editor, Ended(summary=summary))

    async def _summary(self, row: Session) -> Summary:
        async with self._core.database.read() as session:
            plan = await plans.latest(session, row.id)
        phases = plan.phases if plan else ()
        done = sum(phase.status == PhaseStatus.COMPLETE for phase in phases)
        duration = (row.ended_at or clock.now()) - row.started_at
        minutes = round(duration.total_seconds() / 60)
        spent = f"after {minutes} minute{'' if minutes == 1 else 's'}" if minutes else "early"
        progress = f", with {done} of {len(phases)} phases done" if phases else ""
        return Summary(
            session_id=row.id,
            status=row.status,
            duration_ms=round(duration.total_seconds() * 1_000),
            text=f"You set “{issue_of(row).title}” aside {spent}{progress}. It is here when you "
            "want to go on.",
            phases_completed=done,
            phases_total=len(phases),
        )

    async def _resumable(self, editor: EditorState, session_id: str) -> Session:
        row = await self._core.sessions.get(session_id, user_id=editor.user_id)
        if row.kind != SessionKind.COACHING:
            raise NotFound(f"There is no coaching session {session_id!r}.")
        if row.project_dir != editor.project:
            raise Conflict(
                f"Session {session_id!r} belongs to another project, {row.project_dir}. Open that "
                "project to resume it."
            )
        if row.status == SessionStatus.COMPLETED:
            raise Conflict(
                f"Session {session_id!r} is completed and cannot be resumed. Start a new one for "
                "what is left."
            )
        return row

    async def _reopen(self, editor: EditorState, earlier: Session) -> Session:
        if earlier.status not in LIVE:
            await self._abandon_active(editor)
            return await self._continue(editor, earlier)
        await self._abandon_active(editor, keep=earlier.id)
        editor.session_id = earlier.id
        return await self._core.sessions.touch(earlier.id, user_id=editor.user_id)

    async def _continue(self, editor: EditorState, earlier: Session) -> Session:
        issue = issue_of(earlier)
        facts = SessionFacts(
            issue=issue,
            hint_level=facts_of(earlier).hint_level,
            previous_session_id=earlier.id,
            open_files=await self._open_files(editor, earlier),
        )
        row = await self._create(editor, issue, facts)
        async with self._core.database.write() as session:
            await copy_plan(session, earlier.id, row.id)
        return row

    async def _state(self, editor: EditorState, row: Session) -> RestoredState:
        async with self._core.database.read() as session:
            plan = await plans.latest(session, row.id)
        return RestoredState(
            session_id=row.id,
            previous_session_id=facts_of(row).previous_session_id,
            issue_context=issue_of(row),
            plan_id=plan.plan.id if plan else None,
            phases=[view(phase) for phase in plan.phases] if plan else [],
            hint_level=await self._hints.level(editor),
            open_files=await self._open_files(editor, row),
            started_at=clock.iso(row.started_at),
        )

    async def _open_files(self, editor: EditorState, row: Session) -> list[str]:
        return list(editor.open_files) or await remembered_files(self._core.actions, row)

    async def _show_issue_and_tree(self, editor: EditorState, issue: IssueContext) -> None:
        self._windows.send(editor, ShowIssue.model_validate(issue.model_dump()))
        try:
            root = await editor.files.tree()
        except BottegaError as error:
            log.warning("sessions.no_tree", project=editor.project, reason=error.message)
            return
        self._windows.send_tree(editor, root)
