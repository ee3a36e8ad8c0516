"""The dashboard, in the same parts over HTTP and to the windows."""

from typing import TYPE_CHECKING, Any

from bottega.coach.dashboard.schemas import (
    DashboardIssues,
    DashboardMaterials,
    DashboardRequest,
    DashboardState,
)
from bottega.coach.editor.schemas import Empty
from bottega.core.operations import Get, SocketMessage, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller, Incoming

if TYPE_CHECKING:
    from bottega.coach.service import Coach


@operation(Get("/coach/dashboard"))
async def get_dashboard(coach: "Coach", asked: DashboardRequest, caller: Caller) -> DashboardState:
    """Skills, numbers of a period, the session under way, katas."""
    return await coach.dashboard.state(coach.editor_of(caller), asked.stats_period)


@operation(Get("/coach/dashboard/issues"), needs=Right.WORK)
async def get_ranked_issues(coach: "Coach", caller: Caller) -> DashboardIssues:
    """The open issues that fit you best. Asks a model: this can take a while."""
    return await coach.dashboard.assessor.assess(coach.editor_of(caller))


@operation(Get("/coach/dashboard/materials"), needs=Right.WORK)
async def get_materials(coach: "Coach", caller: Caller) -> DashboardMaterials:
    """What to read about your open gaps. Asks a model: this can take a while."""
    found = await coach.dashboard.materials.find(coach.editor_of(caller))
    return found or DashboardMaterials(recommendations=[])


@operation(SocketMessage("dashboard:request"))
async def load_in_window(coach: "Coach", asked: DashboardRequest, incoming: Incoming[Any]) -> None:
    editor, period = coach.editors.of_sender(incoming), asked.stats_period
    await coach.dashboard.show(editor, period)
    coach.background.run(incoming, coach.dashboard.follow_up(editor, period))


@operation(SocketMessage("dashboard:refresh_issues"))
async def refresh_issues(coach: "Coach", _asked: Empty, incoming: Incoming[Any]) -> None:
    editor = coach.editors.of_sender(incoming)
    coach.background.run(incoming, coach.dashboard.show_issues(editor, anew=True))
