"""Projects and changes over HTTP."""

import shutil
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

import bottega.board.routes.changes as change_routes
import bottega.board.routes.projects as project_routes
from bottega.board.changes.lifecycle import move
from bottega.board.enums import Actor, ChangeStatus
from bottega.board.repository import changes as repository
from bottega.server.errors import handle_errors
from tests.board.desk import ID, Desk, open_desk
from tests.board.house import BAKERY, House

CHANGES = "/api/board/changes"
VOUCHERS = {
    "title": "Add vouchers",
    "why": "Customers ask for vouchers that they can give to others as a present.",
    "what_changes": "- Vouchers count as money",
    "tasks": [{"title": "Prices", "items": ["Accept a voucher"]}],
    "deltas": [
        {
            "capability": "vouchers",
            "purpose": "What a voucher is worth and how it is redeemed when an order is paid.",
            "added": [
                {
                    "name": "Paying",
                    "text": "The shop SHALL take a voucher as money.",
                    "scenarios": [
                        {"name": "Exact", "steps": ["WHEN it covers the order", "THEN it is paid"]}
                    ],
                }
            ],
        }
    ],
    "priority": 4,
}


@pytest.fixture
async def desk(house: House) -> AsyncIterator[Desk]:
    async with open_desk(house) as desk:
        yield desk


@pytest.fixture
async def http(desk: Desk) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    handle_errors(app)
    app.include_router(change_routes.router(desk.changes), prefix="/api")
    app.include_router(project_routes.router(desk.projects, desk.sync, desk.changes), prefix="/api")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def said(response: httpx.Response, status: int = 200) -> Any:
    assert response.status_code == status, response.text
    return response.json()


async def bring_to_review(desk: Desk) -> None:
    async with desk.house.core.database.write() as session:
        row = await repository.hold(session, desk.project.id, ID)
        for state in (ChangeStatus.ASSIGNED, ChangeStatus.IN_PROGRESS, ChangeStatus.REVIEW):
            await move(session, row, state, Actor.AGENT)


async def test_projects_are_scanned_listed_and_shown(desk: Desk, http: httpx.AsyncClient) -> None:
    """BD-357: GET /api/projects, POST /api/projects/scan, GET /api/projects/{id}."""
    shutil.copytree(desk.project.path, desk.house.projects_dir / "garage")
    scanned = await said(await http.post("/api/projects/scan"))
    assert scanned["found"] == [str((desk.house.projects_dir / "garage").resolve())]
    listed = (await said(await http.get("/api/projects")))["projects"]
    assert [project["name"] for project in listed] == ["bakery", "garage"]
    shown = await said(await http.get(f"/api/projects/{desk.project.id}"))
    assert shown["changes"] == {"proposing": 1}
    assert (shown["openspec_installed"], "npm install" in shown["note"]) == (False, True)
    unknown = await said(await http.get("/api/projects/nobody"), 404)
    assert unknown["error"]["type"] == "not_found"


async def test_specs_are_listed_and_shown_with_their_requirements(
    desk: Desk, http: httpx.AsyncClient
) -> None:
    """BD-357: main specs with requirements and scenarios; applied ones by change."""
    base = f"/api/projects/{desk.project.id}"
    (spec,) = (await said(await http.get(f"{base}/specs")))["specs"]
    assert (spec["id"], spec["requirement_count"]) == ("orders", 1)
    shown = await said(await http.get(f"{base}/specs/orders"))
    assert shown["content"] == BAKERY["openspec/specs/orders/spec.md"]
    assert shown["requirements"][0]["name"] == "Totals"
    assert shown["requirements"][0]["scenarios"][0]["name"] == "Two rolls"
    for unknown in ("nothing", "../../changes/add-discounts", "identity/login"):
        assert (await http.get(f"{base}/specs/{unknown}")).status_code in (403, 404, 422)
    assert await said(await http.get(f"{base}/applied")) == {"applied": []}


async def test_a_change_lives_its_life_over_http(desk: Desk, http: httpx.AsyncClient) -> None:
    """BD-358: proposed, listed, shown, edited, approved, sent back, applied, with its history."""
    asked = {**VOUCHERS, "project_id": desk.project.id}
    proposed = await said(await http.post(CHANGES, json=asked), 201)
    assert (proposed["id"], proposed["status"], proposed["overlaps"]) == (
        "add-vouchers",
        "proposing",
        [],
    )
    listed = await said(await http.get(CHANGES, params={"search": "voucher"}))
    assert [change["id"] for change in listed["changes"]] == ["add-vouchers"]
    shown = await said(await http.get(f"{CHANGES}/{ID}"))
    assert shown["moves"] == ["approved", "archived"]
    assert (await said(await http.get(f"{CHANGES}/{ID}/validation")))["valid"] is True
    text = shown["proposal_content"] + "\n- Not on Sundays\n"
    edit = {"texts": {"proposal.md": text}, "base_hashes": shown["hashes"], "priority": 5}
    saved = await said(await http.put(f"{CHANGES}/{ID}", json=edit))
    assert saved["change"]["proposal_content"] == desk.proposal.read_text() == text
    refused = await said(
        await http.put(f"{CHANGES}/{ID}", json={**edit, "texts": {"proposal.md": "# Late\n"}}), 409
    )
    assert refused["error"]["conflicts"][0]["theirs"] == text
    kept = (await said(await http.get(f"{CHANGES}/{ID}/revisions")))["revisions"]
    assert [revision["reason"] for revision in kept] == ["conflict", "edited"]
    back = await http.post(f"{CHANGES}/{ID}/revisions/{kept[1]['id']}/restore")
    assert (await said(back))["change"]["proposal_content"] == shown["proposal_content"]
    assert (await said(await http.post(f"{CHANGES}/{ID}/approve")))["priority"] == 5
    assert (await said(await http.post(f"{CHANGES}/{ID}/take_back")))["status"] == "proposing"
    await said(await http.post(f"{CHANGES}/{ID}/approve", json={"notes": "Yes."}))
    queued = await said(await http.get(CHANGES, params={"status": ["approved", "review"]}))
    assert [change["id"] for change in queued["changes"]] == [ID]
    await bring_to_review(desk)
    assert (await http.post(f"{CHANGES}/{ID}/send_back", json={})).status_code == 422
    await said(await http.post(f"{CHANGES}/{ID}/send_back", json={"notes": "Round up."}))
    await bring_to_review(desk)
    ticked = await said(await http.put(f"{CHANGES}/{ID}/tasks", json={"tasks": ["1"]}))
    assert (ticked["tasks_done"], ticked["tasks"][0]["done"]) == (1, True)
    assert (await said(await http.post(f"{CHANGES}/{ID}/apply")))["status"] == "applied"
    applied = await said(await http.get(f"/api/projects/{desk.project.id}/applied"))
    assert applied["applied"][0]["capability"] == "orders"
    missing = await said(await http.post(f"{CHANGES}/{ID}/archive"), 503)
    assert "npm install" in missing["error"]["message"]
    steps = (await said(await http.get(f"{CHANGES}/{ID}/history")))["transitions"]
    assert [step["notes"] for step in steps if step["notes"]][1:] == ["Yes.", "Round up."]


async def test_a_decision_out_of_turn_is_refused_over_http(
    desk: Desk, http: httpx.AsyncClient
) -> None:
    """BD-345, BD-346, BD-354: 409 with where it stands; a rejection needs a reason."""
    refused = await said(await http.post(f"{CHANGES}/{ID}/apply"), 409)
    assert refused["error"]["status"] == "proposing"
    assert (await http.post(f"{CHANGES}/{ID}/reject", json={"reason": " "})).status_code == 422
    shutil.copytree(desk.project.path, desk.house.projects_dir / "garage")
    garage = (await desk.projects.scan()).projects[1]
    await desk.sync.project(garage.id)
    ambiguous = await said(await http.get(f"{CHANGES}/{ID}"), 409)
    assert garage.id in ambiguous["error"]["valid_options"]
    here = {"project_id": garage.id}
    overlaps = await said(await http.get(f"{CHANGES}/{ID}/overlaps", params=here))
    assert overlaps == {"overlaps": []}
    gone = await http.post(f"{CHANGES}/{ID}/reject", params=here, json={"reason": "No."})
    assert (await said(gone))["rejection_reason"] == "No."
    assert (await said(await http.get(f"{CHANGES}/{ID}/history", params=here)))["transitions"][-1][
        "notes"
    ] == "No."
    await desk.edit_row(proposal_content="# Mine\n")
    desk.proposal.write_text("# Theirs\n")
    await desk.look()
    seen = await http.post(f"{CHANGES}/{ID}/dismiss", params={"project_id": desk.project.id})
    assert (await said(seen))["sync_error"] is None
