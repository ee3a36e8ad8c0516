"""A task's module, laid out as one in a room's `prompts/` folder, and what becomes of it."""

from collections.abc import Callable

import pytest
from pydantic import BaseModel

from bottega.core.llm.gateway import Gateway
from bottega.core.llm.tasks import Task, Tier
from bottega.core.llm.testing import LoopbackApi

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

INSTRUCTIONS = "You judge from what a learner did whether they are stuck."


class Situation(BaseModel):
    minutes_idle: int
    failed_runs: int


class Verdict(BaseModel):
    """Whether a learner is stuck."""

    stuck: bool
    confidence: float


def prompt(situation: Situation) -> str:
    return situation.model_dump_json()


def offline(situation: Situation) -> Verdict:
    return Verdict(stuck=situation.failed_runs > 2, confidence=0.5)


triage = Task("observer_triage", Tier.FAST, INSTRUCTIONS, prompt, Verdict, offline)


@pytest.mark.requirement("FR-094")
async def test_one_module_holds_all_that_a_call_needs(
    connect: Callable[..., Gateway], api: LoopbackApi
) -> None:
    """Instructions, input, output schema and prompt assembly of one module make the
    request, and the answer has the module's output type."""
    api.reply(json={"stuck": True, "confidence": 0.9})
    verdict = await connect().run(triage, Situation(minutes_idle=4, failed_runs=3))

    assert verdict == Verdict(stuck=True, confidence=0.9)
    body = api.requests[0].body
    assert body["system"] == INSTRUCTIONS or body["system"][0]["text"] == INSTRUCTIONS
    assert body["messages"][0]["content"][0]["text"] == '{"minutes_idle":4,"failed_runs":3}'
    assert set(body["output_config"]["format"]["schema"]["properties"]) == {"stuck", "confidence"}


@pytest.mark.requirement("FR-094")
async def test_the_same_module_answers_without_a_model(
    connect: Callable[..., Gateway], api: LoopbackApi
) -> None:
    """The module also holds the answer for when there is no model."""
    verdict = await connect("offline").run(triage, Situation(minutes_idle=4, failed_runs=3))
    assert verdict == Verdict(stuck=True, confidence=0.5)
    assert api.requests == []
