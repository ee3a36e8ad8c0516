"""A person with only the browser: sessions, phases, hints, drafts and issues at both doors."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import orjson
import pytest

from bottega.coach.enums import HintLevel, HintType
from bottega.coach.issues import Issues
from bottega.coach.messages import sessions as session_messages
from bottega.coach.messages.background import Background
from bottega.coach.observer.observer import Observer
from bottega.coach.planning.drafting import Drafting
from bottega.coach.repository.plans import NewHint, NewPhase
from bottega.coach.routes import desk as desk_routes
from bottega.coach.routes import sessions as session_routes
from bottega.coach.sessions.hints import Hints
from bottega.coach.sessions.phases import Phases
from bottega.coach.sessions.sessions import CoachingSessions
from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.server.http import create_server
from bottega.server.messages import MessageRouter
from tests.coach.house import House
from tests.coach.window import Window

LINE = NewHint(HintType.LINE, "src/bakery/orders.py", "focus", 4, 5, "Why?")
PHASES = (
    NewPhase(1, "Find", "Look.", HintLevel.FILE, hints=[LINE]),
    NewPhase(2, "Fix", "Change.", HintLevel.FILE),
)


class Served:
    """As much of an app as a server needs; the house is started already."""

    def __init__(self, house: House) -> None:
        core, desks, voice = house.core, house.desks, house.voice
        hints, issues = Hints(core, voice), Issues(house.project, "gh-that-is-not-installed")
        sessions = CoachingSessions(core, voice, hints, issues)
        phases, drafting = Phases(core, voice, hints), Drafting(core)
        self.core: Core = core
        self.background = Background()
        self.room = Room(
            "coach",
            messages=session_messages.messages(
                desks, sessions, phases, hints, drafting, self.background
            ),
            routes=lambda: [
                session_routes.router(desks, sessions, phases, hints, drafting, issues),
                desk_routes.router(desks, sessions, hints, Observer(core, desks, voice)),
            ],
            paths=["/coach"],
        )
        self.rooms = [self.room]

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def health(self) -> dict[str, Any]:
        return {}


class Talk:
    """A window that sends real frames through the real router."""

    def __init__(self, served: Served) -> None:
        self.window = Window()
        self._background = served.background
        self._router = MessageRouter(1_000_000)
        self._router.add(served.room.messages)

    async def say(self, type: str, *, id: str | None = None, **payload: Any) -> None:
        frame = orjson.dumps({"type": type, "payload": payload, "id": id}).decode()
        await self._router.dispatch(frame, self.window)
        await self._background.settle()


@pytest.fixture
def served(house: House) -> Served:
    return Served(house)


@pytest.fixture
def talk(served: Served) -> Talk:
    return Talk(served)


@pytest.fixture
async def http(served: Served) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=create_server(served))
    base = "http://127.0.0.1/api/coach"
    async with httpx.AsyncClient(transport=transport, base_url=base) as client:
        yield client


async def test_a_window_that_opens_is_told_all_that_others_show(
    house: House, talk: Talk, http: httpx.AsyncClient
) -> None:
    """After a reload: the session, its phases, the open files, and everything that points."""
    empty = (await http.get("/desk")).json()
    assert (empty["session"], empty["openFiles"], empty["fileHints"]) == (None, [], [])

    await talk.say("session:start", issueTitle="The total is wrong")
    await house.add_plan(*PHASES)
    await talk.say("coaching:update_phase", phase=1, status="active")
    house.desk.open_files["README.md"] = None
    path = "src/bakery/orders.py"
    for level, regions, highlights in (
        ("none", [], []),
        ("file", [], []),
        ("region", [(1, 15)], []),
        ("line", [], [(4, 5)]),
    ):
        await talk.say("hints:level_change", level=level)
        desk = (await http.get("/desk")).json()
        assert desk["session"]["hintLevel"] == level
        assert desk["openFiles"] == ["README.md"]
        assert [hint["path"] for hint in desk["fileHints"]] == ([] if level == "none" else [path])
        found = [
            (one["start"], one["end"]) for each in desk["regions"] for one in each["decorations"]
        ]
        assert found == regions
        assert [(one["start"], one["end"]) for one in desk["highlights"]] == highlights


async def test_a_session_lives_over_websocket(house: House, talk: Talk) -> None:
    """CO-29: start, draft, begin and complete a phase, choose a level, resume."""
    await talk.say("session:start", issueNumber=7, issueTitle="The total is wrong")
    first = house.desk.require_session()
    assert house.of_type("session:started")[0]["sessionId"] == first

    await talk.say("coaching:draft_plan", id="d1")
    [(kind, draft, reply_to)] = talk.window.sent
    assert (kind, reply_to, draft["offline"]) == ("coaching:plan_draft", "d1", True)
    assert "`src/bakery/orders.py`" in draft["planText"]

    await house.add_plan(*PHASES)
    await talk.say("coaching:update_phase", phase=1, status="active")
    await talk.say("hints:level_change", level="line", previousLevel="file")
    assert house.of_type("editor:highlight_lines")[0]["start"] == 4
    await talk.say("coaching:update_phase", phase=1, status="complete")
    told = [update["status"] for update in house.of_type("coaching:phase_update")]
    assert told == ["active", "complete"]

    await talk.say("session:start", issueTitle="Something else")
    await talk.say("session:resume", sessionId=first)
    state = house.of_type("session:resumed")[0]["restoredState"]
    assert (state["previousSessionId"], state["hintLevel"]) == (first, "line")
    assert [phase["status"] for phase in state["phases"]] == ["complete", "pending"]
    assert len(talk.window.sent) == 1


@pytest.mark.parametrize(
    ("type", "payload", "code", "words"),
    [
        ("session:start", {}, "INVALID_PAYLOAD", "issueNumber"),
        ("session:start", {"issueNumber": 0}, "INVALID_PAYLOAD", "issueNumber"),
        ("session:resume", {"sessionId": "no-such"}, "NOT_FOUND", "no-such"),
        ("hints:level_change", {"level": "loud"}, "INVALID_PAYLOAD", "level"),
        ("hints:level_change", {"level": "line"}, "CONFLICT", "No active session"),
        ("coaching:update_phase", {"phase": 1, "status": "active"}, "CONFLICT", "No active"),
        ("coaching:draft_plan", {}, "CONFLICT", "No active session"),
    ],
)
async def test_what_cannot_be_done_is_answered_to_the_sender(
    house: House, talk: Talk, type: str, payload: dict[str, Any], code: str, words: str
) -> None:
    """CO-29: with its id, and nobody else hears of it."""
    await talk.say(type, id="q1", **payload)
    [(kind, problem, reply_to)] = talk.window.sent
    assert (kind, problem["code"], reply_to) == ("connection:error", code, "q1")
    assert words in problem["message"]
    assert house.heard == []


async def test_a_session_lives_over_http(house: House, http: httpx.AsyncClient) -> None:
    """CO-29: the same at the REST door, in camelCase."""
    nothing = await http.get("/session")
    assert (nothing.status_code, nothing.json()) == (200, None)
    started = await http.post("/sessions", json={"issueTitle": "The total is wrong"})
    assert started.status_code == 201
    first = started.json()["sessionId"]
    assert started.json()["issueContext"]["title"] == "The total is wrong"
    draft = (await http.post("/plan/draft")).json()
    assert draft["offline"] is True
    assert "beginning with `total` (line 4)" in draft["planText"]

    await house.add_plan(*PHASES)
    phase = (await http.post("/phases/1", json={"status": "active"})).json()
    assert (phase["number"], phase["status"], phase["expectedFiles"]) == (1, "active", [])
    assert (await http.put("/hints", json={"level": "region"})).json() == {"level": "region"}
    assert house.of_type("editor:decorations")[0]["path"] == "src/bakery/orders.py"
    current = (await http.get("/session")).json()
    assert (current["sessionId"], current["hintLevel"]) == (first, "region")
    assert [phase["status"] for phase in current["phases"]] == ["active", "pending"]

    await http.post("/sessions", json={"issueNumber": 8})
    resumed = (await http.post(f"/sessions/{first}/resume")).json()["restoredState"]
    assert resumed["previousSessionId"] == first


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/sessions", {}, 422),
        ("POST", "/sessions/no-such/resume", None, 404),
        ("POST", "/plan/draft", None, 409),
        ("POST", "/phases/1", {"status": "active"}, 409),
        ("POST", "/phases/0", {"status": "active"}, 422),
        ("POST", "/phases/1", {"status": "paused"}, 422),
        ("PUT", "/hints", {"level": "line"}, 409),
    ],
)
async def test_http_answers_with_the_fitting_status(
    http: httpx.AsyncClient, method: str, path: str, body: Any, status: int
) -> None:
    """CO-29: wrong input, nothing there, no session, no GitHub."""
    answer = await http.request(method, path, json=body)
    assert answer.status_code == status
    assert answer.json()["error"]["message"]


async def test_a_project_without_issues_lists_none_and_says_why(http: httpx.AsyncClient) -> None:
    listed = (await http.get("/issues")).json()
    assert listed["issues"] == []
    assert "GitHub CLI not found" in listed["note"]


async def test_the_projects_issues_are_listed_over_http(
    house: House, http: httpx.AsyncClient
) -> None:
    """CO-26: without GitHub, from the folder, and it says why."""
    (house.project / "issues").mkdir()
    (house.project / "issues" / "3-rolls.md").write_text("# Rolls cost too much\n")
    listed = (await http.get("/issues")).json()
    assert listed["source"] == "files"
    assert listed["issues"][0]["title"] == "Rolls cost too much"
    assert "GitHub CLI not found" in listed["note"]
