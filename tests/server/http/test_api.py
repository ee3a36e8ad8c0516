"""REST routes of the core: what exists is shown to whom it belongs."""

from datetime import datetime
from zoneinfo import ZoneInfo

import httpx
import pytest
from pydantic import BaseModel

from bottega.core.llm.ledger import CallMetadata
from bottega.core.rooms import Room
from bottega.core.runs import RunContext, RunStatus
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import SessionKind
from bottega.core.traces import SpanKind
from bottega.server.options import Options
from bottega.settings import Settings
from tests.server.http.small_app import Serve, Served


async def as_user(served: Served, name: str) -> httpx.Headers:
    users = served.app.core.users
    user = await users.create(name)
    _, secret = await users.issue_token(user.id, "laptop")
    return httpx.Headers({"Authorization": f"Bearer {secret}"})


async def test_a_sitting_can_be_read_by_whose_it_is(serve: Serve) -> None:
    served = await serve()
    core = served.app.core
    session = await core.sessions.create(SessionKind.COACHING, "/p", title="Fix the roof")
    await core.conversations.append(session.id, "user", {"text": "hi"}, "hi", user_id="local")
    await core.actions.log_action(session.id, ActionType.FILE_OPEN, {"path": "a.py"})

    [listed] = (await served.http.get("/api/sessions?kind=coaching&status=active")).json()
    assert (listed["id"], listed["title"]) == (session.id, "Fix the roof")
    path = f"/api/sessions/{session.id}"
    assert (await served.http.get(path)).json() == listed
    [message] = (await served.http.get(f"{path}/messages")).json()
    assert (message["role"], message["content"]) == ("user", {"text": "hi"})
    [action] = (await served.http.get(f"{path}/actions?action_type=file_open")).json()
    assert action["data"] == {"path": "a.py"}
    assert (await served.http.get(f"{path}/actions?action_type=file_save")).json() == []

    ada = await as_user(served, "ada")
    assert (await served.http.get("/api/sessions", headers=ada)).json() == []
    for part in ("", "/messages", "/actions"):
        answer = await served.http.get(path + part, headers=ada)
        assert (answer.status_code, answer.json()["error"]["type"]) == (404, "not_found")


async def test_a_wrong_filter_is_told_the_right_ones(serve: Serve) -> None:
    served = await serve()
    answer = await served.http.get("/api/sessions?kind=party&limit=0")
    assert answer.status_code == 422
    assert "'coaching'" in answer.json()["error"]["message"]
    assert "limit" in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/api/costs?since=", "/api/traces?before="])
async def test_a_time_before_all_time_is_refused(serve: Serve, path: str) -> None:
    served = await serve()
    answer = await served.http.get(f"{path}0001-01-01T00:00:00%2B14:00")
    assert answer.status_code == 422
    assert "outside the calendar" in answer.json()["error"]["message"]


async def test_a_trace_is_shown_as_a_tree(serve: Serve) -> None:
    served = await serve()
    traces = served.app.core.traces
    with (
        traces.span("outer", SpanKind.TOOL, user_id="local"),
        traces.span("inner", SpanKind.MODEL, tokens=3),
    ):
        pass
    [listed] = (await served.http.get("/api/traces")).json()
    assert (listed["name"], listed["span_count"], listed["status"]) == ("outer", 2, "ok")
    tree = (await served.http.get(f"/api/traces/{listed['trace_id']}")).json()
    assert [(span["name"], span["depth"]) for span in tree["spans"]] == [("outer", 0), ("inner", 1)]
    assert tree["spans"][1]["parent_id"] == tree["spans"][0]["span_id"]
    assert tree["spans"][1]["attributes"]["tokens"] == 3
    ada = await as_user(served, "ada")
    assert (await served.http.get("/api/traces", headers=ada)).json() == []
    private = await served.http.get(f"/api/traces/{listed['trace_id']}", headers=ada)
    assert private.status_code == 404


async def test_events_are_searched(serve: Serve) -> None:
    served = await serve()
    session = await served.app.core.sessions.create(SessionKind.AGENT, "/p", title="Paint")
    await served.app.core.bus.flush()
    [event] = (await served.http.get("/api/events/log?query=paint&topics=session.*")).json()
    assert (event["topic"], event["session_id"]) == ("session.started", session.id)
    assert (await served.http.get("/api/events/log?query=paint&topics=run.*")).json() == []


async def test_costs_are_summed(serve: Serve) -> None:
    served = await serve()
    core = served.app.core
    session = await core.sessions.create(SessionKind.COACHING, "/p")
    call = CallMetadata("m", "hash", 10, input_tokens=5, output_tokens=7, cost_estimate=0.5)
    core.ledger.log_api_call(session.id, "triage", call)
    core.ledger.log_api_call(None, "explain", call)
    house = (await served.http.get("/api/costs")).json()
    assert house["total"]["cost"] == 1.0
    assert house["by_model"]["m"]["calls"] == 2
    one = (await served.http.get(f"/api/costs?session_id={session.id}")).json()
    assert one["total"]["cost"] == 0.5
    ada = await as_user(served, "ada")
    assert (await served.http.get("/api/costs", headers=ada)).status_code == 403
    private = await served.http.get(f"/api/costs?session_id={session.id}", headers=ada)
    assert private.status_code == 404


async def test_a_report_tells_costs_by_room_model_task_and_day(serve: Serve) -> None:
    served = await serve(Room("coach", model_calls=("explain",)))
    ledger = served.app.core.ledger
    for model, task, cost in (("m", "explain", 0.5), ("m", "explain", 0.25), ("n", "gone", 2.0)):
        ledger.log_api_call(None, task, CallMetadata(model, "hash", 10, cost_estimate=cost))
    path = "/api/costs/report?days=2&timezone=Pacific/Auckland"
    report = (await served.http.get(path)).json()
    assert report["total"]["cost"] == 2.75
    assert {room: sums["cost"] for room, sums in report["by_room"].items()} == {
        "coach": 0.75,
        "other": 2.0,
    }
    assert {model: sums["calls"] for model, sums in report["by_model"].items()} == {"m": 2, "n": 1}
    assert [(each["task"], each["room"]) for each in report["by_task"]] == [
        ("gone", "other"),
        ("explain", "coach"),
    ]
    yesterday, today = report["by_day"]
    assert (yesterday["total"]["calls"], yesterday["by_room"]) == (0, {})
    assert today["day"] == datetime.now(ZoneInfo("Pacific/Auckland")).date().isoformat()
    assert today["by_room"]["coach"]["calls"] == 2
    for nowhere in ("../etc/passwd", "Atlantis/Centre"):
        refused = await served.http.get(f"/api/costs/report?timezone={nowhere}")
        assert refused.status_code == 422
    ada = await as_user(served, "ada")
    assert (await served.http.get("/api/costs/report", headers=ada)).status_code == 403


async def test_traces_are_found_by_their_room(serve: Serve) -> None:
    served = await serve(Room("coach", model_calls=("explain",)))
    traces = served.app.core.traces
    for task in ("explain", "other"):
        with traces.span("chat", SpanKind.MODEL, attributes={"bottega.task": task}):
            pass
    [found] = (await served.http.get("/api/traces?room=coach&search=CHAT&status=ok")).json()
    assert found["room"] == "coach"
    assert {trace["room"] for trace in (await served.http.get("/api/traces")).json()} == {
        "coach",
        None,
    }


class Question(BaseModel):
    text: str


class Answer(BaseModel):
    text: str


async def test_a_run_is_watched_answered_and_cancelled(serve: Serve) -> None:
    served = await serve()
    runs = served.app.core.runs

    async def ask(run: RunContext, question: Question) -> Answer:
        return Answer(text=f"{question.text} {await run.pause('a word')}")

    runs.register("ask", ask)
    run_id = await runs.start("ask", Question(text="hello"))
    await runs.wait(run_id)
    path = f"/api/runs/{run_id}"
    shown = (await served.http.get(path)).json()
    assert (shown["status"], shown["waiting_for"]["reason"]) == ("paused", "a word")
    ada = await as_user(served, "ada")
    for verb, body in (("reply", {"message": "stolen"}), ("cancel", None)):
        answer = await served.http.post(f"{path}/{verb}", json=body, headers=ada)
        assert answer.status_code == 404

    await served.http.post(f"{path}/reply", json={"message": "world"})
    await runs.wait(run_id, {RunStatus.COMPLETED})
    assert (await served.http.get(path)).json()["output"] == {"text": "hello world"}
    events = (await served.http.get(f"{path}/events")).json()
    assert [event["position"] for event in events] == list(range(1, len(events) + 1))
    assert (await served.http.get(f"{path}/events?after={len(events)}")).json() == []
    assert [run["id"] for run in (await served.http.get("/api/runs?kind=ask")).json()] == [run_id]
    assert (await served.http.post(f"{path}/cancel")).status_code == 409

    other = await runs.start("ask", Question(text="bye"))
    await runs.wait(other)
    stopped = await served.http.post(f"/api/runs/{other}/cancel")
    assert stopped.json()["status"] == "cancelled"


async def test_tokens_are_issued_listed_and_revoked(serve: Serve) -> None:
    served = await serve()
    issued = await served.http.post("/api/tokens", json={"name": "ci", "user": "ada"})
    assert issued.status_code == 201
    headers = {"Authorization": f"Bearer {issued.json()['secret']}"}
    [listed] = (await served.http.get("/api/tokens", headers=headers)).json()
    assert (listed["name"], listed["user"]) == ("ci", "ada")
    assert "secret" not in listed
    assert "hash" not in str(listed)
    mine = await served.http.post("/api/tokens", json={"name": "mine"})
    assert mine.json()["user_id"] == "local"
    assert [token["name"] for token in (await served.http.get("/api/tokens")).json()] == [
        "mine", "ci",
    ]  # fmt: skip

    for_other = {"name": "x", "user": "local"}
    refused = await served.http.post("/api/tokens", json=for_other, headers=headers)
    assert refused.status_code == 403
    unseen = await served.http.delete("/api/tokens/mine", headers=headers)
    assert unseen.status_code == 404
    revoked = await served.http.delete("/api/tokens/ci")
    assert revoked.json()["revoked_at"]
    assert (await served.http.get("/api/tokens", headers=headers)).status_code == 401
    assert (await served.http.delete("/api/tokens/ci")).status_code == 404


async def test_two_tokens_of_one_name_are_told_apart_by_id(serve: Serve) -> None:
    served = await serve()
    for user in ("ada", "bob"):
        await served.http.post("/api/tokens", json={"name": "ci", "user": user})
    answer = await served.http.delete("/api/tokens/ci")
    assert answer.status_code == 409
    for token in answer.json()["error"]["valid_options"]:
        assert (await served.http.delete(f"/api/tokens/{token}")).status_code == 200


async def test_settings_are_shown_without_their_secrets(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:pass-word@db/x")
    settings = Settings(_env_file=None)
    served = await serve(options=Options(settings=settings))
    answer = await served.http.get("/api/settings")
    shown = {setting["name"]: setting for setting in answer.json()}
    assert shown["PORT"] == {
        "name": "PORT",
        "value": 3000,
        "is_set": False,
        "description": "Port of the server; 0 picks a free one.",
    }
    assert shown["ANTHROPIC_API_KEY"]["is_set"]
    assert shown["OPENAI_API_KEY"]["value"] is None
    assert shown["DATABASE_URL"]["value"] == "postgresql://me:••••@db/x"
    assert "very-secret" not in answer.text
    assert "pass-word" not in answer.text
