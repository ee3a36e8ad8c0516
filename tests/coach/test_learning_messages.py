"""Explanations, reviews, katas and gaps at their doors: WebSocket and HTTP."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from fastapi import FastAPI
from pydantic import BaseModel

from bottega.coach.background import AT_ONCE, Background
from bottega.coach.explain import operations as explain_operations
from bottega.coach.explain.service import Explainer
from bottega.coach.practice import operations as practice_operations
from bottega.coach.review import operations as review_operations
from bottega.coach.review.service import PhaseReviews
from bottega.coach.skills import operations as skill_operations
from bottega.coach.skills.service import Gaps
from bottega.core.llm.testing import LoopbackApi
from bottega.core.operations import Bound
from bottega.core.rooms import Caller, Door, Incoming
from bottega.errors import BottegaError, Conflict
from bottega.server.errors import respond
from bottega.server.messages import MessageRouter
from bottega.server.rest import operation_router
from tests.coach.builders import GOOD, WRONG, CoachApp, add_gap, add_kata, open_coach, practice
from tests.coach.doors import bind, messages
from tests.coach.test_practice import judged

SELECTION = {"startLine": 4, "startCol": 1, "endLine": 5, "endCol": 10}
EXPLAIN = {
    "path": "src/bakery/orders.py",
    "selection": SELECTION,
    "selectedText": "def total(order):\n    return sum(price_of(item) for item in order)\n",
}


class Window:
    """One connected client, and what it was sent alone."""

    def __init__(self) -> None:
        self.id = "ws_1"
        self.caller = Caller(Door.WEBSOCKET)
        self.state: dict[str, Any] = {}
        self.sent: list[tuple[str, dict[str, Any], str | None]] = []

    def send(
        self, type: str, payload: BaseModel | dict[str, Any], *, reply_to: str | None = None
    ) -> None:
        if isinstance(payload, BaseModel):
            payload = payload.model_dump(mode="json", by_alias=True)
        self.sent.append((type, payload, reply_to))


def operations(app: CoachApp, background: Background | None = None) -> list[Bound]:
    return bind(
        app,
        explain_operations,
        review_operations,
        practice_operations,
        skill_operations,
        background=background,
        explainer=Explainer(app.core, app.windows, app.skills),
        practice=practice(app),
        phase_reviews=PhaseReviews(app.core, app.windows, app.skills),
        gaps=Gaps(app.core.database),
    )


class Bench:
    """A window, the server's own router, and the coach's handlers behind it."""

    def __init__(self, app: CoachApp) -> None:
        self.window = Window()
        self.background = Background()
        self._router = MessageRouter(1_000_000)
        self._router.add(messages(operations(app, self.background)))

    async def send(self, type: str, payload: dict[str, Any], id: str | None = None) -> None:
        envelope = {"type": type, "payload": payload} | ({"id": id} if id else {})
        await self._router.dispatch(orjson.dumps(envelope).decode(), self.window)


@pytest.mark.requirement("SC-072", "FR-151")
async def test_an_explanation_goes_to_every_window(app: CoachApp) -> None:
    """As a broadcast, and not to the sender twice."""
    bench = Bench(app)
    await bench.send("user:explain", EXPLAIN)
    await bench.background.settle()
    answer = await app.hear("explain:response")
    assert answer["path"] == "src/bakery/orders.py"
    assert "total" in answer["explanation"]
    assert bench.window.sent == []


@pytest.mark.requirement("FR-160", "EC-75")
async def test_a_failed_explanation_is_said_once(app: CoachApp) -> None:
    """As explain:error, and not as connection:error too."""
    bench = Bench(app)
    await bench.send("user:explain", EXPLAIN | {"path": "logo.png"}, id="7")
    await bench.background.settle()
    assert await app.hear("explain:error") == {
        "path": "logo.png",
        "error": "Cannot explain binary files",
    }
    assert bench.window.sent == []


@pytest.mark.requirement("SC-075", "CO-56")
async def test_a_review_is_of_the_kata_or_of_the_phase(app: CoachApp) -> None:
    """By whether a kata is named."""
    bench = Bench(app)
    kata = await add_kata(app)
    await bench.send("user:review", {"kataId": kata.id, "userCode": GOOD})
    await bench.background.settle()
    await bench.send("user:review", {})
    await bench.background.settle()
    of_kata, of_phase = app.of_type("review:response")
    assert (of_kata["kataId"], of_kata["passed"]) == (kata.id, True)
    assert of_phase["kataId"] is None
    assert "nothing to review" in of_phase["review"]


@pytest.mark.requirement("FR-157", "SC-075")
async def test_a_submitted_solution_is_also_answered_in_short(app: CoachApp) -> None:
    """To who sent it, with the sender's id."""
    bench = Bench(app)
    kata = await add_kata(app)
    payload = {"kataId": kata.id, "code": WRONG, "activeConstraints": ["No multiplication"]}
    await bench.send("practice:submit_solution", payload, id="9")
    await bench.background.settle()
    long = await app.hear("review:response")
    [(kind, short, reply_to)] = bench.window.sent
    assert (kind, reply_to) == ("practice:solution_review", "9")
    assert short == {
        "kataId": kata.id,
        "review": long["feedback"],
        "level": long["level"],
        "passed": False,
        "constraintsUnlocked": long["unlockedConstraints"],
    }


@pytest.mark.requirement("FR-166")
async def test_a_solution_of_no_kata_is_refused(app: CoachApp) -> None:
    """A missing id at once; an unknown one as review:error."""
    bench = Bench(app)
    await bench.send("practice:submit_solution", {"code": GOOD}, id="1")
    [(kind, problem, reply_to)] = bench.window.sent
    assert (kind, problem["code"], reply_to) == ("connection:error", "VALIDATION_ERROR", "1")
    await bench.send("practice:submit_solution", {"kataId": "nowhere", "code": GOOD}, id="2")
    await bench.background.settle()
    assert (await app.hear("review:error"))["error"] == "Kata not found"
    assert len(bench.window.sent) == 1


@pytest.mark.requirement("CO-54")
async def test_a_kata_is_loaded_for_who_asks(app: CoachApp) -> None:
    """By its id or the best next; what is not there is an error with the sender's id."""
    bench = Bench(app)
    kata = await add_kata(app)
    await bench.send("practice:request_kata", {"kataId": kata.id}, id="1")
    await bench.send("practice:request_kata", {}, id="2")
    await bench.send("practice:request_kata", {"kataId": "nowhere"}, id="3")
    first, second, third = bench.window.sent
    assert (first[0], first[2]) == ("practice:kata_load", "1")
    assert first[1]["kata"]["id"] == second[1]["kata"]["id"] == kata.id
    assert (third[0], third[1]["code"], third[2]) == ("connection:error", "NOT_FOUND", "3")


@pytest.mark.requirement("CO-59")
async def test_a_slow_answer_holds_up_no_other_message(tmp_path: Path) -> None:
    """The next message is handled while the model still thinks."""
    may_answer = asyncio.Event()
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        kata = await add_kata(app)
        bench = Bench(app)
        api.reply(json=judged().model_dump(), hold=may_answer)
        await bench.send("user:review", {"kataId": kata.id, "userCode": GOOD})
        await bench.send("practice:request_kata", {"kataId": kata.id}, id="2")
        assert [sent[0] for sent in bench.window.sent] == ["practice:kata_load"]
        assert app.of_type("review:response") == []
        may_answer.set()
        await bench.background.settle()
        assert app.of_type("review:response")[0]["passed"]


def incoming(window: Window, id: str = "5") -> Incoming[Any]:
    return Incoming("coach:test", {}, window, id)


@pytest.mark.requirement("CO-59")
async def test_what_fails_in_the_background_is_answered(app: CoachApp) -> None:
    """An error of ours with its code, any other as INTERNAL with a reference."""
    window, background = Window(), Background()

    async def conflict() -> None:
        raise Conflict("Not now.", reason="busy")

    async def crash() -> None:
        raise ZeroDivisionError

    background.run(incoming(window, "1"), conflict())
    background.run(incoming(window, "2"), crash())
    await background.settle()
    (_, refused, first), (_, failed, second) = window.sent
    assert (first, second) == ("1", "2")
    assert refused == {
        "code": "CONFLICT",
        "message": "Not now.",
        "context": {"type": "coach:test", "reason": "busy"},
    }
    assert failed["code"] == "INTERNAL"
    assert failed["context"]["reference"] in failed["message"]


@pytest.mark.requirement("CO-59")
async def test_one_window_cannot_pile_up_work_without_end() -> None:
    """What is too much is refused, and there is room again when something is done."""
    window, background, done = Window(), Background(), asyncio.Event()

    async def wait() -> None:
        await done.wait()

    for _ in range(AT_ONCE):
        background.run(incoming(window), wait())
    with pytest.raises(BottegaError, match="still being worked on"):
        background.run(incoming(window), wait())
    done.set()
    await background.settle()
    background.run(incoming(window), wait())
    await background.settle()


@pytest.mark.requirement("CO-59")
@pytest.mark.filterwarnings("error")
async def test_stopping_ends_what_runs_and_what_has_not_begun() -> None:
    """Nothing outlives the room."""
    window, background, began = Window(), Background(), asyncio.Event()
    ended: list[str] = []

    async def wait(name: str) -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(name)

    background.run(incoming(window), wait("first"))
    await began.wait()
    background.run(incoming(window), wait("second"))
    await background.stop()
    assert ended == ["first"]
    assert window.sent == []


@pytest.fixture
async def http(app: CoachApp) -> AsyncIterator[httpx.AsyncClient]:
    server = FastAPI()
    server.include_router(operation_router(operations(app), "coach"))
    server.add_exception_handler(BottegaError, lambda _, error: respond(_ours(error)))
    transport = httpx.ASGITransport(server)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/coach") as client:
        yield client


def _ours(error: Exception) -> BottegaError:
    assert isinstance(error, BottegaError)
    return error


@pytest.mark.requirement("FR-151", "EC-75")
async def test_code_is_explained_over_http(http: httpx.AsyncClient) -> None:
    """The same answer, and the same refusal."""
    answer = await http.post("/explain", json=EXPLAIN)
    assert answer.status_code == 200
    assert answer.json()["relatedFiles"] == ["src/bakery/prices.py"]
    refused = await http.post("/explain", json=EXPLAIN | {"path": "logo.png"})
    assert refused.status_code == 422
    assert refused.json()["error"]["message"] == "Cannot explain binary files"


@pytest.mark.requirement("SC-075", "CO-54", "CO-55")
async def test_a_kata_is_practised_over_http(app: CoachApp, http: httpx.AsyncClient) -> None:
    """From the list to the second attempt."""
    await add_gap(app, "Loops and accumulation")
    loaded = (await http.post("/katas/next")).json()
    assert loaded.keys() == {"kata", "constraints"}
    kata_id = loaded["kata"]["id"]
    [listed] = (await http.get("/katas")).json()
    assert (listed["id"], listed["attemptsCount"]) == (kata_id, 0)

    tried = await http.post(f"/katas/{kata_id}/attempts", json={"userCode": "x = 1"})
    assert tried.status_code == 201
    assert tried.json()["passed"] is False
    again = await http.post("/review", json={"kataId": kata_id, "userCode": "x = 2"})
    assert again.json()["kataId"] == kata_id
    shown = (await http.get(f"/katas/{kata_id}")).json()
    assert [attempt["code"] for attempt in shown["kata"]["attempts"]] == ["x = 1", "x = 2"]
    assert (await http.get("/katas/nowhere")).status_code == 404


@pytest.mark.requirement("CO-56")
async def test_the_phase_is_reviewed_over_http(http: httpx.AsyncClient) -> None:
    """A review without a kata."""
    told = (await http.post("/review", json={})).json()
    assert told["kataId"] is None
    assert told["passed"] is False
    assert told["phase"] is None


@pytest.mark.requirement("CO-58")
async def test_a_learner_may_close_a_gap_and_open_it_again(
    app: CoachApp, http: httpx.AsyncClient
) -> None:
    """Their own only."""
    gap = await add_gap(app)
    [listed] = (await http.get("/gaps", params={"addressed": False})).json()
    assert (listed["id"], listed["topic"], listed["addressed"]) == (gap.id, "Arithmetic", False)
    closed = await http.post(f"/gaps/{gap.id}/addressed", json={"addressed": True})
    assert closed.json()["addressed"] is True
    assert (await http.get("/gaps", params={"addressed": False})).json() == []
    reopened = await http.post(f"/gaps/{gap.id}/addressed", json={"addressed": False})
    assert reopened.json()["addressed"] is False
    assert len((await http.get("/gaps")).json()) == 1
    assert (await http.post("/gaps/x/addressed", json={"addressed": True})).status_code == 404
