"""The dashboard, loaded step by step: the database at once, models as they answer (D77)."""

import asyncio

import structlog

from bottega.coach.dashboard.issues import IssueAssessor
from bottega.coach.dashboard.materials import Materials
from bottega.coach.dashboard.schemas import (
    DashboardIssues,
    DashboardMaterials,
    DashboardState,
    IssuesError,
    MaterialsError,
)
from bottega.coach.dashboard.state import state
from bottega.coach.editor.state import EditorState, Windows
from bottega.coach.enums import Period
from bottega.coach.plans.issues import Issues
from bottega.coach.skills.service import Skills, radar
from bottega.core import clock
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType
from bottega.errors import BottegaError
from bottega.memory.service import SemanticMemories

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
        self._assessor = IssueAssessor(core, memories, issues)
        self._materials = Materials(core, skills)

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
        try:
            found = await self.issues(editor, anew=anew)
        except BottegaError as error:
            log.warning("dashboard.no_issues", why=error.message)
            self._windows.send(editor, IssuesError(error=error.message))
            return False
        self._windows.send(editor, found)
        return True

    async def show_materials(self, editor: EditorState) -> bool:
        """`dashboard:materials`, or why there are none; nothing where there is no gap (EC-85)."""
        try:
            found = await self.materials(editor)
        except BottegaError as error:
            log.warning("dashboard.no_materials", why=error.message)
            self._windows.send(editor, MaterialsError(error=error.message))
            return False
        if found is None:
            return False
        self._windows.send(editor, found)
        return True

    async def state(self, editor: EditorState, period: Period) -> DashboardState:
        # Costs are written behind the calls: what was just spent belongs into the sum.
        await self._core.ledger.flush()
        async with self._core.database.read() as session:
            return await state(session, editor.user_id, editor.project, period, clock.now())

    async def issues(self, editor: EditorState, *, anew: bool = False) -> DashboardIssues:
        return await self._assessor.assess(editor, anew=anew)

    async def materials(self, editor: EditorState) -> DashboardMaterials | None:
        return await self._materials.find(editor)
