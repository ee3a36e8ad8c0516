"""What can be asked of the observer, and what windows tell it."""

from typing import TYPE_CHECKING

from bottega.coach.editor.schemas import Empty
from bottega.coach.observer.schemas import (
    AgentNudge,
    HandedOver,
    IdleStart,
    Mute,
    NudgesRequest,
    NudgeView,
    ObserverStatus,
    ObserverView,
    for_agent,
)
from bottega.core.operations import Get, Post, SocketMessage, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller

if TYPE_CHECKING:
    from bottega.coach.service import Coach


@operation(Get("/coach/observer"))
async def show_observer(coach: "Coach", caller: Caller) -> ObserverView:
    editor = coach.editor_of(caller)
    nudges = [
        NudgeView(**sent.nudge.model_dump(), session_id=sent.session_id, sent_at=sent.sent_at)
        for sent in coach.observer.nudges(editor)
    ]
    return ObserverView(**coach.observer.status(editor).model_dump(), nudges=nudges)


@operation(Post("/coach/observer/mute"), SocketMessage("observer:mute", is_answered=False))
async def mute_observer(coach: "Coach", asked: Mute, caller: Caller) -> ObserverStatus:
    """For the session at hand; without one nothing changes."""
    return await coach.observer.mute(coach.editor_of(caller), asked.muted)


@operation(Get("/coach/nudges", describe={"after": "Default: those not handed over yet."}))
async def hand_over_nudges(coach: "Coach", asked: NudgesRequest, caller: Caller) -> HandedOver:
    """For an agent beside the learner: what the observer noticed, to take up in its words."""
    return HandedOver(
        nudges=[
            AgentNudge(signal=sent.nudge.signal, sent_at=sent.sent_at, text=for_agent(sent.nudge))
            for sent in coach.observer.hand_over(coach.editor_of(caller), asked.after)
        ]
    )


@operation(SocketMessage("user:idle_start"), needs=Right.READ)
async def start_idling(coach: "Coach", idle: IdleStart, caller: Caller) -> None:
    await coach.observer.log_idle(coach.editor_of(caller), idle)


@operation(SocketMessage("user:idle_end"), needs=Right.READ)
async def end_idling(coach: "Coach", _asked: Empty, caller: Caller) -> None:
    await coach.observer.log_idle(coach.editor_of(caller), None)
