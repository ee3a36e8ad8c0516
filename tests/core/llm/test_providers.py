"""Which models are used, and what is said when that cannot be."""

import asyncio

import pytest
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import ModelRequestParameters

from bottega.core.llm.providers import Access, ModelMode, Models, Provider, choose
from bottega.core.llm.tasks import Tier
from bottega.core.llm.testing import LoopbackApi
from bottega.errors import ConfigurationError

ANTHROPIC = Access(anthropic_key="sk-ant-1")
OPENAI = Access(openai_key="sk-1")
BOTH = Access(anthropic_key="sk-ant-1", openai_key="sk-1")
OLLAMA = Access(openai_url="http://localhost:11434/v1")


def names(mode: ModelMode) -> tuple[str, str]:
    return str(mode.fast), str(mode.strong)


@pytest.mark.requirement("FR-085")
def test_auto_prefers_anthropic() -> None:
    mode = choose("auto", BOTH)
    assert mode.provider is Provider.ANTHROPIC
    assert names(mode) == (
        "anthropic:claude-haiku-4-5-20251001",
        "anthropic:claude-sonnet-4-5-20250929",
    )
    assert mode.reason == "ANTHROPIC_API_KEY is set"


def test_auto_takes_openai_when_only_that_is_there() -> None:
    mode = choose("auto", OPENAI)
    assert (mode.provider, mode.offline) == (Provider.OPENAI, False)
    assert mode.reason == "OPENAI_API_KEY is set"


def test_auto_without_a_key_is_offline_and_says_why() -> None:
    mode = choose("auto", Access())
    assert mode.describe() == {
        "provider": "offline",
        "offline": True,
        "fast": "offline",
        "strong": "offline",
        "reason": "neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set",
    }


def test_offline_can_be_chosen_in_spite_of_a_key() -> None:
    assert choose("offline", BOTH).offline


def test_a_full_name_is_used_for_both_tiers() -> None:
    """A model's own name may hold colons."""
    mode = choose("openai:llama3.2:3b", OLLAMA)
    assert names(mode) == ("openai:llama3.2:3b", "openai:llama3.2:3b")
    assert mode.fast.id == "llama3.2:3b"


def test_each_tier_can_be_overridden_with_another_provider() -> None:
    mode = choose("anthropic", BOTH, fast="openai:gpt-x")
    assert names(mode) == ("openai:gpt-x", "anthropic:claude-sonnet-4-5-20250929")
    half = choose("anthropic", ANTHROPIC, fast="offline")
    assert half.fast.offline
    assert not half.offline


@pytest.mark.parametrize(
    ("choice", "access", "fast", "named"),
    [
        ("anthropic", OPENAI, None, "ANTHROPIC_API_KEY is not set"),
        ("anthropic:claude-x", Access(), None, "ANTHROPIC_API_KEY is not set"),
        ("openai", ANTHROPIC, None, "OPENAI_API_KEY is not set"),
        ("anthropic", ANTHROPIC, "openai:x", "OPENAI_API_KEY is not set"),
        ("openai", OLLAMA, None, "Set BOTTEGA_MODEL=openai:NAME"),
        ("auto", OLLAMA, None, "Set BOTTEGA_MODEL=openai:NAME"),
        ("gemini", BOTH, None, "BOTTEGA_MODEL='gemini': unknown provider"),
        ("gemini:pro", BOTH, None, "Use auto, anthropic, openai, offline, or provider:model"),
        ("openai:", BOTH, None, "BOTTEGA_MODEL='openai:' names no model"),
        ("auto", BOTH, "haiku", "BOTTEGA_FAST_MODEL='haiku': unknown provider"),
        ("auto", BOTH, "anthropic", "BOTTEGA_FAST_MODEL='anthropic' names no model"),
    ],
)
def test_a_choice_that_cannot_work_ends_start_up_naming_the_setting(
    choice: str, access: Access, fast: str | None, named: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        choose(choice, access, fast=fast)
    assert named in caught.value.message


def test_a_compatible_server_needs_no_default_when_both_models_are_named() -> None:
    mode = choose("auto", OLLAMA, fast="openai:small", strong="openai:large")
    assert names(mode) == ("openai:small", "openai:large")


def test_openais_own_address_is_no_other_server() -> None:
    access = Access(openai_key="sk-1", openai_url="https://api.openai.com/v1/")
    assert choose("openai", access).provider is Provider.OPENAI


@pytest.mark.requirement("FR-093")
async def test_a_model_is_built_once_however_many_ask_at_once() -> None:
    """First calls that come together do not build a client each."""
    async with LoopbackApi() as api:
        access = api.access()
        models = Models(choose("anthropic", access), access)
        built = await asyncio.gather(*(models.get(tier) for tier in [*Tier] * 5))
        assert len({id(model) for model in built}) == 2
        assert len({id(model.client) for model in built}) == 1  # type: ignore[attr-defined]
        await models.warm()
        assert await models.get(Tier.FAST) is built[0]
        await models.close()


async def test_the_loop_keeps_turning_while_a_provider_is_imported() -> None:
    access = Access(openai_key="sk-1")
    models = Models(choose("openai", access), access)
    warming = asyncio.create_task(models.warm())
    turns = 0
    while not warming.done():
        await asyncio.sleep(0)
        turns += 1
    await warming
    assert turns > 1
    await models.close()


async def test_a_local_server_needs_no_key() -> None:
    async with LoopbackApi() as api:
        access = Access(openai_url=api.openai_url)
        models = Models(choose("openai:qwen3", access), access)
        model = await models.get(Tier.FAST)
        reply = await model.request(
            [ModelRequest.user_text_prompt("ciao")], None, ModelRequestParameters()
        )
        assert reply.text == "echo: ciao"
        await models.close()
