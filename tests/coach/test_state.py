"""A session's state, for agents over MCP and for the web app over HTTP."""

from collections.abc import AsyncIterator

import pytest

from bottega.coach.enums import HintLevel, HintType, PhaseStatus, ProgressType
from bottega.coach.protocol.files import LevelChange
from bottega.coach.repository import learning, plans
from bottega.coach.repository.plans import NewHint, NewPhase
from bottega.coach.stages import Stage
from bottega.core import clock
from bottega.core.users import LOCAL_USER
from tests.coach.doors import Doors, http_client, open_doors
from tests.coach.house import PROJECT, House

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
async def doors(house: House) -> AsyncIterator[Doors]:
    async with open_doors(house) as doors:
        yield doors


async def test_a_session_shows_its_nine_items(house: House, doors: Doors) -> None:
    """FR-070: each in its shape, all of them when none is named."""
    session = await house.start_session()
    added = await house.add_plan(
        NewPhase(1, "Reproduce", "", HintLevel.LINE, hints=HINTS, status=PhaseStatus.ACTIVE),
        NewPhase(2, "Round", "", HintLevel.FILE),
    )
    phase = added.phases[0]
    async with house.core.database.write() as writing:
        await learning.assess(writing, LOCAL_USER, "Python", Stage.COMPETENT, 0.7, "")
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
            "projectDir": house.desks.project,
            "issueNumber": 7,
            "issueTitle": "Totals are off by a cent",
            "startedAt": clock.iso(session.started_at),
        },
        "dreyfus": [{"skillArea": "Python", "stage": "competent", "confidence": 0.7}],
    }


async def test_only_what_is_asked_for_is_shown(house: House, doors: Doors) -> None:
    """FR-070, SC-032: and no other key is there."""
    await house.start_session()
    await house.add_plan(NewPhase(1, "Reproduce", "", HintLevel.FILE, status=PhaseStatus.ACTIVE))
    state = await doors.call("paige_get_session_state", include=["phase"])
    assert state.keys() == {"phase"}
    assert state["phase"]["title"] == "Reproduce"
    state = await doors.call("paige_get_session_state", include=["phase", "diffs"])
    assert state.keys() == {"phase", "diffs"}


async def test_an_empty_list_asks_for_all(house: House, doors: Doors) -> None:
    """FR-070, EC-33: as leaving it out does."""
    await house.start_session()
    assert (await doors.call("paige_get_session_state", include=[])).keys() == ITEMS
    assert (await doors.call("paige_get_session_state")).keys() == ITEMS


async def test_a_session_without_a_plan_says_so(house: House, doors: Doors) -> None:
    """EC-37: null, not an error; and no phase, progress or hints."""
    await house.start_session()
    state = await doors.call(
        "paige_get_session_state", include=["plan", "phase", "progress", "hints"]
    )
    assert state == {
        "phase": None,
        "plan": None,
        "progress": [],
        "hints": {"fileHints": [], "lineHints": []},
    }


async def test_the_hint_level_is_the_one_that_holds(house: House, doors: Doors) -> None:
    """CO-65: an agent must not point closer than the person wants."""
    await house.start_session()
    await house.add_plan(NewPhase(1, "Reproduce", "", HintLevel.LINE, status=PhaseStatus.ACTIVE))
    await doors.hints.set_level(house.desk, LevelChange(level=HintLevel.NONE))
    state = await doors.call("paige_get_session_state", include=["phase"])
    assert state["phase"]["hintLevel"] == "none"


async def test_an_item_that_does_not_exist_is_refused(house: House, doors: Doors) -> None:
    """FR-070: with those that do."""
    await house.start_session()
    kind, message = await doors.refused("paige_get_session_state", include=["moods"])
    assert kind == "validation_error"
    assert "'dreyfus'" in message


async def test_the_web_app_reads_the_same(house: House, doors: Doors) -> None:
    """CO-66: over HTTP, camelCase; without a session there is simply nothing in it."""
    async with http_client(doors) as http:
        empty = (await http.get("/state")).json()
        assert empty.keys() == ITEMS
        assert empty["session"] is None
        session = await house.start_session()
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


async def test_the_web_app_reads_and_saves_files(house: House, doors: Doors) -> None:
    """CO-66: a file with its edits, a tree, and the person's own save."""
    session = await house.start_session()
    async with http_client(doors) as http:
        file = (await http.get("/files", params={"path": ORDERS})).json()
        assert (file["content"], file["lineCount"]) == (PROJECT[ORDERS], 5)
        tree = (await http.get("/tree", params={"path": "src"})).json()["root"]
        assert [child["path"] for child in tree["children"]] == ["src/bakery"]
        saved = await http.put("/files", json={"path": ORDERS, "content": "total = sum\n"})
        assert saved.json()["success"] is True
        assert (house.project / ORDERS).read_text() == "total = sum\n"
        assert house.of_type("fs:save_ack")[0]["path"] == ORDERS
        assert "file_save" in await house.action_types(session.id)


@pytest.mark.parametrize(
    ("path", "status"), [("absent.py", 404), ("../outside.py", 403), ("src", 422)]
)
async def test_the_web_app_is_told_what_is_wrong_with_a_path(
    doors: Doors, path: str, status: int
) -> None:
    """CO-66: by the status and in words."""
    async with http_client(doors) as http:
        answer = await http.get("/files", params={"path": path})
        assert answer.status_code == status
        assert path.removeprefix("../") in answer.json()["error"]["message"]
        assert (await http.get("/tree", params={"path": "absent"})).status_code == 404
        refused = await http.put("/files", json={"path": "../outside.py", "content": "x"})
        assert refused.status_code == 403
