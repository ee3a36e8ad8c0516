"""A run is followed from anywhere: nothing is lost, nothing comes twice, and it ends."""

import asyncio
import itertools
from datetime import timedelta

import pytest
from pydantic import BaseModel

from bottega.core import clock
from bottega.core.events import EventBus
from bottega.core.runs import RunContext, Runs
from bottega.core.runs.run import RunEvent
from bottega.core.runs.runs import Delta, follow, run_frames, tell_delta
from bottega.core.users import LOCAL_USER


class Trip(BaseModel):
    legs: int


async def read(runs: Runs, bus: EventBus, run_id: str, after: int = 0) -> list[RunEvent | Delta]:
    async with asyncio.timeout(10):
        return [each async for each in follow(runs, bus, run_id, after=after)]


def types(seen: list[RunEvent | Delta]) -> list[str]:
    return [each.type if isinstance(each, RunEvent) else f"+{each.text}" for each in seen]


async def test_a_run_is_followed_to_its_end(runs: Runs, bus: EventBus) -> None:
    gate = asyncio.Event()

    @runs.kind("trip")
    async def travel(run: RunContext, trip: Trip) -> None:
        await run.emit("leg", {"number": 1})
        await gate.wait()
        tell_delta(bus, run.id, "a", "half a wo", LOCAL_USER)
        tell_delta(bus, "another run", "a", "not ours", LOCAL_USER)
        await run.emit("leg", {"number": 2})
        await run.pause("where to?")

    run_id = await runs.start("trip", Trip(legs=2))
    reading = asyncio.create_task(read(runs, bus, run_id))
    await asyncio.sleep(0)
    gate.set()
    await runs.wait(run_id)
    await runs.reply(run_id, "home")
    seen = await reading
    assert [each for each in seen if isinstance(each, Delta)] == [Delta("a", "half a wo")]
    events = [each for each in seen if isinstance(each, RunEvent)]
    expected = ["queued", "started", "leg", "leg", "paused", "replied", "completed"]
    assert types(list(events)) == expected
    again = await read(runs, bus, run_id, after=3)
    assert types(again) == ["leg", "paused", "replied", "completed"]
    sent = [each async for each in run_frames(runs, bus, run_id, after=3)]
    assert sent[0].startswith(b'id: 4\nevent: leg\ndata: {"type": "leg", "at": "')


async def test_following_ends_when_the_house_closes(runs: Runs, bus: EventBus) -> None:
    @runs.kind("wait")
    async def wait(run: RunContext, trip: Trip) -> None:
        await run.pause("for ever")

    run_id = await runs.start("wait", Trip(legs=0))
    await runs.wait(run_id)
    reading = asyncio.create_task(read(runs, bus, run_id))
    await asyncio.sleep(0.05)
    await bus.stop()
    assert types(await reading)[-1] == "paused"


async def test_news_are_waited_for(runs: Runs) -> None:
    @runs.kind("slow")
    async def slow(run: RunContext, trip: Trip) -> None:
        await run.pause("go on?")

    run_id = await runs.start("slow", Trip(legs=0))
    await runs.wait(run_id)
    seen = await runs.wait_for_events(run_id, wait=10)
    assert [event.type for event in seen] == ["queued", "started", "paused"]
    assert await runs.wait_for_events(run_id, after=3, wait=0.01) == []
    waiting = asyncio.create_task(runs.wait_for_events(run_id, after=3, wait=10))
    await runs.reply(run_id, "yes")
    assert (await waiting)[0].type == "replied"
    await runs.result(run_id)
    assert await runs.wait_for_events(run_id, after=99, wait=10) == []


async def test_who_waits_waits_by_a_clock_that_cannot_be_set(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    @runs.kind("slow")
    async def slow(run: RunContext, trip: Trip) -> None:
        await run.pause("go on?")

    run_id = await runs.start("slow", Trip(legs=0))
    await runs.wait(run_id)
    times = itertools.count(0, -1)
    start = clock.now()
    monkeypatch.setattr(clock, "now", lambda: start + timedelta(days=next(times)))
    async with asyncio.timeout(30):
        assert await runs.wait_for_events(run_id, after=3, wait=0.01) == []
