"""A person with only the browser: sessions, phases, hints, drafts and issues at both doors."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import orjson
import pytest

from bottega.coach.background import Background
from bottega.coach.enums import HintLevel, HintType
from bottega.coach.observer.service import Observer
from bottega.coach.plans import operations as plan_operations
from bottega.coach.plans.draft import PlanDrafter
from bottega.coach.plans.hints import PhaseHints
from bottega.coach.plans.issues import Issues
from bottega.coach.plans.phases import Phases
from bottega.coach.plans.repository import NewHint, NewPhase
from bottega.coach.sessions import operations as session_operations
from bottega.coach.sessions.service import CoachingSessions
from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.server.http import create_server
from bottega.server.messages import MessageRouter
from tests.coach.builders import CoachApp
from tests.coach.doors import Recipient, bind

LINE = NewHint(HintType.LINE, "src/bakery/orders.py", "focus", 4, 5, "Why?")
PHASES = (
    NewPhase(1, "Find", "Look.", HintLevel.FILE, hints=[LINE]),
    NewPhase(2, "Fix", "Change.", HintLevel.FILE),
)


class Served:
    """As much of an app as a server needs; the house is started already."""

    def __init__(self, app: CoachApp) -> None:
        core, editors, windows = app.core, app.editors, app.windows
        hints, issues = PhaseHints(core, windows), Issues(app.project, "gh-that-is-not-installed")
        sessions = CoachingSessions(core, windows, hints, issues)
        phases, drafter = Phases(core, windows, hints), PlanDrafter(core)
        self.core: Core = core
        self.background = Background()
        self.room = Room(
            "coach",
            operations=bind(
                app,
                session_operations,
                plan_operations,
                background=self.background,
                sessions=sessions,
                phases=phases,
                hints=hints,
                drafter=drafter,
                issues=issues,
                observer=Observer(core, editors, windows),
            ),
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
        self.window = Recipient()
        self._background = served.background
        self._router = MessageRouter(1_000_000)
        self._router.add(served.room.messages)

    async def say(self, type: str, *, id: str | None = None, **payload: Any) -> None:
        frame = orjson.dumps({"type": type, "payload": payload, "id": id}).decode()
        await self._router.dispatch(frame, self.window)
        await self._background.settle()


@pytest.fixture
def served(app: CoachApp) -> Served:
    return Served(app)


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
    app: CoachApp, talk: Talk, http: httpx.AsyncClient
) -> None:
    """After a reload: the session, its phases, the open files, and everything that points."""
    empty = (await http.get("/desk")).json()
    assert (empty["session"], empty["openFiles"], empty["fileHints"]) == (None, [], [])

    await talk.say("session:start", issueTitle="The total is wrong")
    await app.add_plan(*PHASES)
    await talk.say("coaching:update_phase", phase=1, status="active")
    app.editor.open_files["README.md"] = None
    path = "src/bakery/orders.py"
    for level, regions, highlights in (
        ("none", [], []),
        ("file", [], []),
        ("region", [(1, 15)], []),
        ("line", [], [(4, 5)]),
    ):
        await talk.say("hints:level_change", level=level)
        editor = (await http.get("/desk")).json()
        assert editor["session"]["hintLevel"] == level
        assert editor["openFiles"] == ["README.md"]
        assert [hint["path"] for hint in editor["fileHints"]] == ([] if level == "none" else [path])
        found = [
            (one["start"], one["end"]) for each in editor["regions"] for one in each["decorations"]
        ]
        assert found == regions
        assert [(one["start"], one["end"]) for one in editor["highlights"]] == highlights


@pytest.mark.requirement("CO-29")
async def test_a_session_lives_over_websocket(app: CoachApp, talk: Talk) -> None:
    """Start, draft, begin and complete a phase, choose a level, resume."""
    await talk.say("session:start", issueNumber=7, issueTitle="The total is wrong")
    first = app.editor.require_session()
    assert app.of_type("session:started")[0]["sessionId"] == first

    await talk.say("coaching:draft_plan", id="d1")
    [(kind, draft, reply_to)] = talk.window.sent
    assert (kind, reply_to, draft["offline"]) == ("coaching:plan_draft", "d1", True)
    assert "`src/bakery/orders.py`" in draft["planText"]

    await app.add_plan(*PHASES)
    await talk.say("coaching:update_phase", phase=1, status="active")
    await talk.say("hints:level_change", level="line", previousLevel="file")
    assert app.of_type("editor:highlight_lines")[0]["start"] == 4
    await talk.say("coaching:update_phase", phase=1, status="complete")
    told = [update["status"] for update in app.of_type("coaching:phase_update")]
    assert told == ["active", "complete"]

    await talk.say("session:start", issueTitle="Something else")
    await talk.say("session:resume", sessionId=first)
    state = app.of_type("session:resumed")[0]["restoredState"]
    assert (state["previousSessionId"], state["hintLevel"]) == (first, "line")
    assert [phase["status"] for phase in state["phases"]] == ["complete", "pending"]
    assert len(talk.window.sent) == 1


@pytest.mark.requirement("CO-29")
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
    app: CoachApp, talk: Talk, type: str, payload: dict[str, Any], code: str, words: str
) -> None:
    """With its id, and nobody else hears of it."""
    await talk.say(type, id="q1", **payload)
    [(kind, problem, reply_to)] = talk.window.sent
    assert (kind, problem["code"], reply_to) == ("connection:error", code, "q1")
    assert words in problem["message"]
    assert app.broadcasts == []


@pytest.mark.requirement("CO-29")
async def test_a_session_lives_over_http(app: CoachApp, http: httpx.AsyncClient) -> None:
    """The same at the REST door, in camelCase."""
    nothing = await http.get("/session")
    assert (nothing.status_code, nothing.json()) == (200, None)
    started = await http.post("/sessions", json={"issueTitle": "The total is wrong"})
    assert started.status_code == 201
    first = started.json()["sessionId"]
    assert started.json()["issueContext"]["title"] == "The total is wrong"
    draft = (await http.post("/plan/draft")).json()
    assert draft["offline"] is True
    assert "beginning with `total` (line 4)" in draft["planText"]

    await app.add_plan(*PHASES)
    phase = (await http.post("/phases/1", json={"status": "active"})).json()
    assert (phase["number"], phase["status"], phase["expectedFiles"]) == (1, "active", [])
    assert (await http.put("/hints", json={"level": "region"})).json() == {"level": "region"}
    assert app.of_type("editor:decorations")[0]["path"] == "src/bakery/orders.py"
    current = (await http.get("/session")).json()
    assert (current["sessionId"], current["hintLevel"]) == (first, "region")
    assert [phase["status"] for phase in current["phases"]] == ["active", "pending"]

    await http.post("/sessions", json={"issueNumber": 8})
    resumed = (await http.post(f"/sessions/{first}/resume")).json()["restoredState"]
    assert resumed["previousSessionId"] == first


@pytest.mark.requirement("CO-29")
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
    """Wrong input, nothing there, no session, no GitHub."""
    answer = await http.request(method, path, json=body)
    assert answer.status_code == status
    assert answer.json()["error"]["message"]


async def test_a_project_without_issues_lists_none_and_says_why(http: httpx.AsyncClient) -> None:
    listed = (await http.get("/issues")).json()
    assert listed["issues"] == []
    assert "GitHub CLI not found" in listed["note"]


@pytest.mark.requirement("CO-26")
async def test_the_projects_issues_are_listed_over_http(
    app: CoachApp, http: httpx.AsyncClient
) -> None:
    """Without GitHub, from the folder, and it says why."""
    (app.project / "issues").mkdir()
    (app.project / "issues" / "3-rolls.md").write_text("# Rolls cost too much\n")
    listed = (await http.get("/issues")).json()
    assert listed["source"] == "files"
    assert listed["issues"][0]["title"] == "Rolls cost too much"
    assert "GitHub CLI not found" in listed["note"]
