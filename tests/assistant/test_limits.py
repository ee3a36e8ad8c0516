"""When a loop has gone on for long enough, and what it then says."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, DeltaToolCall

from bottega.assistant.loop.hooks import Hook, Revision
from bottega.assistant.loop.turn import Turn
from bottega.assistant.sessions.schemas import LoopStatus
from bottega.core.llm.testing import ToolUse as Use
from bottega.core.llm.testing.scripted import ScriptedModel, Step, StreamedModel
from tests.assistant.loop_app import Tool, look_up, open_loop, refuse, text_of

LOOK = Use("look_up", {"word": "loop"})


def looks(*words: str) -> list[Step]:
    return [Use("look_up", {"word": word}) for word in words]


@pytest.mark.requirement("AS-130")
async def test_a_loop_ends_after_max_turns(tmp_path: Path) -> None:
    """No more than maxTurns model calls, and the status says so."""
    model = ScriptedModel(*looks("a", "b", "c", "d"))
    async with open_loop(tmp_path, model=model, tools=[look_up()]) as app:
        app.agent(maxTurns=3)
        result = await app.take()
    assert (result.status, result.turns) == (LoopStatus.MAX_TURNS, 3)
    assert "3 turns" in str(result.reason)
    assert len(model.conversations) == 3


@pytest.mark.requirement("AS-131")
async def test_the_orders_limit_goes_before_the_files(tmp_path: Path) -> None:
    """Max turns and budget of the order stand over those of the agent's file."""
    model = ScriptedModel(*looks("a", "b", "c", "d"), "Done.", LOOK, "Unreached.")
    async with open_loop(tmp_path, model=model, tools=[look_up()]) as app:
        app.agent(maxTurns=2, maxBudgetUsd=0)
        result = await app.take(max_turns=9, max_budget_usd=5.0)
        assert (result.status, result.turns) == (LoopStatus.SUCCESS, 5)
        cheap = await app.take(max_budget_usd=result.cost / 100)
        assert (cheap.status, cheap.turns) == (LoopStatus.MAX_BUDGET, 1)


@pytest.mark.requirement("AS-132")
async def test_a_loop_ends_when_its_money_is_spent(tmp_path: Path) -> None:
    """A request is made only while something remains; what was spent is in the result."""
    model = ScriptedModel(*looks("a", "b", "c", "d"))
    async with open_loop(tmp_path, model=model, tools=[look_up()]) as app:
        app.agent(maxBudgetUsd=0.0003)
        result = await app.take()
    assert result.status is LoopStatus.MAX_BUDGET
    assert result.turns == 2
    assert result.cost > 0.0003
    assert "budget" in str(result.reason)


@pytest.mark.requirement("AS-132")
async def test_no_model_is_asked_without_money(tmp_path: Path) -> None:
    """With a budget of nothing nothing is asked."""
    model = ScriptedModel("Never said.")
    async with open_loop(tmp_path, model=model) as app:
        result = await app.take(max_budget_usd=0)
    assert (result.status, result.turns, result.cost) == (LoopStatus.MAX_BUDGET, 0, 0)
    assert model.conversations == []


@pytest.mark.requirement("AS-133")
async def test_the_same_call_may_fail_only_so_often(tmp_path: Path) -> None:
    """A call and its maxToolRetries repetitions fail, then the loop ends."""
    model = ScriptedModel(*[LOOK] * 9)
    async with open_loop(tmp_path, model=model, tools=[Tool("look_up", refuse)]) as app:
        app.agent(maxToolRetries=2, maxNoProgressIterations=50)
        result = await app.take()
        retries = [told["retries"] for told in await app.told("tool_call")]
    assert (result.status, result.turns) == (LoopStatus.TOOL_RETRIES, 3)
    assert retries == [0, 1, 2]
    assert "look_up failed 3 times" in str(result.reason)


@pytest.mark.requirement("AS-133")
async def test_other_arguments_are_another_call(tmp_path: Path) -> None:
    """Only repetitions with the same arguments count."""
    steps = [*looks("a", "b", "c", "d", "e"), "I give up."]
    async with open_loop(tmp_path, *steps, tools=[Tool("look_up", refuse)]) as app:
        app.agent(maxToolRetries=0, maxNoProgressIterations=50)
        first = await app.take()
        assert first.status is LoopStatus.TOOL_RETRIES, "nothing may fail at all"
    async with open_loop(
        tmp_path / "2", *looks("a", "b", "c", "d"), "Done.", tools=[Tool("look_up", refuse)]
    ) as app:
        app.agent(maxToolRetries=1)
        assert (await app.take()).status is LoopStatus.SUCCESS


@pytest.mark.requirement("AS-134")
async def test_a_loop_that_goes_in_circles_is_ended(tmp_path: Path) -> None:
    """Turns without a new call, a changed task or a text are counted, and end it."""
    model = ScriptedModel(*[LOOK] * 9)
    async with open_loop(tmp_path, model=model, tools=[look_up()]) as app:
        app.agent(maxNoProgressIterations=2)
        result = await app.take()
    assert (result.status, result.turns) == (LoopStatus.NO_PROGRESS, 3)
    assert "2 turns in a row" in str(result.reason)


@pytest.mark.requirement("AS-134")
async def test_new_calls_and_changed_tasks_are_progress(tmp_path: Path) -> None:
    """Any of them starts the count anew."""
    changing = Use("set_tasks", {"titles": ["one"]})
    back = Use("set_tasks", {"titles": []})
    # Tasks that go there and back change each time, though the calls are known.
    steps: list[Step] = [LOOK, LOOK, changing, back, changing, back, changing, LOOK, "Done."]
    async with open_loop(tmp_path, *steps, tools=[look_up()]) as app:
        app.agent(maxNoProgressIterations=2)
        result = await app.take()
    assert (result.status, result.text) == (LoopStatus.SUCCESS, "Done.")


@pytest.mark.requirement("AS-135")
@pytest.mark.parametrize(
    ("tool", "status"),
    [(look_up(), LoopStatus.NO_PROGRESS), (Tool("look_up", refuse), LoopStatus.TOOL_RETRIES)],
)
async def test_a_stalled_loop_is_asked_once_for_its_best_answer(
    tmp_path: Path, tool: Tool, status: LoopStatus
) -> None:
    """ForceFinalizeOnStall asks for a last answer without tools, and ends safely."""
    choices: list[object] = []

    async def stall(_: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        choices.append((info.model_settings or {}).get("tool_choice"))
        if choices[-1] == "none":
            yield "As far as I know, it repeats."
        else:
            yield {0: DeltaToolCall("look_up", '{"word": "loop"}')}

    model = StreamedModel(stream_function=stall)
    async with open_loop(tmp_path, model=model, tools=[tool]) as app:
        app.agent(forceFinalizeOnStall=True, maxToolRetries=1, maxNoProgressIterations=2)
        result = await app.take()
        notes = [note.text for note in app.turns[0].context.feedback]
    assert result.status is LoopStatus.SUCCESS
    assert result.text == "As far as I know, it repeats."
    assert str(result.reason).startswith("A best effort: ")
    assert choices[-1] == "none"
    assert choices.count("none") == 1
    word = "in a row" if status is LoopStatus.NO_PROGRESS else "failed"
    assert any(word in note for note in notes)


@pytest.mark.requirement("AS-136")
async def test_a_last_answer_that_calls_tools_again_is_none(tmp_path: Path) -> None:
    """A model that cannot let go ends with the status that it stalled with."""
    async with open_loop(tmp_path, *[LOOK] * 9, tools=[look_up()]) as app:
        app.agent(forceFinalizeOnStall=True, maxNoProgressIterations=1)
        result = await app.take()
    assert (result.status, result.turns) == (LoopStatus.NO_PROGRESS, 3)


@pytest.mark.requirement("AS-136")
async def test_the_last_answer_is_within_the_limits(tmp_path: Path) -> None:
    """There is no last answer when the turns are used up."""
    model = ScriptedModel(*[LOOK] * 9)
    async with open_loop(tmp_path, model=model, tools=[look_up()]) as app:
        app.agent(forceFinalizeOnStall=True, maxNoProgressIterations=2, maxTurns=3)
        result = await app.take()
    assert (result.status, result.turns) == (LoopStatus.MAX_TURNS, 3)


@pytest.mark.requirement("AS-138")
async def test_a_revision_has_only_the_limits_that_remain(tmp_path: Path) -> None:
    """Turns before a revision count, and the text that was there is not lost."""

    class Insisting(Hook):
        name = "insisting"

        async def post_loop(self, turn: Turn) -> Revision | None:
            return Revision("Again.")

    model = ScriptedModel("First.", "Second.", LOOK, "Never.")
    hooks = [Insisting()]
    async with open_loop(tmp_path, model=model, tools=[look_up()], hooks=hooks) as app:
        app.agent(hooks=["insisting"], maxTurns=3)
        result = await app.take()
    assert (result.status, result.turns, result.text) == (LoopStatus.MAX_TURNS, 3, "Second.")
    assert "Again." in text_of(model.conversations[2][-1:])


@pytest.mark.requirement("AS-139")
async def test_an_empty_reply_is_asked_for_again_and_then_given_up(tmp_path: Path) -> None:
    """A model that says nothing twice has made no progress."""

    async def say_nothing(_: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield ""

    model = StreamedModel(stream_function=say_nothing)
    async with open_loop(tmp_path, model=model) as app:
        result = await app.take()
    assert (result.status, result.turns) == (LoopStatus.NO_PROGRESS, 2)
