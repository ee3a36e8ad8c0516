"""The board's lists: a failure on its way to a confirmed fix, and what each shows on the way."""

import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.board.builders import BAKERY, write_project
from tests.end_to_end.conftest import DEADLINE, RunningServer, Start
from tests.end_to_end.web.browsing import PATIENCE, Visit

expect.set_options(timeout=PATIENCE)

TEST = "test_adds_up"
MANY = 10_000
#: Whether the middle of the window shows a row, rather than the place of one.
IS_SHOWN = """
() => document.elementFromPoint(innerWidth / 2, innerHeight - 150)?.closest("li article") != null
"""


def junit(*failing: str) -> str:
    cases = "".join(
        f'<testcase classname="tests.test_till" name="{name}" file="tests/test_till.py" line="7">'
        f'<failure message="AssertionError: assert 89 == 90">'
        f"tests/test_till.py:9: AssertionError in {name}</failure></testcase>"
        for name in failing
    )
    suite = f'<testsuite name="pytest" tests="{len(failing)}">{cases}</testsuite>'
    return f"<testsuites>{suite}</testsuites>"


class Agent:
    """Somebody's agent at the REST door, as Claude Code's hooks and tools use it."""

    def __init__(self, http: httpx.AsyncClient, project: dict[str, Any]) -> None:
        self.http = http
        self.project = project

    async def call(self, method: str, path: str, **body: Any) -> Any:
        response = await self.http.request(method, f"/api/board/{path}", json=body or None)
        assert response.is_success, response.text
        return response.json()

    async def register(self, client: str) -> str:
        asked = {"project_id": self.project["id"], "client_session_id": client}
        return str((await self.call("POST", "sessions", **asked))["id"])

    async def hook(self, client: str, event: str, **more: Any) -> None:
        about = {"session_id": client, "hook_event_name": event, "cwd": self.project["path"]}
        assert (await self.call("POST", "hooks", **about, **more))["recorded"]


@pytest_asyncio.fixture(loop_scope="session")
async def agent(server: RunningServer) -> AsyncIterator[Agent]:
    write_project(server.project, BAKERY)
    async with httpx.AsyncClient(base_url=server.url, timeout=DEADLINE, trust_env=False) as http:
        scanned = (await http.post("/api/projects/scan")).json()
        yield Agent(http, scanned["projects"][0])


async def tab(page: Page, name: str) -> None:
    await page.get_by_role("navigation", name="Board").get_by_role("link", name=name).click()


async def test_a_board_without_projects_says_how_to_begin(
    start_server: Start, visit: Visit
) -> None:
    server = start_server(BOTTEGA_MODEL="offline")
    visitor = await visit(server.url)
    page = await visitor.go("/board")
    await expect(page.get_by_text("No project is on the board yet").first).to_be_visible()
    await visitor.look_everywhere("board-no-project")
    await page.get_by_role("button", name="Look for projects").click()
    await expect(page.get_by_text("No project was found.").first).to_be_visible()

    (server.project / "openspec" / "changes").mkdir(parents=True)
    await page.get_by_role("button", name="Look for projects").click()
    await expect(page.get_by_text("Nothing to do yet").first).to_be_visible()
    for name, said in (
        ("Specs", "No changes yet"),
        ("Errors", "No failing tests are known"),
        ("Approvals", "Nothing needs you"),
        ("Sessions", "No agent is working"),
        ("Knowledge", "Nothing is known here yet"),
    ):
        await tab(page, name)
        await expect(page.get_by_text(said).first).to_be_visible()
        await visitor.look(f"board-empty-{name.lower()}")


async def test_from_a_failing_test_to_a_confirmed_fix(
    server: RunningServer, agent: Agent, visit: Visit
) -> None:
    visitor = await visit(server.url)
    visitor.expected_refusals.append("/api/board/reports")  # the broken one
    page = await visitor.go("/board")
    await send_a_report(page)
    await visitor.look_everywhere("board-errors")
    change = await propose_a_change(page)
    await approve(page, change)
    await visitor.look_everywhere("board-work")
    session, work = await claim(page, agent)
    assert work["change_id"] == change
    await tab(page, "All work")
    await expect(page.get_by_text(re.compile(r"held by worker \w+ until \d")).first).to_be_visible()
    await answer_its_question(page, agent, session)
    await agent.call(
        "POST",
        f"work/{change}/complete",
        session_id=session,
        lease_token=work["lease_token"],
        result="Rounded to whole cents.\n\nAll tests pass.",
    )
    await (
        page.get_by_role("article", name=work["title"])
        .get_by_role("button", name="Confirm")
        .click()
    )
    await expect(
        page.get_by_text(f"Confirmed: “{work['title']}” is applied.").first
    ).to_be_visible()
    await tab(page, "Specs")
    await page.get_by_role("button", name=re.compile("^applied")).click()
    await expect(page.get_by_role("link", name=work["title"])).to_be_visible()
    await expect(page.get_by_text("held by")).to_have_count(0)
    await page.get_by_role("link", name="Applied so far").click()
    await expect(page.get_by_role("link", name=change)).to_be_visible()


async def send_a_report(page: Page) -> None:
    await page.get_by_role("button", name="Send a test report").click()
    picker = page.get_by_label("Report file")
    broken = {"name": "report.xml", "mimeType": "text/xml", "buffer": b"<testsuites"}
    await picker.set_input_files(broken)  # type: ignore[arg-type]
    await expect(page.get_by_role("alert")).to_contain_text("XML")
    report = {"name": "report.xml", "mimeType": "text/xml", "buffer": junit(TEST).encode()}
    await picker.set_input_files(report)  # type: ignore[arg-type]
    await expect(page.get_by_text("1 failure not met before.").first).to_be_visible()
    await page.get_by_role("link", name="See the failures").click()
    await expect(page.get_by_text("met 1 time").first).to_be_visible()


async def propose_a_change(page: Page) -> str:
    await page.get_by_role("link", name=TEST).click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(TEST)
    await page.get_by_role("button", name="Create spec").click()
    said = page.get_by_text(re.compile("Proposed as .* It waits under Approvals"))
    found = re.search(r"Proposed as (\S+)\. It", await said.inner_text())
    assert found
    await expect(page.get_by_role("link", name="Its change")).to_be_visible()
    return found[1]


async def approve(page: Page, change: str) -> None:
    await page.goto(re.sub("/board/.*", "/board/approvals", page.url))
    proposal = page.get_by_role("article").filter(has_text=change)
    await proposal.get_by_role("button", name="Approve").click()
    await expect(page.get_by_text("waits in the queue.").first).to_be_visible()
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_text("is a proposal again.").first).to_be_visible()
    await proposal.get_by_role("button", name="Approve").click()
    await expect(proposal).to_have_count(0)
    await tab(page, "All work")
    row = page.get_by_role("article").filter(has_text="waits in the queue for an agent")
    await expect(row).to_have_count(1)


async def claim(page: Page, agent: Agent) -> tuple[str, dict[str, Any]]:
    """While the page of sessions is open: it shows what happens."""
    await tab(page, "Sessions")
    await expect(page.get_by_text("No agent is working").first).to_be_visible()
    session = await agent.register("claude-1")
    card = page.get_by_role("article")
    await expect(card.get_by_text("Holds no work").first).to_be_visible()
    work = (await agent.call("POST", "queue/next", session_id=session))["work"]
    await expect(card.get_by_text(work["title"]).first).to_be_visible()
    await expect(card.get_by_text("lease until").first).to_be_visible()
    tool = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_use_id": "t1"}
    await agent.hook("claude-1", "PreToolUse", **tool)
    await expect(card.get_by_text("Uses Bash").first).to_be_visible()
    return session, work


async def answer_its_question(page: Page, agent: Agent, session: str) -> None:
    await tab(page, "Approvals")
    question = "Round up or down?"
    asked = await agent.call(
        "POST", "clarifications", session_id=session, question=question, options=["Up", "Down"]
    )
    card = page.get_by_role("article", name=question)
    await card.get_by_label("Or in your own words").fill("Half to even")
    await page.reload()
    await expect(card.get_by_label("Or in your own words")).to_have_value("Half to even")
    await card.get_by_role("button", name="Answer").click()
    await expect(card).to_have_count(0)
    heard = await agent.call("GET", f"clarifications/{asked['id']}")
    assert heard["answer"] == "Half to even"


async def test_filters_survive_a_reload_and_the_way_back(
    server: RunningServer, agent: Agent, visit: Visit
) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/board")
    await page.get_by_role("button", name="proposing").click()
    await page.get_by_role("button", name="applied").click()
    await page.get_by_label("Search").fill("ad discuonts")  # mistyped, and found
    row = page.get_by_role("link", name="Add discounts")
    await expect(row).to_be_visible()
    await expect(page).to_have_url(re.compile(r"status=proposing\.applied&search=ad"))
    await page.reload()
    await expect(page.get_by_label("Search")).to_have_value("ad discuonts")
    await expect(page.get_by_role("button", name="proposing")).to_have_attribute(
        "aria-pressed", "true"
    )
    await row.click()
    await page.go_back()
    await expect(page.get_by_label("Search")).to_have_value("ad discuonts")
    await page.get_by_label("Search").fill("submarine")
    await expect(page.get_by_text("Nothing matches these filters").first).to_be_visible()
    await page.get_by_role("search").get_by_role("button", name="Clear filters").click()
    await expect(page).to_have_url(f"{server.url}/board")
    await expect(page.get_by_label("Search")).to_have_value("")
    await expect(row).to_be_visible()


async def test_specs_show_what_the_project_promises(
    server: RunningServer, agent: Agent, visit: Visit
) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/board/specs")
    await expect(page.get_by_role("link", name="Add discounts")).to_be_visible()
    await visitor.look_everywhere("board-specs")
    await page.get_by_role("link", name="What the projects do today").click()
    await page.get_by_role("button", name="orders").click()
    await page.get_by_text("1 scenario").click()
    await expect(page.get_by_text("two rolls at 45 cents are ordered").first).to_be_visible()
    await visitor.look_everywhere("board-capabilities")


async def test_a_proposal_is_rejected_with_a_reason_that_is_not_lost(
    server: RunningServer, agent: Agent, visit: Visit
) -> None:
    deltas = [{"capability": "orders", "removed": ["Totals"]}]
    proposed = {"title": "Drop totals", "why": "Nobody reads them." * 5, "what_changes": "- None"}
    tasks = [{"title": "Work", "items": ["Delete the sum"]}]
    await agent.call(
        "POST",
        "changes",
        project_id=agent.project["id"],
        tasks=tasks,
        deltas=deltas,
        **proposed,
    )
    visitor = await visit(server.url)
    page = await visitor.go("/board/approvals")
    card = page.get_by_role("article", name="Drop totals")
    await expect(card.get_by_text("Nobody reads them.").first).to_be_visible()
    await visitor.look_everywhere("board-approvals")
    await card.get_by_role("button", name="Reject…").click()
    await page.get_by_label("Why not").fill("Customers do read them.")
    await page.get_by_role("button", name="Cancel").click()
    await card.get_by_role("button", name="Reject…").click()
    await expect(page.get_by_label("Why not")).to_have_value("Customers do read them.")
    await visitor.look("board-reject")
    await page.get_by_role("button", name="Reject", exact=True).click()
    await expect(card).to_have_count(0)


async def test_a_persons_word_on_a_failure_stands(
    server: RunningServer, agent: Agent, visit: Visit
) -> None:
    name = "test_opens_the_drawer"
    params = {"project_id": agent.project["id"]}
    await agent.http.post("/api/board/reports", params=params, content=junit(name))
    visitor = await visit(server.url)
    page = await visitor.go("/board/errors?search=drawer")
    await page.get_by_role("link", name=name).click()
    await page.get_by_label("Action", exact=True).select_option("ignore")
    await page.get_by_label("Your reason").fill("The drawer was broken that day.")
    await page.get_by_role("button", name="Save decision").click()
    await expect(page.get_by_text("decided by a person").first).to_be_visible()
    await page.get_by_label("Kind of failure").select_option("FLAKY")
    await expect(page.get_by_text("flaky: passes and fails in turn").first).to_be_visible()
    await visitor.look_everywhere("board-error")
    await page.get_by_role("button", name="Fix now").click()
    await expect(page.get_by_text("is in the queue.").first).to_be_visible()
    await expect(page.get_by_text("approved").first).to_be_visible()
    await page.get_by_role("link", name="All failing tests").click()
    await expect(page.get_by_text(re.compile(r"in \d of \d cases")).first).to_be_visible()


async def test_a_session_is_followed_and_ended(
    server: RunningServer, agent: Agent, visit: Visit
) -> None:
    session = await agent.register("claude-2")
    for number in range(150):
        tool = {"tool_name": "Read", "tool_input": {"file_path": f"src/{number}.py"}}
        await agent.hook("claude-2", "PostToolUse", **tool, duration_ms=20)
    visitor = await visit(server.url)
    page = await visitor.go(f"/board/sessions/{session}")
    activity = page.get_by_role("list", name="Activity")
    await expect(activity.get_by_text("src/149.py", exact=True).first).to_be_visible()
    await agent.hook(
        "claude-2", "PreToolUse", tool_name="Bash", tool_input={"command": "make test"}
    )
    await expect(activity.get_by_text("make test", exact=True).first).to_be_visible()
    await expect(page.get_by_role("row", name="Read 150")).to_be_visible()
    await visitor.look_everywhere("board-session")
    assert await activity.get_by_role("listitem").count() < 60
    await page.get_by_role("button", name="End session…").click()
    await page.get_by_role("button", name="End session", exact=True).click()
    await expect(page.get_by_text("The session is over.").first).to_be_visible()
    await page.get_by_role("link", name="All sessions").click()
    await page.get_by_label("Show ended sessions").check()
    await expect(page.get_by_role("list", name="Ended sessions")).to_be_visible()
    await visitor.look_everywhere("board-sessions")


async def test_knowledge_is_told_searched_moved_and_given_back(
    server: RunningServer, agent: Agent, visit: Visit
) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/board/knowledge")
    await page.get_by_role("button", name="Add knowledge").click()
    await page.get_by_label("What agents should know").fill("Ovens are numbered from one.")
    await page.get_by_role("button", name="Note it").click()
    card = page.get_by_role("article").filter(has_text="Ovens are numbered from one.")
    await expect(card).to_be_visible()
    await visitor.look_everywhere("board-knowledge")
    await page.get_by_label("Search").fill("numbered ovens")
    await expect(page).to_have_url(re.compile("search=numbered"))
    await expect(card).to_be_visible()
    await card.get_by_role("button", name="Edit").click()
    await page.get_by_label("Weight").fill("8")
    await page.get_by_role("button", name="Save").click()
    await expect(card.get_by_text("weight 8 of 10").first).to_be_visible()
    await card.get_by_role("button", name="Delete").click()
    await expect(card).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(card).to_be_visible()
    await card.get_by_role("button", name="Tell every project").click()
    await page.get_by_role("link", name="Everywhere").click()
    await expect(card).to_be_visible()
    await card.get_by_role("button", name="Tell only project").click()
    await expect(card).to_have_count(0)


async def test_ten_thousand_rows_scroll_with_few_in_the_page(
    start_server: Start, visit: Visit
) -> None:
    server = start_server(BOTTEGA_MODEL="offline")
    (server.project / "openspec").mkdir()
    async with httpx.AsyncClient(base_url=server.url, timeout=DEADLINE, trust_env=False) as http:
        [project] = (await http.post("/api/projects/scan")).json()["projects"]
        report = junit(*(f"test_number_{number}" for number in range(MANY)))
        params = {"project_id": project["id"]}
        (await http.post("/api/board/reports", params=params, content=report)).raise_for_status()
    page = await (await visit(server.url)).go("/board?show=errors")
    rows = page.get_by_role("list", name="All work").get_by_role("listitem")
    await expect(page.get_by_text("10,000 items").first).to_be_visible()
    for share in (0.2, 0.5, 0.8, 1):
        await page.evaluate(
            "share => { const main = document.querySelector('main');"
            " main.scrollTop = share * main.scrollHeight; }",
            share,
        )
        await page.wait_for_function(IS_SHOWN)
        assert await rows.count() < 200
    await expect(page.locator(f"li[aria-posinset='{MANY}'] article")).to_be_in_viewport()
