"""Changes and failures in one list, and the numbers to steer by."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

import bottega.board.routes.work as work_routes
from bottega.board.agents.sessions import AgentSessions
from bottega.board.enums import ChangeStatus
from bottega.board.repository.work import WorkQuery
from bottega.board.tables import Change
from bottega.board.work import recommend
from bottega.board.work_items import WorkFilter, WorkOrder
from bottega.core import clock
from bottega.server.errors import handle_errors
from tests.board.clinic import ME, Clinic, failing, open_clinic, passing
from tests.board.desk import ID


@pytest.fixture
async def clinic(tmp_path: Path) -> AsyncIterator[Clinic]:
    async with open_clinic(tmp_path) as clinic:
        yield clinic


@pytest.fixture
async def http(clinic: Clinic) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    handle_errors(app)
    app.include_router(work_routes.router(clinic.work), prefix="/api")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1/api/board"
    ) as client:
        yield client


async def test_all_work_is_one_list_with_the_newest_activity_first(
    tmp_path: Path, database_url: str
) -> None:
    """BD-648: changes and failures in one shape; or by priority; page by page."""
    async with open_clinic(tmp_path, database_url) as clinic:
        await clinic.report(failing("adds up"))
        page = await clinic.work.list(WorkQuery(clinic.project_id))
        assert [(item.kind, item.title) for item in page.items] == [
            ("failure", "adds up"),
            ("change", "Add discounts"),
        ]
        assert (page.items[1].id, page.items[1].tasks_total) == (ID, 3)
        assert page.items[0].classification == "NEW"
        by_priority = WorkQuery(clinic.project_id, order=WorkOrder.PRIORITY)
        first, second = (await clinic.work.list(by_priority)).items
        assert (first.priority, second.priority) == (3, 2)
        rest = await clinic.work.list(WorkQuery(), limit=1, offset=1)
        assert ([item.id for item in rest.items], rest.total) == ([ID], 2)
        found = await clinic.work.list(WorkQuery(), "ads upp discounts")
        assert found.items == []
        mistyped = await clinic.work.list(WorkQuery(), "dsicounts")
        assert ([item.id for item in mistyped.items], mistyped.total) == ([ID], 1)
        named = await clinic.work.list(WorkQuery(), "up")
        assert [item.title for item in named.items] == ["adds up"]


async def test_a_failure_says_how_far_it_is_on_its_way(clinic: Clinic) -> None:
    """BD-649: new, triaged, in remediation, fixed."""
    await clinic.report(failing("adds up", error="Test timeout of 30000ms exceeded."))

    async def status() -> str:
        query = WorkQuery(filter=WorkFilter.ERRORS)
        [item] = (await clinic.work.list(query)).items
        return item.status

    statuses = [await status()]
    [change_id] = (
        await clinic.report(failing("adds up", error="Test timeout of 30000ms exceeded."))
    ).proposed
    await clinic.report(failing("adds up", error="Test timeout of 30000ms exceeded."))
    statuses.append(await status())
    await clinic.bring(change_id, ChangeStatus.APPROVED)
    statuses.append(await status())
    await clinic.report(passing("adds up"))
    statuses.append(await status())
    assert statuses == ["new", "triaged", "in_remediation", "fixed"]


async def test_work_is_filtered_over_http(clinic: Clinic, http: httpx.AsyncClient) -> None:
    """BD-650: by project, kind, status, time and words."""
    await clinic.report(failing("adds up", "subtracts"))
    await clinic.report(passing("subtracts"))

    async def titles(**params: Any) -> list[str]:
        response = await http.get("/work", params=params)
        assert response.status_code == 200, response.text
        return [item["title"] for item in response.json()["items"]]

    assert await titles(filter="specs") == ["Add discounts"]
    assert await titles(filter="errors", status="fixed") == ["subtracts"]
    assert await titles(filter="open") == ["adds up", "Add discounts"]
    assert await titles(status=["proposing", "fixed"]) == ["subtracts", "Add discounts"]
    assert await titles(search="discount", project_id=clinic.project_id) == ["Add discounts"]
    assert await titles(since=clock.iso()) == []
    assert len(await titles(until=clock.iso(), since="0001-01-01T00:00:00")) == 3
    assert (await http.get("/work", params={"project_id": "nowhere"})).status_code == 404
    assert (await http.get("/work", params={"filter": "nothing"})).status_code == 422


async def test_the_numbers_tell_what_waits_and_who_works(
    clinic: Clinic, http: httpx.AsyncClient
) -> None:
    """BD-651, BD-652: by status and class; the queue, live sessions, gates, each project's load."""
    await clinic.report(failing("adds up", "subtracts"))
    await clinic.report(passing("subtracts"))
    core = clinic.desk.house.core
    async with core.database.write() as session:
        for number in range(4):
            row = Change(project_id=clinic.project_id, id=f"c{number}", title="c", specs={})
            row.status = ChangeStatus.APPROVED if number else ChangeStatus.REVIEW
            session.add(row)
    sessions = AgentSessions(core)
    await sessions.register(ME, project_id=clinic.project_id)
    ended = await sessions.register(ME, project_id=clinic.project_id)
    await sessions.end(ended.id, ME)
    stats = (await http.get("/stats", params={"project_id": clinic.project_id})).json()
    assert (stats["changes"]["approved"], stats["changes"]["archived"]) == (3, 0)
    assert (stats["failures"]["NEW"], stats["failing"], stats["green"]) == (1, 1, 1)
    assert (stats["queue_depth"], stats["active_sessions"]) == (3, 1)
    assert (stats["waiting_for_approval"], stats["waiting_for_review"]) == (1, 1)
    [load] = stats["projects"]
    assert (load["name"], load["queue_depth"], load["active_sessions"]) == ("bakery", 3, 1)
    assert load["recommended_sessions"] == {"least": 2, "most": 3}
    assert (await http.get("/stats")).json() == stats
    assert (await http.get("/stats", params={"project_id": "nowhere"})).status_code == 404


def test_sessions_are_recommended_by_the_specifications_table() -> None:
    """BD-652: none for nothing, one for 1–2, two or three for 3–10, four or more beyond."""
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
