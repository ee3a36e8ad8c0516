"""Projects and changes over HTTP."""

import shutil
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from bottega.board.changes import operations as changes
from bottega.board.changes import repository as repository
from bottega.board.changes.lifecycle import move
from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.projects import operations as projects
from bottega.core.operations import Bound, operations_of
from bottega.server.errors import handle_errors
from bottega.server.rest import operation_router
from tests.board.builders import BAKERY, BoardApp
from tests.board.project_board import ID, ProjectBoard, open_project_board

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
async def board(app: BoardApp) -> AsyncIterator[ProjectBoard]:
    async with open_project_board(app) as board:
        yield board


@pytest.fixture
async def http(board: ProjectBoard) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    handle_errors(app)
    bound = [Bound(board, operations_of(projects)), Bound(board.changes, operations_of(changes))]
    app.include_router(operation_router(bound, "board"), prefix="/api")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def said(response: httpx.Response, status: int = 200) -> Any:
    assert response.status_code == status, response.text
    return response.json()


async def bring_to_review(board: ProjectBoard) -> None:
    async with board.app.core.database.write() as session:
        row = await repository.hold(session, board.project.id, ID)
        for state in (ChangeStatus.ASSIGNED, ChangeStatus.IN_PROGRESS, ChangeStatus.REVIEW):
            await move(session, row, state, Actor.AGENT)


@pytest.mark.requirement("BD-357")
async def test_projects_are_scanned_listed_and_shown(
    board: ProjectBoard, http: httpx.AsyncClient
) -> None:
    """GET /api/projects, POST /api/projects/scan, GET /api/projects/{id}."""
    shutil.copytree(board.project.path, board.app.projects_dir / "garage")
    scanned = await said(await http.post("/api/projects/scan"))
    assert scanned["found"] == [str((board.app.projects_dir / "garage").resolve())]
    listed = (await said(await http.get("/api/projects")))["projects"]
    assert [project["name"] for project in listed] == ["bakery", "garage"]
    shown = await said(await http.get(f"/api/projects/{board.project.id}"))
    assert shown["changes"] == {"proposing": 1}
    assert (shown["openspec_installed"], "npm install" in shown["note"]) == (False, True)
    unknown = await said(await http.get("/api/projects/nobody"), 404)
    assert unknown["error"]["type"] == "not_found"


@pytest.mark.requirement("BD-357")
async def test_specs_are_listed_and_shown_with_their_requirements(
    board: ProjectBoard, http: httpx.AsyncClient
) -> None:
    """Main specs with requirements and scenarios; applied ones by change."""
    base = f"/api/projects/{board.project.id}"
    (spec,) = (await said(await http.get(f"{base}/specs")))["specs"]
    assert (spec["id"], spec["requirement_count"]) == ("orders", 1)
    shown = await said(await http.get(f"{base}/specs/orders"))
    assert shown["content"] == BAKERY["openspec/specs/orders/spec.md"]
    assert shown["requirements"][0]["name"] == "Totals"
    assert shown["requirements"][0]["scenarios"][0]["name"] == "Two rolls"
    for unknown in ("nothing", "../../changes/add-discounts", "identity/login"):
        assert (await http.get(f"{base}/specs/{unknown}")).status_code in (403, 404, 422)
    assert await said(await http.get(f"{base}/applied")) == {"applied": []}


@pytest.mark.requirement("BD-358")
async def test_a_change_lives_its_life_over_http(
    board: ProjectBoard, http: httpx.AsyncClient
) -> None:
    """Proposed, listed, shown, edited, approved, sent back, applied, with its history."""
    asked = {**VOUCHERS, "project_id": board.project.id}
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
    assert saved["change"]["proposal_content"] == board.proposal.read_text() == text
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
    await bring_to_review(board)
    assert (await http.post(f"{CHANGES}/{ID}/send_back", json={})).status_code == 422
    await said(await http.post(f"{CHANGES}/{ID}/send_back", json={"notes": "Round up."}))
    await bring_to_review(board)
    ticked = await said(await http.put(f"{CHANGES}/{ID}/tasks", json={"tasks": ["1"]}))
    assert (ticked["tasks_done"], ticked["tasks"][0]["done"]) == (1, True)
    assert (await said(await http.post(f"{CHANGES}/{ID}/apply")))["status"] == "applied"
    applied = await said(await http.get(f"/api/projects/{board.project.id}/applied"))
    assert applied["applied"][0]["capability"] == "orders"
    missing = await said(await http.post(f"{CHANGES}/{ID}/archive"), 503)
    assert "npm install" in missing["error"]["message"]
    steps = (await said(await http.get(f"{CHANGES}/{ID}/history")))["transitions"]
    assert [step["notes"] for step in steps if step["notes"]][1:] == ["Yes.", "Round up."]


@pytest.mark.requirement("BD-345", "BD-346", "BD-354")
async def test_a_decision_out_of_turn_is_refused_over_http(
    board: ProjectBoard, http: httpx.AsyncClient
) -> None:
    """409 with where it stands; a rejection needs a reason."""
    refused = await said(await http.post(f"{CHANGES}/{ID}/apply"), 409)
    assert refused["error"]["status"] == "proposing"
    assert (await http.post(f"{CHANGES}/{ID}/reject", json={"reason": " "})).status_code == 422
    shutil.copytree(board.project.path, board.app.projects_dir / "garage")
    garage = (await board.projects.scan()).projects[1]
    await board.sync.of(garage).sync()
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
    await board.edit_row(proposal_content="# Mine\n")
    board.proposal.write_text("# Theirs\n")
    await board.look()
    seen = await http.post(f"{CHANGES}/{ID}/dismiss", params={"project_id": board.project.id})
    assert (await said(seen))["sync_error"] is None
