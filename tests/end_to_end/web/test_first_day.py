"""What `make run` opens, for somebody who has never seen it: every room does its work on the
examples, without a key and without the docs."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.end_to_end.conftest import RunningServer, launch
from tests.end_to_end.web.browsing import Visit


@pytest.fixture
def workshop(tmp_path: Path, examples: Path) -> Iterator[RunningServer]:
    shutil.copytree(examples / "tally", tmp_path / "project")
    server = launch(tmp_path, BOTTEGA_MODEL="offline")
    yield server
    server.stop()


async def test_a_newcomer_does_the_work_of_every_room(
    workshop: RunningServer, visit: Visit
) -> None:
    visitor = await visit(workshop.url)
    page = await visitor.go("/")

    await _approve_and_finish_the_example_change(page)
    tasks = workshop.project / "openspec" / "changes" / "share-by-some" / "tasks.md"
    assert "- [x] 2.2" in tasks.read_text()

    await page.get_by_role("link", name="Research").first.click()
    await page.get_by_role("button", name="Add the example library").click()
    await expect(page.get_by_text(re.compile("5 documents")).first).to_be_visible()
    await page.get_by_role("link", name="Ask it a question").click()
    await page.get_by_label("Your question").fill("How long may a shift of the watch last?")
    await page.get_by_label("Do not stop to ask me").check()
    await page.get_by_role("button", name="Ask", exact=True).click()
    await expect(page.get_by_role("link", name=re.compile("100.13")).first).to_be_visible()

    await page.get_by_role("link", name="Coach").first.click()
    await page.get_by_role("button", name="Work on it").first.click()
    await expect(page.get_by_role("button", name="End session")).to_be_visible()

    await page.get_by_role("link", name="Assistant").first.click()
    await page.get_by_role("link", name=re.compile("Use it.*Create lesson")).click()
    await page.get_by_role("button", name="Take the example").click()
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page).to_have_url(re.compile("/assistant/sessions/"))
    await expect(page.get_by_text("needs you").first).to_be_visible()

    await page.get_by_role("link", name="Journal").first.click()
    await expect(page.get_by_text("Nothing has been predicted yet.").first).to_be_visible()


async def _approve_and_finish_the_example_change(page: Page) -> None:
    await page.get_by_role("link", name=re.compile("^Decide:")).click()
    await page.get_by_role("button", name="Approve").click()
    await page.get_by_role("button", name="Do it yourself").click()
    await expect(page.get_by_text("You work on it.").first).to_be_visible()
    await page.get_by_role("link", name=re.compile("Tasks")).click()
    boxes = page.get_by_role("checkbox")
    for number in range(await boxes.count()):
        await boxes.nth(number).check()
    await page.get_by_role("button", name="Confirm").click()
    await page.get_by_role("dialog").get_by_role("button", name="Confirm").click()
    await expect(page.get_by_text("Archive it to merge its specs.").first).to_be_visible()
