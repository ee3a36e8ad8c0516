"""From a failing page to an archived change, with the real programs in the path: Playwright and a
browser, our reporter, the OpenSpec CLI, an MCP client, and the server as a process."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from bottega.app import build_core
from bottega.board.agents.sessions import Monitor
from bottega.core import clock
from bottega.settings import Settings
from tests.board.builders import BAKERY, write_project
from tests.clients.npm import browser, installed
from tests.end_to_end.conftest import RunningServer, launch

pytestmark = pytest.mark.clients

REPORTER = Path(__file__).parents[2] / "integrations" / "playwright"
PAGE = "<!doctype html><title>Shop</title><h1>{heading}</h1>\n"
TEST = """
const { test, expect } = require('@playwright/test');
const { pathToFileURL } = require('node:url');

test('the shop says its name', async ({ page }) => {
  await page.goto(pathToFileURL('site/index.html').href);
  await expect(page.locator('h1')).toHaveText('The Bakery', { timeout: 1000 });
});
"""
CONFIG = """
module.exports = {
  testDir: 'e2e',
  reporter: [['line'], [%s]],
  use: { launchOptions: { executablePath: %s, args: ['--no-sandbox'] } },
};
"""
#: An agent that claims the next change, says so, and then works until it is killed.
AGENT = """
import asyncio, json, sys
from mcp import Client

async def main():
    async with Client(sys.argv[1], mode="2026-07-28") as board:
        async def call(tool, **arguments):
            return (await board.call_tool(tool, arguments)).structured_content
        session = await call("board_register_session", project_id=sys.argv[2])
        work = await call("board_next_work", session_id=session["session_id"])
        print(json.dumps({"session": session, "work": work}), flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def openspec() -> Path:
    return installed("@fission-ai/openspec@1.13.2") / "node_modules/.bin/openspec"


@pytest.fixture(scope="module")
def playwright() -> Path:
    return installed("@playwright/test@1.65.0") / "node_modules"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "projects" / "shop"
    write_project(folder, {**BAKERY, "site/index.html": PAGE.format(heading="Bakry")})
    return folder


@pytest.fixture
def server(tmp_path: Path, shop: Path, openspec: Path) -> Iterator[RunningServer]:
    path = f"{openspec.parent}{os.pathsep}{os.environ['PATH']}"
    running = launch(tmp_path, PROJECTS_DIR=str(shop.parent), PATH=path)
    yield running
    if running.process.poll() is None:
        running.stop()


class Board:
    """The board over HTTP, as the web app asks it."""

    def __init__(self, server: RunningServer, shop: Path) -> None:
        self._http = httpx.Client(base_url=server.url, trust_env=False, timeout=60)
        projects = self.get("/api/projects")["projects"]
        [self.project_id] = [row["id"] for row in projects if row["path"] == str(shop)]

    def get(self, path: str, **params: str) -> Any:
        return self._answer(self._http.get(path, params=params))

    def post(self, path: str, **body: Any) -> Any:
        params = {"project_id": self.project_id}
        return self._answer(self._http.post(path, json=body, params=params))

    def changes(self, status: str) -> list[dict[str, Any]]:
        params = {"project_id": self.project_id, "status": status}
        found: list[dict[str, Any]] = self.get("/api/board/changes", **params)["changes"]
        return found

    def _answer(self, response: httpx.Response) -> Any:
        assert response.is_success, response.text
        return response.json()


def run_suite(shop: Path, playwright: Path, server: RunningServer, project_id: str) -> int:
    """Playwright's exit code; our reporter posts what happened."""
    write_project(shop, {"e2e/home.spec.js": TEST})
    config = CONFIG % (json.dumps(str(REPORTER)), json.dumps(browser()))
    (shop / "playwright.config.js").write_text(config)
    if not (shop / "node_modules").exists():
        (shop / "node_modules").symlink_to(playwright)
    ran = subprocess.run(
        [playwright / ".bin" / "playwright", "test"],
        cwd=shop,
        env={**os.environ, "BOTTEGA_URL": server.url, "BOTTEGA_PROJECT_ID": project_id},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "bottega" in ran.stdout.lower(), ran.stdout + ran.stderr
    return ran.returncode


async def call(agent: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await agent.call_tool(tool, arguments)
    assert not result.is_error, result.structured_content
    answer: dict[str, Any] = result.structured_content or {}
    return answer


@pytest.mark.requirement("BD-703")
async def test_a_failing_page_becomes_a_change_that_is_done_and_archived(
    server: RunningServer, shop: Path, playwright: Path, openspec: Path
) -> None:
    """Proposed on the second failure, approved, claimed, done, green, archived."""
    board = Board(server, shop)
    assert run_suite(shop, playwright, server, board.project_id) == 1
    assert not [change for change in board.changes("proposing") if change["fingerprint"]]
    assert run_suite(shop, playwright, server, board.project_id) == 1
    [proposed] = [change for change in board.changes("proposing") if change["fingerprint"]]
    change_id = proposed["id"]
    validated = subprocess.run(
        [openspec, "validate", change_id, "--strict"],
        cwd=shop,
        capture_output=True,
        text=True,
        check=False,
    )
    assert validated.returncode == 0, validated.stdout + validated.stderr

    assert board.post(f"/api/board/changes/{change_id}/approve")["status"] == "approved"
    async with Client(f"{server.url}/mcp/board", mode="2026-07-28") as agent:
        session = await call(agent, "board_register_session", project_id=board.project_id)
        work = await call(agent, "board_next_work", session_id=session["session_id"])
        assert work["work"]["change_id"] == change_id
        assert "the shop says its name" in json.dumps(work)
        tasks = [task["id"] for task in work["work"]["tasks"]]
        (shop / "site/index.html").write_text(PAGE.format(heading="The Bakery"))
        done = await call(
            agent,
            "board_update_tasks",
            session_id=session["session_id"],
            lease_token=work["work"]["lease_token"],
            change_id=change_id,
            tasks=tasks,
        )
        assert done["status"] == "review"
        await call(agent, "board_end_session", session_id=session["session_id"])

    assert board.post(f"/api/board/changes/{change_id}/apply")["status"] == "applied"
    assert run_suite(shop, playwright, server, board.project_id) == 0
    history = board.get(f"/api/board/changes/{change_id}/history", project_id=board.project_id)
    assert "green" in json.dumps(history)
    [failure] = board.get("/api/board/failures", project_id=board.project_id)["failures"]
    assert failure["is_failing"] is False

    archived = board.post(f"/api/board/changes/{change_id}/archive")
    assert archived["status"] == "archived"
    assert list((shop / "openspec/changes/archive").glob(f"*-{change_id}"))
    assert not (shop / "openspec/changes" / change_id).exists()
    listed = server.run("board", "list", "--status", "archived")
    assert change_id in listed.stdout, listed.stderr


@pytest.mark.requirement("BD-704")
async def test_the_work_of_a_killed_agent_comes_back(
    server: RunningServer, shop: Path, tmp_path: Path
) -> None:
    """After ten silent minutes; and a late word of the dead is refused."""
    board = Board(server, shop)
    board.post("/api/board/changes/add-discounts/approve")
    agent = subprocess.Popen(
        [sys.executable, "-c", AGENT, f"{server.url}/mcp", board.project_id],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert agent.stdout is not None
    claimed = json.loads(agent.stdout.readline())
    assert claimed["work"]["work"]["change_id"] == "add-discounts"
    agent.send_signal(signal.SIGKILL)
    agent.wait()
    assert [change["id"] for change in board.changes("assigned")] == ["add-discounts"]

    # Another server on the same database, whose clock is eleven minutes on.
    settings = Settings(data_dir=server.data_dir, project_dir=tmp_path, _env_file=None)
    core = build_core(settings)
    await core.database.start()
    later = timedelta(minutes=11)
    monitor = Monitor(
        core,
        now=lambda: clock.now() + later,
        monotonic=lambda: time.monotonic() + later.total_seconds(),
    )
    assert await monitor.look() == [claimed["session"]["session_id"]]
    await core.database.stop()

    async with Client(f"{server.url}/mcp", mode="2026-07-28") as second:
        session = await call(second, "board_register_session", project_id=board.project_id)
        work = await call(second, "board_next_work", session_id=session["session_id"])
        assert work["work"]["change_id"] == "add-discounts"
        assert work["work"]["lease_token"] > claimed["work"]["work"]["lease_token"]
        late = await second.call_tool(
            "board_complete_work",
            {
                "session_id": claimed["session"]["session_id"],
                "change_id": "add-discounts",
                "lease_token": claimed["work"]["work"]["lease_token"],
                "result": "Done, long ago.",
            },
        )
        assert late.is_error
        assert late.structured_content is not None
        assert late.structured_content["error"]["type"] == "conflict"
