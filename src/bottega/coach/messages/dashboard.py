"""The dashboard over WebSocket."""

from typing import Any

from bottega.coach.dashboard.service import Dashboard
from bottega.coach.desk.desk import Desks
from bottega.coach.messages.background import Background
from bottega.coach.protocol.dashboard import DashboardRequest
from bottega.coach.protocol.learning import Empty
from bottega.core.rooms import Incoming, Message


def messages(dashboard: Dashboard, desks: Desks, background: Background) -> list[Message[Any]]:
    async def request(incoming: Incoming[DashboardRequest]) -> None:
        desk = desks.of_sender(incoming)
        period = incoming.payload.stats_period
        await dashboard.show(desk, period)
        background.run(incoming, dashboard.follow_up(desk, period))

    async def refresh_issues(incoming: Incoming[Empty]) -> None:
        desk = desks.of_sender(incoming)

        async def work() -> None:
            await dashboard.show_issues(desk, anew=True)

        background.run(incoming, work())

    return [
        Message("dashboard:request", DashboardRequest, request),
        Message("dashboard:refresh_issues", Empty, refresh_issues),
    ]
