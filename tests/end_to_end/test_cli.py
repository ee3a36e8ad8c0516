"""Commands, with a server running and without one."""

import asyncio
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from mcp import Client, StdioServerParameters

from bottega.cli.demo.command import stay_open
from bottega.cli.server_process import Server
from tests.end_to_end.conftest import DEADLINE, Start, run_bottega
from tests.mcp_serving import read_text
from tests.processes import COLD, clean_environment
from tests.test_topics import unlike_its_topic

PAGES = Path(__file__).parents[2] / "web" / "src" / "routes"


def test_a_command_works_alone_and_the_server_sees_it_later(
    tmp_path: Path, start_server: Start
) -> None:
    """The same command, with and without a server, on the same data."""
    data, project = tmp_path / "deep" / "data", tmp_path / "project"
    project.mkdir()
    alone = run_bottega(
        "memory", "add", "Grids do not jump", DATA_DIR=str(data), PROJECT_DIR=str(project)
    )
    assert alone.returncode == 0, alone.stderr
    server = start_server()
    asked = server.run("memory", "search", "grids", "--json")
    assert asked.returncode == 0, asked.stderr
    assert "Grids do not jump" in asked.stdout
    assert "Grids do not jump" in httpx.get(f"{server.url}/api/memories", timeout=DEADLINE).text


async def test_stdio_speaks_the_same_mcp(tmp_path: Path) -> None:
    """`bottega mcp`: nothing but the protocol on standard output."""
    settings = {"DATA_DIR": str(tmp_path / "data"), "PROJECT_DIR": str(tmp_path)}
    (tmp_path / "notes.md").write_text("A note.")
    parameters = StdioServerParameters(
        command=COLD[0], args=[*COLD[1:], "mcp"], env=clean_environment(**settings)
    )
    async with Client(parameters) as agent:
        names = {tool.name for tool in (await agent.list_tools()).tools}
        assert {"remember", "recall"} <= names
        await agent.call_tool("remember", {"content": "Stdio works"})
        found = await agent.call_tool("recall", {"query": "stdio"})
        assert "Stdio works" in json.dumps(found.structured_content)
        listed = {each.uri for each in (await agent.list_resources()).resources}
        assert {"bottega://project/tree", "bottega://coach/session"} <= listed
        assert "notes.md" in await read_text(agent, "bottega://project/tree")
        prompts = {prompt.name for prompt in (await agent.list_prompts()).prompts}
        assert prompts == {"coach", "next-work", "research", "retro"}


def test_doctor_says_what_to_do(tmp_path: Path) -> None:
    said = run_bottega("doctor", DATA_DIR=str(tmp_path), PROJECT_DIR=str(tmp_path), PORT="0")
    assert said.returncode == 0, said.stdout
    assert "ANTHROPIC_API_KEY" in said.stdout
    assert "katas are r" in said.stdout
    broken = run_bottega("doctor", DATA_DIR=str(tmp_path), PROJECT_DIR="/no/such/place")
    assert broken.returncode == 1
    assert "PROJECT_DIR" in broken.stdout


def test_tokens_are_issued_listed_and_revoked(start_server: Start) -> None:
    """A server that demands tokens takes an issued one until it is revoked."""
    server = start_server(BOTTEGA_TOKEN="the-owner's-token")
    assert httpx.get(f"{server.url}/api/memories", timeout=DEADLINE).status_code == 401
    issued = server.run("token", "issue", "laptop")
    assert issued.returncode == 0, issued.stderr
    secret = next(word for word in issued.stdout.split() if word.startswith("btg_"))
    headers = {"Authorization": f"Bearer {secret}"}
    assert (
        httpx.get(f"{server.url}/api/memories", headers=headers, timeout=DEADLINE).status_code
        == 200
    )
    assert "laptop" in server.run("token", "list").stdout
    assert server.run("token", "revoke", "laptop").returncode == 0
    assert (
        httpx.get(f"{server.url}/api/memories", headers=headers, timeout=DEADLINE).status_code
        == 401
    )


async def test_a_call_leaves_a_trace_that_can_be_read(start_server: Start) -> None:
    server = start_server()
    async with Client(f"{server.url}/mcp") as agent:
        await agent.call_tool("recall", {"query": "anything"})
    listed = json.loads(server.run("trace", "list", "--json").stdout)
    trace = next(trace for trace in listed if trace["name"] == "execute_tool recall")
    shown = server.run("trace", "show", trace["trace_id"])
    assert "execute_tool recall" in shown.stdout


def test_help_is_for_newcomers() -> None:
    said = run_bottega("--help")
    assert said.returncode == 0
    for command in ("serve", "worker", "mcp", "doctor", "trace", "token", "version", "memory"):
        assert command in said.stdout


def test_an_unknown_trace_is_a_clear_error(tmp_path: Path) -> None:
    ended = run_bottega("trace", "show", "nope", DATA_DIR=str(tmp_path), PROJECT_DIR=str(tmp_path))
    assert ended.returncode == 1
    assert "nope" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.requirement("LB-607")
def test_the_demo_tours_without_a_key(tmp_path: Path) -> None:
    """Every room shows what came of it, within two minutes, and nothing is left behind.

    Its library finds the paragraph, bears a true claim out and a false one not."""
    began = time.monotonic()
    toured = run_bottega("demo", DATA_DIR=str(tmp_path / "mine"), TMPDIR=str(tmp_path))
    assert time.monotonic() - began < 120
    assert toured.returncode == 0, toured.stdout + toured.stderr
    for shown in OF_THE_DEMO:
        assert shown in toured.stdout
    assert not list(tmp_path.iterdir())


#: What the rooms answer, in the tour's order.
OF_THE_DEMO = (
    "#1 Cents get lost",
    "Phase 2  Keep money in whole cents",
    "The observer nudges (wrong_file)",
    "It sets `share`",
    "is not a sum in whole cents",
    "proposes a change: fix-test-the-cents-add-up",
    "the change is in review",
    "Green: the change is applied",
    "→ 210.1 The skipper of a visitor",
    "true  210.1",
    "false 210.1",
    "quoted from 100-roles-and-terms.md, line 67: “A shift of the watch",
    "verified: citations 100%",
    "refused: The library does not have: regatta",
    "It stops for a person: feedforward",
    "It stops for a person: reflection",
    "8 sections are accepted, one goes back",
    "Starter (5 minutes)",
    "To be remembered, in their words: Five-minute starters",
    "40 imported",
    "3 clusters",
    "“Always write clean code.” refused",
    "“The time zone is the root cause",
    "Brier score",
    "→ value: The time zone is the root cause",
    "→ Split sums in whole cents",
    "Hard while working on #1 Cents get lost",
    "6 of 6 rooms",
)


@contextmanager
def running_demo(temporary: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    command = [*COLD, "demo", *options]
    environment = clean_environment(COLUMNS="200", PYTHONUNBUFFERED="1", TMPDIR=str(temporary))
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as demo:
        try:
            yield demo
        finally:
            if demo.poll() is None:
                demo.terminate()


def read_until(demo: subprocess.Popen[str], words: str) -> list[str]:
    assert demo.stdout is not None
    lines = []
    for line in demo.stdout:
        lines.append(line.strip())
        if words in line:
            return lines
    pytest.fail(f"it never said {words!r}:\n" + "\n".join(lines))


def leads_to_a_page(link: str) -> bool:
    """A page is a file that is named after its address: `coach.sessions.$id.tsx`."""
    names = {path.stem.removesuffix(".index") for path in PAGES.glob("*.tsx")}
    patterns = [re.sub(r"\\\$\w+", r"[^.]+", re.escape(name)) for name in names]
    address = urlsplit(link).path.strip("/").replace("/", ".")
    return any(re.fullmatch(pattern, address) for pattern in patterns)


def test_the_demo_stays_open_on_its_data_until_it_is_told_to_end(tmp_path: Path) -> None:
    with running_demo(tmp_path, "--stay") as demo:
        lines = read_until(demo, "The web app stays open at")
        links = [line for line in lines if line.startswith("http://127.0.0.1:")]
        assert len(links) >= 10
        assert [link for link in links if not leads_to_a_page(link)] == []
        change = urlsplit(next(link for link in links if "/board/changes/" in link))
        url = f"{change.scheme}://{change.netloc}"
        shown = httpx.get(f"{url}/api{change.path}", trust_env=False, timeout=DEADLINE).json()
        assert shown["status"] == "applied"
        logged = httpx.get(f"{url}/api/events/log?limit=500", trust_env=False).json()
        unlike = {unlike_its_topic(each["topic"], each["payload"]) for each in logged}
        assert unlike == {None}
        demo.send_signal(signal.SIGINT)
        assert demo.wait(DEADLINE) == 0
    assert not list(tmp_path.iterdir())
    with pytest.raises(httpx.ConnectError):
        httpx.get(url, trust_env=False)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_demo_that_stays_open_ends_at_either_signal(number: signal.Signals) -> None:
    process = await asyncio.create_subprocess_exec("sleep", str(DEADLINE))
    staying = asyncio.create_task(stay_open(Server("http://127.0.0.1:1", process)))
    try:
        # The handlers are set in its first step, before it waits for anything.
        await asyncio.sleep(0)
        os.kill(os.getpid(), number)
        async with asyncio.timeout(DEADLINE):
            await staying
        assert process.returncode is None
    finally:
        process.kill()
        await process.wait()
        for each in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().remove_signal_handler(each)


def test_a_demo_that_is_interrupted_leaves_nothing_behind(tmp_path: Path) -> None:
    with running_demo(tmp_path) as demo:
        said = read_until(demo, "The server runs at")[-1]
        url = said.split()[4].rstrip(",")
        demo.send_signal(signal.SIGTERM)
        assert demo.wait(DEADLINE) == 130
    assert not list(tmp_path.iterdir())
    with pytest.raises(httpx.ConnectError):
        httpx.get(url, trust_env=False)


def test_a_demo_that_fails_names_the_step_and_keeps_the_log(tmp_path: Path) -> None:
    """The server dies in the middle: the rooms before it are told of, the others are named."""
    kept = tmp_path / "kept"
    with running_demo(tmp_path, "--keep", str(kept)) as demo:
        read_until(demo, "Green: the change is applied")
        os.kill(json.loads((kept / "data" / "server.json").read_text())["pid"], signal.SIGKILL)
        assert demo.stdout is not None
        said = demo.stdout.read()
        assert demo.wait(DEADLINE) == 1
    assert "Journal failed" in said
    assert "step  Experiences of an earlier project are imported" in said
    assert f"log   {kept / 'server.log'}" in said
    assert (kept / "server.log").read_text()
    assert f"DATA_DIR={kept / 'data'}" in said
    again = run_bottega("demo", "--keep", str(kept))
    assert again.returncode == 1
    assert "exists already" in again.stderr
