"""Server-sent events: live, resumed, private, bounded."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bottega.core.doors.streams import Streams
from bottega.core.events import Event
from bottega.server.api.events import logged_frames
from bottega.server.options import Options
from tests.server.http.small_app import Serve, Served


class Stream:
    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines

    async def line(self) -> str:
        async with asyncio.timeout(10):
            return await anext(self._lines)

    async def rest(self) -> list[str]:
        """Everything until the stream ends."""
        async with asyncio.timeout(10):
            return [line async for line in self._lines]

    async def event(self) -> dict[str, Any]:
        """The next event's data, its `id` checked against it."""
        number = None
        while not (line := await self.line()).startswith("data: "):
            if line.startswith("id: "):
                number = int(line.removeprefix("id: "))
        data: dict[str, Any] = json.loads(line.removeprefix("data: "))
        assert data["seq"] == number
        return data


@asynccontextmanager
async def following(
    served: Served, query: str = "", headers: dict[str, str] | None = None
) -> AsyncIterator[Stream]:
    async with served.http.stream("GET", f"/api/events?{query}", headers=headers) as response:
        assert response.headers["Content-Type"].startswith("text/event-stream")
        stream = Stream(response.aiter_lines())
        assert (await stream.line()).startswith("retry: ")
        yield stream


async def publish(served: Served, *topics: str, **about: Any) -> None:
    for topic in topics:
        served.app.core.bus.publish(Event(topic, {"word": topic}, **about))
    await served.app.core.bus.flush()


async def test_events_arrive_as_they_happen(serve: Serve) -> None:
    served = await serve()
    async with following(served) as stream:
        await publish(served, "session.started", project="p")
        event = await stream.event()
    assert event["topic"] == "session.started"
    assert event["project"] == "p"
    assert event["payload"] == {"word": "session.started"}
    assert event.keys() == {
        "seq", "id", "topic", "project", "session_id", "payload", "created_at",
    }  # fmt: skip


async def test_what_is_not_logged_arrives_too_and_is_not_replayed(serve: Serve) -> None:
    served = await serve()
    async with following(served) as stream:
        served.app.core.bus.publish(Event("run.text", {"word": "live"}, durable=False))
        event = await stream.event()
    assert event["payload"] == {"word": "live"}
    assert event["seq"] is None
    async with following(served, "after=0") as stream:
        await publish(served, "session.started")
        assert (await stream.event())["topic"] == "session.started"


async def test_a_stream_can_be_for_some_topics_and_one_project(serve: Serve) -> None:
    served = await serve()
    async with following(served, "topics=session.*,files.changed&project=a") as stream:
        await publish(served, "session.started", project="b")
        await publish(served, "files.removed", "files.changed", project="a")
        await publish(served, "session.ended")
        assert (await stream.event())["topic"] == "files.changed"
        assert (await stream.event())["topic"] == "session.ended"


@pytest.mark.parametrize("by_header", [True, False])
async def test_who_was_cut_off_misses_nothing_and_hears_nothing_twice(
    serve: Serve, by_header: bool
) -> None:
    served = await serve()
    async with following(served) as stream:
        await publish(served, "a.one", "a.two")
        seen = await stream.event()
    await publish(served, "a.three")
    seq = seen["seq"]
    headers = {"Last-Event-ID": str(seq)} if by_header else None
    async with following(served, "" if by_header else f"after={seq}", headers) as stream:
        await publish(served, "a.four")
        topics = [(await stream.event())["topic"] for _ in range(3)]
    assert topics == ["a.two", "a.three", "a.four"]


async def test_nobody_hears_what_is_anothers(serve: Serve) -> None:
    served = await serve()
    users = served.app.core.users
    ada = await users.create("ada")
    _, secret = await users.issue_token(ada.id, "laptop")
    headers = {"Authorization": f"Bearer {secret}"}
    async with following(served, headers=headers) as hers, following(served) as local:
        await publish(served, "for.ada", user_id=ada.id)
        await publish(served, "for.local", user_id="local")
        await publish(served, "for.all")
        assert [(await hers.event())["topic"] for _ in range(2)] == ["for.ada", "for.all"]
        assert [(await local.event())["topic"] for _ in range(2)] == ["for.local", "for.all"]
    found = await served.http.get("/api/events/log?query=ada")
    assert found.json() == []
    found = await served.http.get("/api/events/log?query=ada", headers=headers)
    assert [event["topic"] for event in found.json()] == ["for.ada"]


async def test_silence_is_filled_and_loses_no_event(serve: Serve) -> None:
    """A heartbeat must not end the wait for the next event."""
    served = await serve()
    bus = served.app.core.bus
    stream = Streams(limit=1, heartbeat=0.01).frames(logged_frames(bus.stream()))
    assert (await anext(stream)).startswith(b"retry: ")
    assert await anext(stream) == b": still here\n\n"
    await publish(served, "a.one")
    async with asyncio.timeout(10):
        while (sent := await anext(stream)).startswith(b":"):
            pass
    assert b'"topic":"a.one"' in sent


async def test_streams_are_bounded_and_a_place_becomes_free(serve: Serve) -> None:
    served = await serve(options=Options(max_streams=1))
    async with following(served):
        refused = await served.http.get("/api/events")
        assert refused.status_code == 503
        assert refused.json()["error"]["type"] == "unavailable"
    async with asyncio.timeout(10):
        while len(served.doors.streams):
            await asyncio.sleep(0)
    async with following(served):
        pass


async def test_closing_the_doors_ends_every_stream(serve: Serve) -> None:
    served = await serve()
    async with following(served) as stream:
        await served.doors.close()
        assert [line for line in await stream.rest() if line] == []


@pytest.mark.parametrize("query", ["after=-1", "after=x"])
async def test_a_wrong_place_in_the_log_is_explained(serve: Serve, query: str) -> None:
    served = await serve()
    answer = await served.http.get(f"/api/events?{query}")
    assert answer.status_code == 422
    assert "after" in answer.json()["error"]["message"]
