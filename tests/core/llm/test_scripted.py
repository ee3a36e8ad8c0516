"""The scripted model, behind a gateway and behind an agent."""

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError, ModelServerError
from pydantic_ai.messages import UserPromptPart

from bottega.core.llm.gateway import Gateway
from bottega.core.llm.ledger import Ledger
from bottega.core.llm.tasks import Task, Tier
from bottega.core.llm.testing import ToolUse
from bottega.core.llm.testing.scripted import ScriptedModel, ScriptedModels
from bottega.errors import ModelError


class Verdict(BaseModel):
    stuck: bool


def judge(_: str) -> Verdict:
    return Verdict(stuck=False)


triage = Task("triage", Tier.FAST, "Judge.", str, Verdict, judge)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_gateway_gets_answers_and_errors_from_the_script(ledger: Ledger) -> None:
    error = ModelHTTPError.for_category(ModelServerError, status_code=500, model_name="scripted")
    model = ScriptedModel(Verdict(stuck=True), error)
    gateway = Gateway(ScriptedModels(model), ledger)

    assert await gateway.run(triage, "x") == Verdict(stuck=True)
    with pytest.raises(ModelError, match="500"):
        await gateway.run(triage, "y")
    total = (await ledger.totals()).total
    assert (total.calls, total.failures) == (2, 1)
    (request,) = model.conversations[0]
    assert isinstance(request.parts[0], UserPromptPart)
    assert request.parts[0].content == "x"


async def test_an_agent_calls_the_scripted_tool() -> None:
    agent = Agent(ScriptedModel(ToolUse("double", {"number": 21}), "It is 42."))
    seen: list[int] = []

    @agent.tool_plain
    def double(number: int) -> int:
        seen.append(number)
        return number * 2

    result = await agent.run("What is twice 21?")
    assert result.output == "It is 42."
    assert seen == [21]


async def test_the_script_can_be_streamed() -> None:
    agent = Agent(ScriptedModel("One word  after\nanother."))
    async with agent.run_stream("go") as result:
        pieces = [piece async for piece in result.stream_text(delta=True, debounce_by=None)]
    assert len(pieces) > 1
    assert "".join(pieces) == "One word  after\nanother."


async def test_a_script_that_is_too_short_says_so() -> None:
    with pytest.raises(AssertionError, match="no step for call 1"):
        await Agent(ScriptedModel()).run("go")
