"""The loopback API against the providers' own SDKs, without anything of ours between."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date, datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID

import anthropic
import httpx
import openai
import pytest
from pydantic import BaseModel, Field, HttpUrl

from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.replies import example

WEATHER = {"city": "Firenze", "days": [1, 2, 3]}


@pytest.fixture
async def claude(api: LoopbackApi) -> AsyncIterator[anthropic.AsyncAnthropic]:
    async with anthropic.AsyncAnthropic(api_key="k", base_url=api.url, max_retries=0) as client:
        yield client


@pytest.fixture
async def gpt(api: LoopbackApi) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(api_key="k", base_url=api.openai_url, max_retries=0) as client:
        yield client


async def test_a_message_is_echoed_by_default(claude: anthropic.AsyncAnthropic) -> None:
    message = await claude.messages.create(
        model="claude-x", max_tokens=10, messages=[{"role": "user", "content": "Ciao"}]
    )
    assert message.content[0].type == "text"
    assert message.content[0].text == "echo: Ciao"
    assert (message.model, message.stop_reason) == ("claude-x", "end_turn")
    assert message._request_id


async def test_a_message_streams_text_and_a_tool(
    api: LoopbackApi, claude: anthropic.AsyncAnthropic
) -> None:
    api.reply(text="Let me look at the sky.", tool=("weather", WEATHER), usage=(7, 9))
    async with claude.messages.stream(
        model="claude-x", max_tokens=10, messages=[{"role": "user", "content": "Ciao"}]
    ) as stream:
        text = [piece async for piece in stream.text_stream]
        message = await stream.get_final_message()

    assert len(text) > 1
    assert "".join(text) == "Let me look at the sky."
    assert message.stop_reason == "tool_use"
    assert message.content[1].type == "tool_use"
    assert (message.content[1].name, message.content[1].input) == ("weather", WEATHER)
    assert (message.usage.input_tokens, message.usage.output_tokens) == (7, 9)


async def test_tokens_are_counted(claude: anthropic.AsyncAnthropic) -> None:
    counted = await claude.messages.count_tokens(
        model="claude-x", messages=[{"role": "user", "content": "Ciao " * 100}]
    )
    assert counted.input_tokens > 100


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, anthropic.BadRequestError),
        (401, anthropic.AuthenticationError),
        (429, anthropic.RateLimitError),
        (500, anthropic.InternalServerError),
    ],
)
async def test_errors_have_anthropics_shape(
    api: LoopbackApi,
    claude: anthropic.AsyncAnthropic,
    status: int,
    error: type[anthropic.APIStatusError],
) -> None:
    api.reply(status=status, text="No.", headers={"retry-after": "7"})
    with pytest.raises(error, match=r"No\.") as caught:
        await claude.messages.create(model="m", max_tokens=1, messages=[])
    assert caught.value.response.headers["retry-after"] == "7"
    assert caught.value.request_id


async def test_a_request_without_its_fields_is_refused(gpt: openai.AsyncOpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="Missing required parameter: 'messages'"):
        await gpt.post("/chat/completions", body={"model": "m"}, cast_to=object)


async def test_a_completion_carries_tool_calls(api: LoopbackApi, gpt: openai.AsyncOpenAI) -> None:
    api.reply(tool=("weather", WEATHER))
    completion = await gpt.chat.completions.create(
        model="gpt-x", messages=[{"role": "user", "content": "Ciao"}]
    )
    assert completion.choices[0].finish_reason == "tool_calls"
    (call,) = completion.choices[0].message.tool_calls or []
    assert call.type == "function"
    assert call.function.arguments == '{"city": "Firenze", "days": [1, 2, 3]}'


async def test_a_completion_streams_text_tool_and_usage(
    api: LoopbackApi, gpt: openai.AsyncOpenAI
) -> None:
    api.reply(text="Let me look at the sky.", tool=("weather", WEATHER), usage=(7, 9))
    async with gpt.chat.completions.stream(
        model="gpt-x",
        messages=[{"role": "user", "content": "Ciao"}],
        stream_options={"include_usage": True},
    ) as stream:
        pieces = [event.delta async for event in stream if event.type == "content.delta"]
        completion = await stream.get_final_completion()

    assert len(pieces) > 1
    assert "".join(pieces) == "Let me look at the sky."
    (call,) = completion.choices[0].message.tool_calls or []
    assert call.function.name == "weather"
    assert completion.usage is not None
    assert completion.usage.total_tokens == 16


async def test_models_are_listed(gpt: openai.AsyncOpenAI) -> None:
    assert [model.id async for model in gpt.models.list()] == ["loopback"]


async def test_an_unknown_route_is_not_found(gpt: openai.AsyncOpenAI) -> None:
    with pytest.raises(openai.NotFoundError):
        await gpt.embeddings.create(model="m", input="x")


async def test_what_agents_send_beside_model_calls_does_no_harm(api: LoopbackApi) -> None:
    async with httpx.AsyncClient(base_url=api.url) as client:
        assert (await client.head("/")).status_code == 200
        assert (await client.post("/telemetry", content=b"\x1f\x8b not json")).status_code == 404
        assert (await client.post("/v1/messages?beta=true", json={})).status_code == 401
    assert api.connections == 1
    assert [request.query for request in api.requests] == ["beta=true"]


async def test_replies_wait_for_the_request_that_they_are_meant_for(
    api: LoopbackApi, claude: anthropic.AsyncAnthropic
) -> None:
    api.reply(text="for later", when=lambda request: request.body["model"] == "late")
    api.reply(text="for anyone")

    async def ask(model: str) -> str:
        message = await claude.messages.create(
            model=model, max_tokens=1, messages=[{"role": "user", "content": "?"}]
        )
        assert message.content[0].type == "text"
        return message.content[0].text

    assert [await ask("early"), await ask("late")] == ["for anyone", "for later"]


async def test_leaving_closes_what_is_held() -> None:
    async with LoopbackApi() as api:
        api.reply(hold=asyncio.Event())
        client = anthropic.AsyncAnthropic(api_key="k", base_url=api.url, max_retries=0)
        call = asyncio.create_task(
            client.messages.create(
                model="m", max_tokens=1, messages=[{"role": "user", "content": "?"}]
            )
        )
        await api.received(1)
    with pytest.raises(anthropic.APIConnectionError):
        await call
    await client.close()


class Colour(StrEnum):
    RED = "red"


class Leaf(BaseModel):
    kind: Literal["leaf"]
    weight: int = Field(gt=3)


class Tree(BaseModel):
    leaf: Leaf
    leaves: list[Leaf] = Field(min_length=2)
    colour: Colour
    planted: date
    seen: datetime
    id: UUID
    page: HttpUrl
    share: float = Field(ge=0.25, le=1)
    debt: int = Field(le=-2)
    name: str = Field(min_length=4)
    tall: bool
    either: Leaf | str
    maybe: Leaf | None
    pair: tuple[int, str]
    notes: dict[str, str]
    extra: str = "default"


def test_the_smallest_value_of_a_schema_is_valid() -> None:
    smallest = example(Tree.model_json_schema())
    tree = Tree.model_validate(smallest)
    assert len(tree.leaves) == 2
    assert tree.maybe is None
    assert "extra" not in smallest
