"""The dashboard over HTTP: `/api/coach/dashboard`, in the same three parts."""

from typing import Annotated

from fastapi import APIRouter, Query

from bottega.coach.dashboard.service import Dashboard
from bottega.coach.desk.desk import Desks
from bottega.coach.enums import Period
from bottega.coach.protocol.dashboard import (
    DashboardIssues,
    DashboardMaterials,
    DashboardState,
    DreyfusRadar,
)
from bottega.coach.skills import Skills, radar
from bottega.core.callers import CurrentCaller


def router(dashboard: Dashboard, skills: Skills, desks: Desks) -> APIRouter:
    routes = APIRouter(prefix="/coach/dashboard")

    @routes.get("")
    async def get_dashboard(
        caller: CurrentCaller,
        stats_period: Annotated[Period, Query(alias="statsPeriod")] = Period.ALL,
    ) -> DashboardState:
        """Skills, numbers of a period, the session under way, katas."""
        return await dashboard.state(desks.of(caller.user_id), stats_period)

    @routes.get("/dreyfus")
    async def get_radar(caller: CurrentCaller) -> DreyfusRadar:
        """Every skill's stage as a point, and the stage over all."""
        return radar(await skills.all(caller.user_id))

    @routes.get("/issues")
    async def get_ranked_issues(caller: CurrentCaller) -> DashboardIssues:
        """The open issues that fit you best. Asks a model: this can take a while."""
        return await dashboard.issues(desks.of(caller.user_id))

    @routes.get("/materials")
    async def get_materials(caller: CurrentCaller) -> DashboardMaterials:
        """What to read about your open gaps. Asks a model: this can take a while."""
        found = await dashboard.materials(desks.of(caller.user_id))
        return found or DashboardMaterials(recommendations=[])

    return routes
