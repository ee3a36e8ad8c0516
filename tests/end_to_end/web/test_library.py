"""Libraries by hand: filled, searched, read and checked in the browser."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from playwright.async_api import FilePayload, Page, expect

from tests.end_to_end.conftest import DEADLINE, RunningServer
from tests.end_to_end.web.browsing import Visit

BROKEN = FilePayload(name="torn.pdf", mimeType="application/pdf", buffer=b"%PDF-1.4 nothing")


async def make_example(server: RunningServer) -> None:
    """The example library, filled."""
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=DEADLINE) as http:
        begun: dict[str, Any] = (await http.post("/api/libraries/example")).json()
        path = f"/api/libraries/{begun['library']}/ingests/{begun['run_id']}"
        ended = await http.get(path, params={"wait": 30})
        assert ended.json()["status"] == "completed"


async def search(page: Page, words: str) -> None:
    await page.get_by_label("What do you want to know?").fill(words)
    await page.keyboard.press("Enter")


async def test_documents_are_uploaded_searched_and_read(
    server: RunningServer, visit: Visit, examples: Path
) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/libraries")
    await expect(page.get_by_text("No library yet").first).to_be_visible()
    await visitor.look_everywhere("libraries-empty")

    await page.get_by_role("button", name="New library").click()
    await page.get_by_label("What it is about").fill("Rules of Saltmere")
    await expect(page.get_by_label("Short name")).to_have_value("rules_of_saltmere")
    await page.get_by_role("button", name="Create it").click()
    await expect(page).to_have_url(re.compile("/libraries/rules_of_saltmere"))
    await expect(page.get_by_text("No document yet").first).to_be_visible()

    files = [
        FilePayload(name=file.name, mimeType="text/markdown", buffer=file.read_bytes())
        for file in sorted((examples / "standards").glob("*.md"))
    ]
    async with page.expect_file_chooser() as choosing:
        await page.get_by_role("button", name="Choose files").click()
    await (await choosing.value).set_files([*files, BROKEN])
    report = page.get_by_role("region", name="Reading documents")
    await expect(report).to_contain_text("5 documents added, 1 could not be read.")
    await expect(report).to_contain_text("torn.pdf")
    await expect(page.get_by_role("heading", name=re.compile("Arrival, berths"))).to_be_visible()
    await visitor.look_everywhere("library-documents")
    await page.reload()  # the report stays, and so do the documents
    await expect(report).to_contain_text("5 documents added")

    # The same again: nothing is read twice.
    await page.get_by_label("Files", exact=True).set_input_files(files)
    await expect(report).to_contain_text("5 unchanged and skipped.")
    await page.get_by_role("button", name="Close this report").click()
    await expect(report).to_have_count(0)

    await page.get_by_role("link", name="Search", exact=True).click()
    await search(page, "How early must a visitor announce its arrival?")
    await expect(page.get_by_text("The answer is probably here").first).to_be_visible()
    results = page.get_by_role("region", name="Results")
    await expect(results.get_by_role("listitem").first).to_contain_text("210.1")
    await expect(results.get_by_role("listitem").first).to_contain_text("words")
    await visitor.look_everywhere("library-search")

    await results.get_by_role("link", name="210.1", exact=True).click()
    await expect(page.get_by_role("heading", level=1, name="210.1")).to_be_visible()
    await expect(page.get_by_text("at least two hours before").first).to_be_visible()
    await page.go_back()
    await expect(page.get_by_label("What do you want to know?")).to_have_value(
        "How early must a visitor announce its arrival?"
    )


async def test_a_question_without_an_answer_says_so(server: RunningServer, visit: Visit) -> None:
    await make_example(server)
    visitor = await visit(server.url)
    page = await visitor.go("/libraries/harbour")
    await search(page, "What does a ticket to the moon cost?")
    await expect(page.get_by_text("This library probably holds no answer").first).to_be_visible()
    await visitor.look("library-unanswerable")
    await page.get_by_label("In", exact=True).select_option(
        label="G1 · A skipper's guide to Saltmere"
    )
    await search(page, "210.1")  # a number, and still words in the address
    await page.reload()
    await expect(page.get_by_label("What do you want to know?")).to_have_value("210.1")
    refs = page.get_by_role("region", name="Results").get_by_role("heading", level=3)
    await expect(refs.first).to_contain_text("G1.")


async def test_the_graph_is_walked_by_keyboard(server: RunningServer, visit: Visit) -> None:
    await make_example(server)
    visitor = await visit(server.url)
    page = await visitor.go(f"/libraries/harbour/paragraphs/{quote('210.6', safe='')}")
    around = page.get_by_role("list", name="Linked paragraphs, nearest first")
    await expect(around).to_contain_text("210.6 cites it")
    await expect(page.get_by_role("img", name=re.compile("What 210.6 leads to"))).to_be_visible()
    await expect(page.locator("canvas")).to_be_visible()
    await visitor.look_everywhere("library-paragraph")

    before = await around.get_by_role("listitem").count()
    await page.get_by_label("Hops").focus()
    await page.keyboard.press("ArrowRight")
    await expect(page).to_have_url(re.compile("hops=2"))
    await expect(around).to_contain_text(", which ")
    assert await around.get_by_role("listitem").count() > before

    await around.get_by_role("link", name="450.9", exact=True).focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1, name="450.9")).to_be_visible()
    await expect(around).to_contain_text("450.9 is cited by it")
    await page.go_back()
    await expect(page.get_by_role("heading", level=1, name="210.6")).to_be_visible()


async def test_any_reference_can_be_linked_to(
    server: RunningServer, visit: Visit, tmp_path: Path
) -> None:
    (tmp_path / "ways.md").write_text("# Either/or › 100 %?\n\nTake the left way. #1\n")
    visitor = await visit(server.url)
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=DEADLINE) as http:
        await http.post("/api/libraries", json={"name": "ways"})
    page = await visitor.go("/libraries/ways?tab=documents")
    visitor.expected_refusals.append("/ingest")
    await page.get_by_label("Or a folder of this machine").fill("ways")
    await page.get_by_role("button", name="Read this folder").click()
    await expect(page.get_by_text("is not an absolute path").first).to_be_visible()
    await page.get_by_label("Or a folder of this machine").fill(str(tmp_path))
    await page.get_by_role("button", name="Read this folder").click()
    await expect(page.get_by_text("1 document added.").first).to_be_visible()
    await page.get_by_role("link", name="Search", exact=True).click()
    await search(page, "the left way")
    await page.get_by_role("region", name="Results").get_by_role("link").first.click()
    await expect(page.get_by_text("Take the left way.").first).to_be_visible()
    await page.reload()
    await expect(page.get_by_text("Take the left way.").first).to_be_visible()
    await expect(page.get_by_text(f"{tmp_path}/ways.md:3").first).to_be_visible()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("/or")


async def test_a_text_is_checked(server: RunningServer, visit: Visit) -> None:
    await make_example(server)
    visitor = await visit(server.url)
    page = await visitor.go("/libraries/harbour?tab=check")
    text = (
        "The lock opens every hour on the hour [210.8]. The lock opens every three hours [210.8]."
    )
    await page.get_by_role("textbox", name="Text").fill(text)
    await page.reload()  # what was written is kept
    await expect(page.get_by_role("textbox", name="Text")).to_have_value(text)
    await page.get_by_role("button", name="Check it").click()
    claims = page.get_by_role("region", name="Results").get_by_role("listitem")
    await expect(page.get_by_text("1 of 2 sentences holds.").first).to_be_visible()
    await expect(claims.nth(1)).to_contain_text("its source does not say so")
    await visitor.look_everywhere("library-check")


async def test_the_example_is_one_click_and_removing_asks(
    server: RunningServer, visit: Visit
) -> None:
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=DEADLINE) as http:
        await http.delete("/api/libraries/harbour")
    visitor = await visit(server.url)
    page = await visitor.go("/libraries")
    await page.get_by_role("button", name="Add the example library").click()
    await expect(page.get_by_text("5 documents added.").first).to_be_visible()
    page = await visitor.go("/libraries")
    await visitor.look_everywhere("libraries")
    await page.get_by_role("button", name="Remove harbour").click()
    await page.get_by_role("button", name="Remove it").click()
    await expect(page.get_by_role("link", name="Rules of the harbour")).to_have_count(0)
    visitor.expected_refusals.append("/api/libraries/harbour")
    await visitor.go("/libraries/harbour")
    await expect(page.get_by_role("alert")).to_contain_text("There is no library 'harbour'")
