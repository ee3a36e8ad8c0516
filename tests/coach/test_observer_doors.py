"""The observer over WebSocket and HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from fastapi import FastAPI
from pydantic import BaseModel

from bottega.coach.enums import Signal
from bottega.coach.observer import operations
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.rooms import Caller, Door
from bottega.core.sessions.actions import ActionType
from bottega.server.messages import MessageRouter
from bottega.server.rest import operation_router
from tests.coach.doors import bind, messages
from tests.coach.observed import ORDERS, README, ObservedSession, open_observed, verdict


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
    def __init__(self, observed: ObservedSession) -> None:
        self.window = Window()
        self._router = MessageRouter(1_000_000)
        self._router.add(messages(bind(observed.app, operations, observer=observed.observer)))

    async def send(self, type: str, **payload: Any) -> None:
        envelope = orjson.dumps({"type": type, "payload": payload}).decode()
        await self._router.dispatch(envelope, self.window)


@asynccontextmanager
async def over_http(observed: ObservedSession) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    bounds = bind(observed.app, operations, observer=observed.observer)
    app.include_router(operation_router(bounds, "coach"), prefix="/api")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


@pytest.mark.requirement("FR-144", "SC-068")
async def test_a_window_mutes_the_observer(tmp_path: Path) -> None:
    """Flipped, logged, told to all windows."""
    async with open_observed(tmp_path) as observed:
        door = WebSocketDoor(observed)
        await door.send("observer:mute", muted=True)
        assert observed.app.of_type("observer:status")[-1]["muted"] is True
        await observed.open(README)
        assert await observed.calls() == 0
        await door.send("observer:mute", muted=False)
        toggles = await observed.logged(ActionType.OBSERVER_MUTED)
        assert toggles == [{"muted": True}, {"muted": False}]
        assert door.window.received == []


@pytest.mark.requirement("FR-144")
async def test_a_mute_that_says_nothing_is_refused(tmp_path: Path) -> None:
    """And changes nothing."""
    async with open_observed(tmp_path) as observed:
        door = WebSocketDoor(observed)
        await door.send("observer:mute")
        await door.send("observer:mute", muted="loud")
        assert [answer["code"] for _, answer in door.window.received] == ["INVALID_PAYLOAD"] * 2
        assert observed.observer.status(observed.app.editor).muted is False


@pytest.mark.requirement("EC-70")
async def test_a_window_without_a_session_mutes_nothing(tmp_path: Path) -> None:
    """No answer, no error, no state."""
    async with open_observed(tmp_path, start=False) as observed:
        door = WebSocketDoor(observed)
        await door.send("observer:mute", muted=True)
        assert door.window.received == []
        assert observed.app.broadcasts == []


@pytest.mark.requirement("CO-42")
async def test_going_idle_and_coming_back_are_logged(tmp_path: Path) -> None:
    """Going is no sign of life, coming back is."""
    async with open_observed(tmp_path) as observed:
        door = WebSocketDoor(observed)
        await observed.clock.advance(200)
        await door.send("user:idle_start", lastActionTimestamp=1_700_000_000_000)
        gone = await observed.logged(ActionType.IDLE_START)
        assert gone == [{"lastActionTimestamp": 1_700_000_000_000}]
        await door.send("user:idle_end")
        assert await observed.logged(ActionType.IDLE_END) == [{}]
        await observed.clock.advance(290)
        await observed.observer.settled()
        assert await observed.calls() == 0


@pytest.mark.requirement("FR-145", "EC-68")
async def test_the_page_finds_status_and_latest_nudges_over_http(tmp_path: Path) -> None:
    """Also when it was closed while they were sent."""
    async with (
        open_observed(tmp_path, model=ScriptedModel(verdict(expected_file=ORDERS))) as observed,
        over_http(observed) as http,
    ):
        before = (await http.get("/api/coach/observer")).json()
        assert before == {"active": True, "muted": False, "lastEvaluation": None, "nudges": []}
        await observed.open(README)
        after = (await http.get("/api/coach/observer")).json()
        assert after["lastEvaluation"] is not None
        (nudge,) = after["nudges"]
        assert (nudge["signal"], nudge["sessionId"]) == ("wrong_file", observed.session_id)
        assert nudge["context"]["expected_file"] == ORDERS
        muted = await http.post("/api/coach/observer/mute", json={"muted": True})
        assert muted.json()["muted"] is True
        assert (await http.get("/api/coach/observer")).json()["muted"] is True


@pytest.mark.requirement("CO-44")
async def test_only_the_latest_twenty_nudges_are_kept(tmp_path: Path) -> None:
    """Oldest first, and bounded."""
    model = ScriptedModel(*[verdict(confidence=0.7 + number / 100) for number in range(22)])
    async with open_observed(tmp_path, model=model) as observed:
        for _ in range(22):
            await observed.open(README)
            await observed.clock.advance(121)
        kept = [
            round(sent.nudge.confidence, 2)
            for sent in observed.observer.nudges(observed.app.editor)
        ]
        assert kept == [round(0.7 + number / 100, 2) for number in range(2, 22)]


@pytest.mark.requirement("CO-44")
async def test_an_agents_hook_gets_each_nudge_once(tmp_path: Path) -> None:
    """Worded for the agent; with `after`, those since then."""
    model = ScriptedModel(verdict(current_file=README), verdict(Signal.EDIT_LOOP))
    async with open_observed(tmp_path, model=model) as observed, over_http(observed) as http:
        path = "/api/coach/nudges"
        assert (await http.get(path)).json() == {"nudges": []}
        await observed.open(README)
        (first,) = (await http.get(path)).json()["nudges"]
        assert first["signal"] == "wrong_file"
        assert README in first["text"]
        assert "Do not write the code" in first["text"]
        assert (await http.get(path)).json() == {"nudges": []}
        await observed.clock.advance(121)
        await observed.open(README)
        since = (await http.get(path, params={"after": first["sentAt"]})).json()["nudges"]
        assert [nudge["signal"] for nudge in since] == ["edit_loop"]
        assert (await http.get(path)).json() == {"nudges": []}
        long_ago = (await http.get(path, params={"after": "2020-01-01T00:00:00Z"})).json()
        assert len(long_ago["nudges"]) == 2
        assert (await http.get(path, params={"after": "yesterday"})).status_code == 422


@pytest.mark.requirement("CO-44")
async def test_nudges_are_their_persons_alone(tmp_path: Path) -> None:
    """Another user's desk has none."""
    async with open_observed(tmp_path, model=ScriptedModel(verdict())) as observed:
        await observed.open(README)
        other = observed.app.editors.of("somebody_else")
        assert observed.observer.nudges(other) == []
        assert observed.observer.hand_over(other) == []
        assert observed.observer.status(other).active is False
