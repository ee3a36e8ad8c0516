"""Coaching sessions: begun, taken up again, left. One is active for a person and project.

How they end well is in `coach/reflection/wrapup.py`.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence

import structlog

from bottega.coach.desk.desk import Desk
from bottega.coach.desk.voice import Voice
from bottega.coach.enums import PhaseStatus
from bottega.coach.issues import Issues
from bottega.coach.issues.context import understand
from bottega.coach.protocol.sessions import (
    Ended,
    IssueContext,
    PhaseView,
    RestoredState,
    Resumed,
    ShowIssue,
    Started,
    StartSession,
    Summary,
)
from bottega.coach.repository import plans
from bottega.coach.sessions.facts import SessionFacts, facts_of, issue_of
from bottega.coach.sessions.hints import Hints
from bottega.coach.sessions.phases import view
from bottega.coach.sessions.restoring import copy_plan, remembered_files
from bottega.core import clock
from bottega.core.actions import ActionType
from bottega.core.services import Core
from bottega.core.sessions import LIVE, Session, SessionKind, SessionStatus
from bottega.errors import BottegaError, Conflict, NotFound

log = structlog.get_logger()


class CoachingSessions:
    def __init__(self, core: Core, voice: Voice, hints: Hints, issues: Issues) -> None:
        self._core = core
        self._voice = voice
        self._hints = hints
        self._issues = issues
        #: By user: two starts at once leave one session, and the windows hear of it last.
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def start(self, desk: Desk, asked: StartSession) -> Started:
        """Begin; a session that is still active is abandoned for it.

        What is wrong with the request is found before that.
        """
        issue = await understand(self._issues, asked)
        facts = SessionFacts(issue=issue, open_files=list(desk.open_files))
        async with self._turns[desk.user_id]:
            await self._make_way(desk)
            row = await self._create(desk, issue, facts)
            await self._core.actions.log_action(
                row.id, ActionType.SESSION_STARTED, {"issueNumber": issue.number}
            )
            started = Started(
                session_id=row.id,
                issue_context=issue,
                phases=[],
                hint_level=await self._hints.level(desk),
                open_files=facts.open_files,
            )
            self._voice.say(desk, started)
            await self._set_the_scene(desk, issue)
        return started

    async def resume(self, desk: Desk, session_id: str) -> Resumed:
        """Take up an active session as it is, or go on with an abandoned one in a new session."""
        async with self._turns[desk.user_id]:
            row = await self._take_up(desk, await self._resumable(desk, session_id))
            await self._core.actions.log_action(
                row.id, ActionType.SESSION_RESUMED, {"previousSessionId": session_id}
            )
            resumed = Resumed(restored_state=await self._state(desk, row))
            self._voice.say(desk, resumed)
            await self._set_the_scene(desk, resumed.restored_state.issue_context)
            await self._hints.show(desk)
        return resumed

    async def abandon(self, desk: Desk) -> None:
        """Leave it without a wrap-up; it can be resumed."""
        async with self._turns[desk.user_id]:
            session_id = desk.require_session()
            row = await self._core.sessions.get(session_id, user_id=desk.user_id)
            await self._abandon(desk, row)

    async def current(self, desk: Desk) -> RestoredState | None:
        if desk.session_id is None:
            return None
        row = await self._core.sessions.get(desk.session_id, user_id=desk.user_id)
        return await self._state(desk, row)

    async def phases(self, desk: Desk) -> list[PhaseView]:
        """Of the current plan, by number."""
        state = await self.current(desk)
        return state.phases if state else []

    async def _create(self, desk: Desk, issue: IssueContext, facts: SessionFacts) -> Session:
        row = await self._core.sessions.create(
            SessionKind.COACHING,
            desk.project,
            user_id=desk.user_id,
            title=issue.title,
            issue_number=issue.number,
            issue_title=issue.title,
            data=facts.as_data(),
        )
        # Another server of this house may have begun one at the same moment: the newest stays.
        active = await self._active(desk)
        for older in active[1:]:
            await self._abandon(desk, older)
        if not active or active[0].id != row.id:
            raise Conflict("Another session was begun at the same moment, and that one goes on.")
        return row

    async def _make_way(self, desk: Desk, keep: str | None = None) -> None:
        for row in await self._active(desk):
            if row.id != keep:
                await self._abandon(desk, row)

    async def _active(self, desk: Desk) -> Sequence[Session]:
        """Newest first."""
        return await self._core.sessions.list(
            user_id=desk.user_id,
            kind=SessionKind.COACHING,
            status=SessionStatus.ACTIVE,
            project_dir=desk.project,
        )

    async def _abandon(self, desk: Desk, row: Session) -> None:
        try:
            over = await self._core.sessions.end(
                row.id, SessionStatus.ABANDONED, user_id=desk.user_id
            )
        except Conflict:
            # Its wrap-up came first: it is over, and has been told to be.
            return
        summary = await self._summary(over)
        await self._core.actions.log_action(
            row.id,
            ActionType.SESSION_ENDED,
            {"status": summary.status, "durationMs": summary.duration_ms},
        )
        self._hints.clear(desk)
        self._voice.say(desk, Ended(summary=summary))

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

    async def _resumable(self, desk: Desk, session_id: str) -> Session:
        row = await self._core.sessions.get(session_id, user_id=desk.user_id)
        if row.kind != SessionKind.COACHING:
            raise NotFound(f"There is no coaching session {session_id!r}.")
        if row.project_dir != desk.project:
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

    async def _take_up(self, desk: Desk, earlier: Session) -> Session:
        if earlier.status not in LIVE:
            await self._make_way(desk)
            return await self._continue(desk, earlier)
        await self._make_way(desk, keep=earlier.id)
        desk.session_id = earlier.id
        return await self._core.sessions.touch(earlier.id, user_id=desk.user_id)

    async def _continue(self, desk: Desk, earlier: Session) -> Session:
        issue = issue_of(earlier)
        facts = SessionFacts(
            issue=issue,
            hint_level=facts_of(earlier).hint_level,
            previous_session_id=earlier.id,
            open_files=await self._open_files(desk, earlier),
        )
        row = await self._create(desk, issue, facts)
        async with self._core.database.write() as session:
            await copy_plan(session, earlier.id, row.id)
        return row

    async def _state(self, desk: Desk, row: Session) -> RestoredState:
        async with self._core.database.read() as session:
            plan = await plans.latest(session, row.id)
        return RestoredState(
            session_id=row.id,
            previous_session_id=facts_of(row).previous_session_id,
            issue_context=issue_of(row),
            plan_id=plan.plan.id if plan else None,
            phases=[view(phase) for phase in plan.phases] if plan else [],
            hint_level=await self._hints.level(desk),
            open_files=await self._open_files(desk, row),
            started_at=clock.iso(row.started_at),
        )

    async def _open_files(self, desk: Desk, row: Session) -> list[str]:
        return list(desk.open_files) or await remembered_files(self._core.actions, row)

    async def _set_the_scene(self, desk: Desk, issue: IssueContext) -> None:
        self._voice.say(desk, ShowIssue.model_validate(issue.model_dump()))
        try:
            root = await desk.files.tree()
        except BottegaError as error:
            log.warning("sessions.no_tree", project=desk.project, reason=error.message)
            return
        self._voice.show_tree(desk, root)
