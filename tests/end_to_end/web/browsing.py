"""A person at the web app, in Debian's Chromium: what they see, and what must never be there.

Every page that a test visits is held to the same: no message on the console, no request to
another host, no failed request that the page did not expect, and no violation that axe finds.
"""

import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from playwright.async_api import Browser, ConsoleMessage, Page, Request, async_playwright, expect

ROOT = Path(__file__).parents[3]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
WEB_APP = ROOT / "src" / "bottega" / "server" / "static" / "index.html"
#: Pictures of every page, to be looked at.
SCREENSHOTS = Path(os.environ.get("BOTTEGA_SCREENSHOTS", ROOT / "build" / "screenshots"))

DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
#: The one without windows does the same with less.
PROGRAMS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
#: How long anything on a page may take on a busy machine, in milliseconds.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)

VIOLATIONS = """
async () => {
  const found = await axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
  });
  return found.violations.map(({ id, nodes }) =>
    `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + " — " + node.failureSummary).join("\\n  ")}`
  );
}
"""  # noqa: E501

#: What is measured anew after a change of size is drawn by then.
NEXT_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

#: How much wider the page is than its window, or what is in it than what shows it; or higher: only
#: what is in it scrolls.
OVERFLOW = """
() => Math.max(
  document.documentElement.scrollHeight - document.documentElement.clientHeight,
  ...[document.documentElement, document.querySelector("main")].map(
    (part) => part.scrollWidth - part.clientWidth
  )
)
"""

Theme = Literal["light", "dark"]


def missing() -> str | None:
    """What a browser test needs and is not here."""
    if program() is None:
        return "no Chromium; as root, `apt-get install chromium` brings one"
    if not WEB_APP.exists() or not AXE.exists():
        return "the web app is not built: `make web`"
    return None


def program() -> str | None:
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program(), args=list(QUIET))
        yield browser
        await browser.close()


class Visitor:
    """One window of the web app. `page` is Playwright's; the rest looks closer."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.complaints: list[str] = []
        #: Answers of 400 and above that a test provokes: parts of their addresses.
        self.expected_refusals: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("request", self._on_request)

    def _on_console(self, message: ConsoleMessage) -> None:
        address = message.location.get("url", "") if message.location else ""
        if message.type not in ("error", "warning"):
            return
        if any(part in address for part in self.expected_refusals):
            return
        self.complaints.append(f"{message.type}: {message.text} ({address})")

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith((self.url, self.url.replace("http", "ws"), "data:", "blob:")):
            self.complaints.append(f"a request to another host: {request.url}")

    async def go(self, path: str) -> Page:
        await self.page.goto(f"{self.url}{path}")
        await self.page.get_by_role("heading", level=1).wait_for()
        return self.page

    async def look(self, name: str) -> None:
        """Keep a picture, hold the page to what axe knows, and to fitting its window."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        await self.page.screenshot(path=SCREENSHOTS / f"{name}.png")
        if not await self.page.evaluate("'axe' in window"):
            await self.page.evaluate(AXE.read_text())
        violations = await self.page.evaluate(VIOLATIONS)
        assert not violations, f"{name}: " + "\n".join(violations)
        overflow = await self.page.evaluate(OVERFLOW)
        assert overflow <= 0, f"{name}: the page is {overflow} px wider or higher than its window"

    async def look_everywhere(self, name: str) -> None:
        """The page as it is now: at a desk in light and dark, and on a phone."""
        await self.look(name)
        await self._turn("dark")
        await self.look(f"{name}-dark")
        await self._turn("light")
        await self.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        await self.page.evaluate(NEXT_FRAMES)
        await self.look(f"{name}-phone")
        await self.page.set_viewport_size(DESK)  # type: ignore[arg-type]

    async def _turn(self, theme: Theme) -> None:
        await self.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        await expect(self.page.locator("html")).to_have_attribute("data-theme", theme)

    def check(self) -> None:
        assert not self.complaints, "\n".join(self.complaints)


Visit = Callable[..., Awaitable[Visitor]]


@asynccontextmanager
async def visiting(browser: Browser) -> AsyncIterator[Visit]:
    """Open windows; whatever they complained of by the end fails the test."""
    visitors: list[Visitor] = []

    async def visit(url: str, **options: Any) -> Visitor:
        context = await browser.new_context(
            viewport=options.pop("viewport", DESK), reduced_motion="reduce", **options
        )
        visitors.append(Visitor(await context.new_page(), url))
        return visitors[-1]

    try:
        yield visit
        for visitor in visitors:
            visitor.check()
    finally:
        for visitor in visitors:
            await visitor.page.context.close()
