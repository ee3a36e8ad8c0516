"""Models for agent loops: each request of a loop is on the books."""

from collections.abc import AsyncIterator, Callable

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from sqlalchemy import select

from bottega.core.db.database import Database
from bottega.core.llm.costs import Budget
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.ledger import ApiCall, Ledger
from bottega.core.llm.providers import Models, choose
from bottega.core.llm.tasks import Tier
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModel, ScriptedModels
from bottega.core.sessions.session import Session, SessionKind
from bottega.core.traces import Traces
from bottega.core.traces.store import SpanRow
from bottega.errors import (
    ApiMaxTokensError,
    ApiRefusalError,
    BudgetExceeded,
    ModelError,
    Unavailable,
)

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

Connect = Callable[..., Gateway]


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def _calls(ledger: Ledger, database: Database) -> list[ApiCall]:
    await ledger.flush()
    async with database.read() as session:
        return list(await session.scalars(select(ApiCall).order_by(ApiCall.created_at)))


async def _stream(model: Model) -> str:
    async with Agent(model).run_stream("Explain.") as reply:
        return await reply.get_output()


@pytest.mark.requirement("RS-420")
async def test_every_request_of_a_loop_is_booked_and_charged(
    connect: Connect, api: LoopbackApi, ledger: Ledger, database: Database
) -> None:
    """A loop's requests are in the ledger with their session, tokens and price."""
    async with database.write() as session:
        session.add(Session(id="s1", kind=SessionKind.RESEARCH, project_dir="/p"))
    api.reply(tool=("add", {"a": 2, "b": 3}), usage=(1_000, 10))
    api.reply(text="It is 5.", usage=(2_000, 20))
    budget = Budget(1.0)
    model = await connect().model(
        Tier.STRONG, call_type="research_chat", session_id="s1", budget=budget
    )

    result = await Agent(model, tools=[add]).run("2 + 3?")

    assert result.output == "It is 5."
    first, second = await _calls(ledger, database)
    assert (first.call_type, first.session_id) == ("research_chat", "s1")
    assert (first.input_tokens, first.output_tokens) == (1_000, 10)
    assert (second.input_tokens, second.output_tokens) == (2_000, 20)
    assert budget.spent == pytest.approx((3_000 * 3 + 30 * 15) / 1e6)
    assert first.input_hash != second.input_hash
    assert api.requests[0].body["max_tokens"] == 4096


@pytest.mark.requirement("RS-420")
async def test_a_stream_is_booked_like_a_request(
    connect: Connect, api: LoopbackApi, ledger: Ledger, database: Database
) -> None:
    """Streamed too, and when the listener leaves before the end."""
    api.reply(text="Some words that come in pieces.", usage=(500, 50), times=2)
    budget = Budget(1.0)
    model = await connect().model(Tier.FAST, call_type="chat", budget=budget)
    agent = Agent(model)

    async with agent.run_stream("hello") as whole:
        assert "".join([text async for text in whole.stream_text(delta=True)]).startswith("Some")
    spent = budget.spent
    async with agent.run_stream("hello") as left_early:
        async for _ in left_early.stream_text(delta=True):
            break

    whole_call, early_call = await _calls(ledger, database)
    assert (whole_call.input_tokens, whole_call.output_tokens) == (500, 50)
    assert whole_call.error is None
    assert whole_call.input_hash == early_call.input_hash
    assert spent == pytest.approx((500 * 0.8 + 50 * 4) / 1e6)
    assert budget.spent > spent


@pytest.mark.requirement("RS-421")
async def test_a_spent_budget_ends_the_loop_before_the_next_request(
    connect: Connect, api: LoopbackApi
) -> None:
    """A request is refused when nothing remains, and one that was made is charged."""
    api.reply(tool=("add", {"a": 2, "b": 3}), usage=(1_000, 10))
    api.reply(text="never asked for")
    model = await connect().model(Tier.STRONG, call_type="chat", budget=Budget(0.001))

    with pytest.raises(BudgetExceeded, match=r"\$0.0010 is spent"):
        await Agent(model, tools=[add]).run("2 + 3?")
    assert len(api.requests) == 1


@pytest.mark.requirement("RS-422")
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_failure_is_an_error_of_our_tree_and_in_the_ledger(
    connect: Connect, api: LoopbackApi, ledger: Ledger, database: Database, streamed: bool
) -> None:
    """What a provider refuses comes back as an error that says what to do."""
    api.reply(status=429, text="slow down")
    api.reply(text="I would rather not.", stop_reason="refusal", usage=(100, 5))
    model = await connect(retries=0).model(Tier.FAST, call_type="chat", budget=Budget(1.0))
    agent = Agent(model)

    async def ask() -> None:
        if streamed:
            async with agent.run_stream("hello") as stream:
                await stream.get_output()
        else:
            await agent.run("hello")

    with pytest.raises(ModelError, match="slow down") as too_many:
        await ask()
    assert too_many.value.details["retryable"] is True
    with pytest.raises(ApiRefusalError, match="refused chat"):
        await ask()
    errors = [call.error or "" for call in await _calls(ledger, database)]
    assert [error.split(":")[0] for error in errors] == ["ModelError", "ApiRefusalError"]


@pytest.mark.requirement("RS-420")
async def test_each_request_is_a_span(database: Database, api: LoopbackApi, ledger: Ledger) -> None:
    """Traced as the gateway traces a task."""
    traces = Traces(database)
    await traces.start()
    access = api.access()
    gateway = Gateway(Models(choose("anthropic", access), access), ledger, traces=traces)
    api.reply(text="hello", usage=(1_000, 20))
    await Agent(await gateway.model(Tier.FAST, call_type="chat")).run("hi")
    await gateway.close()
    await traces.stop()
    async with database.read() as session:
        span = await session.scalar(select(SpanRow))
    assert span is not None
    assert span.attributes["bottega.task"] == "chat"
    assert span.attributes["gen_ai.usage.input_tokens"] == 1_000
    assert span.attributes["bottega.cost_usd"] == pytest.approx((800 + 80) / 1e6)


@pytest.mark.requirement("RS-423")
async def test_a_model_is_had_by_its_full_name(connect: Connect, api: LoopbackApi) -> None:
    """An agent's own model goes through the same books."""
    api.reply(text="hello")
    model = await connect().model("anthropic:claude-opus-4-6", call_type="chat")
    await Agent(model).run("hi")
    assert api.requests[0].body["model"] == "claude-opus-4-6"


@pytest.mark.requirement("RS-423")
async def test_without_a_model_that_is_said(connect: Connect, ledger: Ledger) -> None:
    """No model is there to be had offline."""
    with pytest.raises(Unavailable, match="No model is there for chat"):
        await connect("offline").model(Tier.FAST, call_type="chat")
    scripted = Gateway(ScriptedModels(ScriptedModel("hello")), ledger)
    model = await scripted.model(Tier.FAST, call_type="chat")
    assert (await Agent(model).run("hi")).output == "hello"


@pytest.mark.requirement("RS-422")
@pytest.mark.parametrize("streamed", [True, False])
async def test_a_reply_that_ran_out_of_tokens_is_an_error(
    connect: Connect, api: LoopbackApi, ledger: Ledger, database: Database, streamed: bool
) -> None:
    """Half an answer is none: it is paid for, and the loop is told so."""
    api.reply(text="Half an ans", stop_reason="max_tokens", usage=(100, 4096))
    budget = Budget(1.0)
    model = await connect().model(Tier.STRONG, call_type="research_chat", budget=budget)
    cut_off = pytest.raises(ApiMaxTokensError, match="cut off in research_chat after 4096 of at")
    with cut_off:
        await (_stream(model) if streamed else Agent(model).run("Explain."))
    [call] = await _calls(ledger, database)
    assert "cut off" in str(call.error)
    assert budget.spent == pytest.approx((100 * 3 + 4096 * 15) / 1e6)


@pytest.mark.requirement("RS-422")
async def test_a_stream_that_stops_without_a_reason_is_an_error(ledger: Ledger) -> None:
    """The connection ended, not the answer."""

    async def stop_early(_: list[ModelMessage], __: AgentInfo) -> AsyncIterator[str]:
        yield "Half an "

    gateway = Gateway(ScriptedModels(FunctionModel(stream_function=stop_early)), ledger)
    model = await gateway.model(Tier.STRONG, call_type="research_chat")
    with pytest.raises(ModelError, match="ended before") as broken:
        await _stream(model)
    assert broken.value.details["retryable"] is True
