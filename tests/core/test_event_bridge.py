"""Events between processes that share a database."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

import psycopg

from bottega.core.db.database import Database
from bottega.core.events import Event, EventBus
from bottega.core.events.bus import LISTENER

ECHO = """
import asyncio, sys
from bottega.core.db.database import Database
from bottega.core.events import Event, EventBus

async def main():
    database = Database(sys.argv[1])
    await database.start()
    bus = EventBus(database)
    await bus.start()
    async with bus.subscribe("ping.*") as pings:
        print("ready", flush=True)
        async for ping in pings:
            bus.publish(Event("pong.sent", ping.payload))
            if ping.topic == "ping.last":
                break
    await bus.stop()
    await database.stop()

asyncio.run(main())
"""


@asynccontextmanager
async def open_bus(url: str) -> AsyncIterator[EventBus]:
    """What another process would have: its own connections and its own bus."""
    database = Database(url)
    await database.start()
    bus = EventBus(database)
    await bus.start()
    try:
        yield bus
    finally:
        await bus.stop()
        await database.stop()


async def payloads(events: AsyncIterator[Event], count: int) -> list[int]:
    async with asyncio.timeout(20):
        return [(await anext(events)).payload["n"] for _ in range(count)]


def publish_numbers(bus: EventBus, numbers: Sequence[int], topic: str = "count.up") -> None:
    for n in numbers:
        bus.publish(Event(topic, {"n": n}))


async def test_two_processes_hear_each_other_whatever_the_size(database_url: str) -> None:
    """The notification carries no payload, so one far over PostgreSQL's 8,000 bytes arrives."""
    async with open_bus(database_url) as bus, bus.subscribe("pong.*") as pongs:
        echo = await asyncio.create_subprocess_exec(
            sys.executable, "-c", ECHO, database_url, stdout=asyncio.subprocess.PIPE
        )
        try:
            assert echo.stdout is not None
            async with asyncio.timeout(30):
                assert await echo.stdout.readline() == b"ready\n"
                big = "x" * 100_000
                bus.publish(Event("ping.sent", {"n": 1, "big": big}))
                bus.publish(Event("ping.last", {"n": 2}))
                first, second = await anext(pongs), await anext(pongs)
                assert (first.payload["n"], second.payload["n"]) == (1, 2)
                assert first.payload["big"] == big
                assert first.origin != bus.origin
                assert await echo.wait() == 0
        finally:
            if echo.returncode is None:
                echo.kill()
                await echo.wait()


async def test_each_process_hears_every_event_once_and_streams_agree_on_the_order(
    database_url: str,
) -> None:
    async with open_bus(database_url) as left, open_bus(database_url) as right:
        heard_left, heard_right = left.subscribe("count.*"), right.subscribe("count.*")
        streams = left.stream(0), right.stream(0)
        for n in range(0, 300, 10):
            publish_numbers(left, range(n, n + 10))
            publish_numbers(right, range(1_000 + n, 1_010 + n))
            await asyncio.sleep(0)
        for heard in (heard_left, heard_right):
            numbers = await payloads(heard, 600)
            assert sorted(numbers) == [*range(300), *range(1_000, 1_300)]
            assert [n for n in numbers if n < 1_000] == list(range(300))
            assert [n for n in numbers if n >= 1_000] == list(range(1_000, 1_300))
        async with aclosing(streams[0]), aclosing(streams[1]), asyncio.timeout(20):
            first = [(await anext(streams[0])).seq for _ in range(600)]
            second = [(await anext(streams[1])).seq for _ in range(600)]
        assert first == second == sorted(set(first))


async def test_what_was_logged_before_the_start_is_not_delivered_again(database_url: str) -> None:
    async with open_bus(database_url) as early:
        publish_numbers(early, [1])
        await early.flush()
        async with open_bus(database_url) as late, late.subscribe("count.*") as heard:
            publish_numbers(early, [2])
            assert await payloads(heard, 1) == [2]


async def test_only_durable_events_cross_and_a_callback_may_keep_to_its_own(
    database_url: str,
) -> None:
    async with open_bus(database_url) as here, open_bus(database_url) as there:
        own: list[int] = []
        there.on("count.*", lambda event: own.append(event.payload["n"]), own_only=True)
        async with there.subscribe("count.*") as heard:
            here.publish(Event("count.up", {"n": 1}, durable=False))
            here.publish(Event("count.up", {"n": 2}))
            assert await payloads(heard, 1) == [2]
            there.publish(Event("count.up", {"n": 3}))
        assert own == [3]


async def test_a_lost_connection_loses_no_event(postgres: Any) -> None:
    url: str = postgres.new_database()
    async with open_bus(url) as here, open_bus(url) as there, there.subscribe("count.*") as heard:
        publish_numbers(here, [1])
        assert await payloads(heard, 1) == [1]
        assert cut_listeners(url) == 2
        publish_numbers(here, range(2, 50))
        assert await payloads(heard, 48) == list(range(2, 50))
        publish_numbers(here, [50])
        assert await payloads(heard, 1) == [50]


def cut_listeners(url: str) -> int:
    with psycopg.connect(url, autocommit=True) as connection:
        cut = connection.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE application_name = %s AND datname = current_database()",
            [LISTENER],
        ).fetchone()
    assert cut is not None
    return int(cut[0])
