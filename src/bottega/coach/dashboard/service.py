"""The dashboard, loaded step by step: the database at once, models as they answer (D77)."""

import asyncio
from collections.abc import Awaitable
from datetime import UTC, datetime, timedelta

import structlog
from sqlalchemy import and_, case, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.dashboard.issues import IssueAssessor
from bottega.coach.dashboard.materials import Materials
from bottega.coach.dashboard.schemas import (
    AssessedSkill,
    DashboardState,
    InProgress,
    IssuesError,
    MaterialsError,
    Stats,
)
from bottega.coach.editor.schemas import Outgoing
from bottega.coach.editor.state import EditorState, Windows
from bottega.coach.enums import Period, ProgressType
from bottega.coach.plans.issues import Issues
from bottega.coach.plans.tables import Phase, Plan, ProgressEvent
from bottega.coach.practice import repository as kata_records
from bottega.coach.practice.katas import summary
from bottega.coach.skills import repository as skill_records
from bottega.coach.skills.service import Skills, radar
from bottega.coach.skills.tables import KnowledgeGap
from bottega.core import clock
from bottega.core.llm.ledger import ApiCall
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import Session, SessionKind, SessionStatus
from bottega.core.users import LOCAL_USER
from bottega.errors import BottegaError
from bottega.memory.service import SemanticMemories

DAYS = {Period.WEEK: 7, Period.MONTH: 30}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


async def state(
    session: AsyncSession, user_id: str, project: str, period: Period, now: datetime
) -> DashboardState:
    """All that the database knows of one user, without asking anybody (FR-169). Only the stats are
    of a period: the rest is how things stand (FR-170)."""
    assessed = await skill_records.assessments(session, user_id)
    return DashboardState(
        dreyfus=[AssessedSkill.model_validate(row, from_attributes=True) for row in assessed],
        stats=await stats(session, user_id, period, now),
        in_progress_sessions=await _in_progress(session, user_id, project),
        katas=[summary(kata, gap) for kata, gap in await kata_records.katas(session, user_id)],
    )


def period_start(period: Period, now: datetime) -> datetime:
    return now - timedelta(days=DAYS[period]) if period in DAYS else EPOCH


async def stats(session: AsyncSession, user_id: str, period: Period, now: datetime) -> Stats:
    start = period_start(period, now)
    completed, minutes = await _completed(session, user_id, start)
    identified, addressed = await _gaps(session, user_id, start)
    return Stats(
        period=period,
        sessions_completed=completed,
        total_coaching_minutes=minutes,
        issues_worked_on=await _issues(session, user_id, start),
        knowledge_gaps_identified=identified,
        knowledge_gaps_addressed=addressed,
        hints_used=await _hints(session, user_id, start),
        api_cost_total=await _cost(session, user_id, start),
    )


async def _completed(session: AsyncSession, user_id: str, start: datetime) -> tuple[int, float]:
    """How many, and their minutes. Dates are text, which no two databases subtract alike."""
    query = select(Session.started_at, Session.ended_at).where(
        Session.user_id == user_id,
        Session.kind == SessionKind.COACHING,
        Session.status == SessionStatus.COMPLETED,
        Session.ended_at >= start,
    )
    spans = (await session.execute(query)).all()
    seconds = sum((ended - started).total_seconds() for started, ended in spans if ended)
    return len(spans), round(seconds / 60, 1)


async def _issues(session: AsyncSession, user_id: str, start: datetime) -> int:
    """The same number in two projects is two issues."""
    distinct = (
        select(Session.project_dir, Session.issue_number)
        .where(
            Session.user_id == user_id,
            Session.kind == SessionKind.COACHING,
            Session.issue_number.is_not(None),
            Session.started_at >= start,
        )
        .distinct()
        .subquery()
    )
    return await session.scalar(select(func.count()).select_from(distinct)) or 0


async def _gaps(session: AsyncSession, user_id: str, start: datetime) -> tuple[int, int]:
    query = select(
        func.count(), func.coalesce(func.sum(case((KnowledgeGap.addressed, 1), else_=0)), 0)
    ).where(KnowledgeGap.user_id == user_id, KnowledgeGap.last_encountered_at >= start)
    identified, addressed = (await session.execute(query)).one()
    return identified, addressed


async def _hints(session: AsyncSession, user_id: str, start: datetime) -> int:
    query = (
        select(func.count())
        .select_from(ProgressEvent)
        .join(Phase, ProgressEvent.phase_id == Phase.id)
        .join(Plan, Phase.plan_id == Plan.id)
        .join(Session, Plan.session_id == Session.id)
        .where(
            ProgressEvent.event_type == ProgressType.HINT_USED,
            Session.user_id == user_id,
            Session.started_at >= start,
        )
    )
    return await session.scalar(query) or 0


async def _cost(session: AsyncSession, user_id: str, start: datetime) -> float:
    """Of the user's sessions; what was spent outside of any is the local user's."""
    mine = Session.user_id == user_id
    query = (
        select(func.sum(ApiCall.cost_estimate))
        .outerjoin(Session, ApiCall.session_id == Session.id)
        .where(ApiCall.created_at >= start)
        .where(or_(mine, ApiCall.session_id.is_(None)) if user_id == LOCAL_USER else and_(mine))
    )
    return round(await session.scalar(query) or 0.0, 6)


async def _in_progress(session: AsyncSession, user_id: str, project: str) -> list[InProgress]:
    query = (
        select(Session)
        .where(
            Session.user_id == user_id,
            Session.kind == SessionKind.COACHING,
            Session.project_dir == project,
            Session.status == SessionStatus.ACTIVE,
        )
        .order_by(Session.started_at.desc())
    )
    return [
        InProgress.model_validate(row, from_attributes=True)
        for row in (await session.scalars(query)).all()
    ]


log = structlog.get_logger()


class Dashboard:
    def __init__(
        self,
        core: Core,
        memories: SemanticMemories,
        skills: Skills,
        windows: Windows,
        issues: Issues,
    ) -> None:
        self._core = core
        self._skills = skills
        self._windows = windows
        self.assessor = IssueAssessor(core, memories, issues)
        self.materials = Materials(core, skills)

    async def show(self, editor: EditorState, period: Period) -> None:
        """What is known, now: `dashboard:state`, and the radar beside it (FR-168)."""
        shown = await self.state(editor, period)
        self._windows.send(editor, shown, radar(await self._skills.all(editor.user_id)))

    async def follow_up(self, editor: EditorState, period: Period) -> None:
        """What takes longer: issues and materials side by side, each sent when it is ready."""
        issues, materials = await asyncio.gather(
            self.show_issues(editor), self.show_materials(editor)
        )
        await self._core.actions.log_action(
            editor.session_id,
            ActionType.DASHBOARD_LOADED,
            {"statsPeriod": period, "issuesLoaded": issues, "materialsLoaded": materials},
        )

    async def show_issues(self, editor: EditorState, *, anew: bool = False) -> bool:
        """`dashboard:issues`, or why there are none; whether they were loaded."""
        return await self._show(
            editor, "issues", self.assessor.assess(editor, anew=anew), IssuesError
        )

    async def show_materials(self, editor: EditorState) -> bool:
        """`dashboard:materials`, or why there are none; nothing where there is no gap (EC-85)."""
        return await self._show(editor, "materials", self.materials.find(editor), MaterialsError)

    async def _show(
        self,
        editor: EditorState,
        part: str,
        finding: Awaitable[Outgoing | None],
        failure: type[IssuesError | MaterialsError],
    ) -> bool:
        try:
            found = await finding
        except BottegaError as error:
            log.warning(f"dashboard.no_{part}", why=error.message)
            self._windows.send(editor, failure(error=error.message))
            return False
        if found is not None:
            self._windows.send(editor, found)
        return found is not None

    async def state(self, editor: EditorState, period: Period) -> DashboardState:
        # Costs are written behind the calls: what was just spent belongs into the sum.
        await self._core.ledger.flush()
        async with self._core.database.read() as session:
            return await state(session, editor.user_id, editor.project, period, clock.now())
