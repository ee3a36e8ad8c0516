"""Commands, with a server running and without one."""

import json
import sys
from pathlib import Path

import httpx
from mcp import Client, StdioServerParameters

from tests.end_to_end.conftest import Start, clean_environment, run_bottega


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
    assert "Grids do not jump" in httpx.get(f"{server.url}/api/memories").text


async def test_stdio_speaks_the_same_mcp(tmp_path: Path) -> None:
    """`bottega mcp`: nothing but the protocol on standard output."""
    settings = {"DATA_DIR": str(tmp_path / "data"), "PROJECT_DIR": str(tmp_path)}
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "bottega", "mcp"], env=clean_environment(**settings)
    )
    async with Client(parameters) as agent:
        names = {tool.name for tool in (await agent.list_tools()).tools}
        assert {"remember", "recall"} <= names
        await agent.call_tool("remember", {"content": "Stdio works"})
        found = await agent.call_tool("recall", {"query": "stdio"})
        assert "Stdio works" in json.dumps(found.structured_content)


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
    assert httpx.get(f"{server.url}/api/memories").status_code == 401
    issued = server.run("token", "issue", "laptop")
    assert issued.returncode == 0, issued.stderr
    secret = next(word for word in issued.stdout.split() if word.startswith("btg_"))
    headers = {"Authorization": f"Bearer {secret}"}
    assert httpx.get(f"{server.url}/api/memories", headers=headers).status_code == 200
    assert "laptop" in server.run("token", "list").stdout
    assert server.run("token", "revoke", "laptop").returncode == 0
    assert httpx.get(f"{server.url}/api/memories", headers=headers).status_code == 401


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


def test_the_demo_tours_without_a_key(tmp_path: Path) -> None:
    """LB-607: its library finds the paragraph, bears a true claim out and a false one not."""
    toured = run_bottega("demo", DATA_DIR=str(tmp_path))
    assert toured.returncode == 0, toured.stderr
    assert "whole cents" in toured.stdout
    assert "→ 210.1 The skipper of a visitor" in toured.stdout
    assert "true  210.1" in toured.stdout
    assert "false 210.1" in toured.stdout
