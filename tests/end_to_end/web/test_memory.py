"""The page of memories, in a browser."""

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import httpx
from playwright.async_api import expect

from tests.end_to_end.conftest import DEADLINE, RunningServer, Start
from tests.end_to_end.web.browsing import Visit

MANY = 10_000
#: Scrolls on until the last one is there; gives the most rows that were in the page meanwhile.
SCROLL_TO_THE_LAST = """
(list) => {
  list.parentElement.scrollTop = list.parentElement.scrollHeight;
  window.most = Math.max(window.most ?? 0, list.children.length);
  return list.textContent.includes("Fact number 9999") && window.most;
}
"""


def remember(server: RunningServer, content: str, **fields: object) -> str:
    memory = {"content": content, **fields}
    url = f"{server.url}/api/memories"
    added = httpx.post(url, json=memory, trust_env=False, timeout=DEADLINE)
    memory_id: str = added.raise_for_status().json()["id"]
    return memory_id


def remember_many(server: RunningServer) -> None:
    """Straight into the table, as if they had been there for long."""
    newest = datetime(2026, 1, 1, tzinfo=UTC)
    rows = [
        (f"mem_many_{n:05}", f"Fact number {n}", (newest - timedelta(minutes=n)).isoformat())
        for n in range(MANY)
    ]
    with closing(sqlite3.connect(server.data_dir / "bottega.db", timeout=30)) as database, database:
        database.executemany(
            "INSERT INTO memories (id, kind, user_id, scope, content, fingerprint, tags, evidence,"
            " importance, created_at, updated_at, use_count, version, indexed_version) VALUES"
            " (?1, 'memory', 'local', 'personal', ?2, ?1, '[]', '[]', 'medium', ?3, ?3, 0, 1, 1)",
            rows,
        )


async def test_a_memory_is_added_found_corrected_forgotten_and_restored(
    server: RunningServer, visit: Visit
) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/memory")
    await expect(page.get_by_text("Nothing is remembered yet").first).to_be_visible()
    await visitor.look("memory-empty")

    await page.get_by_role("button", name="Remember something").first.click()
    form = page.locator("form", has=page.get_by_label("What to remember"))
    await form.get_by_label("What to remember").fill("Deploys happen on Thursdays")
    await form.get_by_label("Tags").fill("ops, release")
    await form.get_by_label("Project").fill("shop")
    await page.reload()
    await expect(page.get_by_label("What to remember")).to_have_value("Deploys happen on Thursdays")
    await visitor.look_everywhere("memory-adding")
    await page.get_by_role("button", name="Remember", exact=True).click()
    memories = page.get_by_role("list", name="Memories", exact=True)
    await expect(memories.get_by_role("article")).to_have_count(1)

    remember(server, "The bakery example uses sourdough", importance="low", tags=["demo"])
    await expect(memories.get_by_role("article")).to_have_count(2)
    await visitor.look_everywhere("memory")
    await memories.get_by_role("button", name="Only those with the tag demo").click()
    await expect(memories.get_by_role("article")).to_have_count(1)
    await expect(page).to_have_url(re.compile("tag=demo"))
    await page.get_by_role("button", name="Show all").first.click()

    await page.get_by_role("button", name="By meaning").click()
    await page.get_by_role("searchbox").fill("when are deploys")
    await page.get_by_role("button", name="Search").click()
    recalled = page.get_by_role("list", name="Recalled")
    await expect(recalled.get_by_role("article").first).to_contain_text("Thursdays")
    await visitor.look_everywhere("memory-recalled")

    await recalled.get_by_role("button", name="Edit: Deploys").click()
    await page.get_by_label("What to remember").fill("Deploys happen on Mondays")
    await page.get_by_role("button", name="Save").click()
    await expect(recalled.get_by_role("article").first).to_contain_text("Mondays")

    await page.get_by_role("button", name="By words").click()
    await page.get_by_role("button", name="Show all").first.click()
    await memories.get_by_role("button", name="Forget: Deploys").click()
    await expect(memories.get_by_role("article")).to_have_count(1)
    await page.get_by_role("button", name="Undo").click()
    await expect(memories.get_by_role("article")).to_have_count(2)

    await memories.get_by_role("button", name="Forget: The bakery").click()
    await page.get_by_role("button", name="Forgotten (1)").click()
    await page.get_by_role("button", name="Restore: The bakery").click()
    await expect(page.get_by_text("Nothing is forgotten").first).to_be_visible()


async def test_ten_thousand_memories_scroll_with_few_rows_in_the_page(
    start_server: Start, visit: Visit
) -> None:
    server = start_server(BOTTEGA_MODEL="offline")
    remember_many(server)
    page = await (await visit(server.url)).go("/memory")
    await expect(page.get_by_text("10,000 memories").first).to_be_visible()
    memories = page.get_by_role("list", name="Memories")
    await expect(memories).to_contain_text("Fact number 0")
    most = await page.wait_for_function(SCROLL_TO_THE_LAST, arg=await memories.element_handle())
    assert await most.json_value() < 200
