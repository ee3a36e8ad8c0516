"""The assistant over MCP."""

from pathlib import Path

import pytest

from bottega.conversation.gates import GateKind
from bottega.server.mcp.schemas import tool_listing_tokens
from tests.assistant.builders import open_assistant

REVIEW = {"command": "code-review:review", "input": "Review standards.md, please."}


@pytest.mark.requirement("AS-710")
async def test_an_agent_runs_a_command_and_answers_what_is_not_a_persons(tmp_path: Path) -> None:
    """`assistant_commands`, `_run`, `_reply` and `_result` are a whole turn; what accepts the work,
    remembers or permits is answered at another door."""
    gates = []
    async with open_assistant(tmp_path) as app, app.http("assistant") as person:
        agent = app.agent_in("assistant")
        plugins = (await agent("assistant_commands"))["plugins"]
        assert {plugin["name"] for plugin in plugins} == {"lesson-planning", "code-review"}
        turn = await agent("assistant_run", **REVIEW)
        while turn["status"] == "paused":
            gates.append(kind := GateKind(turn["gate"]["kind"]))
            answer = {"run_id": turn["run_id"], "reply": {"decision": turn["gate"]["default"]}}
            if kind.is_a_persons:
                refused, _ = await agent.refused("assistant_reply", **answer)
                assert refused == "forbidden"
                where = f"/sessions/{turn['session_id']}/reply"
                await person.post(where, json=answer["reply"])
                await app.core.runs.wait(turn["run_id"])
                turn = await agent("assistant_result", run_id=turn["run_id"])
            else:
                turn = await agent("assistant_reply", **answer)
        assert GateKind.ADJUDICATION in gates
        assert turn["result"]["status"] == "success"
        again = await agent("assistant_result", run_id=turn["run_id"])
        assert again["result"]["text"] == turn["result"]["text"]
        refusal, _ = await agent.refused("assistant_run", input="go on")
        assert refusal == "validation_error"
        refusal, _ = await agent.refused("assistant_result", run_id="run_none")
        assert refusal == "not_found"


@pytest.mark.requirement("AS-711")
async def test_the_tools_cost_little(tmp_path: Path) -> None:
    """Four, in few tokens."""
    async with open_assistant(tmp_path) as app:
        tools = app.rooms[-1].tools
        assert len(tools) == 4
        assert tool_listing_tokens(tools) < 700
