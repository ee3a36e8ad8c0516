"""Answers as they are written."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from pydantic import BaseModel
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, FunctionModel

from bottega.core.llm.costs import Budget
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.ledger import Ledger
from bottega.core.llm.tasks import Source, Task, Tier
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModels
from bottega.errors import ApiMaxTokensError, ApiRefusalError, Conflict, ModelError

Connect = Callable[..., Gateway]

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

WIRES = pytest.mark.parametrize("choice", ["anthropic", "openai:gpt-6-luna"])


class Note(BaseModel):
    title: str
    body: str


tell = Task("tell", Tier.STRONG, "You tell stories.", str, str, lambda what: f"Of {what}.")
note = Task("note", Tier.FAST, "You note.", str, Note, lambda what: Note(title=what, body=what))


async def read(gateway: Gateway, what: str, into: list[str] | None = None) -> str:
    pieces = [] if into is None else into
    async with gateway.stream(tell, what) as stream:
        async for piece in stream:
            pieces.append(piece)
    return "".join(pieces)


STORY = "Once there was a workshop where many hands worked on one table."


@pytest.mark.requirement("FR-086", "FR-092")
@WIRES
async def test_text_comes_piece_by_piece_and_then_the_answer(
    connect: Connect, api: LoopbackApi, ledger: Ledger, choice: str
) -> None:
    """Logged and limited like any other call."""
    api.reply(text=STORY, usage=(1_000, 100))
    budget = Budget(1.0)
    async with connect(choice).stream(tell, "a workshop", budget=budget) as stream:
        pieces = [piece async for piece in stream]

    assert len(pieces) > 1
    assert "".join(pieces) == STORY == stream.answer.output
    assert stream.answer.usage.output_tokens == 100
    assert budget.spent == pytest.approx(stream.answer.cost) != 0
    total = (await ledger.totals()).total
    assert (total.calls, total.failures, total.input_tokens) == (1, 0, 1_000)
    assert total.cost == pytest.approx(stream.answer.cost)
    body = api.requests[0].body
    assert body["stream"] is True
    assert body.get("max_tokens", body.get("max_completion_tokens")) == 4096


@pytest.mark.requirement("SC-039")
@WIRES
async def test_a_structured_answer_can_be_streamed(
    connect: Connect, api: LoopbackApi, choice: str
) -> None:
    api.reply(json={"title": "Locks", "body": "They queue."})
    async with connect(choice).stream(note, "locks") as stream:
        text = "".join([piece async for piece in stream])
    assert stream.answer.output == Note(title="Locks", body="They queue.")
    assert Note.model_validate_json(text) == stream.answer.output


async def test_a_search_is_streamed_over_its_pauses(connect: Connect, api: LoopbackApi) -> None:
    search = {"type": "web_search_20250305", "name": "web_search"}
    api.reply(search=(("https://a.example", "A"),), stop_reason="pause_turn", usage=(10, 1))
    api.reply(text=STORY, usage=(20, 2))
    async with connect().stream(tell, "x", tools=[search]) as stream:
        text = "".join([piece async for piece in stream])
    assert text == STORY
    assert stream.answer.sources == (Source("https://a.example", "A"),)
    assert stream.answer.usage.input_tokens == 30


@pytest.mark.requirement("FR-089", "SC-044", "EC-40")
@WIRES
async def test_a_refusal_ends_the_stream_with_an_error(
    connect: Connect, api: LoopbackApi, ledger: Ledger, choice: str
) -> None:
    api.reply(stop_reason="refusal", text="Not that.")
    with pytest.raises(ApiRefusalError, match=r"Not that\."):
        await read(connect(choice), "x")
    assert (await ledger.totals()).total.failures == 1


@pytest.mark.requirement("FR-090", "SC-045", "EC-41", "EC-45")
@WIRES
async def test_a_cut_off_ends_the_stream_with_an_error(
    connect: Connect, api: LoopbackApi, ledger: Ledger, choice: str
) -> None:
    """What came before it was given out."""
    api.reply(stop_reason="max_tokens", text=STORY)
    pieces: list[str] = []
    with pytest.raises(ApiMaxTokensError):
        await read(connect(choice), "x", pieces)
    assert "".join(pieces) == STORY
    assert (await ledger.totals()).total.failures == 1


@pytest.mark.requirement("EC-38")
@WIRES
async def test_an_error_before_the_stream_is_explained(
    connect: Connect, api: LoopbackApi, ledger: Ledger, choice: str
) -> None:
    api.reply(status=401)
    with pytest.raises(ModelError, match=r"Check .*_API_KEY"):
        await read(connect(choice), "x")
    assert (await ledger.totals()).total.failures == 1


@pytest.mark.requirement("EC-19")
async def test_leaving_early_is_a_failed_call_and_there_is_no_answer(
    connect: Connect, api: LoopbackApi, ledger: Ledger
) -> None:
    api.reply(text=STORY, usage=(1_000, 100))
    budget = Budget(1.0)
    async with connect().stream(tell, "x", budget=budget) as stream:
        assert STORY.startswith(await anext(stream))
        with pytest.raises(Conflict, match="not complete"):
            _ = stream.answer
    total = (await ledger.totals()).total
    assert (total.calls, total.failures) == (1, 1)
    assert budget.spent >= 1_000 * 3.00 / 1e6


@pytest.mark.requirement("FR-086")
async def test_the_listeners_own_error_after_the_end_spoils_nothing(
    connect: Connect, api: LoopbackApi, ledger: Ledger
) -> None:
    """The call was good, whatever is done with it."""

    async def fail_after_reading() -> None:
        async with connect().stream(tell, "x") as stream:
            async for _ in stream:
                pass
            raise ZeroDivisionError

    api.reply(text=STORY)
    with pytest.raises(ZeroDivisionError):
        await fail_after_reading()
    assert (await ledger.totals()).total.failures == 0


@pytest.mark.requirement("EC-44")
async def test_streams_run_side_by_side(connect: Connect, api: LoopbackApi) -> None:
    gateway = connect()
    texts = await asyncio.gather(*(read(gateway, f"number {n}") for n in range(8)))
    assert texts == [f"echo: number {n}" for n in range(8)]


async def test_an_offline_answer_is_streamed_too(connect: Connect, ledger: Ledger) -> None:
    async with connect("offline").stream(note, "locks") as stream:
        text = "".join([piece async for piece in stream])
    assert stream.answer.offline
    assert (
        Note.model_validate_json(text) == stream.answer.output == Note(title="locks", body="locks")
    )
    assert list((await ledger.totals()).by_model) == ["offline"]


@pytest.mark.requirement("FR-090")
async def test_a_stream_that_stops_without_a_reason_is_no_answer(ledger: Ledger) -> None:
    """The connection ended, not the story."""

    async def stop_early(_: list[ModelMessage], __: AgentInfo) -> AsyncIterator[str]:
        yield "Once there was a "

    gateway = Gateway(ScriptedModels(FunctionModel(stream_function=stop_early)), ledger)
    with pytest.raises(ModelError, match="ended before") as broken:
        await read(gateway, "a workshop")
    assert broken.value.details["retryable"] is True
