"""Subagents: a piece of work done apart, of which a summary comes back."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ToolReturnPart

from bottega.assistant.loop.hooks import Hook, HookAbort, Revision, SubagentCall
from bottega.assistant.loop.turn import Turn
from bottega.assistant.sessions.schemas import LoopStatus
from bottega.core.llm.testing import ToolUse as Use
from bottega.core.llm.testing.scripted import ScriptedModel
from tests.assistant.loop_app import Tool, look_up, open_loop, text_of

SPAWN = Use("spawn_subagent", {"agent": "helper", "task": "Find three examples of loops."})
SUMMARY = json.dumps(
    {
        "summary": "Washing up, laps, prayer wheels.",
        "decisions": ["everyday things only"],
        "constraints": ["no code"],
    }
)


def returned(model: ScriptedModel, request: int) -> dict[str, Any]:
    """What a subagent brought back, as the parent's model read it."""
    [part] = [p for p in model.conversations[request][-1].parts if isinstance(p, ToolReturnPart)]
    assert isinstance(part.content, dict), part.content
    return {**part.content}


@pytest.mark.requirement("AS-170", "AS-174")
async def test_a_subagent_works_apart_and_brings_back_a_summary(tmp_path: Path) -> None:
    """It sees nothing of the conversation. AS-174: decisions and constraints come back."""
    look = Use("look_up", {"word": "laps"})
    model = ScriptedModel(SPAWN, look, SUMMARY, "Here are three.")
    async with open_loop(tmp_path, model=model, tools=[look_up()]) as app:
        app.agent("helper", "You help.")
        result = await app.take("A secret of the conversation.")
        session = str((await app.core.runs.list())[0].session_id)
        kept = text_of(await app.conversation(session))
        assert [told["state"] for told in await app.told("subagent")] == ["started", "ended"]
    assert (result.status, result.text, result.turns) == (LoopStatus.SUCCESS, "Here are three.", 2)
    child = text_of(model.conversations[1])
    assert "Find three examples of loops." in child
    assert "secret" not in text_of([*model.conversations[1], *model.conversations[2]])
    assert "You help." in str(getattr(model.conversations[1][0], "instructions", ""))
    assert returned(model, 3) == {
        "agent": "helper",
        "status": "success",
        "summary": "Washing up, laps, prayer wheels.",
        "decisions": ["everyday things only"],
        "constraints": ["no code"],
        "turns": 2,
    }
    assert "laps means a lot" not in kept, "its own messages are not part of the conversation"
    assert result.input_tokens > 100, "but what it took is counted"


@pytest.mark.requirement("AS-171")
async def test_a_subagent_neither_spawns_nor_hands_over(tmp_path: Path) -> None:
    """Depth is one, and the floor is not a subagent's to give."""
    again = Use("spawn_subagent", {"agent": "worker", "task": "More."})
    over = Use("transfer_to_worker", {"reason": "tired"})
    model = ScriptedModel(SPAWN, again, over, SUMMARY, "Done.")
    async with open_loop(tmp_path, model=model) as app:
        app.agent("helper", handoffs=["worker"])
        result = await app.take()
        failed = [t["name"] for t in await app.told("tool_call") if t["state"] == "failed"]
    assert failed == ["spawn_subagent", "transfer_to_worker"]
    assert (result.status, result.agent) == (LoopStatus.SUCCESS, "worker")


@pytest.mark.requirement("AS-172")
@pytest.mark.parametrize(("fields", "turns"), [({}, 10), ({"maxTurns": 3}, 3)])
async def test_a_subagent_has_turns_of_its_own(
    tmp_path: Path, fields: dict[str, Any], turns: int
) -> None:
    """Ten unless its file says otherwise; the parent reads why it ended and goes on."""
    looks = [Use("look_up", {"word": str(n)}) for n in range(turns)]
    model = ScriptedModel(SPAWN, *looks, "I go on alone.")
    async with open_loop(tmp_path, model=model, tools=[look_up()]) as app:
        app.agent(maxTurns=2)
        app.agent("helper", **fields)
        result = await app.take()
    assert (result.text, result.turns) == ("I go on alone.", 2)
    report = returned(model, turns + 1)
    assert (report["status"], report["turns"]) == ("error_max_turns", turns)
    assert f"{turns} turns" in report["reason"]


@pytest.mark.requirement("AS-173")
async def test_a_subagent_spends_what_remains_of_its_parents_money(tmp_path: Path) -> None:
    """A fresh budget is never given, and what it spends is the turn's."""
    looks = [Use("look_up", {"word": str(n)}) for n in range(9)]
    model = ScriptedModel(SPAWN, *looks)
    async with open_loop(tmp_path, model=model, tools=[look_up()]) as app:
        app.agent(maxBudgetUsd=0.0009)
        app.agent("helper", maxBudgetUsd=100)
        result = await app.take()
        [ended] = [t for t in await app.told("subagent") if t["state"] == "ended"]
    assert ended["status"] == "error_max_budget"
    assert result.status is LoopStatus.MAX_BUDGET
    assert 1 < ended["turns"] < 9
    assert result.cost == pytest.approx(0.0009, abs=0.0004)


@pytest.mark.requirement("AS-173")
async def test_its_own_budget_holds_a_subagent_too(tmp_path: Path) -> None:
    """The least of both limits."""
    model = ScriptedModel(SPAWN, Use("look_up", {"word": "a"}), "I go on alone.")
    async with open_loop(tmp_path, model=model, tools=[look_up()]) as app:
        app.agent(maxBudgetUsd=100)
        app.agent("helper", maxBudgetUsd=0.0001)
        result = await app.take()
    assert returned(model, 2)["status"] == "error_max_budget"
    assert result.status is LoopStatus.SUCCESS


@pytest.mark.requirement("AS-175")
async def test_hooks_hear_of_a_subagents_start_and_end(tmp_path: Path) -> None:
    """OnSubagentStart with the task, onSubagentEnd with the summary."""
    heard: list[SubagentCall] = []

    class Hearing(Hook):
        name = "hearing"

        async def on_subagent_start(self, turn: Turn, call: SubagentCall) -> None:
            assert turn.agent.name == "worker"
            heard.append(call)

        async def on_subagent_end(self, turn: Turn, call: SubagentCall) -> None:
            heard.append(call)

    async with open_loop(tmp_path, SPAWN, SUMMARY, "Done.", hooks=[Hearing()]) as app:
        app.agent(hooks=["hearing"])
        app.agent("helper")
        await app.take()
    task = "Find three examples of loops."
    assert heard == [
        SubagentCall("helper", task),
        SubagentCall("helper", task, summary="Washing up, laps, prayer wheels."),
    ]


@pytest.mark.requirement("AS-175")
async def test_a_hook_can_refuse_a_subagent(tmp_path: Path) -> None:
    """An abort at onSubagentStart ends the whole loop, and no subagent is asked."""

    class Refusing(Hook):
        name = "refusing"

        async def on_subagent_start(self, turn: Turn, call: SubagentCall) -> None:
            raise HookAbort(self.name, "work alone")

    model = ScriptedModel(SPAWN, SUMMARY)
    async with open_loop(tmp_path, model=model, hooks=[Refusing()]) as app:
        app.agent(hooks=["refusing"])
        app.agent("helper")
        result = await app.take()
    assert (result.status, result.reason) == (LoopStatus.HOOK_ABORT, "work alone")
    assert len(model.conversations) == 1


@pytest.mark.requirement("AS-175")
async def test_a_subagents_own_hook_ends_only_the_subagent(tmp_path: Path) -> None:
    """Its guardrails hold for it, and the parent reads that they did."""

    class Guarding(Hook):
        name = "guarding"

        async def post_loop(self, turn: Turn) -> Revision | None:
            raise HookAbort(self.name, "not fit for the class")

    model = ScriptedModel(SPAWN, SUMMARY, "I go on alone.")
    async with open_loop(tmp_path, model=model, hooks=[Guarding()]) as app:
        app.agent("helper", hooks=["guarding"])
        result = await app.take()
    report = returned(model, 2)
    assert (report["status"], report["reason"]) == ("error_hook_abort", "not fit for the class")
    assert result.text == "I go on alone."


@pytest.mark.requirement("AS-176")
async def test_its_spans_stand_below_the_call(tmp_path: Path) -> None:
    """Model calls and tools of a subagent are children of its span in the same trace."""
    steps = (SPAWN, Use("look_up", {"word": "laps"}), SUMMARY, "Done.")
    async with open_loop(tmp_path, *steps, tools=[look_up()]) as app:
        app.agent("helper")
        result = await app.take()
        await app.core.traces.flush()
        trace = await app.core.traces.get(str(result.trace_id))
    depths = {node.span.name: node.depth for node in trace.spans}
    assert depths["tool spawn_subagent"] < depths["subagent helper"]
    assert depths["subagent helper"] < depths["assistant model helper"] < depths["tool look_up"]
    assert depths["assistant model worker"] < depths["assistant model helper"]


@pytest.mark.requirement("AS-177")
async def test_a_subagent_has_workspace_and_tools_of_its_own_file(tmp_path: Path) -> None:
    """It is given the workspace, and may write there for the person."""
    note = Use("note", {"word": "laps"})
    model = ScriptedModel(SPAWN, note, SUMMARY, "Done.")

    async def write(arguments: dict[str, Any]) -> str:
        return await app.workspace().write("notes.md", arguments["word"])

    async with open_loop(tmp_path, model=model, tools=[Tool("note", write)]) as app:
        app.agent("helper", workspace=["teacher.md"])
        folder = tmp_path / "plugins" / "workshop" / "workspace"
        folder.mkdir()
        (folder / "teacher.md").write_text("Teaches by example.\n")
        await app.take()
        assert await app.workspace().read("notes.md") == "laps"
    told = str(getattr(model.conversations[1][0], "instructions", ""))
    assert "Teaches by example." in told


@pytest.mark.requirement("AS-178")
async def test_an_unknown_subagent_is_an_error_result(tmp_path: Path) -> None:
    """The model is told which there are; a wrong call costs nothing."""
    wrong = Use("spawn_subagent", {"agent": "nobody", "task": "x"})
    empty = Use("spawn_subagent", {"agent": "helper"})
    model = ScriptedModel(wrong, empty, "Alone, then.")
    async with open_loop(tmp_path, model=model) as app:
        app.agent("helper")
        result = await app.take()
    assert result.text == "Alone, then."
    assert "helper" in text_of(model.conversations[1][-1:])
    assert "task" in text_of(model.conversations[2][-1:])


@pytest.mark.requirement("AS-174")
async def test_a_subagent_with_a_schema_of_its_own_brings_that(tmp_path: Path) -> None:
    """An agent with an outputSchema is held to it, and its data is the summary."""
    schema = {
        "type": "object",
        "properties": {"score": {"type": "integer"}},
        "required": ["score"],
    }
    model = ScriptedModel(SPAWN, '{"score": 4}', SPAWN, "four", "still four", "Done.")
    async with open_loop(tmp_path, model=model) as app:
        app.agent("helper", outputSchema=schema)
        await app.take()
    assert json.loads(returned(model, 2)["summary"]) == {"score": 4}
    failed = returned(model, 5)
    assert failed["summary"] == "still four"
    assert "not even JSON" in failed["reason"]
