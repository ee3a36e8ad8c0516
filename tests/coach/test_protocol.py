"""The protocol: its catalogue, its document, and messages that keep to both."""

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema_rs import Draft202012Validator, meta
from websockets.asyncio.client import connect

from bottega.app import App
from bottega.coach.editor.schemas import Outgoing
from bottega.coach.protocol.document import CLIENT, MESSAGES, SERVER, Direction, schema
from bottega.core.rooms import Caller, Door
from bottega.server.composition import compose
from bottega.server.process import running
from bottega.settings import Settings
from docs.typescript import coach_types
from tests.coach.builders import CoachApp
from tests.coach.doors import Doors, Window, http_client, open_doors

ROOT = Path(__file__).parents[2]
ORDERS = "src/bakery/orders.py"
LINES = {"startLine": 1, "startCol": 1, "endLine": 2, "endCol": 1}


def names(text: str) -> list[str]:
    return text.split()


#: The catalogue's own, in its order.
FROM_CLIENTS = names(
    """
    connection:hello dashboard:request dashboard:refresh_issues session:start session:resume
    session:end file:open file:save file:close buffer:update editor:tab_switch editor:selection
    explorer:expand_dir explorer:collapse_dir hints:level_change user:explain user:review
    user:idle_start user:idle_end observer:mute practice:submit_solution terminal:input
    terminal:resize
    """
)
TO_CLIENTS = names(
    """
    connection:init connection:error dashboard:dreyfus dashboard:state dashboard:issues
    dashboard:issues_error fs:tree fs:tree_update fs:content fs:save_ack fs:save_error
    editor:decorations editor:clear_decorations editor:hover_hint editor:open_file
    editor:highlight_lines editor:clear_highlights explorer:hint_files explorer:clear_hints
    session:started session:resumed session:ended coaching:phase_update coaching:message
    coaching:issue_context coaching:plan_ready observer:nudge observer:status explain:response
    review:response practice:kata_load practice:solution_review
    """
)
#: What the later stories and the table of handlers have besides.
LATER = names(
    """
    editor:scroll terminal:ready session:completed explain:error review:error dashboard:materials
    dashboard:materials_error
    """
)
OURS = names(
    """
    coaching:draft_plan coaching:submit_plan coaching:update_phase practice:request_kata
    coaching:plan_draft
    """
)
SHOWN_BY_TOOLS = names(
    """
    editor:open_file editor:highlight_lines editor:clear_highlights explorer:hint_files
    explorer:clear_hints coaching:phase_update coaching:message coaching:issue_context
    """
)

#: One of each that a client may send.
EXAMPLES: dict[str, dict[str, Any]] = {
    "connection:hello": {
        "version": "1",
        "platform": "web",
        "windowSize": {"width": 1, "height": 1},
    },
    "dashboard:request": {"statsPeriod": "7d"},
    "dashboard:refresh_issues": {},
    "session:start": {"issueTitle": "Totals are off by a cent"},
    "session:resume": {"sessionId": "none"},
    "coaching:draft_plan": {},
    "coaching:submit_plan": {"planText": "1. Round in src/bakery/orders.py"},
    "coaching:update_phase": {"phase": 1, "status": "active"},
    "file:open": {"path": ORDERS},
    "file:save": {"path": ORDERS, "content": "x = 1\n"},
    "file:close": {"path": ORDERS},
    "buffer:update": {"path": ORDERS, "content": "x = 2\n", "cursorPosition": {"line": 1}},
    "editor:tab_switch": {"fromPath": None, "toPath": ORDERS},
    "editor:selection": {"path": ORDERS, "range": LINES, "textLength": 5},
    "editor:scroll": {"path": ORDERS},
    "explorer:expand_dir": {"path": ""},
    "explorer:collapse_dir": {"path": "src"},
    "hints:level_change": {"level": "line", "previousLevel": "file"},
    "user:explain": {"path": ORDERS, "selection": LINES, "selectedText": "x"},
    "user:review": {},
    "user:idle_start": {"lastActionTimestamp": 1_700_000_000_000},
    "user:idle_end": {},
    "observer:mute": {"muted": True},
    "practice:request_kata": {},
    "practice:submit_solution": {"kataId": "none", "userCode": "x", "activeConstraintTitles": []},
    "terminal:ready": {"cols": 80, "rows": 24},
    "terminal:resize": {"cols": 80, "rows": 25},
    "terminal:input": {"input": "ls\n"},
    "session:end": {},
}


@pytest.fixture
async def doors(app: CoachApp) -> AsyncIterator[Doors]:
    async with open_doors(app) as doors:
        yield doors


def check(type: str, payload: Any, direction: Direction = Direction.TO_CLIENT) -> None:
    """Against that message's own part of the document: better words than of all at once."""
    side = "serverMessages" if direction is Direction.TO_CLIENT else "clientMessages"
    envelopes = {part["properties"]["type"]["const"]: part for part in schema()[side]["oneOf"]}
    document = {**envelopes[type], "$defs": schema()["$defs"]}
    message = {"type": type, "payload": payload, "timestamp": 1}
    Draft202012Validator(document).validate(orjson.loads(orjson.dumps(message)))


@pytest.mark.requirement("FR-050")
def test_every_message_of_the_specification_has_a_model() -> None:
    """The catalogue's 23 and 32, those of the later stories, and ours, each once."""
    assert (len(FROM_CLIENTS), len(TO_CLIENTS)) == (23, 32)
    counted = Counter(entry.type for entry in MESSAGES)
    assert counted == Counter([*FROM_CLIENTS, *TO_CLIENTS, *LATER, *OURS])
    assert {entry.type for entry in CLIENT} >= set(FROM_CLIENTS)
    assert {entry.type for entry in SERVER} >= set(TO_CLIENTS)
    assert all(entry.models for entry in MESSAGES)


@pytest.mark.requirement("CO-60")
def test_every_message_says_who_sends_it_when() -> None:
    """In a sentence; where the specification had two spellings, a note says which."""
    assert all(entry.trigger.endswith(".") for entry in MESSAGES)
    assert all(entry.note.endswith(".") for entry in MESSAGES if entry.note)
    noted = {entry.type for entry in MESSAGES if entry.note}
    assert noted >= {*LATER, *OURS}
    assert {entry.direction for entry in CLIENT} == {Direction.TO_SERVER}
    assert {entry.direction for entry in SERVER} == {Direction.TO_CLIENT}


@pytest.mark.requirement("CO-60")
def test_what_is_sent_is_listed_under_its_own_name() -> None:
    """Every model that the coach can send is in the catalogue, with the type it carries."""
    listed = {(model, entry.type) for entry in SERVER for model in entry.models}
    # A route's view may be made from a message; it is not sent as one.
    sent = {model for model in every(Outgoing) if "type" in vars(model)}
    assert {(model, model.type) for model in sent} == {
        (model, type_) for model, type_ in listed if issubclass(model, Outgoing)
    }


@pytest.mark.requirement("FR-082")
def test_the_eight_messages_of_the_tools_are_defined() -> None:
    assert len(SHOWN_BY_TOOLS) == 8
    assert set(SHOWN_BY_TOOLS) <= {entry.type for entry in SERVER}


@pytest.mark.requirement("CO-67")
def test_the_document_is_json_schema() -> None:
    """Of the 2020-12 draft, with every message on its side."""
    document = schema()
    meta.validate(document)
    for side, entries in (("clientMessages", CLIENT), ("serverMessages", SERVER)):
        types = [part["properties"]["type"]["const"] for part in document[side]["oneOf"]]
        assert types == [entry.type for entry in entries]
    whole = Draft202012Validator(document)
    whole.validate({"type": "file:open", "payload": {"path": "a.py"}, "id": "1"})
    assert not whole.is_valid({"type": "file:open", "payload": {}})
    assert not whole.is_valid({"type": "file:opened", "payload": {"path": "a.py"}})


@pytest.mark.requirement("FR-050", "CO-67")
@pytest.mark.parametrize("type_", [entry.type for entry in CLIENT])
def test_an_example_of_every_client_message_fits_model_and_document(type_: str) -> None:
    """The document demands no more and no less than the model."""
    [entry] = [entry for entry in CLIENT if entry.type == type_]
    [model] = entry.models
    model.model_validate(EXAMPLES[type_])
    check(type_, EXAMPLES[type_], Direction.TO_SERVER)


@pytest.mark.requirement("CO-67")
async def test_the_running_server_publishes_the_document(doors: Doors) -> None:
    """At /api/coach/protocol."""
    async with http_client(doors) as http:
        answer = await http.get("/protocol")
    assert answer.status_code == 200
    assert answer.json() == schema()


@pytest.mark.requirement("CO-68")
def test_the_web_apps_types_are_those_of_the_protocol() -> None:
    """Generated and committed; behind the code means `make docs` was not run."""
    written = (ROOT / "web" / "src" / "api" / "coach.ts").read_text()
    assert written == coach_types(schema())


@pytest.mark.requirement("FR-050")
async def test_what_is_said_in_a_session_fits_the_document(app: CoachApp, doors: Doors) -> None:
    """Everything that windows hear while a person works and an agent helps."""
    window = doors.window()
    await app.start_session()
    plan = "1. Reproduce it in tests/test_orders.py\n2. Round in src/bakery/orders.py\n"
    await doors.call("paige_run_coaching_pipeline", planText=plan, issueSummary="Totals are off")
    await window.says("file:open", path=ORDERS)
    await window.says("file:save", path=ORDERS, content="x = 1\n")
    await window.says("file:save", path="README.md/x", content="x = 1\n")
    await window.says("explorer:expand_dir", id="q1", path="")
    await window.says("file:open", id="q2", path="absent.py")
    await doors.call("paige_open_file", path=ORDERS)
    await doors.call("paige_highlight_lines", path=ORDERS, start=1, end=1, style="hint")
    await doors.call("paige_clear_highlights")
    await doors.call("paige_hint_files", paths=[ORDERS])
    await doors.call("paige_clear_hints")
    await doors.call("paige_show_message", message="Nice.", type="success")
    await doors.call("paige_show_issue_context", title="Totals")
    await doors.call("paige_update_phase", phase=1, status="complete")
    await doors.call("paige_end_session", sessionTranscript="")

    for heard in app.broadcasts:
        check(heard.type, heard.payload)
    for sent in window.received:
        check(sent["type"], sent["payload"])
    said = {heard.type for heard in app.broadcasts} | {sent["type"] for sent in window.received}
    assert said >= {*SHOWN_BY_TOOLS, "fs:content", "fs:save_ack", "fs:save_error", "fs:tree"}
    assert said >= {"connection:error", "coaching:plan_ready", "session:completed"}


def small_app(tmp_path: Path) -> App:
    project = tmp_path / "project"
    (project / "src" / "bakery").mkdir(parents=True)
    (project / ORDERS).write_text("def total(order): ...\n")
    return App(
        Settings(
            data_dir=tmp_path / "data",
            project_dir=project,
            bottega_model="offline",
            _env_file=None,
        )
    )


@pytest.mark.requirement("FR-062")
async def test_nothing_is_a_stub(tmp_path: Path) -> None:
    """Here every client message has its handler, and none answers NOT_IMPLEMENTED."""
    app = small_app(tmp_path)
    router = compose(app).state.doors.messages
    assert set(router.types) >= {entry.type for entry in CLIENT}
    window = Window(router, caller=Caller(Door.WEBSOCKET))
    await app.start()
    try:
        for type_, payload in EXAMPLES.items():
            await window.says(type_, id=type_, **payload)
    finally:
        await app.stop()
    codes = {error["code"] for error in window.errors}
    assert not codes & {"NOT_IMPLEMENTED", "UNKNOWN_TYPE", "INVALID_PAYLOAD", "INTERNAL"}


@pytest.mark.requirement("FR-059", "SC-028")
async def test_a_change_on_disk_is_told_to_every_window(tmp_path: Path) -> None:
    """By the real watcher, through the real server, as the document has it."""
    app = small_app(tmp_path)
    listener = socket.create_server(("127.0.0.1", 0))
    async with running(compose(app), listener) as url:
        address = url.replace("http", "ws", 1) + "/ws"
        async with connect(address, proxy=None) as one, connect(address, proxy=None) as other:
            (tmp_path / "project" / "ovens.py").write_text("ovens = 2\n")
            async with asyncio.timeout(10):
                for socket_ in (one, other):
                    message = orjson.loads(await socket_.recv())
                    while message["type"] != "fs:tree_update":
                        message = orjson.loads(await socket_.recv())
                    assert message["payload"] == {"action": "add", "path": "ovens.py"}
                    check(message["type"], message["payload"])


def every(model: type[Outgoing]) -> list[type[Outgoing]]:
    return [
        found
        for child in model.__subclasses__()
        for found in (child, *every(child))
        if child.__module__.startswith("bottega.")
    ]
