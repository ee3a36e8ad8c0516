"""The coach's dashboard, practice and past sessions, in a browser."""

import re
import shutil
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Page, expect

from bottega.coach.practice.catalogue import catalogue
from tests.end_to_end.conftest import DEADLINE, RunningServer, Start
from tests.end_to_end.web.browsing import Visit

SOLUTIONS = Path(__file__).parents[2] / "coach" / "kata_solutions"
TRIP = "src/tally/trip.py"
PLAN = f"1. Reproduce the lost cents: read `balances` in {TRIP}.\n2. Keep whole cents in {TRIP}.\n"
WRONG = "def nothing():\n    return None\n"


@pytest.fixture
def tally(start_server: Start, tmp_path: Path, examples: Path) -> RunningServer:
    """A house whose project has issues of its own."""
    shutil.copytree(examples / "tally", tmp_path / "project")
    return start_server(BOTTEGA_MODEL="offline")


def struggle(server: RunningServer) -> None:
    """What the desk would say of a hard hour: the same code asked about, and ever closer hints."""
    with httpx.Client(
        base_url=f"{server.url}/api/coach", trust_env=False, timeout=DEADLINE
    ) as http:
        http.post("/plan", json={"planText": PLAN}).raise_for_status()
        for last in (26, 28, 30):
            selection = {"startLine": 24, "startCol": 1, "endLine": last, "endCol": 1}
            asked = {"path": TRIP, "selection": selection}
            http.post("/explain", json=asked).raise_for_status()
        for level in ("region", "line"):
            http.put("/hints", json={"level": level}).raise_for_status()
        http.post("/session/end", json={}).raise_for_status()


def solution_of(title: str) -> str:
    [slug] = [kata.slug for kata in catalogue() if kata.title == title]
    source = (SOLUTIONS / f"{slug.replace('-', '_')}.py").read_text()
    return source.partition("\nWRONG = ")[0]


async def hand_in(page: Page, code: str) -> None:
    await page.get_by_role("textbox", name="Your solution").fill(code)
    await page.get_by_role("button", name="Hand in").click()


async def test_a_day_of_learning(tally: RunningServer, visit: Visit) -> None:
    visitor = await visit(tally.url)
    page = await visitor.go("/coach/dashboard")
    issues = page.get_by_role("list", name="Issues")
    await expect(issues.get_by_role("heading")).to_have_count(3)
    await expect(page.get_by_text("The end of a session says how far").first).to_be_visible()
    await visitor.look_everywhere("dashboard-first")

    await issues.get_by_role("button", name="Work on this: Cents get lost").click()
    await expect(page).to_have_url(f"{tally.url}/coach")
    await page.goto(f"{tally.url}/coach/dashboard")
    under_way = page.get_by_role("region", name="In progress")
    await expect(under_way.get_by_role("heading")).to_have_text(re.compile("^#1 Cents get lost"))
    await issues.get_by_role("button", name="Work on this: A trip without people").click()
    asking = page.get_by_role("dialog", name="Set the other session aside?")
    await asking.get_by_role("button", name="Cancel").click()

    struggle(tally)
    gaps = page.get_by_role("list", name="Open gaps")
    await expect(gaps.get_by_role("listitem").first).to_be_visible()
    await expect(under_way).to_have_count(0)
    await expect(page.get_by_role("list", name="Skills and stages")).to_be_visible()
    await expect(page.get_by_role("list", name="Recommendations")).to_be_visible()
    await page.get_by_role("button", name="7 days").click()
    await expect(page).to_have_url(re.compile("period=7d"))
    await visitor.look_everywhere("dashboard")

    before = await gaps.get_by_role("listitem").count()
    await gaps.get_by_role("button", name="I know this now").first.click()
    await expect(gaps.get_by_role("listitem")).to_have_count(before - 1)
    await page.get_by_role("button", name="Undo").click()
    await expect(gaps.get_by_role("listitem")).to_have_count(before)

    await page.get_by_role("button", name="Give me the next kata").click()
    await expect(page).to_have_url(re.compile("/coach/practice/"))
    await expect(page.get_by_role("textbox", name="Your solution")).to_be_visible()
    await visitor.look_everywhere("kata")
    await practise(page)
    await visitor.look_everywhere("kata-reviewed")

    await page.get_by_role("link", name="All katas").click()
    await page.get_by_role("button", name="Solved").click()
    await expect(page.get_by_role("list", name="Katas").get_by_text("solved").first).to_be_visible()
    await visitor.look_everywhere("practice")


async def practise(page: Page) -> None:
    """A kata that fails, then passes, and opens a harder way that is taken on."""
    constraints = page.get_by_role("list", name="Constraints")
    locked = constraints.get_by_text("opens at level")
    await expect(locked.first).to_be_visible()
    all_locked = await locked.count()
    await hand_in(page, WRONG)
    review = page.locator("section", has=page.get_by_role("heading", name="Review", exact=True))
    await expect(review).to_contain_text("Not yet")
    await page.reload()
    await expect(page.get_by_role("textbox", name="Your solution")).to_contain_text("def nothing")

    title = await page.get_by_role("heading", level=1).inner_text()
    await hand_in(page, solution_of(title))
    await expect(review).to_contain_text("Passed")
    await expect(review).to_contain_text("Unlocked")
    await expect(locked).not_to_have_count(all_locked)
    await review.get_by_role("button", name="Take it on").first.click()
    await expect(constraints.get_by_role("checkbox", checked=True)).to_have_count(1)

    attempts = page.get_by_role("list", name="Earlier attempts")
    await attempts.get_by_text("Attempt 1").click()
    await attempts.get_by_role("button", name="Put into the editor: attempt 1").click()
    await expect(page.get_by_role("textbox", name="Your solution")).to_contain_text("def nothing")
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("textbox", name="Your solution")).not_to_contain_text("nothing")


async def test_a_past_session_is_read_and_gone_on_with(tally: RunningServer, visit: Visit) -> None:
    visitor = await visit(tally.url)
    page = await visitor.go("/coach/sessions")
    await expect(page.get_by_text("No sessions yet").first).to_be_visible()
    await visitor.look("sessions-empty")

    api = f"{tally.url}/api/coach/sessions"
    httpx.post(api, json={"issueNumber": 1}, trust_env=False, timeout=DEADLINE).raise_for_status()
    httpx.post(
        api, json={"issueTitle": "Something else"}, trust_env=False, timeout=DEADLINE
    ).raise_for_status()
    struggle(tally)
    sessions = page.get_by_role("list", name="Sessions")
    await expect(sessions.get_by_text("completed").first).to_be_visible()
    await expect(sessions.get_by_text("set aside").first).to_be_visible()
    await visitor.look_everywhere("sessions")

    await sessions.get_by_role("link", name="Something else").click()
    await expect(page.get_by_role("heading", name="To practise")).to_be_visible()
    await visitor.look_everywhere("session-report")
    await page.get_by_role("button", name="Everything that happened").click()
    await expect(page.get_by_role("list", name="Timeline")).to_contain_text("asked what")
    await visitor.look_everywhere("session-timeline")
    await page.go_back()
    await expect(page.get_by_role("heading", name="To practise")).to_be_visible()

    await page.get_by_role("link", name="All sessions").click()
    await page.get_by_role("button", name="Go on with #1 Cents get lost").click()
    await expect(page).to_have_url(f"{tally.url}/coach")


async def test_without_sessions_practice_says_where_to_begin(
    server: RunningServer, visit: Visit
) -> None:
    visitor = await visit(server.url)
    visitor.expected_refusals.append("/api/coach/katas")
    page = await visitor.go("/coach/practice")
    await page.get_by_role("button", name="Give me the next kata").click()
    await expect(page.get_by_role("link", name="Choose an issue to work on")).to_be_visible()
    await visitor.look("practice-empty")
    await page.goto(f"{server.url}/coach/practice/no-such-kata")
    await expect(page.get_by_role("alert")).to_contain_text("Kata not found")


async def test_issues_that_cannot_be_listed_leave_the_rest_of_the_dashboard(
    server: RunningServer, visit: Visit
) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/coach/dashboard")
    await expect(page.get_by_role("alert").or_(page.get_by_text("No open issues"))).to_be_visible()
    await expect(page.get_by_role("heading", name="In numbers")).to_be_visible()
    await expect(page.get_by_label("Or say what you want to work on")).to_be_visible()
    await visitor.look("dashboard-no-issues")
