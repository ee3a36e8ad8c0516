"""What a person does in the editor, as messages over the real router."""

from collections.abc import AsyncIterator

import pytest

from bottega.coach.enums import HintLevel, HintType, PhaseStatus
from bottega.coach.plans.repository import NewHint, NewPhase
from bottega.core.sessions.session import SessionStatus
from bottega.core.users import LOCAL_USER
from tests.coach.builders import PROJECT, CoachApp
from tests.coach.doors import Doors, open_doors

ORDERS = "src/bakery/orders.py"


@pytest.fixture
async def doors(app: CoachApp) -> AsyncIterator[Doors]:
    async with open_doors(app) as doors:
        yield doors


@pytest.mark.requirement("FR-054", "FR-057", "FR-068", "SC-024")
async def test_opening_a_file_reads_it_logs_it_and_shows_it(app: CoachApp, doors: Doors) -> None:
    """Read, noted as open, logged, and told to every window."""
    session = await app.start_session()
    await doors.window().says("file:open", path="./src/bakery/../bakery/orders.py")

    [shown] = app.of_type("fs:content")
    assert shown == {
        "path": ORDERS,
        "content": PROJECT[ORDERS],
        "language": "python",
        "lineCount": 5,
        "saved": None,
    }
    assert list(app.editor.open_files) == [ORDERS]
    opened = (await app.actions(session.id))[-1]
    assert (opened.action_type, opened.data) == ("file_open", {"path": ORDERS})


@pytest.mark.requirement("FR-054")
async def test_an_edited_file_opens_with_its_edits(app: CoachApp, doors: Doors) -> None:
    """What is unsaved in another window is not hidden by what is on disk."""
    window = doors.window()
    await window.says("buffer:update", path=ORDERS, content="total = sum\n")
    await window.says("file:open", path=ORDERS)
    assert app.of_type("fs:content")[0]["content"] == "total = sum\n"
    assert app.of_type("fs:content")[0]["lineCount"] == 1
    assert app.of_type("fs:content")[0]["saved"] == PROJECT[ORDERS]


@pytest.mark.requirement("EC-13")
async def test_edits_of_a_file_that_is_gone_open_beside_nothing(
    app: CoachApp, doors: Doors
) -> None:
    """The buffer is all there is."""
    window = doors.window()
    await window.says("buffer:update", path=ORDERS, content="total = sum\n")
    (app.project / ORDERS).unlink()
    await window.says("file:open", path=ORDERS)
    [shown] = app.of_type("fs:content")
    assert (shown["content"], shown["saved"]) == ("total = sum\n", "")


@pytest.mark.requirement("EC-26")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("src/bakery/ovens.py", "NOT_FOUND"),
        ("../outside.py", "FORBIDDEN"),
        ("src", "VALIDATION_ERROR"),
        ("logo.png", "VALIDATION_ERROR"),
    ],
)
async def test_a_file_that_cannot_be_opened_is_an_error_and_nothing_else(
    app: CoachApp, doors: Doors, path: str, code: str
) -> None:
    """The sender is told, with its id; nothing is shown, logged or noted as open."""
    (app.project / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    session = await app.start_session()
    window = doors.window()
    said = len(app.broadcasts)
    await window.says("file:open", id="q1", path=path)

    [error] = window.errors
    assert (error["code"], error["id"], error["context"]["type"]) == (code, "q1", "file:open")
    assert path.rpartition("/")[2] in error["message"]
    assert len(app.broadcasts) == said
    assert not app.editor.open_files
    assert "file_open" not in await app.action_types(session.id)


@pytest.mark.requirement("FR-054")
async def test_opening_a_file_shows_the_hints_for_it(app: CoachApp, doors: Doors) -> None:
    """After the content, what the active phase hints at in it."""
    await app.start_session()
    hint = NewHint(HintType.LINE, ORDERS, "focus", 4, 5, "What does sum start from?")
    phase = NewPhase(1, "Round", "", HintLevel.LINE, hints=[hint], status=PhaseStatus.ACTIVE)
    await app.add_plan(phase)
    await doors.window().says("file:open", path=ORDERS)
    assert [heard.type for heard in app.broadcasts][-2:] == ["fs:content", "editor:hover_hint"]
    assert app.of_type("editor:hover_hint")[0]["hintText"] == "What does sum start from?"


@pytest.mark.requirement("EC-30")
async def test_highlights_wait_for_a_window_that_opens_the_file(
    app: CoachApp, doors: Doors
) -> None:
    """Lines of a closed file are highlighted when it opens, and only where it opens."""
    await doors.call("paige_highlight_lines", path=ORDERS, start=4, end=5, style="focus")
    await doors.call("paige_highlight_lines", path="README.md", start=1, end=1, style="hint")
    early, late = doors.window(), doors.window()
    await late.says("file:open", id="q1", path=ORDERS)

    assert late.received == [
        {
            "type": "editor:highlight_lines",
            "payload": {"path": ORDERS, "start": 4, "end": 5, "style": "focus", "hoverText": None},
            "id": None,
        }
    ]
    assert not early.received
    assert len(app.of_type("editor:highlight_lines")) == 2


@pytest.mark.requirement("FR-055", "FR-057")
async def test_saving_writes_logs_and_acknowledges(app: CoachApp, doors: Doors) -> None:
    """On disk, in the log with its size, and told to every window."""
    session = await app.start_session()
    window = doors.window()
    await window.says("buffer:update", path=ORDERS, content="total = sum\n")
    await window.says("file:save", path=ORDERS, content="total = sum\n")

    assert (app.project / ORDERS).read_text() == "total = sum\n"
    [done] = app.of_type("fs:save_ack")
    assert (done["path"], done["success"]) == (ORDERS, True)
    assert done["timestamp"].endswith("Z")
    saved = (await app.actions(session.id))[-1]
    assert (saved.action_type, saved.data) == ("file_save", {"path": ORDERS, "charCount": 12})
    entry = app.editor.files.get_buffer(ORDERS)
    assert entry is not None
    assert not entry.dirty


@pytest.mark.requirement("FR-055", "EC-27")
async def test_a_save_that_fails_is_told_and_loses_no_text(app: CoachApp, doors: Doors) -> None:
    """Every window hears why, once, and the text stays as an unsaved edit."""
    session = await app.start_session()
    window = doors.window()
    path = "README.md/notes.md"
    await window.says("file:save", id="q1", path=path, content="long thoughts\n")

    [failed] = app.of_type("fs:save_error")
    assert failed["path"] == path
    assert "README.md" in failed["error"]
    assert not app.of_type("fs:save_ack")
    assert not window.errors
    assert "file_save" not in await app.action_types(session.id)
    kept = app.editor.files.get_buffer(path)
    assert kept is not None
    assert (kept.content, kept.dirty) == ("long thoughts\n", True)


@pytest.mark.requirement("EC-27")
async def test_a_save_that_fails_leaves_a_newer_edit_alone(app: CoachApp, doors: Doors) -> None:
    """The buffer has what was typed while the disk refused."""
    window = doors.window()
    path = "README.md/notes.md"
    write = app.editor.files.sandbox.write

    async def write_slowly(*arguments: object, **options: object) -> None:
        await window.says("buffer:update", path=path, content="newer thoughts\n")
        await write(*arguments, **options)  # type: ignore[arg-type]

    app.editor.files.sandbox.write = write_slowly  # type: ignore[method-assign]
    await window.says("file:save", path=path, content="older thoughts\n")
    assert app.of_type("fs:save_error")
    kept = app.editor.files.get_buffer(path)
    assert kept is not None
    assert kept.content == "newer thoughts\n"


@pytest.mark.requirement("EC-27")
async def test_a_save_outside_the_project_is_refused(app: CoachApp, doors: Doors) -> None:
    """Like any other save that fails."""
    await doors.window().says("file:save", path="../stolen.py", content="x")
    [failed] = app.of_type("fs:save_error")
    assert "outside the project" in failed["error"]
    assert not (app.project.parent / "stolen.py").exists()


@pytest.mark.requirement("FR-057", "FR-068")
async def test_closing_a_file_forgets_it(app: CoachApp, doors: Doors) -> None:
    """No longer open, its unsaved edits gone, and logged."""
    session = await app.start_session()
    window = doors.window()
    await window.says("file:open", path=ORDERS)
    await window.says("buffer:update", path=ORDERS, content="half a thought")
    await window.says("file:close", path=ORDERS)
    assert not app.editor.open_files
    assert app.editor.files.get_buffer(ORDERS) is None
    closed = (await app.actions(session.id))[-1]
    assert (closed.action_type, closed.data) == ("file_close", {"path": ORDERS})


@pytest.mark.requirement("FR-056", "SC-025")
async def test_an_edit_changes_the_buffer_and_is_not_answered(app: CoachApp, doors: Doors) -> None:
    """Kept with its cursor, counted for the summary, told to nobody."""
    session = await app.start_session()
    said = len(app.broadcasts)
    window = doors.window()
    content = PROJECT[ORDERS] + "# rounded?\n"
    cursor = {"line": 6, "column": 11}
    await window.says(
        "buffer:update", id="q1", path=ORDERS, content=content, cursorPosition=cursor, selections=[]
    )

    entry = app.editor.files.get_buffer(ORDERS)
    assert entry is not None
    assert (entry.content, entry.dirty) == (content, True)
    assert (entry.cursor_position.line, entry.cursor_position.column) == (6, 11)
    assert len(app.broadcasts) == said
    assert not window.received
    assert ("edited", ORDERS) in doors.observer.heard
    await app.core.buffer_log.summarise(session.id)
    summary = (await app.actions(session.id))[-1]
    assert (summary.action_type, summary.data) == (
        "buffer_summary",
        {"path": ORDERS, "editCount": 1, "charDelta": 11, "charCount": len(content)},
    )


@pytest.mark.requirement("FR-056")
async def test_an_edit_that_changes_much_is_logged_at_once(app: CoachApp, doors: Doors) -> None:
    """Measured against the file on disk when it is first edited."""
    session = await app.start_session()
    await doors.window().says("buffer:update", path=ORDERS, content="")
    change = (await app.actions(session.id))[-1]
    size = len(PROJECT[ORDERS])
    assert (change.action_type, change.data) == (
        "buffer_significant_change",
        {"path": ORDERS, "previousCharCount": size, "newCharCount": 0, "delta": -size},
    )


@pytest.mark.requirement("FR-056")
async def test_the_next_session_measures_against_what_was_saved(
    app: CoachApp, doors: Doors
) -> None:
    """A save is a new starting point."""
    first = await app.start_session()
    window = doors.window()
    await window.says("buffer:update", path=ORDERS, content="x" * 1_000)
    await window.says("file:save", path=ORDERS, content="x" * 1_000)
    await app.core.sessions.end(first.id, SessionStatus.COMPLETED, user_id=LOCAL_USER)
    second = await app.start_session()
    await window.says("buffer:update", path=ORDERS, content="x" * 1_001)
    assert "buffer_significant_change" not in await app.action_types(second.id)


@pytest.mark.requirement("FR-056")
async def test_an_edit_without_a_session_is_kept_and_not_logged(
    app: CoachApp, doors: Doors
) -> None:
    """The buffer is the person's, with or without a coach."""
    await doors.window().says("buffer:update", path=ORDERS, content="alone\n")
    entry = app.editor.files.get_buffer(ORDERS)
    assert entry is not None
    assert entry.content == "alone\n"
    later = await app.start_session()
    await app.core.buffer_log.summarise(later.id)
    assert not await app.actions(later.id)


@pytest.mark.requirement("FR-056")
async def test_a_binary_file_has_no_buffer(app: CoachApp, doors: Doors) -> None:
    """Who asked by an id is told; who did not is left in peace."""
    window = doors.window()
    await window.says("buffer:update", path="logo.png", content="?")
    assert not window.received
    await window.says("buffer:update", id="q1", path="logo.png", content="?")
    [error] = window.errors
    assert (error["code"], error["id"]) == ("VALIDATION_ERROR", "q1")
    assert app.editor.files.get_buffer("logo.png") is None
    assert not doors.observer.heard


@pytest.mark.requirement("FR-056")
async def test_an_edit_outside_the_project_is_refused(doors: Doors) -> None:
    """Text that is not kept is never dropped in silence."""
    window = doors.window()
    await window.says("buffer:update", path="../x.py", content="x")
    assert [error["code"] for error in window.errors] == ["FORBIDDEN"]


@pytest.mark.requirement("FR-057")
async def test_tabs_and_selections_are_logged(app: CoachApp, doors: Doors) -> None:
    """With the data that the observer and the timeline read."""
    session = await app.start_session()
    window = doors.window()
    lines = {"startLine": 4, "startCol": 1, "endLine": 5, "endCol": 9}
    await window.says("editor:tab_switch", fromPath="README.md", toPath=ORDERS)
    await window.says("editor:selection", path=ORDERS, range=lines, textLength=40)
    await window.says("editor:selection", path=ORDERS, selection=lines)

    assert not window.errors
    logged = [(action.action_type, action.data) for action in await app.actions(session.id)]
    assert logged == [
        ("tab_switch", {"fromPath": "README.md", "toPath": ORDERS}),
        ("selection", {"path": ORDERS, "range": lines, "textLength": 40}),
        ("selection", {"path": ORDERS, "range": lines, "textLength": 0}),
    ]


@pytest.mark.requirement("CO-63")
async def test_what_a_person_looks_at_is_checked_and_not_logged(
    app: CoachApp, doors: Doors
) -> None:
    """Scrolling and closing a folder are no actions, but wrong ones are still refused."""
    session = await app.start_session()
    said = len(app.broadcasts)
    window = doors.window()
    await window.says("editor:scroll", path=ORDERS)
    await window.says("explorer:collapse_dir", path="src")
    assert not window.received
    assert len(app.broadcasts) == said
    assert not await app.actions(session.id)
    await window.says("explorer:collapse_dir", id="q1")
    assert [error["code"] for error in window.errors] == ["INVALID_PAYLOAD"]


@pytest.mark.requirement("CO-61")
async def test_a_folder_that_is_expanded_is_answered_with_its_tree(
    app: CoachApp, doors: Doors
) -> None:
    """To the window that asked, with its id."""
    said = len(app.broadcasts)
    window = doors.window()
    await window.says("explorer:expand_dir", id="q1", path="")
    await window.says("explorer:expand_dir", id="q2", path="src/bakery/")

    whole, part = window.received
    assert (whole["type"], whole["id"]) == ("fs:tree", "q1")
    names = [child["name"] for child in whole["payload"]["root"]["children"]]
    assert names == ["src", "tests", "README.md"]
    assert part["id"] == "q2"
    assert part["payload"]["root"]["path"] == "src/bakery"
    assert [child["path"] for child in part["payload"]["root"]["children"]] == [
        "src/bakery/__init__.py",
        "src/bakery/orders.py",
        "src/bakery/prices.py",
    ]
    assert len(app.broadcasts) == said


@pytest.mark.requirement("CO-61")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("ovens", "NOT_FOUND"),
        ("README.md/deeper", "NOT_FOUND"),
        ("../..", "FORBIDDEN"),
        ("README.md", "VALIDATION_ERROR"),
    ],
)
async def test_what_is_no_folder_cannot_be_expanded(doors: Doors, path: str, code: str) -> None:
    """Absent, outside, or a file."""
    window = doors.window()
    await window.says("explorer:expand_dir", id="q1", path=path)
    [error] = window.errors
    assert (error["code"], error["id"]) == (code, "q1")


@pytest.mark.requirement("CO-62")
async def test_the_terminal_tells_its_size(app: CoachApp, doors: Doors) -> None:
    """When it opens and when it changes; a size that is none is refused."""
    window = doors.window()
    await window.says("terminal:ready", cols=80, rows=24)
    assert app.editor.terminal == (80, 24)
    await window.says("terminal:resize", cols=120, rows=40)
    assert app.editor.terminal == (120, 40)
    await window.says("terminal:resize", cols=0, rows=40)
    assert [error["code"] for error in window.errors] == ["INVALID_PAYLOAD"]
    assert app.editor.terminal == (120, 40)


@pytest.mark.requirement("CO-62")
async def test_typing_in_the_terminal_is_a_sign_of_life_and_a_secret(
    app: CoachApp, doors: Doors
) -> None:
    """The observer hears that, and nobody hears what."""
    session = await app.start_session()
    said = len(app.broadcasts)
    window = doors.window()
    await window.says("terminal:input", input="export TOKEN=hunter2\n")
    assert doors.observer.heard == [("active", None)]
    assert not window.received
    assert len(app.broadcasts) == said
    assert not await app.actions(session.id)


@pytest.mark.requirement("FR-068")
async def test_two_people_have_two_desks(app: CoachApp, doors: Doors) -> None:
    """What one has open and unsaved, the other does not see."""
    other = await app.core.users.create("Ada")
    await doors.window(other.id).says("file:open", path="README.md")
    await doors.window(other.id).says("buffer:update", path="README.md", content="Ada's")
    await doors.window().says("file:open", path="README.md")

    assert [(heard.user_id, heard.payload["content"]) for heard in app.broadcasts] == [
        (other.id, PROJECT["README.md"]),
        (LOCAL_USER, PROJECT["README.md"]),
    ]
    assert app.editor.files.get_buffer("README.md") is None
