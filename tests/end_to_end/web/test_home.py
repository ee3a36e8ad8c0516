"""Home, costs, traces and settings: what waits, what happened, what it took, what is set."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest_asyncio
from playwright.async_api import Page, expect
from sqlalchemy import update

from bottega.core.db.database import Database
from bottega.core.llm.ledger import ApiCall, CallMetadata, Ledger
from tests.board.builders import BAKERY, write_project
from tests.end_to_end.conftest import DEADLINE, RunningServer, Start
from tests.end_to_end.web.browsing import Visit, Visitor

SONNET, HAIKU = "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"
QUESTION = "Does the discount hold for pretzels too?"
LESSON = "create a lesson on iteration for 3B"


class Rest:
    """What agents and other windows do meanwhile."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def post(self, path: str, **body: Any) -> Any:
        answer = await self.http.post(path, json=body)
        assert answer.is_success, answer.text
        return answer.json()


@pytest_asyncio.fixture(loop_scope="session")
async def rest(server: RunningServer) -> AsyncIterator[Rest]:
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=DEADLINE) as http:
        yield Rest(http)


async def test_a_newcomer_is_led_into_every_room(start_server: Start, visit: Visit) -> None:
    server = start_server(BOTTEGA_MODEL="offline")
    visitor = await visit(server.url)
    page = await visitor.go("/")
    await expect(page.get_by_text("Nothing needs you").first).to_be_visible()
    await expect(page.get_by_text("No agent is working").first).to_be_visible()
    await expect(page.get_by_text("Nothing has happened yet").first).to_be_visible()
    await expect(page.get_by_text(f"bottega {server.url}/mcp").first).to_be_visible()
    steps = page.get_by_role("region", name="First steps")
    await expect(steps.get_by_role("link")).to_have_count(5)
    await visitor.look_everywhere("home-empty")
    await page.get_by_role("button", name="Hide").click()
    await expect(steps).to_be_hidden()
    await page.get_by_role("button", name="Undo").click()
    await steps.get_by_role("link", name="Write down a prediction").click()
    await expect(page).to_have_url(re.compile("/journal$"))
    for path, said in (
        ("/costs", "No model has been called"),
        ("/traces", "Nothing has been traced yet"),
        ("/settings", "There are no tokens"),
    ):
        await visitor.go(path)
        await expect(page.get_by_text(said).first).to_be_visible()
        await visitor.look(f"{path[1:]}-empty")


async def test_what_needs_a_person_appears_by_itself_and_leads_there(
    server: RunningServer, visit: Visit, rest: Rest
) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/")
    needs = page.get_by_role("list", name="Needs you")

    write_project(server.project, BAKERY)
    await rest.post("/api/projects/scan")
    await expect(needs.get_by_text("Add discounts").first).to_be_visible()
    [project] = (await rest.http.get("/api/projects")).json()["projects"]
    agent = await rest.post("/api/board/sessions", project_id=project["id"])
    await rest.post(
        "/api/board/clarifications", session_id=agent["id"], question=QUESTION, blocking=True
    )
    await expect(needs.get_by_role("listitem").first).to_contain_text(QUESTION)
    turn = await rest.post(
        "/api/assistant/sessions", command="lesson-planning:create-lesson", input=LESSON
    )
    await expect(needs.get_by_role("link", name=f"Go on: {LESSON}")).to_be_visible()
    await expect(page.get_by_role("list", name="At work").get_by_role("link")).to_be_visible()
    told = page.get_by_role("list", name="Activity, newest first")
    await expect(told.get_by_text(f"An agent asks: {QUESTION}").first).to_be_visible()
    await visitor.look_everywhere("home")

    await needs.get_by_role("link", name="Decide: Add discounts").click()
    await expect(page).to_have_url(re.compile(r"/board/changes/add-discounts"))
    await page.go_back()
    await needs.get_by_role("link", name=f"Go on: {LESSON}").click()
    await expect(page).to_have_url(re.compile(f"/assistant/sessions/{turn['session_id']}"))


async def test_a_room_that_does_not_answer_hides_no_other(
    server: RunningServer, visit: Visit
) -> None:
    visitor = await visit(server.url)
    visitor.expected_refusals.append("/api/journal/orphans")
    broken = {"error": {"type": "internal", "message": "The journal is closed."}}
    await visitor.page.route(
        "**/api/journal/orphans", lambda route: route.fulfill(status=500, json=broken)
    )
    page = await visitor.go("/")
    alert = page.get_by_role("alert")
    await expect(alert).to_contain_text("The journal is closed.")
    await expect(page.get_by_role("heading", name="Agents at work")).to_be_visible()
    await page.unroute("**/api/journal/orphans")
    await alert.get_by_role("button", name="Try again").click()
    await expect(alert).to_be_hidden()


async def test_costs_are_told_by_room_model_and_day(server: RunningServer, visit: Visit) -> None:
    await spend(server)
    visitor = await visit(server.url)
    page = await visitor.go("/costs")
    await expect(page.get_by_role("definition").first).to_have_text("$4.80")
    await expect(row(page, "Costs by room", "coach")).to_contain_text("$3.00")
    await expect(row(page, "Costs by room", "library")).to_contain_text("$1.80")
    await expect(row(page, "Costs by model", SONNET)).to_contain_text("6 (1 failed)")
    await expect(page.locator("canvas")).to_be_visible()
    await visitor.look_everywhere("costs")
    await page.get_by_role("link", name="7 days").click()
    await expect(page).to_have_url(re.compile(r"days=7"))
    await expect(page.get_by_role("link", name="7 days")).to_have_attribute("aria-current", "page")
    await expect(row(page, "Costs by room", "coach")).to_contain_text("$2.00")
    await page.go_back()
    await expect(row(page, "Costs by room", "coach")).to_contain_text("$3.00")


async def test_a_trace_is_found_opened_and_walked_through(
    server: RunningServer, visit: Visit, rest: Rest
) -> None:
    turn = await rest.post(
        "/api/assistant/sessions", command="lesson-planning:create-lesson", input=LESSON
    )
    await rest.http.get(f"/api/runs/{turn['run_id']}/events", params={"after": 4, "wait": 20})
    visitor = await visit(server.url)
    page = await visitor.go("/traces")
    traces = page.get_by_role("list", name="Traces, newest first")
    await expect(traces.get_by_role("link").first).to_be_visible()
    await visitor.look_everywhere("traces")
    await page.get_by_label("Words in a name").fill("no such name")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("No trace matches").first).to_be_visible()
    await page.get_by_role("link", name="Show all traces").click()
    await page.get_by_label("Room", exact=True).select_option("assistant")
    await expect(page).to_have_url(re.compile("room=assistant"))
    await traces.get_by_role("link", name="assistant begin").first.click()

    steps = page.get_by_role("tree", name="Steps of the trace")
    chosen = steps.get_by_role("treeitem", selected=True)
    await expect(chosen).to_contain_text("assistant begin")
    all_steps = await steps.get_by_role("treeitem").count()
    await chosen.focus()
    await page.keyboard.press("ArrowDown")
    await expect(page).to_have_url(re.compile("span="))
    await expect(chosen).to_be_focused()
    await visitor.look_everywhere("trace")
    await page.keyboard.press("ArrowLeft")
    await expect(steps.get_by_role("treeitem")).not_to_have_count(all_steps)
    await page.keyboard.press("ArrowRight")
    await expect(steps.get_by_role("treeitem")).to_have_count(all_steps)


async def test_a_token_is_made_shown_once_used_and_revoked(
    server: RunningServer, visit: Visit
) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/settings")
    await page.get_by_role("button", name="Make a token").click()
    await page.get_by_label("Name", exact=True).fill("laptop")
    await page.get_by_label("User (optional)").fill("ada")
    await page.get_by_role("button", name="Make it").click()
    secret = await page.get_by_text(re.compile("^btg_")).inner_text()
    await visitor.look("settings-token")
    await page.get_by_role("button", name="I have it").click()
    tokens = page.get_by_role("list", name="Tokens")
    await expect(tokens).to_contain_text("laptop")
    await expect(tokens).to_contain_text("of ada")
    await expect(page.get_by_text(secret)).to_have_count(0)
    assert await status_with(server, secret) == 200
    await visitor.look_everywhere("settings")
    await page.get_by_role("button", name="Revoke laptop").click()
    await page.get_by_role("button", name="Revoke it").click()
    await expect(tokens).to_contain_text("revoked")
    assert await status_with(server, secret) == 401


async def test_a_theme_is_chosen_among_the_settings(server: RunningServer, visit: Visit) -> None:
    page = await (await visit(server.url)).go("/settings")
    await page.get_by_label("Dark").check()
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    await page.keyboard.press("ArrowUp")
    await expect(page.get_by_label("Light")).to_be_checked()
    await expect(page.locator("html")).to_have_attribute("data-theme", "light")


async def test_who_came_in_with_a_passcode_can_sign_out(start_server: Start, visit: Visit) -> None:
    server = start_server(BOTTEGA_MODEL="offline", BOTTEGA_PASSCODE="open sesame")
    visitor = await visit(server.url)
    await sign_in(visitor)
    page = await visitor.go("/settings")
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_label("Passcode")).to_be_visible()


def row(page: Page, table: str, name: str) -> Any:
    return page.get_by_role("table", name=table).get_by_role("row", name=name)


async def sign_in(visitor: Visitor) -> None:
    visitor.expected_refusals.append(visitor.url)
    await visitor.page.goto(visitor.url)
    await visitor.page.get_by_label("Passcode").fill("open sesame")
    await visitor.page.keyboard.press("Enter")
    await visitor.page.get_by_role("heading", name="Home").wait_for()


async def status_with(server: RunningServer, secret: str) -> int:
    headers = {"Authorization": f"Bearer {secret}"}
    async with httpx.AsyncClient(
        base_url=server.url, trust_env=False, headers=headers, timeout=DEADLINE
    ) as http:
        return (await http.get("/api/tokens")).status_code


async def spend(server: RunningServer) -> None:
    """As if a model had been used for some days."""
    database = Database(f"sqlite:///{server.data_dir / 'bottega.db'}")
    await database.start()
    ledger = Ledger(database)
    for days_ago, task, model, cost in (
        *((day, "explain_this", SONNET, 0.5) for day in (0, 1, 2, 3, 12)),
        *((day, "library_rerank", HAIKU, 0.6) for day in (0, 4, 20)),
        (12, "observer_triage", HAIKU, 0.5),
    ):
        call = CallMetadata(model, "0" * 16, 900, 4_000, 700, cost)
        await log_call(database, ledger, task, call, days_ago)
    failed = CallMetadata(SONNET, "0" * 16, -1, error="ModelError: overloaded")
    await log_call(database, ledger, "explain_this", failed, 0)
    await database.stop()


async def log_call(
    database: Database, ledger: Ledger, task: str, call: CallMetadata, days_ago: int
) -> None:
    ledger.log_api_call(None, task, call)
    await ledger.flush()
    async with database.write() as session:
        fresh = ApiCall.input_hash == call.input_hash
        then = datetime.now(UTC) - timedelta(days=days_ago)
        await session.execute(
            update(ApiCall).where(fresh).values(created_at=then, input_hash="dated")
        )
