"""A session's state, for agents over MCP and for the web app over HTTP."""

from collections.abc import AsyncIterator

import pytest

from bottega.coach.editor.schemas import LevelChange
from bottega.coach.enums import HintLevel, HintType, PhaseStatus, ProgressType, Stage
from bottega.coach.plans import repository as plans
from bottega.coach.plans.repository import NewHint, NewPhase
from bottega.coach.skills import repository as skill_records
from bottega.core import clock
from bottega.core.users import LOCAL_USER
from tests.coach.builders import PROJECT, CoachApp
from tests.coach.doors import Doors, http_client, open_doors

ORDERS = "src/bakery/orders.py"
ITEMS = {
    "open_files",
    "buffers",
    "diffs",
    "phase",
    "plan",
    "progress",
    "hints",
    "session",
    "dreyfus",
}
HINTS = (
    NewHint(HintType.FILE, ORDERS, "important"),
    NewHint(HintType.LINE, ORDERS, "focus", 4, 5, "What does sum start from?"),
)


@pytest.fixture
async def doors(app: CoachApp) -> AsyncIterator[Doors]:
    async with open_doors(app) as doors:
        yield doors


@pytest.mark.requirement("FR-070")
async def test_a_session_shows_its_nine_items(app: CoachApp, doors: Doors) -> None:
    """Each in its shape, all of them when none is named."""
    session = await app.start_session()
    added = await app.add_plan(
        NewPhase(1, "Reproduce", "", HintLevel.LINE, hints=HINTS, status=PhaseStatus.ACTIVE),
        NewPhase(2, "Round", "", HintLevel.FILE),
    )
    phase = added.phases[0]
    async with app.core.database.write() as writing:
        await skill_records.assess(writing, LOCAL_USER, "Python", Stage.COMPETENT, 0.7, "")
        event = await plans.add_progress(writing, phase.id, ProgressType.HINT_USED, {"path": "a"})
    window = doors.window()
    await window.says("file:open", path="README.md")
    cursor = {"line": 6, "column": 1}
    content = PROJECT[ORDERS] + "# rounded?\n"
    await window.says("buffer:update", path=ORDERS, content=content, cursorPosition=cursor)

    state = await doors.call("paige_get_session_state")
    [diff] = state.pop("diffs")
    assert diff["path"] == ORDERS
    assert "+# rounded?" in diff["diff"]
    assert state == {
        "open_files": ["README.md"],
        "buffers": [
            {"path": ORDERS, "content": content, "cursorPosition": cursor, "dirty": True},
        ],
        "phase": {
            "id": phase.id,
            "number": 1,
            "title": "Reproduce",
            "status": "active",
            "hintLevel": "line",
        },
        "plan": {
            "id": added.plan.id,
            "phases": [
                {"number": 1, "title": "Reproduce", "status": "active"},
                {"number": 2, "title": "Round", "status": "pending"},
            ],
        },
        "progress": [
            {
                "eventType": "hint_used",
                "data": {"path": "a"},
                "createdAt": clock.iso(event.created_at),
            }
        ],
        "hints": {
            "fileHints": [{"path": ORDERS, "style": "important"}],
            "lineHints": [
                {
                    "path": ORDERS,
                    "startLine": 4,
                    "endLine": 5,
                    "style": "focus",
                    "hoverText": "What does sum start from?",
                }
            ],
        },
        "session": {
            "id": session.id,
            "projectDir": app.editors.project,
            "issueNumber": 7,
            "issueTitle": "Totals are off by a cent",
            "startedAt": clock.iso(session.started_at),
        },
        "dreyfus": [{"skillArea": "Python", "stage": "competent", "confidence": 0.7}],
    }


@pytest.mark.requirement("FR-070", "SC-032")
async def test_only_what_is_asked_for_is_shown(app: CoachApp, doors: Doors) -> None:
    """And no other key is there."""
    await app.start_session()
    await app.add_plan(NewPhase(1, "Reproduce", "", HintLevel.FILE, status=PhaseStatus.ACTIVE))
    state = await doors.call("paige_get_session_state", include=["phase"])
    assert state.keys() == {"phase"}
    assert state["phase"]["title"] == "Reproduce"
    state = await doors.call("paige_get_session_state", include=["phase", "diffs"])
    assert state.keys() == {"phase", "diffs"}


@pytest.mark.requirement("FR-070", "EC-33")
async def test_an_empty_list_asks_for_all(app: CoachApp, doors: Doors) -> None:
    """As leaving it out does."""
    await app.start_session()
    assert (await doors.call("paige_get_session_state", include=[])).keys() == ITEMS
    assert (await doors.call("paige_get_session_state")).keys() == ITEMS


@pytest.mark.requirement("EC-37")
async def test_a_session_without_a_plan_says_so(app: CoachApp, doors: Doors) -> None:
    """Null, not an error; and no phase, progress or hints."""
    await app.start_session()
    state = await doors.call(
        "paige_get_session_state", include=["plan", "phase", "progress", "hints"]
    )
    assert state == {
        "phase": None,
        "plan": None,
        "progress": [],
        "hints": {"fileHints": [], "lineHints": []},
    }


@pytest.mark.requirement("CO-65")
async def test_the_hint_level_is_the_one_that_holds(app: CoachApp, doors: Doors) -> None:
    """An agent must not point closer than the person wants."""
    await app.start_session()
    await app.add_plan(NewPhase(1, "Reproduce", "", HintLevel.LINE, status=PhaseStatus.ACTIVE))
    await doors.hints.set_level(app.editor, LevelChange(level=HintLevel.NONE))
    state = await doors.call("paige_get_session_state", include=["phase"])
    assert state["phase"]["hintLevel"] == "none"


@pytest.mark.requirement("FR-070")
async def test_an_item_that_does_not_exist_is_refused(app: CoachApp, doors: Doors) -> None:
    """With those that do."""
    await app.start_session()
    kind, message = await doors.refused("paige_get_session_state", include=["moods"])
    assert kind == "validation_error"
    assert "'dreyfus'" in message


@pytest.mark.requirement("CO-66")
async def test_the_web_app_reads_the_same(app: CoachApp, doors: Doors) -> None:
    """Over HTTP, camelCase; without a session there is simply nothing in it."""
    async with http_client(doors) as http:
        empty = (await http.get("/state")).json()
        assert empty.keys() == ITEMS
        assert empty["session"] is None
        session = await app.start_session()
        await doors.window().says("buffer:update", path=ORDERS, content="mine\n")
        asked = {"include": ["session", "buffers"]}
        state = (await http.get("/state", params=asked)).json()
        assert state.keys() == {"session", "buffers"}
        assert state["session"]["id"] == session.id
        assert state["buffers"][0]["cursorPosition"] == {"line": 1, "column": 1}
        buffer = (await http.get("/buffer", params={"path": ORDERS})).json()
        assert (buffer["content"], buffer["dirty"]) == ("mine\n", True)
        assert "lastUpdated" in buffer
        assert (await http.get("/buffer", params={"path": "README.md"})).json() is None
        diffs = (await http.get("/diffs")).json()["diffs"]
        assert [diff["path"] for diff in diffs] == [ORDERS]


@pytest.mark.requirement("CO-66")
async def test_the_web_app_reads_and_saves_files(app: CoachApp, doors: Doors) -> None:
    """A file with its edits, a tree, and the person's own save."""
    session = await app.start_session()
    async with http_client(doors) as http:
        file = (await http.get("/files", params={"path": ORDERS})).json()
        assert (file["content"], file["lineCount"]) == (PROJECT[ORDERS], 5)
        tree = (await http.get("/tree", params={"path": "src"})).json()["root"]
        assert [child["path"] for child in tree["children"]] == ["src/bakery"]
        saved = await http.put("/files", json={"path": ORDERS, "content": "total = sum\n"})
        assert saved.json()["success"] is True
        assert (app.project / ORDERS).read_text() == "total = sum\n"
        assert app.of_type("fs:save_ack")[0]["path"] == ORDERS
        assert "file_save" in await app.action_types(session.id)


@pytest.mark.requirement("CO-66")
@pytest.mark.parametrize(
    ("path", "status"), [("absent.py", 404), ("../outside.py", 403), ("src", 422)]
)
async def test_the_web_app_is_told_what_is_wrong_with_a_path(
    doors: Doors, path: str, status: int
) -> None:
    """By the status and in words."""
    async with http_client(doors) as http:
        answer = await http.get("/files", params={"path": path})
        assert answer.status_code == status
        assert path.removeprefix("../") in answer.json()["error"]["message"]
        assert (await http.get("/tree", params={"path": "absent"})).status_code == 404
        refused = await http.put("/files", json={"path": "../outside.py", "content": "x"})
        assert refused.status_code == 403
