"""The dashboard, loaded step by step: the database at once, models as they answer (D77)."""

import asyncio

import structlog

from bottega.coach.dashboard.assessing import IssueAssessor
from bottega.coach.dashboard.materials import Materials
from bottega.coach.dashboard.state import state
from bottega.coach.desk.desk import Desk
from bottega.coach.desk.voice import Voice
from bottega.coach.enums import Period
from bottega.coach.issues import Issues
from bottega.coach.protocol.dashboard import (
    DashboardIssues,
    DashboardMaterials,
    DashboardState,
    IssuesError,
    MaterialsError,
)
from bottega.coach.skills import Skills, radar
from bottega.core import clock
from bottega.core.actions import ActionType
from bottega.core.services import Core
from bottega.errors import BottegaError
from bottega.memory.service import SemanticMemories

log = structlog.get_logger()


class Dashboard:
    def __init__(
        self,
        core: Core,
        memories: SemanticMemories,
        skills: Skills,
        voice: Voice,
        issues: Issues,
    ) -> None:
        self._core = core
        self._skills = skills
        self._voice = voice
        self._assessor = IssueAssessor(core, memories, issues)
        self._materials = Materials(core, skills)

    async def show(self, desk: Desk, period: Period) -> None:
        """What is known, now: `dashboard:state`, and the radar beside it (FR-168)."""
        shown = await self.state(desk, period)
        self._voice.say(desk, shown, radar(await self._skills.all(desk.user_id)))

    async def follow_up(self, desk: Desk, period: Period) -> None:
        """What takes longer: issues and materials side by side, each told when it is there."""
        issues, materials = await asyncio.gather(self.show_issues(desk), self.show_materials(desk))
        await self._core.actions.log_action(
            desk.session_id,
            ActionType.DASHBOARD_LOADED,
            {"statsPeriod": period, "issuesLoaded": issues, "materialsLoaded": materials},
        )

    async def show_issues(self, desk: Desk, *, anew: bool = False) -> bool:
        """`dashboard:issues`, or why there are none; whether they were loaded."""
        try:
            found = await self.issues(desk, anew=anew)
        except BottegaError as error:
            log.warning("dashboard.no_issues", why=error.message)
            self._voice.say(desk, IssuesError(error=error.message))
            return False
        self._voice.say(desk, found)
        return True

    async def show_materials(self, desk: Desk) -> bool:
        """`dashboard:materials`, or why there are none; nothing where there is no gap (EC-85)."""
        try:
            found = await self.materials(desk)
        except BottegaError as error:
            log.warning("dashboard.no_materials", why=error.message)
            self._voice.say(desk, MaterialsError(error=error.message))
            return False
        if found is None:
            return False
        self._voice.say(desk, found)
        return True

    async def state(self, desk: Desk, period: Period) -> DashboardState:
        # Costs are written behind the calls: what was just spent belongs into the sum.
        await self._core.ledger.flush()
        async with self._core.database.read() as session:
            return await state(session, desk.user_id, desk.project, period, clock.now())

    async def issues(self, desk: Desk, *, anew: bool = False) -> DashboardIssues:
        return await self._assessor.assess(desk, anew=anew)

    async def materials(self, desk: Desk) -> DashboardMaterials | None:
        return await self._materials.find(desk)
