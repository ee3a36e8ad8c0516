"""The coach's desk: a whole session by hand, and what must not be lost on the way."""

import json
import re
import shutil
from pathlib import Path

import pytest_asyncio
from httpx import AsyncClient
from mcp import Client
from playwright.async_api import Locator, Page, expect
from websockets.asyncio.client import connect

from tests.end_to_end.conftest import DEADLINE, RunningServer, Start
from tests.end_to_end.web.browsing import PATIENCE, PHONE, Visit

TRIP = "src/tally/trip.py"
PLAN = f"""\
1. Read how `balances` in {TRIP} shares a sum, and write a failing test in tests/test_trip.py.
2. Keep money in whole cents: change `balances` in {TRIP}.
"""


@pytest_asyncio.fixture(loop_scope="session")
async def tally(server: RunningServer, examples: Path) -> RunningServer:
    """The house with the example project as it comes, an empty desk and no session."""
    shutil.copytree(examples / "tally", server.project, dirs_exist_ok=True)
    async with AsyncClient(
        base_url=f"{server.url}/api/coach", trust_env=False, timeout=DEADLINE
    ) as http:
        if (await http.get("/session")).json():
            await http.post("/session/end", json={})
        open_files = (await http.get("/desk")).json()["openFiles"]
    async with connect(server.websocket) as window:
        for path in open_files:
            close = {"type": "file:close", "payload": {"path": path}}
            await window.send(json.dumps(close))
        # Messages are handled in order: when this is answered, all are closed.
        await window.send(json.dumps({"type": "explorer:expand_dir", "payload": {"path": ""}}))
        await window.recv()
    return server


def editor(page: Page, path: str = TRIP) -> Locator:
    return page.get_by_role("textbox", name=f"Text of {path}")


def talk(page: Page) -> Locator:
    return page.get_by_role("log", name="Conversation with the coach")


async def begin(page: Page) -> None:
    """Start from an issue, have a plan drafted, change it, and use it."""
    await page.get_by_role("button", name="Work on it (issue 1)").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Cents get lost")
    await page.get_by_role("button", name="Draft a plan for me").click()
    plan = page.get_by_role("textbox", name="Your plan")
    await expect(plan).to_have_value(re.compile("trip"))
    await plan.fill(PLAN)
    await page.get_by_role("button", name="Use this plan").click()
    await expect(page.get_by_role("button", name="Complete phase 1")).to_be_visible()


async def open_trip(page: Page) -> None:
    tree = page.get_by_role("tree")
    await tree.get_by_role("treeitem", name="src").click()
    await tree.get_by_role("treeitem", name="tally", exact=False).click()
    await tree.get_by_role("treeitem", name="trip.py").click()
    await expect(editor(page)).to_contain_text("def balances")


async def put_on_top(page: Page, text: str) -> None:
    await editor(page).click()
    await page.keyboard.press("Control+Home")
    await page.keyboard.type(text)


async def test_an_empty_project_says_what_to_do(server: RunningServer, visit: Visit) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/coach")
    await expect(page.get_by_text("No open issues were found").first).to_be_visible()
    await visitor.look("coach-empty")


async def test_a_whole_session_by_hand(tally: RunningServer, visit: Visit) -> None:
    visitor = await visit(tally.url)
    page = await visitor.go("/coach")
    await expect(page.get_by_text("good fit").first).to_be_visible()
    await visitor.look_everywhere("coach-start")
    await begin(page)

    hinted = page.get_by_role("treeitem", name=re.compile("src.*hint is inside"))
    await expect(hinted).to_be_visible()
    await open_trip(page)
    await expect(page.get_by_role("treeitem", name=re.compile("trip.py.*hint"))).to_be_visible()
    slider = page.get_by_role("slider")
    await slider.press("Home")
    await expect(page.get_by_role("treeitem", name=re.compile("hint"))).to_have_count(0)
    for level in ("Files", "Regions", "Lines"):
        await slider.press("ArrowRight")
        await expect(slider).to_have_attribute("aria-valuetext", re.compile(level))
    await expect(page.get_by_role("list", name="Hints in this file")).to_contain_text("Line")
    await expect(page.locator(".cm-coach-mark").first).to_be_visible()

    await put_on_top(page, "# Cents, please.\n")
    await expect(page.get_by_text("Not saved. Your edits are kept").first).to_be_visible()
    await page.reload()
    await expect(editor(page)).to_contain_text("# Cents, please.")
    await expect(page.locator(".cm-coach-mark").first).to_be_visible()
    assert "Cents, please" not in (tally.project / TRIP).read_text()
    await editor(page).click()
    await page.keyboard.press("Control+s")
    await expect(page.get_by_text("Saved.", exact=True).first).to_be_visible()
    assert (tally.project / TRIP).read_text().startswith("# Cents, please.\n")

    await page.get_by_text("share = sum").click(click_count=3)
    await expect(page.get_by_role("button", name="Explain")).to_be_visible()
    await page.keyboard.press("Control+e")
    await expect(talk(page)).to_contain_text("Explanation")
    await expect(talk(page)).to_contain_text(f"of {TRIP} do?")
    await visitor.look_everywhere("coach-desk")

    await put_on_top(page, "x = = 1\n")
    await page.keyboard.press("Control+s")
    await expect(page.get_by_text("Saved.", exact=True).first).to_be_visible()
    await page.get_by_role("button", name="Review my work").click()
    finding = talk(page).get_by_role("button", name=f"{TRIP}, line 1")
    await finding.click()
    await expect(editor(page)).to_be_focused()

    await page.get_by_role("button", name="Complete phase 1").click()
    await page.get_by_role("button", name="Start phase 2").click()
    await expect(page.get_by_role("button", name="Complete phase 2")).to_be_visible()
    mute = page.get_by_role("button", name="Mute")
    await mute.click()
    await expect(mute).to_have_attribute("aria-pressed", "true")

    await page.get_by_role("button", name="End session").click()
    await page.get_by_role("button", name="End the session").click()
    report = page.get_by_role("dialog", name="The session is over")
    await expect(report).to_contain_text("Cents get lost")
    await visitor.look_everywhere("coach-report")
    await report.get_by_role("button", name="Done").click()
    await expect(page.get_by_role("heading", name="Or choose an issue")).to_be_visible()


async def test_a_lost_connection_loses_nothing(
    start_server: Start, tmp_path: Path, examples: Path, visit: Visit
) -> None:
    shutil.copytree(examples / "tally", tmp_path / "project")
    server = start_server(BOTTEGA_MODEL="offline")
    visitor = await visit(server.url)
    page = await visitor.go("/coach")
    await begin(page)
    await open_trip(page)
    # Coloured, so the language has been fetched too.
    await expect(editor(page).locator(".cm-line span").first).to_be_visible()
    visitor.expected_refusals.append(server.url)  # while it is away
    server.stop()
    await expect(page.get_by_text("The coach cannot be reached").first).to_be_visible()
    await put_on_top(page, "# Typed in the dark.\n")
    await expect(page.get_by_text("not sent yet").first).to_be_visible()

    start_server(BOTTEGA_MODEL="offline", PORT=server.url.rpartition(":")[2])
    kept = page.get_by_text("Your edits are kept, also over a reload")
    await expect(kept).to_be_visible(timeout=PATIENCE)
    await expect(page.get_by_text("The coach cannot be reached")).to_be_hidden()
    await page.reload()
    await expect(editor(page)).to_contain_text("# Typed in the dark.")
    await expect(page.get_by_role("button", name="Complete phase 1")).to_be_visible()


async def test_what_an_agent_shows_appears_where_it_belongs(
    tally: RunningServer, visit: Visit
) -> None:
    visitor = await visit(tally.url)
    page = await visitor.go("/coach")
    await page.get_by_label("What do you want to work on?").fill("Whole cents")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Whole cents")

    async with Client(f"{tally.url}/mcp", mode="2026-07-28") as agent:
        await agent.call_tool("paige_open_file", {"path": TRIP})
        await expect(editor(page)).to_be_visible()
        lines = {"path": TRIP, "start": 22, "end": 24, "style": "focus"}
        await agent.call_tool("paige_highlight_lines", {**lines, "hoverText": "In what unit?"})
        anchor = {"path": TRIP, "line": 24}
        said = {"message": "Look at this share.", "type": "hint", "anchor": anchor}
        await agent.call_tool("paige_show_message", said)
    await expect(page.get_by_role("note")).to_have_text("Coach: Look at this share.")
    await page.get_by_role("button", name="Lines 22–24: In what unit?").click()
    await page.locator(".cm-coach-focus").nth(1).hover()
    await expect(page.locator(".cm-coach-hover")).to_have_text("In what unit?")
    await expect(talk(page).get_by_role("button", name=f"Line 24 of {TRIP}")).to_be_visible()
    await visitor.look_everywhere("coach-agent")


async def test_a_file_that_changes_on_disk_is_not_overwritten_in_silence(
    tally: RunningServer, visit: Visit
) -> None:
    visitor = await visit(tally.url)
    page = await visitor.go(f"/coach?file={TRIP}")
    await put_on_top(page, "# mine\n")
    (tally.project / TRIP).write_text("# theirs\n")
    await expect(page.get_by_text("was changed on disk").first).to_be_visible()
    await visitor.look("coach-changed-on-disk")
    await page.get_by_role("button", name="Keep my text").click()
    await expect(editor(page)).to_contain_text("# mine")
    (tally.project / TRIP).write_text("# theirs again\n")
    await page.get_by_role("button", name="Take the file from disk").click()
    await expect(editor(page)).to_have_text("# theirs again")
    await put_on_top(page, "# more\n")
    await page.get_by_role("button", name=f"Close {TRIP}").click()
    dialog = page.get_by_role("dialog", name="Close trip.py without saving?")
    await dialog.get_by_role("button", name="Close without saving").click()
    await expect(page.get_by_text("No file is open.").first).to_be_visible()
    assert (tally.project / TRIP).read_text() == "# theirs again\n"


async def test_the_tree_is_walked_with_the_keyboard(tally: RunningServer, visit: Visit) -> None:
    page = await (await visit(tally.url)).go("/coach?pane=files")
    await page.get_by_role("treeitem", name="issues").focus()
    await page.keyboard.press("ArrowDown")
    await expect(page.get_by_role("treeitem", name="openspec")).to_be_focused()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowRight")
    src = page.get_by_role("treeitem", name="src")
    await expect(src).to_have_attribute("aria-expanded", "true")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("End")
    await page.keyboard.press("Home")
    await expect(page.get_by_role("treeitem", name="issues")).to_be_focused()
    await page.get_by_role("treeitem", name="README.md").focus()
    await page.keyboard.press("Enter")
    await expect(editor(page, "README.md")).to_be_visible()


async def test_a_phone_shows_one_pane_at_a_time(tally: RunningServer, visit: Visit) -> None:
    visitor = await visit(tally.url, viewport=PHONE)
    page = await visitor.go("/coach")
    await begin(page)
    panes = page.get_by_role("navigation", name="Panes")
    await panes.get_by_role("link", name="Files").click()
    await visitor.look("coach-phone-files")
    await page.get_by_role("treeitem", name="README.md").click()
    await expect(editor(page, "README.md")).to_be_visible()
    await visitor.look("coach-phone-editor")
    await panes.get_by_role("link", name="Coach").click()
    await expect(talk(page)).to_be_visible()
