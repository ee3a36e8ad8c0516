"""What is around every page."""

import gzip
import re
from pathlib import Path

from playwright.async_api import expect

from tests.end_to_end.conftest import RunningServer, Start
from tests.end_to_end.web.browsing import PHONE, WEB_APP, Visit

ROOMS = ("Home", "Coach", "Board", "Research", "Assistant", "Journal")


async def test_every_room_is_a_link_in_sight(server: RunningServer, visit: Visit) -> None:
    for size in ({"width": 1280, "height": 800}, PHONE):
        visitor = await visit(server.url, viewport=size)
        page = await visitor.go("/shortcuts")
        rooms = page.get_by_role("navigation", name="Rooms")
        for name in ROOMS:
            await rooms.get_by_role("link", name=name).click()
            link = rooms.get_by_role("link", name=name)
            await expect(link).to_have_attribute("aria-current", "page")
            await expect(page.get_by_role("heading", level=1)).to_be_visible()


async def test_the_palette_goes_anywhere_by_a_few_letters(
    server: RunningServer, visit: Visit
) -> None:
    page = await (await visit(server.url)).go("/shortcuts")
    await page.keyboard.press("Control+k")
    await page.get_by_placeholder("Where to").fill("libra")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("/libraries$"))
    await page.keyboard.press("g")
    await page.keyboard.press("j")
    await expect(page).to_have_url(re.compile("/journal$"))


async def test_a_theme_stays_chosen(server: RunningServer, visit: Visit) -> None:
    page = await (await visit(server.url)).go("/shortcuts")
    await page.keyboard.press("Control+k")
    await page.get_by_placeholder("Where to").fill("dark theme")
    await page.keyboard.press("Enter")
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")


async def test_the_connection_is_seen_to_break_and_to_come_back(
    start_server: Start, visit: Visit
) -> None:
    server = start_server(BOTTEGA_MODEL="offline")
    visitor = await visit(server.url)
    page = await visitor.go("/shortcuts")
    status = page.get_by_role("banner").get_by_role("status")
    await expect(status).to_have_text("Live")
    visitor.expected_refusals.append(server.url)  # while it is away
    server.stop()
    await expect(status).to_have_text("Connection lost, trying again")
    start_server(BOTTEGA_MODEL="offline", PORT=server.url.rpartition(":")[2])
    await expect(status).to_have_text("Live")


async def test_an_unknown_address_leads_back_home(server: RunningServer, visit: Visit) -> None:
    page = await (await visit(server.url)).go("/no/such/page")
    await page.get_by_role("link", name="Back to Home").click()
    await expect(page).to_have_url(f"{server.url}/")


async def test_the_page_of_shortcuts_looks_right(server: RunningServer, visit: Visit) -> None:
    visitor = await visit(server.url)
    await visitor.go("/shortcuts")
    await visitor.look_everywhere("shortcuts")


async def test_the_first_load_is_small(server: RunningServer, visit: Visit) -> None:
    """At most 300 KB gzipped, before the editor is needed."""
    visitor = await visit(server.url)
    loaded: list[str] = []
    visitor.page.on("request", lambda request: loaded.append(request.url))
    page = await visitor.go("/")
    await page.wait_for_timeout(1_000)
    paths = {url.removeprefix(server.url).split("?")[0] for url in loaded}
    files = [_file(path) for path in paths if not path.startswith(("/api", "/health"))]
    size = sum(len(gzip.compress(file.read_bytes())) for file in files)
    assert size <= 300_000, f"{size:,} bytes in {len(files)} files"


def _file(path: str) -> Path:
    return WEB_APP.parent / path.lstrip("/") if path != "/" else WEB_APP
