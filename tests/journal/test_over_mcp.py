"""The spec's lists through the official MCP client, over HTTP in both eras and over stdio."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from mcp import Client, StdioServerParameters

from bottega.app import App
from bottega.server.composition import compose
from bottega.settings import Settings
from tests.journal.builders import CONFIRMED, FALSIFIED, START, lines
from tests.processes import clean_environment, warm

WAYS = ["http, sessions", "http, stateless", "stdio"]
TWENTY = lines({"isolation": 8, "queries": 8, "deploys": 8})


class Peer:
    """The official client; every answer is checked to be JSON in both of its forms."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self._client.call_tool(tool, arguments)
        assert not result.is_error, result.structured_content
        return self._checked(result)

    async def refused(self, tool: str, **arguments: Any) -> tuple[str, str]:
        result = await self._client.call_tool(tool, arguments)
        assert result.is_error
        error = self._checked(result)["error"]
        return error["type"], error["message"]

    async def tools(self) -> dict[str, Any]:
        return {tool.name: tool for tool in (await self._client.list_tools()).tools}

    def _checked(self, result: Any) -> dict[str, Any]:
        answer: dict[str, Any] = result.structured_content
        assert json.loads(result.content[0].text) == answer
        return answer


@pytest.fixture(params=WAYS)
async def connect(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Any]:
    project = tmp_path / "project"
    project.mkdir()
    place = {"DATA_DIR": str(tmp_path / "data"), "PROJECT_DIR": str(project)}
    if request.param == "stdio":
        environment = clean_environment(**place, BOTTEGA_MODEL="offline")
        program, *arguments = *warm(), "mcp", "--room", "journal"
        yield lambda: Client(
            StdioServerParameters(command=program, args=arguments, env=environment)
        )
        return
    era = "legacy" if "sessions" in request.param else "2026-07-28"
    async with serve(tmp_path / "data", project) as url:
        yield lambda: Client(f"{url}/mcp/journal", mode=era)


@asynccontextmanager
async def serve(data_dir: Path, project: Path) -> AsyncIterator[str]:
    settings = Settings(
        data_dir=data_dir,
        project_dir=project,
        bottega_model="offline",
        _env_file=None,
    )
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(compose(App(settings)), log_config=None, ws="none"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await serving


@pytest.mark.requirement("GH-61", "GH-31")
async def test_an_agent_works_with_the_journal(connect: Any) -> None:
    """The GHAP workflow, the search and the errors of the spec, on every wire."""
    async with connect() as client:
        agent = Peer(client)
        tools = await agent.tools()
        assert len(tools) == 13
        assert all(tool.description for tool in tools.values())
        assert (await agent("get_active_ghap"))["has_active"] is False
        assert await agent.refused("update_ghap", note="x") == (
            "not_found",
            "There is no open entry of this project. Begin one with start_ghap.",
        )
        kind, message = await agent.refused("start_ghap", **START | {"domain": "cooking"})
        assert kind == "validation_error"
        assert "'debugging'" in message
        assert (await agent.refused("start_ghap"))[0] == "validation_error"
        started = await agent("start_ghap", **START)
        updated = await agent("update_ghap", hypothesis="Two tests share one mailbox")
        assert updated["iteration_count"] == 2
        assert (await agent("get_active_ghap"))["hypothesis"] == "Two tests share one mailbox"
        kind, message = await agent.refused("resolve_ghap", status="falsified", result="No")
        assert (kind, "root_cause" in message) == ("validation_error", True)
        resolved = await agent("resolve_ghap", **CONFIRMED)
        assert resolved["confidence_tier"] == "gold"
        second = await agent("start_ghap", **START, session_id="s-2")
        third = await agent("start_ghap", **START, session_id="s-2")
        assert second["id"] in third["warning"]
        await agent("resolve_ghap", **FALSIFIED, session_id="s-2")
        listed = await agent("list_ghap_entries")
        outcomes = {entry["id"]: entry["outcome_status"] for entry in listed["results"]}
        assert outcomes == {
            started["id"]: "confirmed",
            second["id"]: None,
            third["id"]: "falsified",
        }
        found = await agent("search_experiences", query="mailbox", outcome="confirmed")
        assert [each["id"] for each in found["results"]] == [started["id"]]
        assert await agent("search_experiences", query="") == {"results": [], "count": 0}
        assert (await agent.refused("get_clusters", axis="full"))[0] == "insufficient_data"
        assert (await agent.refused("get_clusters", axis="x"))[0] == "validation_error"
        context = await agent("assemble_context", query="A flaky login test")
        assert started["id"] in [item["id"] for item in context["items"]]


@pytest.mark.requirement("GH-61")
async def test_a_retrospective_forms_values(connect: Any) -> None:
    """Clusters, members, validation and values of the spec, on every wire."""
    async with connect() as client:
        agent = Peer(client)
        for line in TWENTY:
            said = {name: line[name] for name in START}
            end = line["resolution"]
            await agent("start_ghap", **said)
            await agent(
                "resolve_ghap", status="confirmed", result=end["result"], lesson=end["lesson"]
            )
        clusters = await agent("get_clusters", axis="full")
        assert clusters["count"] == 3
        cluster_id = clusters["clusters"][0]["cluster_id"]
        inside = await agent("get_cluster_members", cluster_id=cluster_id)
        assert inside["count"] == clusters["clusters"][0]["size"] == 8
        member = inside["members"][0]
        words = [member[name] for name in ("goal", "hypothesis", "action", "prediction")]
        text = " ".join([*words, member["outcome_result"], member["lesson"]["what_worked"]])
        value = {"text": text, "cluster_id": cluster_id}
        verdict = await agent("validate_value", **value)
        assert verdict["valid"] is True
        assert verdict["centroid_distance"] <= verdict["threshold_distance"]
        assert (await agent.refused("store_value", **value, axis="surprise"))[0] == (
            "validation_error"
        )
        bad = value | {"text": "Serve tea at four"}
        assert (await agent("validate_value", **bad))["valid"] is False
        assert (await agent.refused("store_value", **bad, axis="full"))[0] == "validation_error"
        stored = await agent("store_value", **value, axis="full")
        assert (await agent("list_values", axis="full"))["results"] == [stored]
        assert (await agent.refused("get_cluster_members", cluster_id="cluster_full_77"))[0] == (
            "not_found"
        )
