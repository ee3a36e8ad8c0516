"""Calls through the real SDKs: what goes over the wire, what comes back, what is refused."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, Field

from bottega.core.llm.costs import Budget, spending_from
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.tasks import Source, Task, Tier
from bottega.core.llm.testing import LoopbackApi, Received
from bottega.errors import (
    ApiMaxTokensError,
    ApiRefusalError,
    BudgetExceeded,
    InvalidInput,
    ModelError,
)

Connect = Callable[..., Gateway]

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

WIRES = pytest.mark.parametrize("choice", ["anthropic", "openai:small"])
WEB_SEARCH = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}


class Plan(BaseModel):
    """A plan for an issue."""

    title: str
    steps: list[str] = Field(min_length=1)


def write(issue: str) -> str:
    return f"Issue: {issue}"


def outline(issue: str) -> Plan:
    return Plan(title=issue, steps=["read it"])


plan = Task("coach_agent", Tier.STRONG, "You plan work.", write, Plan, outline)
quick = Task("quick_plan", Tier.FAST, "You plan work.", write, Plan, outline)
thoughtful = Task("deep_plan", Tier.STRONG, "Plan.", write, Plan, outline, thinking="medium")
greet = Task("greet", Tier.FAST, "You greet.", write, str, lambda name: f"Hello {name}")

ANSWER: dict[str, Any] = {"title": "Fix it", "steps": ["reproduce", "repair"]}


@pytest.mark.requirement("FR-083", "FR-084", "SC-039")
async def test_a_call_is_held_to_its_schema_by_the_provider(
    connect: Connect, api: LoopbackApi
) -> None:
    """The Messages request carries instructions, message and the output
    format with the schema, and the typed answer comes back."""
    api.reply(json=ANSWER)
    answer = await connect().run(plan, "crash at start", session_id=None, max_tokens=900)

    assert answer == Plan(title="Fix it", steps=["reproduce", "repair"])
    (request,) = api.requests
    assert request.path == "/v1/messages"
    assert request.body["system"] == [{"type": "text", "text": "You plan work."}]
    (message,) = request.body["messages"]
    assert message == {
        "role": "user",
        "content": [{"type": "text", "text": "Issue: crash at start"}],
    }
    output = request.body["output_config"]["format"]
    assert output["type"] == "json_schema"
    assert set(output["schema"]["properties"]) == {"title", "steps"}
    assert output["schema"]["required"] == ["title", "steps"]
    assert output["schema"]["additionalProperties"] is False


@pytest.mark.requirement("FR-084", "SC-039")
async def test_openai_gets_the_schema_as_its_response_format(
    connect: Connect, api: LoopbackApi
) -> None:
    """The same over Chat Completions, with strict decoding."""
    api.reply(json=ANSWER)
    answer = await connect("openai:gpt-6-luna").run(plan, "crash")

    assert answer.title == "Fix it"
    body = api.requests[0].body
    assert body["response_format"]["type"] == "json_schema"
    assert body["response_format"]["json_schema"]["strict"] is True
    assert set(body["response_format"]["json_schema"]["schema"]["properties"]) == {"title", "steps"}
    assert body["max_completion_tokens"] == 4096


@pytest.mark.requirement("FR-085", "SC-040")
async def test_the_tiers_are_haiku_and_sonnet(connect: Connect, api: LoopbackApi) -> None:
    """Fast and strong tasks go out with the two full model ids."""
    gateway = connect()
    fast = await gateway.call(quick, "x")
    strong = await gateway.call(plan, "x")

    assert [request.body["model"] for request in api.requests] == [
        "claude-haiku-4-5-20251001",
        "claude-sonnet-4-5-20250929",
    ]
    assert (fast.model, strong.model) == ("claude-haiku-4-5-20251001", "claude-sonnet-4-5-20250929")
    assert not fast.offline


@pytest.mark.requirement("FR-092")
async def test_an_answer_may_be_4096_tokens_long_unless_said_otherwise(
    connect: Connect, api: LoopbackApi
) -> None:
    gateway = connect()
    await gateway.run(quick, "x")
    await gateway.run(quick, "x", max_tokens=8192)
    assert [request.body["max_tokens"] for request in api.requests] == [4096, 8192]


@pytest.mark.requirement("FR-092")
async def test_other_servers_get_the_limit_under_the_name_that_they_know(
    connect: Connect, api: LoopbackApi
) -> None:
    await connect("openai:llama3.2:3b").run(quick, "x")
    body = api.requests[0].body
    assert (body["model"], body["max_tokens"]) == ("llama3.2:3b", 4096)
    assert "max_completion_tokens" not in body


async def test_a_task_for_text_asks_for_no_schema(connect: Connect, api: LoopbackApi) -> None:
    api.reply(text="Good day, Ada.")
    assert await connect().run(greet, "Ada") == "Good day, Ada."
    assert "output_config" not in api.requests[0].body


async def test_a_model_without_native_output_is_told_the_schema(
    connect: Connect, api: LoopbackApi
) -> None:
    api.reply(text='Here it is:\n```json\n{"title": "Fix it", "steps": ["go"]}\n```')
    answer = await connect("anthropic:claude-3-haiku-20240307").run(plan, "x")
    assert answer == Plan(title="Fix it", steps=["go"])
    body = api.requests[0].body
    assert "output_config" not in body
    assert '"steps"' in "".join(part["text"] for part in body["system"])


@pytest.mark.requirement("FR-083")
async def test_the_provider_searches_the_web_for_the_model(
    connect: Connect, api: LoopbackApi
) -> None:
    """Connector tools go out in the wire's own shape, and the pages found are reported."""
    api.reply(json=ANSWER, search=(("https://docs.python.org/3/", "Python 3"),))
    answer = await connect().call(plan, "x", tools=[WEB_SEARCH])

    (tool,) = api.requests[0].body["tools"]
    assert {key: tool[key] for key in WEB_SEARCH} == WEB_SEARCH
    assert answer.output.title == "Fix it"
    assert answer.sources == (Source("https://docs.python.org/3/", "Python 3"),)


@pytest.mark.requirement("FR-083")
async def test_a_turn_that_the_provider_pauses_is_gone_on_with(
    connect: Connect, api: LoopbackApi
) -> None:
    """A long search ends with `pause_turn`; its parts make one answer and one bill."""
    api.reply(search=(("https://a.example", "A"),), stop_reason="pause_turn", usage=(100, 10))
    api.reply(json=ANSWER, search=(("https://b.example", "B"),), usage=(200, 20))
    answer = await connect().call(plan, "x", tools=[WEB_SEARCH])

    assert [source.url for source in answer.sources] == ["https://a.example", "https://b.example"]
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (300, 30)
    assert [message["role"] for message in api.requests[1].body["messages"]] == [
        "user",
        "assistant",
    ]


async def test_a_model_without_the_tool_answers_without_it(
    connect: Connect, api: LoopbackApi
) -> None:
    api.reply(json=ANSWER)
    answer = await connect("openai:small").call(plan, "x", tools=[WEB_SEARCH])
    assert "tools" not in api.requests[0].body
    assert answer.sources == ()


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "rm_rf", "name": "rm"},
        {"type": "web_search_20250305", "name": "web_search", "x": 1},
    ],
)
async def test_an_unknown_connector_is_refused(
    connect: Connect, api: LoopbackApi, tool: dict[str, object]
) -> None:
    with pytest.raises(InvalidInput):
        await connect().run(plan, "x", tools=[tool])
    assert api.requests == []


@pytest.mark.requirement("FR-089", "SC-044", "EC-40")
@WIRES
async def test_a_refusal_is_an_error_with_the_models_words(
    connect: Connect, api: LoopbackApi, choice: str
) -> None:
    api.reply(stop_reason="refusal", text="I will not help with that.")
    with pytest.raises(ApiRefusalError, match=r"I will not help with that\.") as caught:
        await connect(choice).run(plan, "x")
    assert caught.value.details["refusal"] == "I will not help with that."
    assert len(api.requests) == 1


@pytest.mark.requirement("FR-089")
async def test_filtered_content_is_a_refusal(connect: Connect, api: LoopbackApi) -> None:
    api.reply(stop_reason="content_filter", text='{"title": "Fi')
    with pytest.raises(ApiRefusalError):
        await connect("openai:small").run(plan, "x")


@pytest.mark.requirement("FR-090", "SC-045", "EC-41", "EC-45")
@WIRES
async def test_a_truncated_answer_is_an_error_that_names_the_limit(
    connect: Connect, api: LoopbackApi, choice: str
) -> None:
    """Also when what came is valid, it is not taken for whole."""
    api.reply(stop_reason="max_tokens", json=ANSWER, usage=(10, 50))
    with pytest.raises(ApiMaxTokensError, match="50 of at most 50 tokens"):
        await connect(choice).run(plan, "x", max_tokens=50)
    assert len(api.requests) == 1


@WIRES
async def test_an_answer_outside_the_schema_is_an_error(
    connect: Connect, api: LoopbackApi, choice: str
) -> None:
    api.reply(json={"title": "Fix it", "steps": []})
    with pytest.raises(ModelError, match="outside the schema of Plan: steps"):
        await connect(choice).run(plan, "x")


@pytest.mark.requirement("EC-43")
async def test_the_same_schema_is_built_once_and_sent_alike(
    connect: Connect, api: LoopbackApi
) -> None:
    """Repeated calls reuse the schema that was built for the task, and what is sent is the
    same, which is what the provider's own cache of compiled schemas goes by."""
    built: list[type[BaseModel]] = []

    class Counted(Plan):
        @classmethod
        def model_json_schema(cls, *arguments: Any, **options: Any) -> dict[str, Any]:
            built.append(cls)
            return super().model_json_schema(*arguments, **options)

    counted = Task("counted", Tier.FAST, "Plan.", write, Counted, lambda _: Counted(**ANSWER))
    gateway = connect()
    for issue in ("one", "two", "three"):
        await gateway.run(counted, issue)

    assert built == [Counted]
    first, *others = [request.body["output_config"] for request in api.requests]
    assert others == [first, first]


@pytest.mark.requirement("FR-093")
async def test_one_client_serves_all_calls(api: LoopbackApi, connect: Connect) -> None:
    """Calls of both tiers share one client, and so its connection."""
    gateway = connect()
    for _ in range(3):
        await gateway.run(quick, "x")
        await gateway.run(plan, "x")
    assert len(api.requests) == 6
    assert api.connections == 1


@pytest.mark.requirement("EC-44")
async def test_calls_run_side_by_side(connect: Connect, api: LoopbackApi) -> None:
    """Twenty calls are all under way before the first is answered, and each gets its own
    answer."""
    gate = asyncio.Event()

    def is_about(number: int) -> Callable[[Received], bool]:
        text = f"Issue: {number}."
        return lambda request: request.body["messages"][0]["content"][0]["text"] == text

    for number in reversed(range(20)):
        answer = {"title": f"plan {number}", "steps": ["go"]}
        api.reply(json=answer, hold=gate, when=is_about(number), usage=(number, 1))
    gateway = connect()
    calls = [asyncio.create_task(gateway.call(quick, f"{number}.")) for number in range(20)]
    await api.received(20)
    gate.set()
    answers = await asyncio.gather(*calls)

    assert [answer.output.title for answer in answers] == [f"plan {n}" for n in range(20)]
    assert [answer.usage.input_tokens for answer in answers] == list(range(20))


async def test_thinking_comes_on_top_of_the_answers_tokens(
    connect: Connect, api: LoopbackApi
) -> None:
    await connect().run(thoughtful, "x")
    await connect("openai:gpt-6-luna").run(thoughtful, "x")
    first, second = (request.body for request in api.requests)
    budget = first["thinking"]["budget_tokens"]
    assert first["max_tokens"] == 4096 + budget
    assert second["reasoning_effort"] == "medium"


async def test_calls_in_a_block_are_paid_from_its_purse(connect: Connect, api: LoopbackApi) -> None:
    """However deep the code that calls, and whoever wrote it."""
    api.reply(json=ANSWER, usage=(1_000_000, 0), times=2)
    gateway = connect()
    with spending_from(Budget(1.0)) as current_budget:
        await gateway.run(plan, "x")
        assert current_budget.spent == pytest.approx(3.0)
        with pytest.raises(BudgetExceeded):
            await gateway.run(plan, "x")
        own = Budget()
        await gateway.run(plan, "x", budget=own)
        assert own.spent == pytest.approx(3.0)
    assert len(api.requests) == 2
