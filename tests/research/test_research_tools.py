"""Research over MCP."""

from pathlib import Path

import pytest

from bottega.server.mcp.schemas import tool_listing_tokens
from tests.research.builders import open_research_rooms

SESSION_TOOLS = {
    "agent_stage_gate",
    "agent_render_research_output",
    "agent_state",
    "agent_validate",
    "source_test",
    "source_oauth",
    "config_validate",
    "credential_prompt",
    "mermaid_validate",
    "skill_validate",
    "submit_plan",
}
ASKED = {"question": "How fast may a vessel be inside the breakwater?", "library": "harbour"}


@pytest.mark.requirement("RS-711")
async def test_an_agent_asks_replies_and_reads(tmp_path: Path) -> None:
    """`research_start`, `_status`, `_reply` and `_answer` are a whole run."""
    async with open_research_rooms(tmp_path) as app:
        agent = app.agent_in("research")
        run = await agent("research_start", **ASKED, auto_proceed=False, depth="quick")
        await app.wait_for(run["id"], "paused")
        status = await agent("research_status", run_id=run["id"])
        assert (status["run"]["status"], status["completed_stages"]) == ("paused", [0])
        kind, _ = await agent.refused("research_answer", run_id=run["id"])
        assert kind == "conflict"
        said = await agent("research_reply", run_id=run["id"], text="go on")
        assert said["run"]["status"] == "completed"
        answer = await agent("research_answer", run_id=run["id"])
        assert answer["status"] == "verified"
        assert "4 knots" in answer["markdown"]
        kind, _ = await agent.refused("research_status", run_id="run_none")
        assert kind == "not_found"


@pytest.mark.requirement("RS-712")
async def test_agents_do_not_stop_to_ask_unless_told_to(tmp_path: Path) -> None:
    """A run that an agent starts goes through by itself."""
    async with open_research_rooms(tmp_path) as app:
        run = await app.agent_in("research")("research_start", **ASKED)
        await app.wait_for(run["id"], "completed")
        answer = await app.agent_in("research")("research_answer", run_id=run["id"])
        assert answer["exit_reason"] == "completed"


@pytest.mark.requirement("RS-713")
async def test_the_tools_are_there_by_name(tmp_path: Path) -> None:
    """Four of research and eleven of the session, in words that cost little."""
    async with open_research_rooms(tmp_path) as app:
        tools = app.rooms[-1].tools
        names = {tool.name for tool in tools}
        assert names >= SESSION_TOOLS
        assert len(names) == len(SESSION_TOOLS) + 4
        assert tool_listing_tokens(tools) < 2_500


@pytest.mark.requirement("RS-713")
async def test_a_tool_that_may_ask_a_person_is_not_marked_as_read_only(tmp_path: Path) -> None:
    """What the person answers moves the run on, whichever tool asked."""
    async with open_research_rooms(tmp_path) as app:
        asking = {tool.name: tool.read_only for tool in app.rooms[-1].tools if tool.asking}
    assert asking == {"research_start": False, "research_status": False, "research_reply": False}
