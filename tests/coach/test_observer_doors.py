"""The observer over WebSocket and HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import orjson
from fastapi import FastAPI
from pydantic import BaseModel

from bottega.coach.enums import Signal
from bottega.coach.messages.observer import messages
from bottega.coach.routes.observer import router
from bottega.core.actions import ActionType
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.rooms import Caller, Door
from bottega.server.messages import MessageRouter
from tests.coach.watching import ORDERS, README, Watched, verdict, watched


class Window:
    """A connected client, as handlers see it."""

    id = "window"
    caller = Caller(Door.WEBSOCKET)

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}
        self.received: list[tuple[str, dict[str, Any]]] = []

    def send(
        self, type: str, payload: BaseModel | dict[str, Any], *, reply_to: str | None = None
    ) -> None:
        assert isinstance(payload, dict)
        self.received.append((type, payload))


class WebSocketDoor:
    def __init__(self, world: Watched) -> None:
        self.window = Window()
        self._router = MessageRouter(1_000_000)
        house = world.house
        self._router.add(messages(world.observer, house.desks, house.core.actions))

    async def send(self, type: str, **payload: Any) -> None:
        envelope = orjson.dumps({"type": type, "payload": payload}).decode()
        await self._router.dispatch(envelope, self.window)


@asynccontextmanager
async def over_http(world: Watched) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    app.include_router(router(world.observer, world.house.desks), prefix="/api")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def test_a_window_mutes_the_observer(tmp_path: Path) -> None:
    """FR-144, SC-068: flipped, logged, told to all windows."""
    async with watched(tmp_path) as world:
        door = WebSocketDoor(world)
        await door.send("observer:mute", muted=True)
        assert world.house.of_type("observer:status")[-1]["muted"] is True
        await world.open(README)
        assert await world.calls() == 0
        await door.send("observer:mute", muted=False)
        toggles = await world.logged(ActionType.OBSERVER_MUTED)
        assert toggles == [{"muted": True}, {"muted": False}]
        assert door.window.received == []


async def test_a_mute_that_says_nothing_is_refused(tmp_path: Path) -> None:
    """FR-144: and changes nothing."""
    async with watched(tmp_path) as world:
        door = WebSocketDoor(world)
        await door.send("observer:mute")
        await door.send("observer:mute", muted="loud")
        assert [answer["code"] for _, answer in door.window.received] == ["INVALID_PAYLOAD"] * 2
        assert world.observer.status(world.house.desk).muted is False


async def test_a_window_without_a_session_mutes_nothing(tmp_path: Path) -> None:
    """EC-70: no answer, no error, no state."""
    async with watched(tmp_path, start=False) as world:
        door = WebSocketDoor(world)
        await door.send("observer:mute", muted=True)
        assert door.window.received == []
        assert world.house.heard == []


async def test_going_idle_and_coming_back_are_logged(tmp_path: Path) -> None:
    """CO-42: going is no sign of life, coming back is."""
    async with watched(tmp_path) as world:
        door = WebSocketDoor(world)
        await world.clock.advance(200)
        await door.send("user:idle_start", lastActionTimestamp=1_700_000_000_000)
        gone = await world.logged(ActionType.IDLE_START)
        assert gone == [{"lastActionTimestamp": 1_700_000_000_000}]
        await door.send("user:idle_end")
        assert await world.logged(ActionType.IDLE_END) == [{}]
        await world.clock.advance(290)
        await world.observer.settled()
        assert await world.calls() == 0


async def test_the_page_finds_status_and_latest_nudges_over_http(tmp_path: Path) -> None:
    """FR-145, EC-68: also when it was closed while they were sent."""
    async with (
        watched(tmp_path, model=ScriptedModel(verdict(expected_file=ORDERS))) as world,
        over_http(world) as http,
    ):
        before = (await http.get("/api/coach/observer")).json()
        assert before == {"active": True, "muted": False, "lastEvaluation": None, "nudges": []}
        await world.open(README)
        after = (await http.get("/api/coach/observer")).json()
        assert after["lastEvaluation"] is not None
        (nudge,) = after["nudges"]
        assert (nudge["signal"], nudge["sessionId"]) == ("wrong_file", world.session_id)
        assert nudge["context"]["expected_file"] == ORDERS
        muted = await http.post("/api/coach/observer/mute", json={"muted": True})
        assert muted.json()["muted"] is True
        assert (await http.get("/api/coach/observer")).json()["muted"] is True


async def test_only_the_latest_twenty_nudges_are_kept(tmp_path: Path) -> None:
    """CO-44: oldest first, and bounded."""
    model = ScriptedModel(*[verdict(confidence=0.7 + number / 100) for number in range(22)])
    async with watched(tmp_path, model=model) as world:
        for _ in range(22):
            await world.open(README)
            await world.clock.advance(121)
        kept = [round(sent.nudge.confidence, 2) for sent in world.observer.nudges(world.house.desk)]
        assert kept == [round(0.7 + number / 100, 2) for number in range(2, 22)]


async def test_an_agents_hook_gets_each_nudge_once(tmp_path: Path) -> None:
    """CO-44: worded for the agent; with `after`, those since then."""
    model = ScriptedModel(verdict(current_file=README), verdict(Signal.EDIT_LOOP))
    async with watched(tmp_path, model=model) as world, over_http(world) as http:
        path = "/api/coach/nudges"
        assert (await http.get(path)).json() == {"nudges": []}
        await world.open(README)
        (first,) = (await http.get(path)).json()["nudges"]
        assert first["signal"] == "wrong_file"
        assert README in first["text"]
        assert "Do not write the code" in first["text"]
        assert (await http.get(path)).json() == {"nudges": []}
        await world.clock.advance(121)
        await world.open(README)
        since = (await http.get(path, params={"after": first["sentAt"]})).json()["nudges"]
        assert [nudge["signal"] for nudge in since] == ["edit_loop"]
        assert (await http.get(path)).json() == {"nudges": []}
        long_ago = (await http.get(path, params={"after": "2020-01-01T00:00:00Z"})).json()
        assert len(long_ago["nudges"]) == 2
        assert (await http.get(path, params={"after": "yesterday"})).status_code == 422


async def test_nudges_are_their_persons_alone(tmp_path: Path) -> None:
    """CO-44: another user's desk has none."""
    async with watched(tmp_path, model=ScriptedModel(verdict())) as world:
        await world.open(README)
        other = world.house.desks.of("somebody_else")
        assert world.observer.nudges(other) == []
        assert world.observer.hand_over(other) == []
        assert world.observer.status(other).active is False
