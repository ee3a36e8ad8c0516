"""The journal in a browser: predicted, resolved, laid out, learned from."""

import json
import re
from pathlib import Path

import httpx
from playwright.async_api import expect

from tests.end_to_end.conftest import DEADLINE, RunningServer
from tests.end_to_end.web.browsing import Visit

EXPERIENCES = Path(__file__).parents[2] / "journal" / "data" / "experiences.jsonl"
#: Of tests that disturbed each other, as was its whole cluster.
ISOLATION = "ghap_20260814_070739_104ac5"
VALUE = (
    "Test isolation is the root cause of most flaky tests: the test assumed that it runs alone, "
    "while an earlier test of the suite or a parallel test shared its fixture, its clock, its "
    "directory or its timing."
)


async def test_a_prediction_is_written_down_changed_and_resolved(
    server: RunningServer, visit: Visit
) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/journal")
    await expect(page.get_by_text("Nothing has been predicted yet.").first).to_be_visible()
    await visitor.look_everywhere("journal-empty")

    await page.get_by_role("button", name="Write down a prediction").click()
    await page.get_by_label("Goal").fill("Make the nightly import finish before six")
    await page.get_by_label("Hypothesis").fill("It waits for the index, which is built twice")
    await page.reload()
    await page.get_by_role("button", name="Write down a prediction").click()
    await expect(page.get_by_label("Goal")).to_have_value(re.compile("nightly import"))
    await page.get_by_label("Action", exact=True).fill("Build the index once, at the end")
    await page.get_by_label("Prediction", exact=True).fill("The import takes less than an hour")
    await page.get_by_label("How sure are you?").fill("0.8")
    await visitor.look("journal-start")
    await page.get_by_role("button", name="Write it down").click()
    await expect(page.get_by_text("Written down.").first).to_be_visible()
    await page.keyboard.press("Escape")

    await page.get_by_role("button", name="Change it").click()
    await page.get_by_label("Action", exact=True).fill("Drop the index, import, build it once")
    await page.get_by_label("Why it changed").fill("It is locked while it is built")
    await page.get_by_role("button", name="Save the change").click()
    await expect(page.get_by_text("2 attempts").first).to_be_visible()

    await page.get_by_role("button", name="Say what happened").click()
    await page.get_by_label("turned out wrong").check()
    await page.get_by_label("What happened").fill("It took two hours")
    await page.get_by_label("What was surprising").fill("The network was slow, not the index")
    await page.get_by_label("Why it was wrong").select_option("misleading-symptom")
    await page.get_by_label("In a sentence").fill("The index was what the log named last")
    await page.get_by_label("What worked").fill("Timing each step by itself")
    await visitor.look("journal-resolve")
    await page.get_by_role("button", name="Keep it").click()
    await expect(page.get_by_text("Kept as an experience (gold).").first).to_be_visible()

    await page.get_by_role("link", name="Make the nightly import").click()
    await expect(page.get_by_text("A misleading symptom").first).to_be_visible()
    await expect(page.get_by_role("heading", name="Earlier attempts")).to_be_visible()
    await visitor.look_everywhere("journal-entry")


async def test_a_journal_is_imported_explored_and_learned_from(
    server: RunningServer, visit: Visit
) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/journal/clusters")
    tabs = page.get_by_role("navigation", name="Journal")
    await expect(page.get_by_text("There is too little to compare yet.").first).to_be_visible()
    await page.get_by_role("link", name="Entries", exact=True).first.click()
    await page.get_by_label("An exported journal").set_input_files(EXPERIENCES)
    await expect(page.get_by_text("159 lines added").first).to_be_visible()
    await visitor.look_everywhere("journal")
    await page.get_by_label("Outcome").select_option("falsified")
    await expect(page).to_have_url(re.compile("outcome=falsified"))
    await page.reload()
    await expect(page.get_by_label("Outcome")).to_have_value("falsified")

    await tabs.get_by_role("link", name="Clusters").click()
    await page.get_by_role("link", name="Root cause").click()
    clusters = page.get_by_role("list", name="Clusters")
    await clusters.get_by_role("link", name=await _cluster_of(server, ISOLATION)).focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Experiences in it")).to_be_visible()
    await visitor.look_everywhere("journal-clusters")

    value = page.get_by_label("The value")
    await value.fill("Bananas are yellow and bend towards the light")
    await page.get_by_role("button", name="See whether it fits").click()
    await expect(page.get_by_role("button", name="Keep this value")).to_be_hidden()
    await value.fill(VALUE)
    await page.get_by_role("button", name="See whether it fits").click()
    await page.get_by_role("button", name="Keep this value").click()
    await expect(page.get_by_text("It is shown for tasks that it fits.").first).to_be_visible()
    await page.get_by_role("link", name="All values").click()
    await expect(page.get_by_text(VALUE).first).to_be_visible()
    await page.get_by_label("What are you about to do?").fill("Fix a test that fails now and then")
    await page.get_by_role("button", name="What should I know?").click()
    await expect(
        page.get_by_role("list", name="Worth knowing").get_by_role("listitem").first
    ).to_be_visible()
    await visitor.look_everywhere("journal-values")

    await page.get_by_role("link", name="Calibration").click()
    await expect(page.get_by_text("came true: surer than").first).to_be_visible()
    await page.get_by_role("img").locator("canvas").wait_for()
    await visitor.look_everywhere("journal-calibration")

    await tabs.get_by_role("link", name="Search").click()
    await page.get_by_label("What was it about?").fill("tests that disturb each other")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("list", name="Experiences found")).to_contain_text("test")
    await visitor.look_everywhere("journal-search")


async def _cluster_of(server: RunningServer, entry_id: str) -> str:
    """The name that the page gives to the cluster of an experience."""
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=DEADLINE) as http:
        drawn = (await http.get("/api/journal/map?axis=root_cause")).json()
    [point] = [point for point in drawn["points"] if point["id"] == entry_id]
    return f"Cluster {int(point['cluster_id'].rpartition('_')[2]) + 1}"


async def test_a_long_journal_keeps_the_page_small(server: RunningServer, visit: Visit) -> None:
    told = [json.loads(line) for line in EXPERIENCES.read_text().splitlines()]
    many = [
        line | {"id": f"ghap_2020{month:02d}{day:02d}_000000_{number:06x}"}
        for number, line in enumerate(told)
        for month in range(1, 4)
        for day in range(1, 3)
    ]
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=DEADLINE) as http:
        for start in range(0, len(many), 500):
            answer = await http.post(
                "/api/journal/import", json={"lines": many[start : start + 500]}
            )
            assert answer.is_success, answer.text
    page = await (await visit(server.url)).go("/journal")
    rows = page.get_by_role("list", name="Entries").get_by_role("listitem")
    for _ in range(3):
        await page.get_by_role("button", name="Show older entries").click()
        await expect(page.get_by_role("button", name="Show older entries")).to_be_enabled()
    await expect(rows.first).to_have_attribute("aria-setsize", "400")
    assert await rows.count() < 60
