"""Research over HTTP."""

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.app import App
from tests.research.builders import open_research_rooms

QUESTION = "Which radio channel does the watch listen on?"


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    async with open_research_rooms(tmp_path) as app:
        yield app


@pytest.fixture
async def http(app: App) -> AsyncIterator[httpx.AsyncClient]:
    async with app.http("research") as http:
        yield http


async def ask(http: httpx.AsyncClient, **order: Any) -> dict[str, Any]:
    asked = {"question": QUESTION, "library": "harbour", "depth": "quick", **order}
    answer = await http.post("/runs", json=asked)
    assert answer.status_code == 201, answer.text
    run: dict[str, Any] = answer.json()
    return run


@pytest.mark.requirement("RS-703")
async def test_a_run_is_started_answered_and_read(app: App, http: httpx.AsyncClient) -> None:
    """It pauses, takes a reply, and its answer is read; before that it is a conflict."""
    run = await ask(http, question="How long may a shift of the watch last?")
    await app.wait_for(run["id"], "paused")
    shown = (await http.get(f"/runs/{run['id']}")).json()
    assert (shown["status"], shown["waiting_for"]["kind"]) == ("paused", "READY")
    assert shown["state"]["completed_stages"] == [0]
    assert [stage["state"] for stage in shown["stages"]] == ["done", *["ahead"] * 5]
    assert shown["waiting_for"]["body"] == shown["talk"][-1]["text"]
    assert "1. Go on" not in shown["waiting_for"]["body"]
    assert (await http.get(f"/runs/{run['id']}/answer")).status_code == 409
    said = (await http.post(f"/runs/{run['id']}/messages", json={"text": "1"})).json()
    assert said["run"]["status"] == "completed"
    assert [message["role"] for message in said["messages"]] == ["user", "assistant"]
    answer = (await http.get(f"/runs/{run['id']}/answer")).json()
    assert answer["status"] == "verified"
    assert "eight hours" in answer["markdown"]
    assert answer["answer"]["summary_claims"][0]["citations"]
    ended = (await http.get(f"/runs/{run['id']}")).json()
    assert {stage["state"] for stage in ended["stages"]} == {"done"}
    assert [each["by"] for each in ended["talk"]] == ["run", "person"]
    again = await http.post(f"/runs/{run['id']}/messages", json={"text": "1"})
    assert (again.status_code, again.json()["error"]["type"]) == (409, "conflict")
    listed = (await http.get("/runs")).json()["runs"]
    assert [each["answer_status"] for each in listed] == ["verified"]


@pytest.mark.requirement("RS-704")
async def test_a_reply_need_not_be_waited_for(app: App, http: httpx.AsyncClient) -> None:
    """Whoever watches the events gets the reply's receipt at once."""
    run = await ask(http)
    await app.wait_for(run["id"], "paused")
    sent = await http.post(f"/runs/{run['id']}/messages", json={"text": "1", "wait": False})
    assert sent.json() == {"messages": [], "run": sent.json()["run"]}
    await app.wait_for(run["id"], "completed")
    path = f"/sessions/{run['session_id']}/messages"
    messages = (await http.get(path, params={"wait": 10})).json()["messages"]
    assert [message["content"]["type"] for message in messages] == [
        "question",
        "pause",
        "reply",
        "answer",
    ]


@pytest.mark.requirement("RS-705")
async def test_events_are_streamed_from_anywhere(http: httpx.AsyncClient) -> None:
    """With their position as id, from `after` or `Last-Event-ID`, to the run's end."""
    run = await ask(http, auto_proceed=True)
    path = f"/runs/{run['id']}/events"
    sent = (await http.get(path)).text
    assert sent.startswith("retry: ")
    assert "event: stage_started" in sent
    assert sent.rstrip().rsplit("event: ", 1)[1].startswith("completed")
    last = max(int(line[4:]) for line in sent.splitlines() if line.startswith("id: "))
    rest = (await http.get(path, headers={"Last-Event-ID": str(last - 1)})).text
    assert [line for line in rest.splitlines() if line.startswith("id: ")] == [f"id: {last}"]


@pytest.mark.requirement("RS-706")
@pytest.mark.parametrize(
    ("order", "status"),
    [
        ({"question": "  "}, 422),
        ({"question": "long " * 100_000}, 413),
        ({"library": "nowhere"}, 404),
        ({"agent": "nobody"}, 404),
        ({"follow_up_of": "run_none"}, 404),
        ({"session_id": "none"}, 404),
        ({"depth": "bottomless"}, 422),
        ({"budget_usd": -1}, 422),
    ],
)
async def test_a_wrong_order_starts_nothing(
    http: httpx.AsyncClient, order: dict[str, Any], status: int
) -> None:
    """Each with a clear word, and no run is left behind."""
    asked = {"question": QUESTION, "library": "harbour", **order}
    answer = await http.post("/runs", json=asked)
    assert (answer.status_code, bool(answer.json()["error"]["message"])) == (status, True)
    assert (await http.get("/runs")).json() == {"runs": []}


@pytest.mark.requirement("RS-707")
async def test_a_run_is_cancelled(app: App, http: httpx.AsyncClient) -> None:
    """For good; it says so, and answers no more."""
    run = await ask(http)
    await app.wait_for(run["id"], "paused")
    cancelled = (await http.post(f"/runs/{run['id']}/cancel")).json()
    assert (cancelled["status"], cancelled["exit_reason"]) == ("cancelled", "cancelled")
    assert (await http.post(f"/runs/{run['id']}/messages", json={"text": "1"})).status_code == 409


@pytest.mark.requirement("RS-708")
async def test_a_session_lives_its_life(http: httpx.AsyncClient) -> None:
    """Made, talked to, sorted, found, exported, archived, removed and imported again."""
    made = (await http.post("/sessions", json={"library": "harbour"})).json()
    path = f"/sessions/{made['id']}"
    said = (await http.post(f"{path}/messages", json={"text": QUESTION})).json()
    assert "100.11" in said["messages"][-1]["text"]
    changes = {"title": "The watch", "status": "done", "labels": []}
    changed = (await http.patch(path, json=changes)).json()
    assert (changed["title"], changed["status"]) == ("The watch", "done")
    for wrong in ({"status": "no such"}, {"labels": ["no such"]}):
        refused = await http.patch(path, json={"title": "Renamed", **wrong})
        assert refused.status_code == 422
    assert (await http.get(path)).json()["title"] == "The watch"
    found = (await http.get("/sessions", params={"query": "radio channel"})).json()["sessions"]
    assert [each["id"] for each in found] == [made["id"]]
    exported = (await http.get(f"{path}/export")).text
    await http.patch(path, json={"archived": True})
    assert (await http.get("/sessions")).json() == {"sessions": []}
    archived = (await http.get("/sessions", params={"archived": True})).json()["sessions"]
    assert [each["id"] for each in archived] == [made["id"]]
    assert (await http.delete(path)).json() == {"removed": made["id"]}
    back = await http.post("/sessions/import", json={"jsonl": exported})
    assert (back.status_code, back.json()["title"]) == (201, "The watch")
    assert (await http.post("/sessions/import", json={"jsonl": "no"})).status_code == 422


@pytest.mark.requirement("RS-709")
async def test_agents_skills_and_sources_are_listed(http: httpx.AsyncClient) -> None:
    """With what is wrong with them; a source can be tried, switched and given its key."""
    listed = (await http.get("/agents")).json()
    assert (Path(listed["template"]) / "AGENT.md").is_file()
    agents = listed["agents"]
    assert [(agent["slug"], agent["problems"]) for agent in agents] == [("deep-research", [])]
    whole = (await http.get("/agents/deep-research")).json()
    assert whole["config"]["stages"][0]["name"] == "analyze_query"
    assert whole["instructions"]
    assert set(whole["prompts"]) == {each["prompt"] for each in whole["config"]["stages"]} - {None}
    assert (Path(whole["folder"]) / "AGENT.md").is_file()
    skills = (await http.get("/skills")).json()["skills"]
    skill = (await http.get(f"/skills/{skills[0]['slug']}")).json()
    assert skill["text"] in Path(skill["file"]).read_text()
    for missing in ("/agents/none", "/skills/none", "/sources/none"):
        assert (await http.get(missing)).status_code == 404
    sources = {each["slug"]: each for each in (await http.get("/sources")).json()["sources"]}
    assert set(sources) == {"web-search", "pdf", "example"}
    tried = (await http.post("/sources/example/test")).json()
    assert tried["passed"], tried
    assert (await http.post("/sources/example/enable")).json()["enabled"]
    tools = (await http.get("/sources/example/tools")).json()["tools"]
    assert tools
    assert not (await http.post("/sources/example/disable")).json()["enabled"]
    name = sources["web-search"]["credentials"][0]
    kept = await http.put(f"/sources/web-search/credentials/{name}", json={"value": "sk-secret"})
    assert "sk-secret" not in kept.text
    detail = await http.get("/sources/web-search")
    assert detail.json()["stored"] == [name]
    assert "sk-secret" not in detail.text
    assert kept.json()["health"] != "needs_auth"
    forgot = await http.delete(f"/sources/web-search/credentials/{name}")
    assert forgot.json()["health"] == "needs_auth"
    wrong = await http.put("/sources/web-search/credentials/other", json={"value": "x"})
    assert wrong.status_code == 404
    callback = await http.get("/sources/oauth/callback", params={"state": "<b>", "code": "x"})
    assert callback.status_code == 400
    assert "<b>" not in callback.text


async def test_what_is_broken_is_shown_as_far_as_it_can_be_read(
    app: App, http: httpx.AsyncClient
) -> None:
    project = app.core.files.root / ".bottega"
    agent, skill, source = (
        project / "agents" / "tides",
        project / "skills" / "tides",
        project / "sources" / "tides",
    )
    for folder in (agent, skill, source):
        folder.mkdir(parents=True)
    (agent / "AGENT.md").write_text("---\nname: Tides\ndescription: Of tides.\n---\nBe wet.\n")
    (agent / "config.json").write_text('{"stages": []}')
    for kind in ("agents", "skills", "sources"):
        assert (await http.get(f"/{kind}")).json()["places"][0] == str(project / kind)
    (skill / "SKILL.md").write_text("---\nname: waves\ndescription: Of waves.\n---\nLook.\n")
    (source / "config.json").write_text('{"type": "stdio", "nam": "Tides"}')
    shown = (await http.get("/agents/tides")).json()
    assert (shown["name"], shown["instructions"], shown["config"]) == ("Tides", "Be wet.", None)
    assert any(each.startswith("config.json:1:") for each in shown["problems"])
    assert (await http.get("/skills/tides")).json()["problems"][0].startswith("SKILL.md:2:")
    broken = (await http.get("/sources/tides")).json()
    assert (broken["file"], broken["enabled"]) == (str(source / "config.json"), False)
    assert broken["problems"]


async def test_a_source_says_what_would_run_before_it_is_trusted(
    app: App, http: httpx.AsyncClient
) -> None:
    config = {
        "type": "stdio",
        "name": "Tides",
        "command": "{python}",
        "args": ["{folder}/tides.py", "--now"],
        "env": {"KEY": "${credential:tides}", "PLACE": "Saltmere"},
    }
    for place in (app.core.files.root / ".bottega", app.core.choices.data_dir):
        slug = "ours" if place.name == ".bottega" else "mine"
        (place / "sources" / slug).mkdir(parents=True)
        (place / "sources" / slug / "config.json").write_text(json.dumps(config))
    ours = (await http.get("/sources/ours")).json()
    assert (ours["trusted"], ours["enabled"], ours["stored"]) == (False, False, [])
    folder = Path(ours["file"]).parent
    assert ours["program"] == [sys.executable, f"{folder}/tides.py", "--now"]
    assert ours["given"] == {"KEY": "${credential:tides}", "PLACE": "Saltmere"}
    mine = (await http.get("/sources/mine")).json()
    assert mine["given"] == {"KEY": None, "PLACE": None}


@pytest.mark.requirement("RS-710")
async def test_people_answer_what_agents_ask(app: App, http: httpx.AsyncClient) -> None:
    """A plan is judged by a person, at this door alone."""
    session = (await http.post("/sessions", json={})).json()["id"]
    await app.agent_in("research")(
        "submit_plan", session_id=session, title="Two steps", plan="1. Read."
    )
    (request,) = (await http.get("/requests")).json()["requests"]
    assert request["kind"] == "plan"
    judged = await http.post(f"/requests/{request['id']}/plan", json={"approved": True})
    assert judged.json()["answer"]["approved"]
    assert (await http.post(f"/requests/{request['id']}/decline")).status_code == 409
    assert (await http.get("/requests")).json() == {"requests": []}
