"""One change of the board, from the form to the archive."""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, expect

from tests.board.builders import BAKERY, write_project
from tests.board.test_triage_desk import JUNIT
from tests.end_to_end.conftest import DEADLINE, RunningServer, Start, launch
from tests.end_to_end.web.browsing import DESK, PATIENCE, PHONE, Visit, Visitor

OPENSPEC = Path(sys.prefix) / "clients" / "openspec-1.13.2" / "node_modules" / ".bin"
CHANGES = "openspec/changes"
DELTA = "specs/vouchers/spec.md"

expect.set_options(timeout=PATIENCE)


@pytest.fixture
def shop(tmp_path: Path, start_server: Start) -> RunningServer:
    """With the OpenSpec program, where it is installed."""
    write_project(tmp_path / "project", BAKERY)
    return start_server(BOTTEGA_MODEL="offline", PATH=f"{OPENSPEC}:{os.environ['PATH']}")


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for all tests that need no program."""
    folder = tmp_path_factory.mktemp("bakery")
    write_project(folder / "project", BAKERY)
    server = launch(folder, BOTTEGA_MODEL="offline")
    yield server
    server.stop()


def post(server: RunningServer, path: str, body: dict[str, Any]) -> Any:
    answer = httpx.post(
        f"{server.url}/api/board{path}", json=body, trust_env=False, timeout=DEADLINE
    )
    answer.raise_for_status()
    return answer.json()


async def open_tab(page: Page, name: str) -> None:
    tab = page.get_by_role("navigation", name="About this change").get_by_role("link", name=name)
    await tab.click()
    await expect(tab).to_have_attribute("aria-current", "page")


async def write_vouchers(visitor: Visitor) -> None:
    page = await visitor.go("/board/new")
    await page.get_by_role("button", name="Propose the change").click()
    await expect(page.get_by_text("Write at least one task.").first).to_be_visible()
    await page.get_by_label("Title").fill("Add vouchers")
    await page.get_by_label("Why").fill("Customers ask for vouchers as a present to others.")
    await page.get_by_label("What changes").fill("- Vouchers count as money")
    await page.get_by_label("Capability", exact=True).fill("vouchers")
    await page.get_by_label("What the capability is for").fill(
        "What a voucher is worth and how it is redeemed when an order is paid."
    )
    await page.get_by_label("Name of the requirement").fill("Paying")
    await page.get_by_label("What must hold").fill("The shop takes a voucher as money.")
    await expect(page.get_by_text("Say SHALL or MUST, or nobody").first).to_be_visible()
    await page.get_by_label("Steps of example 1").fill("WHEN it covers the order\nTHEN it is paid")
    await page.reload()
    await expect(page.get_by_label("Title")).to_have_value("Add vouchers")
    await page.get_by_label("What is to be done").fill(
        "# Prices\nAccept it\nPrint it\n# Tests\nTry"
    )
    await expect(page.get_by_text("3 tasks in 2 groups").first).to_be_visible()
    visitor.expected_refusals.append("/api/board/changes")
    await page.get_by_role("button", name="Propose the change").click()
    field = page.get_by_label("What must hold")
    await expect(field).to_have_accessible_description(re.compile("should say SHALL or MUST"))
    await visitor.look_everywhere("change-new")
    await field.fill("The shop SHALL take a voucher as money.")
    await page.get_by_role("button", name="Propose the change").click()
    await expect(page).to_have_url(re.compile("/board/changes/add-vouchers"))


async def mend_and_approve(visitor: Visitor, folder: Path) -> None:
    page, delta = visitor.page, folder / DELTA
    await expect(page.get_by_role("button", name="Approve")).to_be_visible()
    delta.write_text(delta.read_text().replace("SHALL take", "takes"))
    await page.get_by_role("link", name="See what").click()
    await expect(page.get_by_text("SHALL or MUST").first).to_be_visible()
    await visitor.look("change-validation")
    await page.get_by_role("link", name=DELTA).first.click()
    await page.get_by_role("button", name=f"Edit {DELTA}").click()
    editor = page.get_by_role("textbox", name=f"Text of {DELTA}")
    await expect(editor).to_be_visible()
    await editor.fill(delta.read_text().replace("shop takes", "shop SHALL take"))
    await expect(page.get_by_role("region", name="Preview")).to_contain_text("SHALL take")
    await visitor.look("change-editor")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_text(f"Saved in {DELTA}.", exact=True).first).to_be_visible()
    assert "SHALL take" in delta.read_text()
    await open_tab(page, "Validation")
    await expect(page.get_by_text("It is valid and can be approved.").first).to_be_visible()
    await page.get_by_role("button", name="Approve").click()
    await expect(page.get_by_role("button", name="Take back")).to_be_visible()
    await page.get_by_role("status").get_by_role("button", name="Undo").click()
    await page.get_by_role("button", name="Approve").click()
    await expect(page.get_by_role("button", name="Take back")).to_be_visible()


async def tick_tasks(visitor: Visitor, folder: Path) -> None:
    page, tasks = visitor.page, folder / "tasks.md"
    await open_tab(page, "Tasks")
    async with page.expect_response(re.compile("/tasks")):
        await page.get_by_role("checkbox", name="1.1 Accept it").check()
    await expect(page.get_by_text("1 of 3 done (33 %)").first).to_be_visible()
    assert "- [x] 1.1 Accept it" in tasks.read_text()
    tasks.write_text(tasks.read_text().replace("[ ] 1.2", "[x] 1.2"))
    await expect(page.get_by_role("checkbox", name="1.2 Print it")).to_be_checked()
    await visitor.look_everywhere("change-tasks")


async def merge_two_texts(visitor: Visitor, folder: Path) -> None:
    page, proposal = visitor.page, folder / "proposal.md"
    await open_tab(page, "Proposal")
    await page.get_by_role("button", name="Edit proposal.md").click()
    editor = page.get_by_role("textbox", name="Text of proposal.md")
    await editor.fill(proposal.read_text() + "\n## Mine\n\nNot on Sundays.\n")
    await page.reload()
    await expect(editor).to_contain_text("Not on Sundays.")
    proposal.write_text(proposal.read_text().replace("as a present", "as a THEIR present"))
    await expect(
        page.get_by_text("was changed by somebody else while you write").first
    ).to_be_visible()
    await expect(editor).to_contain_text("Not on Sundays.")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_role("heading", name="changed in two places")).to_be_visible()
    await expect(page.get_by_role("textbox", name="In the file now")).to_contain_text("THEIR")
    await visitor.look_everywhere("change-conflict")
    await merge_on_a_phone(visitor)
    places = page.get_by_role("button", name="Take theirs here")
    await places.first.press("Enter")
    await expect(places).to_have_count(1)
    await page.get_by_role("button", name="Save this text").click()
    await expect(page.get_by_role("button", name="Edit proposal.md")).to_be_visible()
    assert "a THEIR present" in proposal.read_text()
    assert "Not on Sundays." in proposal.read_text()


async def merge_on_a_phone(visitor: Visitor) -> None:
    """Both texts in one pane; looked at only."""
    page = visitor.page
    await page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    await page.get_by_role("button", name="Back to writing").click()
    await page.get_by_role("button", name="Look at both").click()
    await page.get_by_role("button", name="Take theirs here").last.scroll_into_view_if_needed()
    await visitor.look("change-merge-phone")
    await page.set_viewport_size(DESK)  # type: ignore[arg-type]
    await page.get_by_role("button", name="Back to writing").click()
    await page.get_by_role("button", name="Look at both").click()


async def restore_a_revision(visitor: Visitor, folder: Path) -> None:
    page, proposal = visitor.page, folder / "proposal.md"
    await open_tab(page, "Revisions")
    oldest = page.get_by_role("listitem").filter(has_text="proposal.md").last
    await oldest.get_by_role("button", name="Compare").click()
    await expect(page.get_by_role("textbox", name="As it is now")).to_contain_text("Sundays")
    await visitor.look("change-revisions")
    await oldest.get_by_role("button", name="Restore").click()
    await expect(page.get_by_text("Restored.").first).to_be_visible()
    assert "THEIR" not in proposal.read_text()


async def finish(shop: RunningServer, visitor: Visitor) -> None:
    page = visitor.page
    here = {"project_path": str(shop.project), "client_session_id": "crumb"}
    agent = post(shop, "/sessions", here)["id"]
    work = post(shop, "/queue/next", {"session_id": agent})["work"]
    assert work is not None
    await expect(page.get_by_role("link", name="crumb")).to_be_visible()
    await expect(page.get_by_text("it keeps the change until").first).to_be_visible()
    await open_tab(page, "Tasks")
    await page.get_by_role("checkbox", name="2.1 Try").check()
    await page.get_by_role("button", name="Confirm").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Note").fill("Works at the till.")
    await dialog.get_by_role("button", name="Confirm").click()
    await expect(page.get_by_role("button", name="Archive")).to_be_visible()
    await open_tab(page, "History")
    await expect(page.get_by_text("Works at the till.").first).to_be_visible()
    await visitor.look_everywhere("change-history")


async def test_a_change_is_written_mended_worked_on_and_archived(
    shop: RunningServer, visit: Visit
) -> None:
    visitor = await visit(shop.url)
    folder = shop.project / CHANGES / "add-vouchers"
    await write_vouchers(visitor)
    await mend_and_approve(visitor, folder)
    await tick_tasks(visitor, folder)
    await merge_two_texts(visitor, folder)
    await restore_a_revision(visitor, folder)
    await finish(shop, visitor)
    if not OPENSPEC.exists():
        pytest.skip("the OpenSpec program is not installed: nothing can be archived here")
    page = visitor.page
    await page.get_by_role("button", name="Archive").click()
    await page.get_by_role("dialog").get_by_role("button", name="Archive").click()
    await expect(page.get_by_text("It can be read, not changed.").first).to_be_visible()
    assert "### Requirement: Paying" in (shop.project / "openspec" / DELTA).read_text()
    assert not folder.exists()


async def test_a_change_from_a_failing_test_is_rejected_with_a_reason(
    bakery: RunningServer, visit: Visit
) -> None:
    project = httpx.get(f"{bakery.url}/api/projects", trust_env=False, timeout=DEADLINE).json()[
        "projects"
    ][0]["id"]
    for _ in range(2):
        url = f"{bakery.url}/api/board/reports?project_id={project}"
        answer = httpx.post(url, content=JUNIT, trust_env=False, timeout=DEADLINE).json()
    [change] = answer["proposed"]
    visitor = await visit(bakery.url)
    page = await visitor.go(f"/board/changes/{change}?tab=failure")
    await expect(page.get_by_text("AssertionError: 89 != 90").first).to_be_visible()
    await visitor.look_everywhere("change-failure")
    await page.get_by_role("button", name="Reject").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Reject").click()
    await expect(dialog.get_by_text("Say it in a few words.").first).to_be_visible()
    await visitor.look("change-reject")
    await dialog.get_by_label("Why?").fill("The test is wrong.")
    await dialog.get_by_role("button", name="Reject").click()
    await expect(page.get_by_text("Rejected: The test is wrong.").first).to_be_visible()
    await expect(page.get_by_text("It can be read, not changed.").first).to_be_visible()


async def test_a_change_whose_folder_is_gone_comes_back(
    bakery: RunningServer, visit: Visit
) -> None:
    folder = bakery.project / CHANGES / "add-discounts"
    visitor = await visit(bakery.url)
    page = await visitor.go("/board/changes/add-discounts?tab=context")
    await expect(page.get_by_text("Nothing is remembered for it yet.").first).to_be_visible()
    await visitor.look("change-context")
    shutil.rmtree(folder)
    await page.get_by_role("link", name="restore a revision").click()
    await page.get_by_role("button", name="Restore").first.click()
    await expect(page.get_by_text("Its folder is gone")).to_be_hidden()
    assert (folder / "proposal.md").read_text() == BAKERY[f"{CHANGES}/add-discounts/proposal.md"]


async def test_a_requirement_that_changes_brings_its_words_along(
    bakery: RunningServer, visit: Visit
) -> None:
    visitor = await visit(bakery.url)
    page = await visitor.go("/board/new")
    await page.get_by_label("Capability", exact=True).fill("orders")
    await page.get_by_label("Name of the requirement").fill("discounts")
    await expect(page.get_by_text("another open change too: Add discounts").first).to_be_visible()
    await page.get_by_label("What happens").select_option("A requirement changes")
    await page.get_by_label("Requirement", exact=True).select_option("Totals")
    await expect(page.get_by_label("What must hold")).to_have_value(re.compile("in whole cents"))
    await expect(page.get_by_label("Steps of example 1")).to_have_value(re.compile("^WHEN two"))
    await visitor.look("change-new-modified")


async def test_where_there_is_nothing_the_next_step_is_shown(
    server: RunningServer, visit: Visit
) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/board/new")
    await expect(page.get_by_text("There is no project with OpenSpec yet.").first).to_be_visible()
    await visitor.look_everywhere("change-no-project")
    (server.project / "openspec" / "changes").mkdir(parents=True)
    await page.get_by_role("button", name="Look again").click()
    await expect(page.get_by_label("Title")).to_be_visible()
    visitor.expected_refusals.append("/api/board/changes/nothing")
    await visitor.go("/board/changes/nothing")
    await expect(page.get_by_text("There is no such change.").first).to_be_visible()
