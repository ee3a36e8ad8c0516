"""Agents, skills and sources by hand: what they are, what is wrong with them, what may run."""

import json
import re
import sys
from pathlib import Path

from playwright.async_api import expect

from tests.end_to_end.conftest import RunningServer
from tests.end_to_end.web.browsing import Visit

PEER = Path(__file__).parents[2] / "research" / "servers" / "stdio_peer.py"
AGENT = "---\nname: Tides\ndescription: Knows the tides.\nsorces: []\n---\nBe exact.\n"


def put(server: RunningServer, path: str, text: str) -> None:
    file = server.project / ".bottega" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


async def test_agents_show_what_they_are_and_what_is_wrong(
    server: RunningServer, visit: Visit
) -> None:
    put(server, "agents/tides/AGENT.md", AGENT)
    visitor = await visit(server.url)
    page = await visitor.go("/agents")
    await expect(page.get_by_text("did you mean 'sources'?").first).to_be_visible()
    await expect(page.get_by_role("link", name="planner of lesson-planning")).to_be_visible()
    await visitor.look_everywhere("agents")

    await page.get_by_role("link", name="tides").click()
    problems = page.get_by_role("region", name="Problems of tides")
    await expect(problems).to_contain_text("AGENT.md:4:1")
    await expect(problems).to_contain_text("config.json:1:1")
    await expect(page.get_by_role("link", name="Ask with this agent")).to_have_count(0)
    await visitor.look("agent-broken")

    await visitor.go("/agents/deep-research")
    await expect(page.get_by_role("link", name="Ask with this agent")).to_be_visible()
    await expect(page.get_by_text("It has not been used yet").first).to_be_visible()
    await expect(page.get_by_role("row", name=re.compile("^quick"))).to_contain_text("4,000 tokens")
    await visitor.look_everywhere("agent")

    await visitor.go("/agents/lesson-planning:planner")
    await expect(page.get_by_text("lesson-planning:create-lesson").first).to_be_visible()
    await visitor.look("agent-of-plugin")


async def test_the_runs_of_an_agent_are_live(server: RunningServer, visit: Visit) -> None:
    visitor = await visit(server.url)
    page = await visitor.go("/agents/deep-research")
    await expect(page.get_by_text("It has not been used yet").first).to_be_visible()
    request = page.request
    begun = await (await request.post(f"{server.url}/api/libraries/example")).json()
    path = f"{server.url}/api/libraries/harbour/ingests/{begun['run_id']}?wait=30"
    assert (await (await request.get(path)).json())["status"] == "completed"
    asked = {"question": "Which radio channel does the watch listen on?", "library": "harbour"}
    run = await (await request.post(f"{server.url}/api/research/runs", data=asked)).json()
    row = page.get_by_role("listitem").filter(has_text="Which radio channel")
    await expect(row).to_contain_text("needs you")
    await expect(row.get_by_role("link")).to_have_attribute("href", f"/research/runs/{run['id']}")
    await request.post(f"{server.url}/api/research/runs/{run['id']}/cancel")
    await expect(row).to_contain_text("cancelled")


async def test_skills_are_read(server: RunningServer, visit: Visit) -> None:
    put(server, "skills/tides/SKILL.md", "---\nname: waves\ndescription: Of waves.\n---\nLook.\n")
    visitor = await visit(server.url)
    page = await visitor.go("/skills")
    await expect(page.get_by_text("my-skill/SKILL.md").first).to_be_visible()
    await page.get_by_role("link", name="check-an-answer").click()
    await expect(page.get_by_role("heading", level=2, name="check-an-answer")).to_be_visible()
    await expect(page.locator(".prose li").first).to_be_visible()
    await visitor.look_everywhere("skills")
    await page.get_by_role("link", name="tides").click()
    await expect(page.get_by_role("region", name="Problems of tides")).to_contain_text(
        "SKILL.md:2:"
    )
    await page.get_by_role("link", name="retrieval-practice").click()
    await expect(page.get_by_text("Read by").first).to_be_visible()


async def test_a_projects_source_is_trusted_enabled_and_tested(
    server: RunningServer, visit: Visit
) -> None:
    config = {
        "type": "stdio",
        "name": "Tides",
        "description": "High and low water.",
        "command": sys.executable,
        "args": [str(PEER), "none"],
        "env": {"PLACE": "Saltmere", "TIDES_KEY": "${credential:tides}"},
    }
    put(server, "sources/tides/config.json", json.dumps(config))
    put(server, "sources/torn/config.json", '{"type": "stdio", "nam": "Torn"}')
    visitor = await visit(server.url)
    page = await visitor.go("/sources")
    await expect(page.get_by_text("not trusted yet").first).to_be_visible()
    await expect(page.get_by_text("broken file").first).to_be_visible()
    await visitor.look_everywhere("sources")

    await page.get_by_role("link", name="Tides").click()
    await expect(page.get_by_role("button", name="Test it")).to_be_disabled()
    await page.get_by_role("button", name="Enable it").click()
    dialog = page.get_by_role("dialog", name="Do you trust Tides?")
    for shown in (sys.executable, str(PEER), "PLACE=Saltmere", "TIDES_KEY=${credential:tides}"):
        await expect(dialog.get_by_text(shown, exact=True).first).to_be_visible()
    await visitor.look_everywhere("source-trust")
    await dialog.get_by_role("button", name="I trust it, enable it").click()
    await expect(dialog).to_have_count(0)
    await expect(page.get_by_role("button", name="Disable it")).to_be_visible()

    await page.get_by_role("button", name="Test it").click()
    steps = page.get_by_role("list", name="Steps of the test")
    await expect(steps).to_contain_text("credentials failed")
    await page.get_by_label(re.compile("^tides")).fill("s3cret")
    await page.get_by_role("button", name="Keep it").click()
    await expect(page.get_by_text("is there").first).to_be_visible()
    await expect(page.get_by_label(re.compile("^tides"))).to_have_value("")
    await page.get_by_role("button", name="Test it").click()
    await expect(steps.get_by_role("listitem")).to_have_count(4)
    await expect(steps).to_contain_text("tools passed")
    await expect(page.get_by_text("Does echo.").first).to_be_visible()
    await visitor.look_everywhere("source")

    await page.get_by_role("button", name="Forget it").click()
    await page.get_by_role("dialog").get_by_role("button", name="Forget it").click()
    await expect(page.get_by_text("is missing").first).to_be_visible()
    await page.get_by_role("button", name="Disable it").click()
    await expect(page.get_by_role("button", name="Enable it")).to_be_visible()

    # Another byte, and nobody has trusted it.
    put(server, "sources/tides/config.json", json.dumps(config, indent=1))
    await page.reload()
    await expect(page.get_by_text("nothing of it has run yet").first).to_be_visible()
    await visitor.go("/sources/torn")
    await expect(page.get_by_role("region", name="Problems of torn")).to_contain_text(
        "did you mean 'name'?"
    )
