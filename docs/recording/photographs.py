"""Every room of the web app, photographed on the data that the demo has left there."""

import re
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.end_to_end.web.browsing import QUIET, program

SIZE = {"width": 1280, "height": 800}
PATIENCE = 30_000
#: Bytes.
LARGEST = 150_000
#: The share of a picture that may differ and still be the same: times and ids.
SAME = 0.012
#: How different a shade must be to be seen.
VISIBLE = 24
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
TRIP = "src/tally/trip.py"
PLAN = f"""\
1. Reproduce the lost cents: read `balances` in {TRIP}, write a failing test in tests/test_trip.py.
2. Keep money in whole cents: change how `balances` in {TRIP} shares a sum.
"""
#: Nothing is loading, and two frames in a row have been drawn.
STILL = """
() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
  done(document.fonts.ready))))
"""
#: Where the demo has put the project is of this machine; a reader's would be at home.
AT_HOME = r"""
() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    text.data = text.data.replace(/\/\S+\/examples\/tally/g, "~/tally");
  }
}
"""

Act = Callable[[Page], None]


def photograph(told: str, folder: Path) -> None:
    """`told` is what the demo printed: where everything is that it made."""
    url = ADDRESS.findall(told)[-1]

    def path_of(room: str) -> str:
        found = re.search(rf"{url}({room}/\w[\w-]*)", told)
        if found is None:
            raise SystemExit(f"The demo told of nothing at {room}")
        return found[1]

    with sync_playwright() as playwright:
        options = [*QUIET, "--lang=en-GB"]
        browser = playwright.chromium.launch(executable_path=program(), args=options)
        camera = Camera(browser, url, folder)
        camera.takes("board", "/board/changes/share-by-some")
        camera.takes("research", path_of("/research/runs"), open_a_citation)
        camera.takes("library", "/libraries/harbour", search)
        camera.takes("assistant", path_of("/assistant/sessions"))
        camera.takes("journal", "/journal/clusters", choose_a_cluster)
        camera.takes("memory", "/memory")
        camera.takes("coach", "/coach", sit_at_the_desk)
        camera.takes("home", "/", theme="dark")
        browser.close()


def open_a_citation(page: Page) -> None:
    page.get_by_role("main").get_by_text("100.13", exact=True).first.click()


def search(page: Page) -> None:
    page.get_by_label("What do you want to know?").fill("how early must a visitor arrive")
    page.get_by_role("button", name="Search").last.click()
    page.get_by_text("210.1").first.wait_for()


def choose_a_cluster(page: Page) -> None:
    page.get_by_role("link", name="Root cause").click()
    page.get_by_role("list", name="Clusters").get_by_role("link").first.click()
    page.get_by_role("heading", name="What it holds").wait_for()


def sit_at_the_desk(page: Page) -> None:
    """A session with a plan, the file in question, and a line explained."""
    page.get_by_role("button", name="Work on it (issue 1)").click()
    page.get_by_role("button", name="Draft a plan for me").click()
    plan = page.get_by_role("textbox", name="Your plan")
    expect(plan).to_have_value(re.compile("trip"), timeout=PATIENCE)
    plan.fill(PLAN)
    page.get_by_role("button", name="Use this plan").click()
    expect(page.get_by_role("button", name="Complete phase 1")).to_be_visible(timeout=PATIENCE)
    page.goto(re.sub(r"/coach.*", f"/coach?file={TRIP}", page.url))
    for _ in range(3):
        page.get_by_role("slider").press("ArrowRight")
    page.get_by_text("def balances").click(click_count=3)
    page.keyboard.press("Control+e")
    page.mouse.wheel(0, 300)
    talk = page.get_by_role("log", name="Conversation with the coach")
    expect(talk).to_contain_text("Explanation", timeout=PATIENCE)


class Camera:
    def __init__(self, browser: Browser, url: str, folder: Path) -> None:
        self._browser = browser
        self._url = url
        self._folder = folder

    def takes(self, name: str, path: str, act: Act | None = None, *, theme: str = "light") -> None:
        context = self._browser.new_context(
            viewport=SIZE,  # type: ignore[arg-type]
            color_scheme=theme,  # type: ignore[arg-type]
            reduced_motion="reduce",
            locale="en-GB",
            timezone_id="UTC",
        )
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{self._url}{path}")
        page.get_by_role("heading", level=1).first.wait_for()
        if act is not None:
            act(page)
        page.wait_for_timeout(1500)
        page.evaluate(AT_HOME)
        page.evaluate(STILL)
        self._keep(name, page.screenshot(caret="hide", animations="disabled"))
        context.close()

    def _keep(self, name: str, picture: bytes) -> None:
        path = self._folder / f"{name}.png"
        taken = Image.open(BytesIO(picture)).convert("RGB")
        if path.exists() and is_same(taken, Image.open(path)):
            sys.stdout.write(f"docs/images/{path.name} as before\n")
            return
        path.write_bytes(packed(taken))
        sys.stdout.write(f"docs/images/{path.name}, {path.stat().st_size // 1024} KB\n")


def packed(picture: Image.Image) -> bytes:
    """In all its colours if that is small enough, else in a palette."""
    content = encoded(picture)
    if len(content) <= LARGEST:
        return content
    return encoded(picture.quantize(256, dither=Image.Dither.NONE))


def encoded(picture: Image.Image) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def is_same(one: Image.Image, other: Image.Image) -> bool:
    """But for what differs from one minute to the next."""
    if one.size != other.size:
        return False
    difference = ImageChops.difference(one.convert("L"), other.convert("L"))
    changed = sum(difference.histogram()[VISIBLE:])
    return changed / (one.width * one.height) < SAME
