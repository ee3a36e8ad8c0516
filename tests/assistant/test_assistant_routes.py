"""The assistant over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.app import App
from tests.assistant.builders import open_assistant

LESSON = {"command": "lesson-planning:create-lesson", "input": "a lesson on loops for 2C"}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    async with open_assistant(tmp_path) as app:
        yield app


@pytest.fixture
async def http(app: App) -> AsyncIterator[httpx.AsyncClient]:
    async with app.http("assistant") as http:
        yield http


async def start(app: App, http: httpx.AsyncClient, **asked: Any) -> dict[str, Any]:
    answer = await http.post("/sessions", json={**LESSON, **asked})
    assert answer.status_code == 201, answer.text
    turn: dict[str, Any] = answer.json()
    await app.run_settled(turn["run_id"])
    return turn


@pytest.mark.requirement("AS-703")
async def test_a_session_is_started_asked_and_answered(app: App, http: httpx.AsyncClient) -> None:
    """A command begins a session; its gates are answered until it has a result."""
    turn = await start(app, http)
    path = f"/sessions/{turn['session_id']}"
    asked = (await http.get(path)).json()["turn"]["gate"]
    assert asked["kind"] == "feedforward"
    (waiting,) = (await http.get("/sessions")).json()["sessions"]
    assert (waiting["turn"], waiting["asks"]) == ("paused", "feedforward")
    wrong = await http.post(f"{path}/reply", json={"decision": "shrug"})
    assert (wrong.status_code, wrong.json()["error"]["type"]) == (422, "validation_error")
    while (now := (await http.get(path)).json()["turn"])["status"] == "paused":
        await http.post(f"{path}/reply", json={"decision": now["gate"]["default"]})
        await app.run_settled(turn["run_id"])
    assert now["result"]["status"] == "success"
    shown = (await http.get(path)).json()["session"]
    assert (shown["class_id"], shown["artefact"]) == ("2C", now["result"]["text"])
    late = await http.post(f"{path}/reply", json={"decision": "confirm"})
    assert late.status_code == 409
    decided = (await http.get(f"{path}/decisions")).json()["decisions"]
    assert {each["kind"] for each in decided} >= {"feedforward", "adjudication"}
    said = (await http.get(f"{path}/messages")).json()["messages"]
    assert LESSON["input"] in said[0]["text"]
    found = (await http.get("/search", params={"query": "loops", "class_id": "2c"})).json()["found"]
    assert [each["session"]["id"] for each in found] == [turn["session_id"]]
    deep = (await http.get("/search", params={"query": "plenary"})).json()["found"]
    assert "plenary" in deep[0]["excerpt"].lower()
    (listed,) = (await http.get("/sessions")).json()["sessions"]
    assert (listed["turn"], listed["asks"]) == ("completed", None)
    (told,) = (await http.get(f"{path}/turns")).json()["turns"]
    events = (await http.get(f"{path}/turns/{told['run_id']}")).json()["events"]
    assert [events[0]["type"], events[-1]["type"]] == ["turn_started", "completed"]
    (first, *_) = [each for each in events if each["type"] == "tool_call"]
    assert first["state"] == "completed"
    assert first["result"]
    assert (await http.get(f"{path}/turns/run_none")).status_code == 404
    exported = (await http.get("/export", params={"format": "jsonl"})).json()
    assert exported["rows"] == 1
    assert LESSON["input"] not in exported["content"]
    assert (await http.delete(path)).json() == {"removed": turn["session_id"]}
    assert (await http.get("/sessions")).json() == {"sessions": []}


@pytest.mark.requirement("AS-704")
async def test_a_turn_is_followed_and_cancelled(app: App, http: httpx.AsyncClient) -> None:
    """Its events are streamed; cancelled, it stays so, and what was said is kept."""
    turn = await start(app, http)
    path = f"/sessions/{turn['session_id']}"
    busy = await http.post(f"{path}/messages", json={"text": "and now?"})
    assert busy.status_code == 409
    assert (await http.post(f"{path}/cancel")).json()["status"] == "cancelled"
    sent = (await http.get(f"{path}/events")).text
    assert "event: gate" in sent
    assert sent.rstrip().rsplit("event: ", 1)[1].startswith("cancelled")
    said = (await http.get(f"{path}/messages")).json()["messages"]
    assert LESSON["input"] in said[0]["text"]


@pytest.mark.requirement("AS-705")
@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"command": "lesson-planning:no-such"}, 404),
        ({"command": "no-such:create-lesson"}, 404),
        ({"command": "nonsense"}, 422),
        ({"input": " "}, 422),
        ({"input": "x" * 60_000}, 413),
        ({"provider": "nobody"}, 422),
        ({"max_turns": 0}, 422),
        ({"without": ["everything"]}, 422),
    ],
)
async def test_a_wrong_order_starts_nothing(
    http: httpx.AsyncClient, asked: dict[str, Any], status: int
) -> None:
    """Each with a clear word, and no session is left behind."""
    answer = await http.post("/sessions", json={**LESSON, **asked})
    assert (answer.status_code, bool(answer.json()["error"]["message"])) == (status, True)
    assert (await http.get("/sessions")).json() == {"sessions": []}


@pytest.mark.requirement("AS-706")
async def test_commands_are_listed_and_rehearsed(http: httpx.AsyncClient) -> None:
    """With their plugins; a rehearsal shows the prompt and what each section costs."""
    plugins = {each["name"]: each for each in (await http.get("/commands")).json()["plugins"]}
    assert set(plugins) == {"lesson-planning", "code-review"}
    names = [command["name"] for command in plugins["lesson-planning"]["commands"]]
    assert names == ["lesson-planning:create-lesson", "lesson-planning:refine-lesson"]
    assert all(plugin["problems"] == [] for plugin in plugins.values())
    agents = {each["name"]: each for each in (await http.get("/agents")).json()["agents"]}
    assert agents["planner"]["commands"] == names
    assert agents["planner"]["instructions"] in Path(agents["planner"]["file"]).read_text()
    skills = {each["name"]: each for each in (await http.get("/skills")).json()["skills"]}
    assert "planner" in skills["retrieval-practice"]["agents"]
    assert skills["retrieval-practice"]["text"].startswith("#")
    create = plugins["lesson-planning"]["commands"][0]
    assert (create["example"], create["writes"]) == (
        "a lesson on iteration for 3B",
        "lessons/{class}/{date}-{slug}.md",
    )
    prompt = (await http.post("/rehearsals", json=LESSON)).json()
    assert prompt["tokens"] == pytest.approx(sum(prompt["tokens_by_section"].values()), rel=0.05)
    assert "2C" in prompt["text"]


@pytest.mark.requirement("AS-707")
async def test_the_workspace_is_read_written_and_restored(http: httpx.AsyncClient) -> None:
    """Versions are kept, and nothing outside of it can be reached."""
    files = (await http.get("/workspaces/lesson-planning")).json()["files"]
    assert "soul.md" in files
    path = "/workspaces/lesson-planning/file?path=teacher.md"
    before = (await http.get(path)).json()["text"]
    await http.put(path, json={"text": "# Me\n"})
    assert (await http.get(path)).json()["text"] == "# Me\n"
    versions = (await http.get(path.replace("/file", "/versions"))).json()["versions"]
    restored = path.replace("/file", "/restore") + f"&version={versions[0]['number']}"
    earlier = restored.replace("/restore", "/version")
    assert (await http.get(earlier)).json()["text"] == before
    assert (await http.post(restored)).json()["text"] == before
    for outside in ("../../bottega.db", "/etc/passwd", ".history/x"):
        got = await http.get("/workspaces/lesson-planning/file", params={"path": outside})
        assert got.status_code in (403, 404, 422), outside


@pytest.mark.requirement("AS-719")
async def test_a_shipped_file_is_offered_compared_and_settled(
    app: App, http: httpx.AsyncClient
) -> None:
    """What a plugin ships by now is taken or declined, and then no longer offered."""
    workspace = "/workspaces/lesson-planning"
    await http.get(workspace)
    folder = app.core.choices.data_dir / "workspaces" / "local" / "lesson-planning"
    (folder / ".shipped.json").write_text("{}")
    for name in ("soul.md", "teacher.md"):
        await http.put(f"{workspace}/file?path={name}", json={"text": "# Mine\n"})
    assert {"soul.md", "teacher.md"} <= set((await http.get(workspace)).json()["offers"])
    shipped = (await http.get(f"{workspace}/shipped?path=soul.md")).json()["text"]
    taken = (await http.post(f"{workspace}/accept?path=soul.md")).json()["text"]
    assert taken == shipped != "# Mine\n"
    left = (await http.post(f"{workspace}/decline?path=teacher.md")).json()["offers"]
    assert not {"soul.md", "teacher.md"} & set(left)
    mine = (await http.get(f"{workspace}/file?path=teacher.md")).json()["text"]
    assert mine == "# Mine\n"


@pytest.mark.requirement("AS-720")
async def test_the_hooks_of_a_plugin_are_told_with_their_points(http: httpx.AsyncClient) -> None:
    """Agent by agent, in the order in which they run."""
    told = (await http.get("/plugins/lesson-planning/agents")).json()
    assert len(told["points"]) == 9
    planner = next(each for each in told["agents"] if each["name"] == "planner")
    points = {hook["name"]: hook["points"] for hook in planner["hooks"]}
    assert list(points)[:2] == ["scope-check", "feedforward"]
    assert points["scope-check"] == ["preLoop"]
    assert points["memory-capture"] == ["postLoop"]
    assert all(hook["about"] for hook in planner["hooks"])
    assert (await http.get("/plugins/none/agents")).status_code == 404


@pytest.mark.requirement("AS-708")
async def test_memory_files_are_the_persons_to_change(http: httpx.AsyncClient) -> None:
    """Listed, read, written and removed, whatever they say."""
    assert (await http.get("/memory")).json() == {"files": []}
    path = "/memory/file?path=memory/classes/3B/MEMORY.md"
    written = await http.put(path, json={"text": "- Shorter starters.\n"})
    assert written.json()["text"] == "- Shorter starters.\n"
    (file,) = (await http.get("/memory")).json()["files"]
    assert (file["path"], file["class_id"]) == ("memory/classes/3B/MEMORY.md", "3B")
    assert (await http.delete(path)).status_code == 200
    assert (await http.get(path)).status_code == 404
    assert (await http.get("/memory/file?path=../secrets.md")).status_code == 403


@pytest.mark.requirement("AS-709")
async def test_specifications_and_evals_come_in_by_the_same_door(http: httpx.AsyncClient) -> None:
    """What is no PDF is refused; an eval's report has its cases and a text to read."""
    path = "/workspaces/lesson-planning/specification?name=spec.pdf"
    refused = await http.post(path, content=b"no pdf")
    assert refused.status_code == 422
    started = await http.post("/evals", json={"cases": "computing-iteration"})
    path = f"/evals/{started.json()['run_id']}"
    assert (await http.post("/evals", json={})).status_code == 409
    report = (await http.get(path, params={"wait": 30})).json()["report"]
    assert len(report["results"]) == 1
    assert report["markdown"].startswith("# ")
    assert (await http.get("/evals/run_none")).status_code == 404
