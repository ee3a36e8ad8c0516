"""Changes and failures in one list, and the numbers to steer by."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from bottega.board.agents.sessions import AgentSessions
from bottega.board.changes.states import ChangeStatus
from bottega.board.changes.tables import Change
from bottega.board.work import operations
from bottega.board.work.schemas import WorkFilter, WorkOrder, WorkRequest
from bottega.board.work.service import recommend
from bottega.core import clock
from bottega.core.operations import Bound, operations_of
from bottega.server.errors import handle_errors
from bottega.server.rest import operation_router
from tests.board.project_board import ID, ME, ReportedBoard, failing, open_reported_board, passing


@pytest.fixture
async def board(tmp_path: Path) -> AsyncIterator[ReportedBoard]:
    async with open_reported_board(tmp_path) as board:
        yield board


@pytest.fixture
async def http(board: ReportedBoard) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    handle_errors(app)
    bound = [Bound(board.work, operations_of(operations))]
    app.include_router(operation_router(bound, "board"), prefix="/api")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1/api/board"
    ) as client:
        yield client


@pytest.mark.requirement("BD-648")
async def test_all_work_is_one_list_with_the_newest_activity_first(
    tmp_path: Path, database_url: str
) -> None:
    """Changes and failures in one shape; or by priority; page by page."""
    async with open_reported_board(tmp_path, database_url) as board:
        await board.report(failing("adds up"))
        page = await board.work.list(WorkRequest(project_id=board.project_id))
        assert [(item.kind, item.title) for item in page.items] == [
            ("failure", "adds up"),
            ("change", "Add discounts"),
        ]
        assert (page.items[1].id, page.items[1].tasks_total) == (ID, 3)
        assert page.items[0].classification == "NEW"
        by_priority = WorkRequest(project_id=board.project_id, order=WorkOrder.PRIORITY)
        first, second = (await board.work.list(by_priority)).items
        assert (first.priority, second.priority) == (3, 2)
        rest = await board.work.list(WorkRequest(limit=1, offset=1))
        assert ([item.id for item in rest.items], rest.total) == ([ID], 2)
        found = await board.work.list(WorkRequest(search="ads upp discounts"))
        assert found.items == []
        mistyped = await board.work.list(WorkRequest(search="dsicounts"))
        assert ([item.id for item in mistyped.items], mistyped.total) == ([ID], 1)
        named = await board.work.list(WorkRequest(search="up"))
        assert [item.title for item in named.items] == ["adds up"]


@pytest.mark.requirement("BD-649")
async def test_a_failure_says_how_far_it_is_on_its_way(board: ReportedBoard) -> None:
    """New, triaged, in remediation, fixed."""
    await board.report(failing("adds up", error="Test timeout of 30000ms exceeded."))

    async def status() -> str:
        query = WorkRequest(filter=WorkFilter.ERRORS)
        [item] = (await board.work.list(query)).items
        return item.status

    statuses = [await status()]
    [change_id] = (
        await board.report(failing("adds up", error="Test timeout of 30000ms exceeded."))
    ).proposed
    await board.report(failing("adds up", error="Test timeout of 30000ms exceeded."))
    statuses.append(await status())
    await board.bring(change_id, ChangeStatus.APPROVED)
    statuses.append(await status())
    await board.report(passing("adds up"))
    statuses.append(await status())
    assert statuses == ["new", "triaged", "in_remediation", "fixed"]


@pytest.mark.requirement("BD-650")
async def test_work_is_filtered_over_http(board: ReportedBoard, http: httpx.AsyncClient) -> None:
    """By project, kind, status, time and words."""
    await board.report(failing("adds up", "subtracts"))
    await board.report(passing("subtracts"))

    async def titles(**params: Any) -> list[str]:
        response = await http.get("/work", params=params)
        assert response.status_code == 200, response.text
        return [item["title"] for item in response.json()["items"]]

    assert await titles(filter="specs") == ["Add discounts"]
    assert await titles(filter="errors", status="fixed") == ["subtracts"]
    assert await titles(filter="open") == ["adds up", "Add discounts"]
    assert await titles(status=["proposing", "fixed"]) == ["subtracts", "Add discounts"]
    assert await titles(search="discount", project_id=board.project_id) == ["Add discounts"]
    assert await titles(since=clock.iso()) == []
    assert len(await titles(until=clock.iso(), since="0001-01-01T00:00:00")) == 3
    assert (await http.get("/work", params={"project_id": "nowhere"})).status_code == 404
    assert (await http.get("/work", params={"filter": "nothing"})).status_code == 422


@pytest.mark.requirement("BD-651", "BD-652")
async def test_the_numbers_tell_what_waits_and_who_works(
    board: ReportedBoard, http: httpx.AsyncClient
) -> None:
    """By status and class; the queue, live sessions, gates, each project's load."""
    await board.report(failing("adds up", "subtracts"))
    await board.report(passing("subtracts"))
    core = board.app.core
    async with core.database.write() as session:
        for number in range(4):
            row = Change(project_id=board.project_id, id=f"c{number}", title="c", specs={})
            row.status = ChangeStatus.APPROVED if number else ChangeStatus.REVIEW
            session.add(row)
    sessions = AgentSessions(core)
    await sessions.register(ME, project_id=board.project_id)
    ended = await sessions.register(ME, project_id=board.project_id)
    await sessions.end(ended.id, ME)
    stats = (await http.get("/stats", params={"project_id": board.project_id})).json()
    assert (stats["changes"]["approved"], stats["changes"]["archived"]) == (3, 0)
    assert (stats["failures"]["NEW"], stats["failing"], stats["green"]) == (1, 1, 1)
    assert (stats["queue_depth"], stats["active_sessions"]) == (3, 1)
    assert (stats["waiting_for_approval"], stats["waiting_for_review"]) == (1, 1)
    [load] = stats["projects"]
    assert (load["name"], load["queue_depth"], load["active_sessions"]) == ("bakery", 3, 1)
    assert load["recommended_sessions"] == {"least": 2, "most": 3}
    assert (await http.get("/stats")).json() == stats
    assert (await http.get("/stats", params={"project_id": "nowhere"})).status_code == 404


@pytest.mark.requirement("BD-652")
def test_sessions_are_recommended_by_the_specifications_table() -> None:
    """None for nothing, one for 1–2, two or three for 3–10, four or more beyond."""
    asked = [recommend(number) for number in (0, 1, 2, 3, 10, 11, 500)]
    assert [(one.least, one.most) for one in asked] == [
        (0, 0),
        (1, 1),
        (1, 1),
        (2, 3),
        (2, 3),
        (4, None),
        (4, None),
    ]
