"""The real Claude Code with our plugin, in a home of its own; only the model is scripted."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from bottega.core.llm.testing import LoopbackApi, Received
from tests.board.builders import BAKERY, write_project
from tests.clients.npm import installed
from tests.end_to_end.conftest import RunningServer, launch, run_bottega

pytestmark = pytest.mark.clients

PLUGIN = Path(__file__).parents[2] / "integrations" / "claude-code"
VERSION = "2.1.197"
OURS = "mcp__plugin_bottega_bottega__"
LESSON = "Round once, at the end: cents were lost in issue 1"


@pytest.fixture(scope="module")
def program() -> Path:
    return installed(f"@anthropic-ai/claude-code@{VERSION}") / "node_modules/.bin/claude"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    write_project(tmp_path / "project", BAKERY)
    running = launch(tmp_path)
    yield running
    if running.process.poll() is None:
        running.stop()


@pytest.fixture
async def api() -> AsyncIterator[LoopbackApi]:
    async with LoopbackApi() as api:
        yield api


@dataclass(frozen=True)
class Claude:
    program: Path
    home: Path
    project: Path
    api_url: str
    bottega_url: str
    token: str = ""

    async def run(self, *arguments: str, seconds: float = 120) -> str:
        """Its output; nothing of this machine's settings reaches it."""
        self.home.mkdir(exist_ok=True)
        process = await asyncio.create_subprocess_exec(
            self.program,
            *arguments,
            cwd=self.project,
            env={
                "HOME": str(self.home),
                "PATH": os.environ["PATH"],
                "ANTHROPIC_API_KEY": "sk-ant-loopback",
                "ANTHROPIC_BASE_URL": self.api_url,
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
                "BOTTEGA_URL": self.bottega_url,
                "BOTTEGA_TOKEN": self.token,
                "BOTTEGA_HOOK_SECONDS": "4",
            },
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            output, errors = await asyncio.wait_for(process.communicate(), seconds)
        finally:
            if process.returncode is None:
                process.kill()
        assert process.returncode == 0, (output + errors).decode()
        return output.decode()

    async def bottega(self, server: RunningServer, *arguments: str) -> str:
        """A command of ours, which finds this Claude Code on its path."""
        path = f"{self.program.parent}{os.pathsep}{os.environ['PATH']}"
        settings = {"HOME": str(self.home), "PATH": path, "DATA_DIR": str(server.data_dir)}
        ran = await asyncio.to_thread(lambda: run_bottega(*arguments, cwd=self.project, **settings))
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    async def ask(self, prompt: str, *options: str) -> list[dict[str, Any]]:
        """One turn without a person; every message of it."""
        output = await self.run(
            *("--plugin-dir", str(PLUGIN), "--print", prompt, "--verbose"),
            *("--output-format", "stream-json", "--model", "claude-sonnet-4-5"),
            *options,
        )
        return [json.loads(line) for line in output.splitlines()]


@pytest.fixture
def claude(program: Path, tmp_path: Path, server: RunningServer, api: LoopbackApi) -> Claude:
    return Claude(program, tmp_path / "home", server.project, api.url, server.url)


def is_main(request: Received) -> bool:
    """The agent's own turns; it also asks small things beside, for titles and the like."""
    return any(tool["name"].startswith(OURS) for tool in request.body.get("tools", ()))


def said(request: Received) -> str:
    return json.dumps(request.body["messages"], ensure_ascii=False)


async def get(server: RunningServer, path: str) -> Any:
    async with httpx.AsyncClient(base_url=server.url, trust_env=False) as http:
        return (await http.get(path)).raise_for_status().json()


async def post(server: RunningServer, path: str, body: dict[str, Any]) -> Any:
    async with httpx.AsyncClient(base_url=server.url, trust_env=False) as http:
        return (await http.post(path, json=body)).raise_for_status().json()


async def ended_session(server: RunningServer) -> dict[str, Any]:
    """The only agent's session, when the board has taken its end in."""
    async with asyncio.timeout(30):
        while True:
            [session] = await get(server, "/api/sessions?kind=agent")
            if session["status"] == "ended":
                agent: dict[str, Any] = session
                return agent
            await asyncio.sleep(0.05)


async def test_it_has_our_tools_calls_one_and_its_hooks_reach_the_board(
    claude: Claude, server: RunningServer, api: LoopbackApi
) -> None:
    api.reply(tool=(f"{OURS}remember", {"content": LESSON}), when=is_main)
    api.reply(text="Remembered.", when=is_main)

    messages = await claude.ask("Remember that.", "--allowedTools", f"{OURS}remember")

    beginning = next(each for each in messages if each.get("subtype") == "init")
    assert {"name": "plugin:bottega:bottega", "status": "connected"} in beginning["mcp_servers"]
    assert {f"{OURS}remember", f"{OURS}board_next_work"} <= set(beginning["tools"])
    assert {"bottega:coach", "bottega:next-work", "bottega:retro", "bottega:research"} <= set(
        beginning["slash_commands"]
    )
    assert messages[-1]["result"] == "Remembered."
    found = await get(server, "/api/memories")
    assert LESSON in json.dumps(found)
    agent = await ended_session(server)
    assert agent["project_dir"] == str(server.project)
    timeline = await get(server, f"/api/board/agents/{agent['id']}/activity")
    assert [each["event"] for each in reversed(timeline["events"])] == [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
        "SessionEnd",
    ]
    [done] = [each for each in timeline["events"] if each["event"] == "PostToolUse"]
    assert (done["tool_name"], done["success"]) == (f"{OURS}remember", True)


async def test_a_coached_person_finds_paige_in_the_session(
    claude: Claude, server: RunningServer, api: LoopbackApi
) -> None:
    await post(server, "/api/coach/sessions", {"issueTitle": "Prices are rounded twice"})
    api.reply(text="What did you expect to see?", when=is_main)

    await claude.ask("I am stuck.")

    [asked] = [request for request in api.requests if is_main(request)]
    assert "you speak as Paige" in said(asked)
    assert "Prices are rounded twice" in said(asked)


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[RunningServer]:
    """A server that asks for a token."""
    write_project(tmp_path / "project", BAKERY)
    server = launch(tmp_path, BOTTEGA_TOKEN="open-sesame")
    yield server
    server.stop()


async def test_a_server_that_asks_for_a_token_is_shown_it(
    program: Path, tmp_path: Path, api: LoopbackApi, guarded: RunningServer
) -> None:
    place = (program, tmp_path / "home", guarded.project, api.url, guarded.url)
    stranger = await Claude(*place).ask("Hello?")
    known = await Claude(*place, token="open-sesame").ask("Hello?")
    async with httpx.AsyncClient(base_url=guarded.url, trust_env=False) as http:
        http.headers["Authorization"] = "Bearer open-sesame"
        sessions = (await http.get("/api/sessions?kind=agent")).json()

    def status(messages: list[dict[str, Any]]) -> str:
        beginning = next(each for each in messages if each.get("subtype") == "init")
        [ours] = [each for each in beginning["mcp_servers"] if "bottega" in each["name"]]
        return str(ours["status"])

    assert status(stranger) != "connected"
    assert status(known) == "connected"
    assert len(sessions) == 1


async def test_without_a_server_it_works_as_if_nothing_were_installed(
    claude: Claude, server: RunningServer, api: LoopbackApi
) -> None:
    server.stop()
    api.reply(text="Here I am.")

    messages = await claude.ask("Hello?")

    assert messages[-1]["result"] == "Here I am."
    hooks = [each for each in messages if each.get("subtype") == "hook_response"]
    assert hooks
    assert {(each["exit_code"], each["stdout"], each["stderr"]) for each in hooks} == {(0, "", "")}


async def test_the_plugin_is_valid_and_installs_from_its_own_marketplace(claude: Claude) -> None:
    assert "Validation passed" in await claude.run("plugin", "validate", str(PLUGIN))
    await claude.run("plugin", "marketplace", "add", str(PLUGIN))
    await claude.run("plugin", "install", "bottega@bottega")

    assert "bottega@bottega" in await claude.run("plugin", "list")
    servers = await claude.run("mcp", "list")
    assert f"plugin:bottega:bottega: {claude.bottega_url}/mcp (HTTP)" in servers
    assert "Connected" in servers


async def test_connect_speaks_to_the_real_program_and_undo_leaves_no_server(
    claude: Claude, server: RunningServer
) -> None:
    await claude.run("mcp", "list")
    connected = await claude.bottega(server, "connect", "claude-code")
    assert f"Connected Claude Code to {server.url}/mcp" in connected

    listed = await claude.run("mcp", "list")
    assert f"bottega: {server.url}/mcp (HTTP)" in listed
    assert "Connected" in listed
    await claude.bottega(server, "connect", "claude-code", "--url", "http://127.0.0.1:9")
    assert "bottega: http://127.0.0.1:9/mcp (HTTP)" in await claude.run("mcp", "list")
    undone = await claude.bottega(server, "connect", "claude-code", "--undo")
    assert "Disconnected Claude Code" in undone
    assert "bottega" not in await claude.run("mcp", "list")


async def test_a_project_that_connect_has_written_is_read_by_the_real_program(
    claude: Claude, server: RunningServer
) -> None:
    await claude.bottega(server, "connect", "claude-code", "--scope", "project")

    known = await claude.run("mcp", "get", "bottega")
    assert f"{server.url}/mcp" in known
    assert "Project config" in known


async def test_connected_with_a_token_it_reads_it_from_the_environment(
    program: Path, tmp_path: Path, api: LoopbackApi, guarded: RunningServer
) -> None:
    """`bottega connect claude-code --token`: the file names the variable, Claude Code sends it."""
    place = (program, tmp_path / "home", guarded.project, api.url, guarded.url)
    stranger, known = Claude(*place, token="wrong"), Claude(*place, token="open-sesame")
    await known.run("--version")
    await known.bottega(guarded, "connect", "claude-code", "--url", guarded.url, "--token")
    assert "open-sesame" not in (tmp_path / "home" / ".claude.json").read_text()
    refused, taken = [await each.run("mcp", "list") for each in (stranger, known)]
    await known.bottega(guarded, "connect", "claude-code", "--undo")
    assert "Connected" in taken
    assert "Connected" not in refused


async def test_the_repository_is_a_marketplace(program: Path, tmp_path: Path) -> None:
    nobody = "http://127.0.0.1:9"
    claude = Claude(program, tmp_path / "home", tmp_path, nobody, nobody)
    await claude.run("plugin", "marketplace", "add", str(PLUGIN.parents[1]))
    await claude.run("plugin", "install", "bottega@bottega")
    assert "bottega@bottega" in await claude.run("plugin", "list")
