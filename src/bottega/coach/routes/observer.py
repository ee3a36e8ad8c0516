"""The observer over HTTP: `/api/coach/observer`, and `/api/coach/nudges` for an agent's hook."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime

from bottega.coach.desk.desk import Desks
from bottega.coach.enums import Signal
from bottega.coach.observer.nudges import SentNudge
from bottega.coach.observer.observer import Observer
from bottega.coach.observer.wording import for_agent
from bottega.coach.protocol.learning import Mute, Nudge, ObserverStatus
from bottega.core.callers import CurrentCaller
from bottega.core.wire import Wired


class NudgeView(Nudge):
    session_id: str
    sent_at: datetime


class ObserverView(ObserverStatus):
    #: The latest, oldest first.
    nudges: list[NudgeView]


class AgentNudge(Wired):
    signal: Signal
    sent_at: datetime
    #: What to put into the agent's context.
    text: str


class HandedOver(Wired):
    nudges: list[AgentNudge]


def router(observer: Observer, desks: Desks) -> APIRouter:
    routes = APIRouter(prefix="/coach", tags=["coach"])

    @routes.get("/observer")
    async def show_observer(caller: CurrentCaller) -> ObserverView:
        desk = desks.of(caller.user_id)
        nudges = [_view(sent) for sent in observer.nudges(desk)]
        return ObserverView(**observer.status(desk).model_dump(), nudges=nudges)

    @routes.post("/observer/mute")
    async def mute_observer(asked: Mute, caller: CurrentCaller) -> ObserverStatus:
        """For the session at hand; without one nothing changes."""
        return await observer.mute(desks.of(caller.user_id), asked.muted)

    @routes.get("/nudges")
    async def hand_over_nudges(
        caller: CurrentCaller,
        after: Annotated[
            AwareDatetime | None, Query(description="Default: those not handed over yet.")
        ] = None,
    ) -> HandedOver:
        """For an agent beside the learner: what the observer noticed, to take up in its words."""
        handed = observer.hand_over(desks.of(caller.user_id), after)
        return HandedOver(
            nudges=[
                AgentNudge(
                    signal=sent.nudge.signal, sent_at=sent.sent_at, text=for_agent(sent.nudge)
                )
                for sent in handed
            ]
        )

    return routes


def _view(sent: SentNudge) -> NudgeView:
    return NudgeView(**sent.nudge.model_dump(), session_id=sent.session_id, sent_at=sent.sent_at)
