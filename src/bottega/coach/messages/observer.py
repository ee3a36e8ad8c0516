"""The observer over WebSocket: muting it, and whether the person is there."""

from typing import Any

from bottega.coach.desk.desk import Desks
from bottega.coach.observer.observer import Observer
from bottega.coach.protocol.learning import Empty, IdleStart, Mute
from bottega.core.actions import Actions, ActionType
from bottega.core.rooms import Incoming, Message


def messages(observer: Observer, desks: Desks, actions: Actions) -> list[Message[Any]]:
    async def mute(incoming: Incoming[Mute]) -> None:
        desk = desks.of_sender(incoming)
        await observer.mute(desk, incoming.payload.muted)

    async def idle_start(incoming: Incoming[IdleStart]) -> None:
        desk = desks.of_sender(incoming)
        data = incoming.payload.model_dump(by_alias=True)
        await actions.log_action(desk.session_id, ActionType.IDLE_START, data)

    async def idle_end(incoming: Incoming[Empty]) -> None:
        desk = desks.of_sender(incoming)
        await actions.log_action(desk.session_id, ActionType.IDLE_END, {})

    return [
        Message("observer:mute", Mute, mute),
        Message("user:idle_start", IdleStart, idle_start),
        Message("user:idle_end", Empty, idle_end),
    ]
