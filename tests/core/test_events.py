"""Events: heard at once, logged in order, found again."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
from sqlalchemy import text

from bottega.core.db.database import Database
from bottega.core.events import MISSED, CommittedEvent, Event, EventBus, Interest
from bottega.core.events.log import EventLog, Tail


@pytest.fixture
async def bus(database: Database) -> AsyncIterator[EventBus]:
    bus = EventBus(database)
    await bus.start()
    yield bus
    await bus.stop()


def numbered(count: int, topic: str = "test.counted") -> list[Event]:
    return [Event(topic, {"n": n}) for n in range(count)]


async def take(events: AsyncIterator[CommittedEvent], count: int) -> list[CommittedEvent]:
    async with asyncio.timeout(10):
        return [await anext(events) for _ in range(count)]


async def test_a_subscriber_hears_its_topics_at_once_and_in_order(bus: EventBus) -> None:
    async with bus.subscribe("session.*", "files.changed") as heard:
        for topic in ("session.started", "sessions.x", "files.changed", "files.opened"):
            bus.publish(Event(topic))
        bus.publish(Event("session.a.b"))
        topics = [(await anext(heard)).topic for _ in range(3)]
    assert topics == ["session.started", "files.changed", "session.a.b"]


async def test_a_subscriber_hears_its_own_projects_and_users_events_and_nobodys(
    bus: EventBus,
) -> None:
    async with bus.subscribe("*", project="p", user_id="ada") as heard:
        for project, user_id in (("p", "ada"), ("q", "ada"), ("p", "bob"), (None, None)):
            bus.publish(Event("x.y", project=project, user_id=user_id))
        bus.publish(Event("x.last"))
        got = [await anext(heard) for _ in range(3)]
    assert [event.topic for event in got] == ["x.y", "x.y", "x.last"]
    assert [event.user_id for event in got] == ["ada", None, None]


async def test_a_slow_subscriber_loses_the_oldest_and_learns_how_many(bus: EventBus) -> None:
    async with bus.subscribe("test.*", limit=3) as heard:
        for event in numbered(10):
            bus.publish(event)
        gap = await anext(heard)
        rest = [(await anext(heard)).payload["n"] for _ in range(3)]
    assert (gap.topic, gap.payload) == (MISSED, {"missed": 7})
    assert rest == [7, 8, 9]


async def test_stopping_ends_subscriptions_and_streams_after_what_was_queued(
    database: Database,
) -> None:
    bus = EventBus(database)
    await bus.start()
    heard = bus.subscribe()
    stream = bus.stream()
    following = asyncio.create_task(anext(stream, None))
    bus.publish(Event("x.y", durable=False))
    await bus.stop()
    assert [event.topic async for event in heard] == ["x.y"]
    assert await following is None


async def test_a_failing_callback_breaks_neither_the_publisher_nor_the_others(
    bus: EventBus,
) -> None:
    heard: list[str] = []

    def fail(event: Event) -> None:
        raise ValueError(event.topic)

    bus.on("*", fail)
    unsubscribe = bus.on("x.*", lambda event: heard.append(event.topic))
    bus.publish(Event("x.one"))
    unsubscribe()
    bus.publish(Event("x.two"))
    assert heard == ["x.one"]


async def test_all_hear_an_event_that_a_callback_publishes_after_the_one_it_answers(
    bus: EventBus,
) -> None:
    first: list[str] = []
    second: list[str] = []
    bus.on("*", lambda event: first.append(event.topic))
    bus.on("x.asked", lambda event: bus.publish(Event("x.answered")))
    bus.on("*", lambda event: second.append(event.topic))
    bus.publish(Event("x.asked"))
    assert first == second == ["x.asked", "x.answered"]


async def test_an_event_published_in_another_thread_is_heard_on_the_loop(bus: EventBus) -> None:
    threads: list[int] = []
    bus.on("x.y", lambda _: threads.append(threading.get_ident()))
    async with bus.subscribe() as heard:
        await asyncio.to_thread(bus.publish, Event("x.y"))
        assert (await anext(heard)).topic == "x.y"
    assert threads == [threading.get_ident()]


async def test_the_log_keeps_durable_events_in_the_order_of_publishing(bus: EventBus) -> None:
    for event in numbered(1_200):
        bus.publish(event)
    bus.publish(Event("x.fleeting", durable=False))
    await bus.flush()
    committed = await bus.log.after(0, limit=5_000)
    assert [c.event.payload["n"] for c in committed] == list(range(1_200))
    assert [c.seq for c in committed] == sorted({c.seq for c in committed})
    assert await bus.log.last_seq() == committed[-1].seq


async def test_the_log_gives_back_an_event_as_it_was_published(bus: EventBus) -> None:
    event = Event("a.b", {"deep": [{"ü": 1.5}, None]}, "p", "ada", "s1")
    bus.publish(event)
    await bus.flush()
    (committed,) = await bus.log.after(0)
    logged = committed.event
    assert (logged.id, logged.topic, logged.payload) == (event.id, event.topic, event.payload)
    assert (logged.project, logged.user_id, logged.session_id) == ("p", "ada", "s1")
    assert logged.created_at == event.created_at


async def test_the_log_filters_by_topic_project_and_user(bus: EventBus) -> None:
    for event in (
        Event("session.started", project="p", user_id="ada"),
        Event("session.started", project="q", user_id="ada"),
        Event("session.started", project="p", user_id="bob"),
        Event("sessionx.started"),
        Event("session.ended"),
        Event("100%.done"),
    ):
        bus.publish(event)
    await bus.flush()
    mine = await bus.log.after(0, ["session.*"], project="p", user_id="ada")
    assert [(c.event.topic, c.event.user_id) for c in mine] == [
        ("session.started", "ada"),
        ("session.ended", None),
    ]
    assert [c.event.topic for c in await bus.log.after(0, ["1%.*"])] == []
    assert [c.event.topic for c in await bus.log.after(0, ["100%.*"])] == ["100%.done"]


async def test_writing_an_event_again_changes_nothing(database: Database) -> None:
    log = EventLog(database)
    events = numbered(3)
    assert len(await log.append(events[:2])) == 2
    assert [c.event.id for c in await log.append(events)] == [events[2].id]
    assert [c.event.id for c in await log.after(0)] == [event.id for event in events]


async def test_the_search_finds_every_word_in_any_form_newest_first(bus: EventBus) -> None:
    bus.publish(Event("files.changed", {"path": "src/parser.py", "why": "the tests failed"}))
    bus.publish(Event("run.ended", {"notes": ["a failing test of the parser"]}, user_id="ada"))
    bus.publish(Event("run.ended", {"notes": "nothing to see"}))
    await bus.flush()
    found = await bus.log.search("parser test")
    assert [c.event.topic for c in found] == ["run.ended", "files.changed"]
    assert len(await bus.log.search("parser test", user_id="bob")) == 1
    assert len(await bus.log.search("parser", topics=["files.*"])) == 1
    assert len(await bus.log.search("", limit=2)) == 2


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "'; DROP TABLE events; --",
        "a AND",
        "NEAR(",
        "*",
        "col:x",
        "😀",
        "\\",
        "(((",
        "- -",
        "\x00",
    ],
)
async def test_a_hostile_search_is_only_text(bus: EventBus, query: str) -> None:
    bus.publish(Event("x.y", {"text": "plain words"}))
    await bus.flush()
    assert await bus.log.search(query) == []
    assert await bus.log.last_seq() > 0


async def test_a_stream_replays_then_goes_on_live_without_loss_or_repetition(
    bus: EventBus,
) -> None:
    events = numbered(1_500)
    for event in events[:700]:
        bus.publish(event)
    await bus.flush()
    start = (await bus.log.after(0, limit=100))[-1].seq
    async with aclosing(bus.stream(start, ["test.*"])) as stream:
        got = await take(stream, 50)
        for event in events[700:]:
            bus.publish(event)
            bus.publish(Event("other.noise"))
        got += await take(stream, 1_350)
    assert [c.event.payload["n"] for c in got] == list(range(100, 1_500))


async def test_a_stream_without_a_start_begins_with_what_comes_next(bus: EventBus) -> None:
    bus.publish(Event("x.before"))
    await bus.flush()
    async with aclosing(bus.stream()) as stream:
        bus.publish(Event("x.after"))
        (first,) = await take(stream, 1)
    assert first.event.topic == "x.after"


async def test_a_stream_from_a_number_of_another_database_begins_with_what_comes_next(
    bus: EventBus,
) -> None:
    bus.publish(Event("x.before"))
    await bus.flush()
    async with aclosing(bus.stream(after=10**9)) as stream:
        first = asyncio.create_task(take(stream, 1))
        while not first.done():
            bus.publish(Event("x.after"))
            await bus.flush()
    assert (await first)[0].event.topic == "x.after"


async def test_a_stream_does_not_repeat_what_was_read_in_another_process(
    database: Database,
) -> None:
    """A client that moves on to a process which lags behind gets nothing twice."""
    log = EventLog(database)
    tail = Tail(log, accept=lambda event: None)
    await tail.start()
    events = numbered(5)
    read_elsewhere = await log.append(events[:4])
    async with aclosing(tail.follow(read_elsewhere[-1].seq, Interest())) as stream:
        following = asyncio.create_task(take(stream, 1))
        await log.append(events[4:])
        await tail.catch_up()
        (first,) = await following
    assert first.event.id == events[4].id


async def test_a_stream_further_behind_than_memory_reads_from_the_log(database: Database) -> None:
    log = EventLog(database)
    tail = Tail(log, accept=lambda event: None, keep=10)
    await tail.start()
    stream = tail.follow(0, Interest())
    for page in range(3):
        events = numbered(400, f"page.p{page}")
        await tail.committed(await log.append(events))
        if page == 0:
            assert len(await take(stream, 5)) == 5
    rest = await take(stream, 1_195)
    assert len({c.seq for c in rest}) == 1_195
    assert [c.seq for c in rest] == sorted(c.seq for c in rest)
    await stream.aclose()


async def test_an_event_that_cannot_be_stored_costs_only_itself(bus: EventBus) -> None:
    bus.publish(Event("x.good", {"n": 1}))
    bus.publish(Event("x.bad", {"n": object()}))
    bus.publish(Event("x.good", {"n": 2}))
    await bus.flush()
    assert [c.event.payload["n"] for c in await bus.log.after(0)] == [1, 2]


async def test_deleting_events_takes_them_out_of_the_search(
    bus: EventBus, database: Database
) -> None:
    bus.publish(Event("x.y", {"text": "vanishing"}))
    await bus.flush()
    async with database.write() as session:
        await session.execute(text("DELETE FROM events"))
    assert await bus.log.search("vanishing") == []
