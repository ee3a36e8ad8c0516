"""Research in the browser: asked, agreed to, watched, read with its sources, followed up."""

import asyncio
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from playwright.async_api import Page, expect

from bottega.core.llm.testing import LoopbackApi
from tests.end_to_end.answers import expecting
from tests.end_to_end.conftest import DEADLINE, RunningServer, Start
from tests.end_to_end.web.browsing import Visit

QUESTION = "How long may a shift of the watch last?"
CHANNEL = "Which radio channel does the watch listen on?"
UNANSWERABLE = "Who won the regatta of 1987?"
RUN_PAGE = re.compile("/research/runs/run_")


def stock(server: RunningServer, examples: Path) -> None:
    """A library of the example standards."""
    with httpx.Client(base_url=f"{server.url}/api", timeout=DEADLINE, trust_env=False) as http:
        made = {"name": "harbour", "title": "Harbour standards"}
        http.post("/libraries", json=made).raise_for_status()
        folder = {"folder": str(examples / "standards")}
        run = http.post("/libraries/harbour/ingest", json=folder).raise_for_status().json()
        path = f"/libraries/harbour/ingests/{run['run_id']}"
        assert http.get(path, params={"wait": 30}).json()["status"] == "completed"


@pytest.fixture(scope="module")
def harbour(server: RunningServer, examples: Path) -> RunningServer:
    stock(server, examples)
    return server


async def start(server: RunningServer, question: str, **order: Any) -> str:
    """A run that another door started; its id."""
    async with httpx.AsyncClient(
        base_url=f"{server.url}/api", trust_env=False, timeout=DEADLINE
    ) as http:
        asked = {"question": question, "library": "harbour", "depth": "quick", **order}
        answer = (await http.post("/research/runs", json=asked)).raise_for_status()
        return str(answer.json()["id"])


async def ask(page: Page, question: str) -> None:
    await page.get_by_label("Your question").fill(question)
    await page.get_by_role("button", name="Ask").click()
    await expect(page).to_have_url(RUN_PAGE)


async def test_before_there_is_a_library_the_way_to_one_is_shown(
    server: RunningServer, visit: Visit
) -> None:
    """The first test of the module: the others fill the house."""
    visitor = await visit(server.url)
    page = await visitor.go("/research")
    await expect(page.get_by_text("There is no library to ask yet").first).to_be_visible()
    await expect(page.get_by_text("Nothing was asked yet").first).to_be_visible()
    await visitor.look("research-empty")
    await page.get_by_role("link", name="Make a library").click()
    await expect(page).to_have_url(re.compile("/libraries$"))


async def test_a_question_is_asked_agreed_to_answered_and_followed_up(
    harbour: RunningServer, visit: Visit
) -> None:
    visitor = await visit(harbour.url)
    page = await visitor.go("/research")
    await page.get_by_label("Your question").fill(QUESTION)
    await expect(page.get_by_text("looks as if it can answer this").first).to_be_visible()
    await visitor.look("research-ask")
    await page.reload()
    await expect(page.get_by_label("Your question")).to_have_value(QUESTION)
    await page.get_by_label("Your question").press("Control+Enter")
    await expect(page).to_have_url(RUN_PAGE)

    await expect(page.get_by_text("This is how I understand your question.").first).to_be_visible()
    stages = page.get_by_role("list", name="Stages")
    await expect(stages.get_by_text("Understanding the question").first).to_be_visible()
    await page.get_by_label("Or in your own words").fill("only the standards, please")
    await page.reload()
    words = page.get_by_label("Or in your own words")
    await expect(words).to_have_value("only the standards, please")
    await visitor.look_everywhere("research-pause")
    await page.get_by_role("button", name="Send").click()
    await expect(words).to_have_value("")
    await page.get_by_role("button", name="Go on").click()

    await expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    await expect(page.get_by_text("eight hours").first).to_be_visible()
    await expect(page.get_by_text("high confidence").first).to_be_visible()
    await page.get_by_role("link", name="100.13", exact=True).first.click()
    beside = page.get_by_role("complementary", name="Cited paragraph")
    await expect(beside.locator("mark")).to_contain_text("not be longer than eight hours")
    await visitor.look_everywhere("research-answer")
    in_the_library = beside.get_by_role("link", name="Open it in the library")
    await expect(in_the_library).to_have_attribute("href", "/libraries/harbour/paragraphs/100.13")
    await page.keyboard.press("Escape")
    await expect(beside).to_be_hidden()
    await page.get_by_text("How it went").click()
    await expect(
        page.get_by_role("list", name="Stages").get_by_text("Verifying").first
    ).to_be_visible()
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Download").click()
    assert "eight hours" in (await (await download.value).path()).read_text()

    await page.get_by_label("Your next question").fill(CHANNEL)
    await page.get_by_label("Do not stop to ask me").check()
    await page.get_by_role("button", name="Ask further").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(CHANNEL)
    await expect(page.get_by_text("channel 12").first).to_be_visible()
    await page.get_by_role("link", name=QUESTION).click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)


async def test_what_the_library_does_not_hold_is_refused_with_a_way_on(
    harbour: RunningServer, visit: Visit
) -> None:
    visitor = await visit(harbour.url)
    page = await visitor.go("/research")
    await page.get_by_label("Do not stop to ask me").check()
    await ask(page, UNANSWERABLE)
    await expect(page.get_by_role("heading", name="No answer, and none made up")).to_be_visible()
    await expect(
        page.get_by_text("The library does not have: regatta, 1987.").first
    ).to_be_visible()
    await expect(page.get_by_role("heading", name="What you can do")).to_be_visible()
    await visitor.look("research-refused")


async def test_leaving_a_run_answers_what_was_asked_instead(
    harbour: RunningServer, visit: Visit
) -> None:
    visitor = await visit(harbour.url)
    page = await visitor.go(f"/research/runs/{await start(harbour, QUESTION)}")
    await page.get_by_label("Or in your own words").fill(f"Never mind. {CHANNEL}")
    await page.get_by_role("button", name="Send").click()
    await page.get_by_role("button", name="Yes, leave").click()
    await expect(page.get_by_role("heading", name="You left this research")).to_be_visible()
    await expect(page.get_by_text("channel 12").first).to_be_visible()
    await visitor.look("research-left")
    await page.get_by_role("link", name="the conversation", exact=True).click()
    messages = page.get_by_role("list", name="Messages").get_by_role("listitem")
    await expect(messages.first).to_contain_text(QUESTION)
    await page.get_by_label("Say something").fill("How long may a shift last?")
    await page.get_by_role("button", name="Send").click()
    await expect(messages.last).to_contain_text("eight hours")
    await visitor.look_everywhere("research-conversation")


async def test_runs_are_listed_live_found_again_and_sorted(
    harbour: RunningServer, visit: Visit
) -> None:
    visitor = await visit(harbour.url)
    page = await visitor.go("/research")
    question = "What does the harbour master decide?"
    run = await start(harbour, question)
    link = page.get_by_role("link", name=question)
    await expect(link).to_be_visible()
    row = page.get_by_role("listitem").filter(has=link).last
    await expect(row).to_contain_text("Needs you")
    await link.click()
    await page.get_by_role("button", name="Cancel the research").click()
    await page.get_by_role("button", name="Yes, stop it").click()
    await expect(page.get_by_text("Cancelled", exact=True).first).to_be_visible()
    await page.get_by_label("Important").check()
    await page.get_by_label("Status").select_option("Done")

    page = await visitor.go("/research?label=important&status=done")
    await expect(page.get_by_role("link", name=question)).to_be_visible()
    await visitor.look_everywhere("research-list")
    await page.get_by_role("searchbox", name="Find").fill("nothing has these words")
    await expect(page.get_by_text("No matches").first).to_be_visible()
    page = await visitor.go(f"/research/runs/{run}")
    await page.get_by_role("link", name="Open the conversation").click()
    await page.get_by_role("button", name="Delete").click()
    await page.get_by_role("button", name="Delete it").click()
    await expect(page).to_have_url(re.compile("/research$"))
    await expect(page.get_by_role("link", name=question)).to_be_hidden()


async def test_what_agents_ask_is_answered_where_it_appears(
    harbour: RunningServer, visit: Visit
) -> None:
    visitor = await visit(harbour.url)
    page = await visitor.go("/research")
    async with httpx.AsyncClient(
        base_url=f"{harbour.url}/api", trust_env=False, timeout=DEADLINE
    ) as http:
        session = (await http.post("/research/sessions", json={})).json()["id"]
    async with Client(f"{harbour.url}/mcp", mode="legacy") as agent:
        plan = {"session_id": session, "title": "Two steps", "plan": "1. Read.\n2. Write."}
        await agent.call_tool("submit_plan", plan)
    await expect(page.get_by_role("heading", name="Plan: Two steps")).to_be_visible()
    await visitor.look("research-requests")
    await page.get_by_role("button", name="Agree to the plan").click()
    await expect(page.get_by_role("heading", name="Agents ask you")).to_be_hidden()


async def test_an_unknown_run_says_so(harbour: RunningServer, visit: Visit) -> None:
    visitor = await visit(harbour.url)
    visitor.expected_refusals.append("/api/research/runs/run_none")
    page = await visitor.go("/research/runs/run_none")
    await expect(page.get_by_role("alert")).to_contain_text("run_none")


@dataclass
class Model:
    """A model on the wire whose first draft is wrong, and whose second waits to be let go."""

    api: LoopbackApi
    repaired: asyncio.Event = field(default_factory=asyncio.Event)

    def script(self) -> None:
        analysis = {
            "sub_queries": [{"query": QUESTION, "role": "primary", "standards": []}],
            "scope": "the watch",
            "primary_standards": ["100"],
            "assumptions": [],
            "clarity_score": 0.9,
            "recommended_action": "proceed",
            "alternative_interpretations": [],
            "clarification_questions": [],
            "depth_mode": "standard",
            "authority_sources": [],
        }
        usage = (9_000, 1_500)
        self.api.reply(json=analysis, when=expecting("clarity_score"), times=9, usage=usage)
        self.api.reply(json={"pages": []}, when=expecting("pages"), times=9)
        is_draft = expecting("cannot_answer")
        self.api.reply(json=draft("A shift of the watch shall last twelve hours."), when=is_draft)
        claim = (
            "A shift of the watch shall not be longer than eight hours, unless the relief is ill."
        )
        self.api.reply(json=draft(claim), when=is_draft, hold=self.repaired)
        self.api.reply(json={"title": "The watch"}, when=expecting("title"), times=9)


def draft(claim: str) -> dict[str, Any]:
    return {
        "title": "The watch",
        "summary": [{"text": claim, "citations": ["100.13"], "labels": []}],
        "sections": [],
        "key_findings": [claim],
        "conclusions": [],
        "entities": [],
        "relations": [],
        "cannot_answer": None,
    }


async def test_text_is_seen_as_it_is_written_and_only_in_its_own_run(
    start_server: Start, visit: Visit, examples: Path
) -> None:
    async with LoopbackApi() as api:
        model = Model(api)
        model.script()
        server = start_server(
            BOTTEGA_MODEL="anthropic",
            ANTHROPIC_API_KEY="sk-ant-loopback",
            ANTHROPIC_BASE_URL=api.url,
        )
        await asyncio.to_thread(stock, server, examples)
        waiting = await start(server, CHANNEL, depth="standard")
        visitor = await visit(server.url)
        page = await visitor.go("/research")
        await page.get_by_label("Depth").select_option("standard")
        await ask(page, QUESTION)
        writing = page.get_by_role("region", name="Being written")
        await page.get_by_role("button", name="Go on").click()
        await expect(writing).to_contain_text("A shift of the watch shall last twelve hours.")
        await expect(page.get_by_text("Repairing the answer, attempt 1").first).to_be_visible()
        await visitor.look("research-writing")

        address = page.url
        await (
            page.get_by_role("navigation", name="Rooms")
            .get_by_role("link", name="Research")
            .click()
        )
        await page.get_by_role("link", name=CHANNEL).click()
        await expect(page).to_have_url(re.compile(waiting))
        await expect(page.get_by_role("button", name="Go on")).to_be_visible()
        await expect(page.get_by_text("twelve hours")).to_be_hidden()
        await expect(page.get_by_text("Repairing the answer")).to_be_hidden()

        await page.goto(address)
        await expect(page.get_by_text("Repairing the answer, attempt 1").first).to_be_visible()
        model.repaired.set()
        await expect(page.get_by_role("heading", name="Answer")).to_be_visible()
        await expect(page.get_by_text("not be longer than eight hours").first).to_be_visible()
        await expect(page.get_by_text(re.compile(r"costs \$0\.\d+")).first).to_be_visible()
        await visitor.look("research-answer-of-a-model")
