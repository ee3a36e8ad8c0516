"""A run as it goes on: what has happened, then what happens, until it has ended.

Text that a model is writing passes by as a `Delta` and is nowhere kept: whoever comes later reads
the whole of it in the event that tells of the finished call.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

from bottega.core import clock
from bottega.core.events import Event, EventBus
from bottega.core.runs.run import RunEvent
from bottega.core.runs.runs import Runs
from bottega.core.streams import frame

DELTA = "run.delta"


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of text, and the substep that it is part of."""

    substep: str
    text: str


def tell_delta(bus: EventBus, run_id: str, substep: str, text: str, user_id: str) -> None:
    payload = {"run_id": run_id, "substep": substep, "text": text}
    bus.publish(Event(DELTA, payload, user_id=user_id, durable=False))


async def follow(
    runs: Runs, bus: EventBus, run_id: str, *, after: int = 0
) -> AsyncIterator[RunEvent | Delta]:
    """Each event once and in order, from the one behind position `after` on."""
    # Listening begins before reading, so that nothing falls between the two.
    async with bus.subscribe("run.*", "events.missed") as news:
        while True:
            # The status is asked before the events: all that led to a final one are then there.
            run = await runs.get(run_id)
            for event in await runs.events(run_id, after=after):
                after = event.position
                yield event
            if run.status.is_final and after >= run.position:
                return
            async for passing in news:
                if passing.topic == DELTA:
                    if passing.payload["run_id"] == run_id:
                        yield Delta(passing.payload["substep"], passing.payload["text"])
                elif passing.payload.get("run_id", run_id) == run_id:
                    break
            else:
                return  # the house closes


async def run_frames(
    runs: Runs, bus: EventBus, run_id: str, *, after: int = 0
) -> AsyncIterator[bytes]:
    """The same for the wire: an event's position is its `id`, its type its name."""
    async for each in follow(runs, bus, run_id, after=after):
        if isinstance(each, Delta):
            yield frame(json.dumps({"substep": each.substep, "text": each.text}), event="delta")
        else:
            told = {"type": each.type, "at": clock.iso(each.created_at), **each.payload}
            yield frame(json.dumps(told), id=each.position, event=each.type)
