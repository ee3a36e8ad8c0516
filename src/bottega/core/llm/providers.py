"""Which models are used, from plain settings; built when first needed.

Choosing is quick and can fail with a clear word at start-up. Building imports a provider's SDK,
which takes seconds: that happens in a thread, on the first call or in `warm()`.
"""

import asyncio
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from bottega.core.llm.tasks import Tier
from bottega.errors import ConfigurationError

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from bottega.core.llm.clients import Clients


OPENAI_URL = "https://api.openai.com/v1"
#: Seconds without a sign of life from a provider, and how often its SDK tries again by itself.
TIMEOUT = 120.0
RETRIES = 2


class Provider(StrEnum):
    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class ModelName:
    provider: Provider
    #: The provider's full id for it.
    id: str

    @property
    def offline(self) -> bool:
        return self.provider is Provider.OFFLINE

    def __str__(self) -> str:
        return self.id if self.offline else f"{self.provider}:{self.id}"


OFFLINE = ModelName(Provider.OFFLINE, "offline")

#: FR-085: the ids behind the specs' haiku and sonnet; and OpenAI's of like price.
DEFAULTS: dict[Provider, dict[Tier, ModelName]] = {
    Provider.ANTHROPIC: {
        Tier.FAST: ModelName(Provider.ANTHROPIC, "claude-haiku-4-5-20251001"),
        Tier.STRONG: ModelName(Provider.ANTHROPIC, "claude-sonnet-4-5-20250929"),
    },
    Provider.OPENAI: {
        Tier.FAST: ModelName(Provider.OPENAI, "gpt-6-luna"),
        Tier.STRONG: ModelName(Provider.OPENAI, "gpt-6.1-sol"),
    },
    Provider.OFFLINE: {Tier.FAST: OFFLINE, Tier.STRONG: OFFLINE},
}


@dataclass(frozen=True, slots=True)
class Access:
    """How to reach the providers."""

    anthropic_key: str | None = None
    anthropic_url: str | None = None
    openai_key: str | None = None
    openai_url: str | None = None
    timeout: float = TIMEOUT
    retries: int = RETRIES

    @property
    def is_openai_compatible(self) -> bool:
        """Whether OpenAI's wire leads to somebody else's models."""
        return self.openai_url is not None and self.openai_url.rstrip("/") != OPENAI_URL


@dataclass(frozen=True, slots=True)
class ModelMode:
    """What answers here, and why."""

    provider: Provider
    fast: ModelName
    strong: ModelName
    reason: str

    @property
    def offline(self) -> bool:
        return self.fast.offline and self.strong.offline

    def name(self, tier: Tier) -> ModelName:
        return self.fast if tier is Tier.FAST else self.strong

    def describe(self) -> dict[str, Any]:
        """For `/health`, `doctor` and the page."""
        return {
            "provider": self.provider.value,
            "offline": self.offline,
            "fast": str(self.fast),
            "strong": str(self.strong),
            "reason": self.reason,
        }


def choose(
    choice: str, access: Access, *, fast: str | None = None, strong: str | None = None
) -> ModelMode:
    """The models for `BOTTEGA_MODEL`, `BOTTEGA_FAST_MODEL` and `BOTTEGA_STRONG_MODEL`."""
    provider, named, reason = _choose_provider(choice, access)
    names: dict[Tier, ModelName] = {}
    for tier, override in ((Tier.FAST, fast), (Tier.STRONG, strong)):
        if override:
            names[tier] = _parse(f"BOTTEGA_{tier.upper()}_MODEL", override)
        else:
            names[tier] = named or _default(provider, tier, access)
        _check_access(names[tier].provider, access)
    return ModelMode(provider, names[Tier.FAST], names[Tier.STRONG], reason)


def _choose_provider(choice: str, access: Access) -> tuple[Provider, ModelName | None, str]:
    if choice == "auto":
        if access.anthropic_key:
            return Provider.ANTHROPIC, None, "ANTHROPIC_API_KEY is set"
        if access.openai_key or access.openai_url:
            which = "OPENAI_API_KEY" if access.openai_key else "OPENAI_BASE_URL"
            return Provider.OPENAI, None, f"{which} is set"
        return Provider.OFFLINE, None, "neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set"
    reason = f"BOTTEGA_MODEL is {choice!r}"
    if ":" in choice:
        name = _parse("BOTTEGA_MODEL", choice)
        return name.provider, name, reason
    return _provider("BOTTEGA_MODEL", choice), None, reason


def _parse(setting: str, value: str) -> ModelName:
    """`provider:model`; a model's own name may hold colons too (`openai:llama3.2:3b`)."""
    if value == Provider.OFFLINE:
        return OFFLINE
    prefix, colon, model = value.partition(":")
    provider = _provider(setting, prefix)
    if not colon or not model or provider is Provider.OFFLINE:
        raise ConfigurationError(
            f"{setting}={value!r} names no model. Write provider:model, such as "
            f"{DEFAULTS[Provider.ANTHROPIC][Tier.STRONG]}, or offline."
        )
    return ModelName(provider, model)


def _provider(setting: str, value: str) -> Provider:
    try:
        return Provider(value)
    except ValueError:
        valid = ", ".join(Provider)
        raise ConfigurationError(
            f"{setting}={value!r}: unknown provider. Use auto, {valid}, or provider:model."
        ) from None


def _default(provider: Provider, tier: Tier, access: Access) -> ModelName:
    if provider is Provider.OPENAI and access.is_openai_compatible:
        raise ConfigurationError(
            f"OPENAI_BASE_URL={access.openai_url!r} does not say which model to use. "
            "Set BOTTEGA_MODEL=openai:NAME with the name of a model that this server has."
        )
    return DEFAULTS[provider][tier]


def _check_access(provider: Provider, access: Access) -> None:
    """FR-005: a provider that was asked for needs its key."""
    if provider is Provider.ANTHROPIC and not access.anthropic_key:
        raise ConfigurationError(
            "ANTHROPIC_API_KEY is not set. Set it, or use another model: BOTTEGA_MODEL=offline."
        )
    if provider is Provider.OPENAI and not (access.openai_key or access.openai_url):
        raise ConfigurationError(
            "OPENAI_API_KEY is not set. Set it, or OPENAI_BASE_URL for a compatible server, or "
            "use another model: BOTTEGA_MODEL=offline."
        )


class Models:
    """The chosen models, each built once, over one client a provider (FR-093)."""

    def __init__(self, mode: ModelMode, access: Access) -> None:
        self.mode = mode
        self._access = access
        self._clients: Clients | None = None
        self._built: dict[ModelName, Model] = {}
        self._building = asyncio.Lock()

    def name(self, which: Tier | str) -> ModelName:
        """The model of a tier, or another one by its full name (`provider:model`)."""
        if isinstance(which, Tier):
            return self.mode.name(which)
        name = _parse("The model", which)
        _check_access(name.provider, self._access)
        return name

    async def get(self, tier: Tier) -> "Model":
        """The model of a tier, for a mode that is not offline there."""
        return await self.named(self.mode.name(tier))

    async def named(self, name: ModelName) -> "Model":
        """The model itself, of a name that is not offline."""
        if name not in self._built:
            async with self._building:
                if name not in self._built:
                    self._built[name] = await asyncio.to_thread(self._build, name)
        return self._built[name]

    async def warm(self) -> None:
        """Build what will be used, so that the first call need not wait for it."""
        for tier in Tier:
            if not self.mode.name(tier).offline:
                await self.get(tier)

    async def close(self) -> None:
        if self._clients is not None:
            await self._clients.close()

    def _build(self, name: ModelName) -> "Model":
        from bottega.core.llm.clients import Clients

        if self._clients is None:
            self._clients = Clients(self._access)
        return self._clients.model(name)


def retirement_date(model: ModelName) -> str | None:
    """When its provider takes it out of service, in words; `None` if its library knows of no day.

    Importing the library takes a second: only `doctor` asks.
    """
    if model.provider is not Provider.ANTHROPIC:
        return None
    from anthropic.resources.messages import DEPRECATED_MODELS

    return DEPRECATED_MODELS.get(model.id)
