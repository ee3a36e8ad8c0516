"""Sessions, queue and questions over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient

from tests.board.agent_board import AgentDoors, open_agent_doors


@pytest.fixture
async def doors(tmp_path: Path) -> AsyncIterator[AgentDoors]:
    async with open_agent_doors(tmp_path) as doors:
        yield doors


@pytest.fixture
async def http(doors: AgentDoors) -> AsyncIterator[AsyncClient]:
    async with doors.http() as client:
        yield client


async def post(http: AsyncClient, path: str, expect: int = 200, **body: Any) -> dict[str, Any]:
    answer = await http.post(path, json=body)
    assert answer.status_code == expect, answer.text
    said: dict[str, Any] = answer.json()
    return said


async def register(http: AsyncClient, doors: AgentDoors, **more: Any) -> str:
    session = await post(http, "/sessions", 201, project_id=doors.project.id, **more)
    return str(session["id"])


@pytest.mark.requirement("BD-401", "BD-407", "BD-413")
async def test_a_session_lives_and_ends_over_http(doors: AgentDoors, http: AsyncClient) -> None:
    """Registered, listed, heard of, shown, ended with its reason."""
    session_id = await register(http, doors, type="manual", client_session_id="claude-1")
    assert await register(http, doors, client_session_id="claude-1") == session_id
    [listed] = (await http.get("/sessions")).json()["sessions"]
    assert (listed["id"], listed["type"]) == (session_id, "manual")
    assert (listed["liveness"], listed["lease"]) == ("active", None)
    beat = await post(http, f"/sessions/{session_id}/heartbeat")
    assert (beat["woken"], beat["minutes_left"], beat["answers"]) == (False, 10, [])
    ended = await post(http, f"/sessions/{session_id}/end", why="Time to go home.")
    assert ended["status"] == "ended"
    assert (await http.get("/sessions")).json() == {"sessions": []}
    every = (await http.get("/sessions", params={"live_only": False})).json()["sessions"]
    assert [row["id"] for row in every] == [session_id]
    assert (await http.get(f"/sessions/{session_id}")).json()["status"] == "ended"


@pytest.mark.requirement("BD-421", "BD-428", "BD-432")
async def test_work_is_claimed_and_completed_over_http(
    doors: AgentDoors, http: AsyncClient
) -> None:
    """By curl alone, as the specification's sessions do."""
    session_id = await register(http, doors)
    nothing = await post(http, "/queue/next", session_id=session_id)
    assert nothing["work"] is None
    assert nothing["reason"].startswith("Nothing is approved")
    await doors.approve()
    queue = (await http.get("/queue", params={"project_id": doors.project.id})).json()
    assert [item["change_id"] for item in queue["waiting"]] == ["add-discounts"]
    work = (await post(http, "/queue/next", session_id=session_id))["work"]
    [leased] = (await http.get("/queue")).json()["leased"]
    assert (leased["session_id"], leased["liveness"]) == (session_id, "active")
    held = {"session_id": session_id, "lease_token": work["lease_token"]}
    late = await post(
        http, "/work/add-discounts/complete", 409, **held | {"lease_token": 9}, result="Done."
    )
    assert late["error"]["type"] == "conflict"
    done = await post(
        http,
        "/work/add-discounts/complete",
        **held,
        result="Discounts are in.",
        files_changed=["src/orders.py"],
        tests="12 passed",
    )
    assert done == {"change_id": "add-discounts", "status": "review", "open_tasks": 3}


async def test_somebody_takes_the_change_they_want(doors: AgentDoors, http: AsyncClient) -> None:
    """By name; what does not wait is refused with the reason."""
    session_id = await register(http, doors)
    early = await post(http, "/queue/next", session_id=session_id, change_id="add-discounts")
    assert early == {
        "work": None,
        "reason": f"add-discounts does not wait in the queue of {doors.project.name}.",
    }
    await doors.approve()
    other = await post(http, "/queue/next", session_id=session_id, change_id="no-such-change")
    assert other["work"] is None
    taken = await post(http, "/queue/next", session_id=session_id, change_id="add-discounts")
    assert taken["work"]["change_id"] == "add-discounts"


@pytest.mark.requirement("BD-430")
async def test_work_is_released_over_http(doors: AgentDoors, http: AsyncClient) -> None:
    """With a reason, which is asked for."""
    await doors.approve()
    session_id = await register(http, doors)
    work = (await post(http, "/queue/next", session_id=session_id))["work"]
    held = {"session_id": session_id, "lease_token": work["lease_token"]}
    await post(http, "/work/add-discounts/release", 422, **held)
    back = await post(http, "/work/add-discounts/release", **held, why="Too big for today.")
    assert back["status"] == "approved"
    steps = await doors.changes.history(doors.project.id, "add-discounts")
    assert steps[-1].notes == "Too big for today."


@pytest.mark.requirement("BD-448", "BD-449", "BD-451")
async def test_a_question_is_asked_and_answered_over_http(
    doors: AgentDoors, http: AsyncClient
) -> None:
    """Listed while it is open; the one who asked can wait for it."""
    session_id = await register(http, doors)
    asked = await post(
        http, "/clarifications", 201, session_id=session_id, question="Tabs?", options=["Yes", "No"]
    )
    path = f"/clarifications/{asked['id']}"
    [listed] = (await http.get("/clarifications")).json()["clarifications"]
    assert (listed["question"], listed["options"]) == ("Tabs?", ["Yes", "No"])
    assert (await http.get(path)).json()["answer"] is None
    waiting = asyncio.create_task(http.get(path, params={"wait_seconds": 50}))
    answered = await post(http, f"{path}/answer", answer="No")
    assert answered["answered_by"] == "local"
    async with asyncio.timeout(10):
        assert (await waiting).json()["answer"] == "No"
    assert (await http.get("/clarifications")).json() == {"clarifications": []}
    every = (await http.get("/clarifications", params={"open": False})).json()["clarifications"]
    assert [row["answer"] for row in every] == ["No"]
    await post(http, f"{path}/answer", 409, answer="Yes")
    await post(http, f"{path}/answer", 422, answer="  ")


@pytest.mark.requirement("BD-456")
async def test_unknown_things_are_not_found_over_http(http: AsyncClient) -> None:
    """Each says what is not there."""
    for path, body in (
        ("/sessions/nobody/heartbeat", {}),
        ("/sessions/nobody/end", {}),
        ("/queue/next", {"session_id": "nobody"}),
        ("/clarifications/nothing/answer", {"answer": "Yes"}),
        ("/sessions", {"project_id": "nowhere"}),
    ):
        said = await post(http, path, 404, **body)
        assert said["error"]["type"] == "not_found"
    answer = await http.get("/queue", params={"project_id": "nowhere"})
    assert answer.status_code == 404
