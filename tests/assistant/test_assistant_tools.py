"""The assistant over MCP."""

from pathlib import Path

from bottega.server.mcp.schemas import tool_listing_tokens
from tests.assistant.reception import open_reception

REVIEW = {"command": "code-review:review", "input": "Review standards.md, please."}


async def test_an_agent_runs_a_command_and_answers_for_its_person(tmp_path: Path) -> None:
    """AS-710: `assistant_commands`, `_run`, `_reply` and `_result` are a whole turn."""
    async with open_reception(tmp_path) as reception:
        agent = reception.agent
        plugins = (await agent("assistant_commands"))["plugins"]
        assert {plugin["name"] for plugin in plugins} == {"lesson-planning", "code-review"}
        turn = await agent("assistant_run", **REVIEW)
        while turn["status"] == "paused":
            reply = {"decision": turn["gate"]["default"]}
            turn = await agent("assistant_reply", run_id=turn["run_id"], reply=reply)
        assert turn["result"]["status"] == "success"
        again = await agent("assistant_result", run_id=turn["run_id"])
        assert again["result"]["text"] == turn["result"]["text"]
        kind, _ = await agent.refused("assistant_run", input="go on")
        assert kind == "validation_error"
        kind, _ = await agent.refused("assistant_result", run_id="run_none")
        assert kind == "not_found"


async def test_the_tools_cost_little(tmp_path: Path) -> None:
    """AS-711: four, in few tokens."""
    async with open_reception(tmp_path) as reception:
        tools = reception.rooms[0].tools
        assert len(tools) == 4
        assert tool_listing_tokens(tools) < 700
