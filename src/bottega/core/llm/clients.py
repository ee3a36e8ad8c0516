"""The providers' own SDKs, one client each, and the models that speak through them.

Importing this imports the SDKs: only `providers.Models` does, in a thread.
"""

import re
from functools import cached_property

from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from bottega.core.llm.providers import OPENAI_URL, Access, ModelName, Provider

ANTHROPIC_URL = "https://api.anthropic.com"
#: Local servers ask for no key, but the SDK insists on sending one.
NO_KEY = "none"
#: OpenAI's own models, which a company's proxy serves at another address too.
OPENAI_MODEL = re.compile(r"gpt-(?!oss)|o\d")
#: Ollama and others know only the older name of the limit, `max_tokens`.
COMPATIBLE = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)


class Clients:
    def __init__(self, access: Access) -> None:
        self._access = access

    def model(self, name: ModelName) -> Model:
        if name.provider is Provider.ANTHROPIC:
            return AnthropicModel(
                name.id, provider=AnthropicProvider(anthropic_client=self.anthropic)
            )
        provider = OpenAIProvider(openai_client=self.openai)
        if self._access.is_openai_compatible and not OPENAI_MODEL.match(name.id):
            return OpenAIChatModel(name.id, provider=provider, profile=COMPATIBLE)
        return OpenAIChatModel(name.id, provider=provider)

    # Addresses are given even where they are the SDK's default: it would ask the environment.

    @cached_property
    def anthropic(self) -> AsyncAnthropic:
        return AsyncAnthropic(
            api_key=self._access.anthropic_key,
            base_url=self._access.anthropic_url or ANTHROPIC_URL,
            timeout=self._access.timeout,
            max_retries=self._access.retries,
        )

    @cached_property
    def openai(self) -> AsyncOpenAI:
        return AsyncOpenAI(
            api_key=self._access.openai_key or NO_KEY,
            base_url=self._access.openai_url or OPENAI_URL,
            timeout=self._access.timeout,
            max_retries=self._access.retries,
        )

    async def close(self) -> None:
        # Only those that were made: asking for one here would make it.
        for client in (vars(self).get("anthropic"), vars(self).get("openai")):
            if client is not None:
                await client.close()
