"""The fourteen tools, as an agent calls them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from bottega.coach.editor.state import Windows
from bottega.coach.enums import HintLevel, PhaseStatus
from bottega.coach.plans import repository as plans
from bottega.coach.plans.repository import NewPhase
from bottega.core.doors.broadcast import Broadcaster
from bottega.core.sessions.session import SessionKind, SessionStatus
from bottega.core.users import LOCAL_USER
from bottega.server.mcp import McpDoor, tool_listing_tokens
from tests.coach.builders import PROJECT, CoachApp
from tests.coach.doors import Doors, open_doors
from tests.mcp_serving import serve_door

ORDERS = "src/bakery/orders.py"
PRICES = "src/bakery/prices.py"
READS = {
    "paige_get_buffer": {"path"},
    "paige_get_open_files": set(),
    "paige_get_diff": {"path"},
    "paige_get_session_state": {"include"},
}
CHANGES = {
    "paige_open_file": {"path"},
    "paige_highlight_lines": {"path", "start", "end", "style", "hoverText"},
    "paige_clear_highlights": {"path"},
    "paige_hint_files": {"hints", "paths", "style"},
    "paige_clear_hints": set(),
    "paige_update_phase": {"phase", "status"},
    "paige_show_message": {"message", "type", "anchor"},
    "paige_show_issue_context": {"number", "title", "summary", "labels", "url"},
    "paige_run_coaching_pipeline": {"planText", "issueSummary", "issueNumber"},
    "paige_end_session": {"sessionTranscript"},
}
PLAN = """# Round totals
1. Reproduce it in tests/test_orders.py
2. Round in src/bakery/orders.py
"""


@pytest.fixture
async def doors(app: CoachApp) -> AsyncIterator[Doors]:
    async with open_doors(app) as doors:
        yield doors


@asynccontextmanager
async def mcp_client(doors: Doors) -> AsyncIterator[Client]:
    """The official client on the real door."""
    async with serve_door(McpDoor([doors.room])) as url, Client(url) as client:
        yield client


@pytest.mark.requirement("FR-063", "SC-038")
async def test_all_fourteen_tools_are_callable_over_mcp(app: CoachApp, doors: Doors) -> None:
    """Under their names, with their arguments, by the official client."""
    await app.start_session()
    calls: dict[str, dict[str, Any]] = {
        "paige_run_coaching_pipeline": {"planText": PLAN, "issueSummary": "Totals are off"},
        "paige_get_buffer": {"path": ORDERS},
        "paige_get_open_files": {},
        "paige_get_diff": {},
        "paige_get_session_state": {},
        "paige_open_file": {"path": ORDERS},
        "paige_highlight_lines": {"path": ORDERS, "start": 1, "end": 2, "style": "hint"},
        "paige_clear_highlights": {},
        "paige_hint_files": {"paths": [ORDERS], "style": "important"},
        "paige_clear_hints": {},
        "paige_update_phase": {"phase": 1, "status": "complete"},
        "paige_show_message": {"message": "Nice.", "type": "success"},
        "paige_show_issue_context": {"title": "Totals are off", "summary": "By a cent."},
        "paige_end_session": {"sessionTranscript": "We rounded."},
    }
    async with mcp_client(doors) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {name: set(tool.input_schema["properties"]) for name, tool in listed.items()} == (
            READS | CHANGES
        )
        assert {
            name for name, tool in listed.items() if (a := tool.annotations) and a.read_only_hint
        } == READS.keys()
        assert calls.keys() == listed.keys()
        for name, arguments in calls.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error, (name, result.structured_content)


@pytest.mark.requirement("FR-064", "FR-066", "SC-029")
async def test_a_buffer_is_what_is_in_the_editor(app: CoachApp, doors: Doors) -> None:
    """Unsaved edits, cursor and flag, in the answer itself."""
    cursor = {"line": 2, "column": 4}
    edit: dict[str, Any] = {"path": ORDERS, "content": "total = sum\n", "cursorPosition": cursor}
    await doors.window().says("buffer:update", **edit)
    answer = await doors.call("paige_get_buffer", path=f"./{ORDERS}")
    updated = answer.pop("lastUpdated")
    assert answer == edit | {"dirty": True}
    assert updated.endswith("Z")


@pytest.mark.requirement("FR-066")
async def test_a_file_without_a_buffer_is_null(doors: Doors) -> None:
    """Null in the text; MCP's structured content must be an object around it."""
    result = await doors.ask("paige_get_buffer", path="unknown.ts")
    assert not result["isError"]
    assert result["content"] == [{"type": "text", "text": "null"}]
    assert result["structuredContent"] == {"result": None}


@pytest.mark.requirement("FR-067", "FR-068", "SC-030")
async def test_open_files_are_those_of_the_person_and_of_the_agent(
    app: CoachApp, doors: Doors
) -> None:
    """Opened by either, in order, until the person closes them."""
    window = doors.window()
    for path in ("README.md", ORDERS, PRICES):
        await window.says("file:open", path=path)
    await doors.call("paige_open_file", path="tests/test_orders.py")
    assert (await doors.call("paige_get_open_files"))["files"] == [
        "README.md",
        ORDERS,
        PRICES,
        "tests/test_orders.py",
    ]
    await window.says("file:close", path=ORDERS)
    assert ORDERS not in (await doors.call("paige_get_open_files"))["files"]


@pytest.mark.requirement("FR-069")
async def test_the_diff_of_one_file(app: CoachApp, doors: Doors) -> None:
    """Unified, under the file's path."""
    window = doors.window()
    await window.says("buffer:update", path=PRICES, content=PROJECT[PRICES] + "# later\n")
    await window.says("buffer:update", path=ORDERS, content="")
    [found] = (await doors.call("paige_get_diff", path=PRICES))["diffs"]
    assert found["path"] == PRICES
    assert found["diff"].startswith(f"--- a/{PRICES}\n+++ b/{PRICES}\n@@")
    assert "+# later\n" in found["diff"]


@pytest.mark.requirement("FR-069", "SC-031")
async def test_the_diffs_of_all_unsaved_files(app: CoachApp, doors: Doors) -> None:
    """Of the two that are unsaved, not of the one that is saved."""
    window = doors.window()
    for path in (ORDERS, PRICES, "README.md"):
        await window.says("buffer:update", path=path, content="changed\n")
    await window.says("file:save", path="README.md", content="changed\n")
    diffs = (await doors.call("paige_get_diff"))["diffs"]
    assert [diff["path"] for diff in diffs] == [ORDERS, PRICES]


@pytest.mark.requirement("EC-34")
async def test_no_unsaved_files_have_no_diffs(app: CoachApp, doors: Doors) -> None:
    """An empty list, no error; for one clean file too."""
    assert await doors.call("paige_get_diff") == {"diffs": []}
    assert await doors.call("paige_get_diff", path=ORDERS) == {"diffs": []}


@pytest.mark.requirement("FR-065", "FR-071", "SC-033")
async def test_an_agent_opens_a_file_for_the_person(app: CoachApp, doors: Doors) -> None:
    """Read, noted as open, shown in every window, acknowledged."""
    assert await doors.call("paige_open_file", path=ORDERS) == {"success": True, "path": ORDERS}
    [shown] = app.of_type("editor:open_file")
    assert (shown["path"], shown["content"]) == (ORDERS, PROJECT[ORDERS])
    assert (shown["language"], shown["lineCount"], shown["saved"]) == ("python", 5, None)
    assert list(app.editor.open_files) == [ORDERS]


@pytest.mark.requirement("EC-28")
async def test_a_file_that_is_open_is_shown_again(app: CoachApp, doors: Doors) -> None:
    """Its tab comes to the front, with the person's edits in it."""
    await doors.window().says("file:open", path=ORDERS)
    await doors.window().says("buffer:update", path=ORDERS, content="mine\n")
    await doors.call("paige_open_file", path=ORDERS)
    assert app.of_type("editor:open_file")[0]["content"] == "mine\n"
    assert list(app.editor.open_files) == [ORDERS]


@pytest.mark.requirement("SC-037")
async def test_a_file_that_is_not_there_is_an_error_and_shows_nothing(
    app: CoachApp, doors: Doors
) -> None:
    """With the path and the reason."""
    kind, message = await doors.refused("paige_open_file", path="src/ovens.py")
    assert kind == "not_found"
    assert "src/ovens.py" in message
    assert not app.broadcasts
    assert not app.editor.open_files


@pytest.mark.requirement("EC-29")
@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd"])
async def test_a_file_outside_the_project_is_refused(
    app: CoachApp, doors: Doors, path: str
) -> None:
    """For whatever a tool would do with it, and nothing is shown."""
    lines = {"start": 1, "end": 2, "style": "hint"}
    assert (await doors.refused("paige_open_file", path=path))[0] == "forbidden"
    assert (await doors.refused("paige_get_buffer", path=path))[0] == "forbidden"
    assert (await doors.refused("paige_get_diff", path=path))[0] == "forbidden"
    assert (await doors.refused("paige_highlight_lines", path=path, **lines))[0] == "forbidden"
    assert (await doors.refused("paige_hint_files", paths=[path]))[0] == "forbidden"
    assert not app.broadcasts


@pytest.mark.requirement("FR-065", "FR-072", "SC-034", "EC-36")
async def test_highlights_accumulate(app: CoachApp, doors: Doors) -> None:
    """Each call is shown and logged by itself, none replaces
    another, and none is stored beyond the process."""
    session = await app.start_session()
    ranges = [(start, start + 1) for start in range(1, 40, 2)]
    await asyncio.gather(
        *(
            doors.call("paige_highlight_lines", path=ORDERS, start=a, end=b, style="hint")
            for a, b in ranges
        )
    )
    shown = app.of_type("editor:highlight_lines")
    assert sorted((lines["start"], lines["end"]) for lines in shown) == ranges
    assert sorted((lines.start, lines.end) for lines in app.editor.highlights) == ranges
    types = await app.action_types(session.id)
    assert types.count("decorations_applied") == len(ranges)
    assert types.count("mcp_tool_call") == len(ranges)


@pytest.mark.requirement("FR-072")
async def test_a_highlight_says_what_it_is(app: CoachApp, doors: Doors) -> None:
    """Style and hover text reach the editor; the log has the file."""
    session = await app.start_session()
    lines = {"path": ORDERS, "start": 4, "end": 5, "style": "warning", "hoverText": "Floats?"}
    assert await doors.call("paige_highlight_lines", **lines) == {"success": True}
    assert app.of_type("editor:highlight_lines") == [lines]
    applied = (await app.actions(session.id))[-1]
    assert (applied.action_type, applied.data) == (
        "decorations_applied",
        {"path": ORDERS, "count": 1},
    )


@pytest.mark.requirement("FR-072")
async def test_lines_that_run_backwards_are_refused(app: CoachApp, doors: Doors) -> None:
    """With both ends named."""
    lines = {"path": ORDERS, "start": 5, "end": 4, "style": "hint"}
    kind, message = await doors.refused("paige_highlight_lines", **lines)
    assert kind == "validation_error"
    assert "`end` is 4" in message
    assert not app.editor.highlights


@pytest.mark.requirement("FR-073")
async def test_highlights_are_cleared_in_one_file_or_in_all(app: CoachApp, doors: Doors) -> None:
    for path in (ORDERS, PRICES, "README.md"):
        await doors.call("paige_highlight_lines", path=path, start=1, end=1, style="hint")
    await doors.call("paige_clear_highlights", path=ORDERS)
    assert [lines.path for lines in app.editor.highlights] == [PRICES, "README.md"]
    await doors.call("paige_clear_highlights")
    assert not app.editor.highlights
    assert app.of_type("editor:clear_highlights") == [{"path": ORDERS}, {"path": None}]


@pytest.mark.requirement("FR-065", "FR-074")
async def test_files_are_hinted_at_in_either_spelling(app: CoachApp, doors: Doors) -> None:
    """Each with its style, or several with one; always sent as `hints`."""
    session = await app.start_session()
    own = [{"path": ORDERS, "style": "critical", "directories": ["src", "src/bakery"]}]
    await doors.call("paige_hint_files", hints=own)
    await doors.call("paige_hint_files", paths=[ORDERS, PRICES], style="suggested")
    first, second = app.of_type("explorer:hint_files")
    assert first == {"hints": own}
    assert [(hint["path"], hint["style"]) for hint in second["hints"]] == [
        (ORDERS, "suggested"),
        (PRICES, "suggested"),
    ]
    applied = [a for a in await app.actions(session.id) if a.action_type == "file_hints_applied"]
    assert [action.data for action in applied] == [
        {"paths": [ORDERS]},
        {"paths": [ORDERS, PRICES]},
    ]
    assert (await doors.refused("paige_hint_files"))[0] == "validation_error"


@pytest.mark.requirement("FR-065", "FR-075")
async def test_hints_are_cleared(app: CoachApp, doors: Doors) -> None:
    assert await doors.call("paige_clear_hints") == {"success": True}
    assert app.of_type("explorer:clear_hints") == [{}]


@pytest.mark.requirement("FR-065", "FR-076", "SC-035")
async def test_a_phase_is_started_and_completed(app: CoachApp, doors: Doors) -> None:
    """In the database with its moments, in the log, in the windows."""
    session = await app.start_session()
    added = await app.add_plan(NewPhase(1, "Reproduce", "See it fail.", HintLevel.FILE))
    [phase] = added.phases
    answer = await doors.call("paige_update_phase", phase=1, status="active")
    assert answer == {
        "success": True,
        "phase": {"id": phase.id, "number": 1, "title": "Reproduce", "status": "active"},
    }
    answer = await doors.call("paige_update_phase", phase=1, status="complete")
    assert answer["phase"]["status"] == "complete"

    async with app.core.database.read() as reading:
        [row] = await plans.phases_of(reading, added.plan.id)
    assert row.status == "complete"
    assert row.started_at is not None
    assert row.completed_at is not None
    assert row.completed_at >= row.started_at
    assert [update["status"] for update in app.of_type("coaching:phase_update")] == [
        "active",
        "complete",
    ]
    types = [t for t in await app.action_types(session.id) if t != "decorations_applied"]
    assert types == ["mcp_tool_call", "phase_started", "mcp_tool_call", "phase_completed"]


@pytest.mark.requirement("FR-065", "FR-077")
async def test_a_message_is_shown_and_logged(app: CoachApp, doors: Doors) -> None:
    """With its kind, and where it belongs if it belongs somewhere."""
    session = await app.start_session()
    anchor = {"path": ORDERS, "line": 4}
    await doors.call("paige_show_message", message="Nice work!", type="success")
    await doors.call("paige_show_message", message="Look.", type="hint", anchor=anchor)
    assert app.of_type("coaching:message") == [
        {"message": "Nice work!", "type": "success", "anchor": None},
        {"message": "Look.", "type": "hint", "anchor": anchor},
    ]
    logged = [a for a in await app.actions(session.id) if a.action_type == "coaching_message"]
    assert [action.data for action in logged] == [
        {"messageType": "success"},
        {"messageType": "hint"},
    ]


@pytest.mark.requirement("FR-065", "FR-078")
async def test_an_issue_is_shown(app: CoachApp, doors: Doors) -> None:
    """Whole, or as much as the agent knows."""
    await app.start_session()
    issue = {
        "number": 7,
        "title": "Totals are off",
        "summary": "By a cent.",
        "labels": ["bug"],
        "url": "https://example.org/7",
    }
    await doors.call("paige_show_issue_context", **issue)
    await doors.call("paige_show_issue_context", title="Totals are off", summary="By a cent.")
    whole, part = app.of_type("coaching:issue_context")
    assert whole == issue
    assert part == issue | {"number": None, "labels": [], "url": None}


@pytest.mark.requirement("FR-063")
async def test_a_plan_becomes_phases_in_the_shape_that_was_agreed(
    app: CoachApp, doors: Doors
) -> None:
    """The pipeline's own output, without the windows' extras."""
    await app.start_session()
    answer = await doors.call(
        "paige_run_coaching_pipeline", planText=PLAN, issueSummary="Totals are off", issueNumber=7
    )
    assert answer.keys() == {"planId", "phases", "memoryConnection", "estimatedDifficulty"}
    assert answer["phases"][0].keys() == {"number", "title", "description", "hintLevel"}
    assert app.of_type("coaching:plan_ready")[0]["planId"] == answer["planId"]


@pytest.mark.requirement("FR-063", "FR-079")
async def test_ending_gives_the_counts_and_ends(app: CoachApp, doors: Doors) -> None:
    """The call is in the log of the session that it ends."""
    session = await app.start_session()
    answer = await doors.call("paige_end_session", sessionTranscript="We rounded.")
    assert answer.keys() == {
        "knowledgeGaps",
        "kataSpecs",
        "dreyfusUpdates",
        "memoriesStored",
        "sessionStatus",
    }
    assert answer["sessionStatus"] == "completed"
    assert app.editor.session_id is None
    assert "mcp_tool_call" in await app.action_types(session.id)


@pytest.mark.requirement("FR-079")
async def test_every_call_is_logged_with_its_tool_and_session(app: CoachApp, doors: Doors) -> None:
    """Reads, changes and failures alike."""
    session = await app.start_session()
    await doors.call("paige_get_open_files")
    await doors.call("paige_clear_hints")
    await doors.refused("paige_open_file", path="absent.py")
    await doors.refused("paige_update_phase", phase=9, status="active")
    assert [(a.action_type, a.data) for a in await app.actions(session.id)] == [
        ("mcp_tool_call", {"toolName": name, "sessionId": session.id})
        for name in (
            "paige_get_open_files",
            "paige_clear_hints",
            "paige_open_file",
            "paige_update_phase",
        )
    ]


@pytest.mark.requirement("FR-080", "SC-036")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("paige_get_session_state", {}),
        ("paige_update_phase", {"phase": 1, "status": "active"}),
        ("paige_show_message", {"message": "Hello?", "type": "info"}),
        ("paige_show_issue_context", {"title": "Totals"}),
        ("paige_run_coaching_pipeline", {"planText": PLAN, "issueSummary": "Totals"}),
        ("paige_end_session", {"sessionTranscript": ""}),
    ],
)
async def test_what_belongs_to_a_session_needs_one(
    app: CoachApp, doors: Doors, tool: str, arguments: dict[str, Any]
) -> None:
    """ "No active session", and nothing is shown."""
    kind, message = await doors.refused(tool, **arguments)
    assert kind == "conflict"
    assert message.startswith("No active session")
    assert not app.broadcasts


@pytest.mark.requirement("FR-080")
async def test_another_persons_session_is_none_of_ones_own(app: CoachApp, doors: Doors) -> None:
    """An agent works at the desk of who called it."""
    await app.start_session()
    ada = await app.core.users.create("Ada")
    assert (await doors.ask("paige_get_session_state", ada.id))["isError"]
    theirs = await app.core.sessions.create(
        SessionKind.COACHING, app.editors.project, user_id=ada.id
    )
    result = await doors.ask("paige_get_session_state", ada.id, include=["session"])
    assert result["structuredContent"]["session"]["id"] == theirs.id
    await doors.ask("paige_clear_hints", ada.id)
    assert {heard.user_id for heard in app.broadcasts if heard.type == "explorer:clear_hints"} == {
        ada.id
    }


@pytest.mark.requirement("EC-35")
async def test_tools_work_with_nobody_watching(app: CoachApp) -> None:
    """Without a window and without a session, reads answer and shows reach nobody."""
    app.windows = Windows(Broadcaster())
    doors = Doors(app)
    assert await doors.call("paige_open_file", path=ORDERS) == {"success": True, "path": ORDERS}
    assert (await doors.call("paige_get_open_files"))["files"] == [ORDERS]
    await doors.call("paige_highlight_lines", path=ORDERS, start=1, end=1, style="hint")
    await doors.call("paige_hint_files", paths=[ORDERS])
    assert not app.broadcasts


@pytest.mark.requirement("FR-081")
async def test_no_tool_writes_a_file(app: CoachApp, doors: Doors) -> None:
    """Not by its name, not by its arguments, and not in a whole session of calls."""
    names = {tool.name for tool in doors.room.tools}
    assert not any(word in name for name in names for word in ("write", "save", "edit", "delete"))
    assert not any("content" in tool.arguments.model_fields for tool in doors.room.tools)
    before = contents(app.project)
    await app.start_session()
    await doors.window().says("buffer:update", path=ORDERS, content="unsaved\n")
    await doors.call("paige_run_coaching_pipeline", planText=PLAN, issueSummary="Totals are off")
    await doors.call("paige_open_file", path=ORDERS)
    await doors.call("paige_highlight_lines", path=ORDERS, start=1, end=1, style="hint")
    await doors.call("paige_get_session_state")
    await doors.call("paige_end_session", sessionTranscript="")
    assert contents(app.project) == before


@pytest.mark.requirement("FR-063")
async def test_wrong_arguments_are_explained(doors: Doors) -> None:
    """What is wrong and what would be right, in an error that a model can act on."""
    kind, message = await doors.refused("paige_update_phase", phase=1, status="done")
    assert kind == "validation_error"
    assert "'complete'" in message
    kind, message = await doors.refused("paige_open_file", file=ORDERS)
    assert "`path` is missing" in message


@pytest.mark.requirement("CO-64")
def test_the_listing_is_small(app: CoachApp, doors: Doors) -> None:
    """An agent pays for it in every conversation."""
    assert tool_listing_tokens(doors.room.tools) <= 2_000


@pytest.mark.requirement("FR-080")
async def test_an_ended_session_is_no_session(app: CoachApp, doors: Doors) -> None:
    """From the moment it ends."""
    session = await app.start_session()
    await doors.call("paige_get_session_state", include=["open_files"])
    await app.core.sessions.end(session.id, SessionStatus.ABANDONED, user_id=LOCAL_USER)
    assert (await doors.refused("paige_get_session_state"))[0] == "conflict"


@pytest.mark.requirement("FR-076")
async def test_a_phase_can_only_be_moved_to_a_status_there_is(app: CoachApp, doors: Doors) -> None:
    """Back to pending too."""
    await app.start_session()
    await app.add_plan(NewPhase(1, "Reproduce", "", HintLevel.FILE, status=PhaseStatus.ACTIVE))
    answer = await doors.call("paige_update_phase", phase=1, status="pending")
    assert answer["phase"]["status"] == "pending"


def contents(project: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in project.rglob("*") if path.is_file()}
