"""Which model plays an agent: a flag over the agent's file over the house's own setting."""

from typing import TYPE_CHECKING

from bottega.assistant.plugins.definition import AgentMeta
from bottega.assistant.sessions.schemas import AssistantOrder
from bottega.core.llm.costs import Budget
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.providers import DEFAULTS, Provider
from bottega.core.llm.tasks import Tier
from bottega.errors import ConfigurationError, InvalidInput

if TYPE_CHECKING:
    from pydantic_ai.models import Model

CALL_TYPE = "assistant"
#: A lesson with all its resources is long.
MAX_TOKENS = 8192


def asked_for(order: AssistantOrder, meta: AgentMeta) -> str | None:
    """The model that a flag names in full; `None` without a flag."""
    if order.provider is None and order.model is None:
        return None
    if order.provider == Provider.OFFLINE or order.model == Provider.OFFLINE:
        return Provider.OFFLINE.value
    if order.model is not None and ":" in order.model:
        return order.model
    provider = order.provider or meta.provider
    if provider not in tuple(Provider):
        raise InvalidInput(f"There is no provider {provider!r}.", valid_options=sorted(Provider))
    if order.model is not None:
        return f"{provider}:{order.model}"
    if provider == meta.provider:
        return f"{provider}:{meta.model}"
    return str(DEFAULTS[Provider(provider)][Tier.STRONG])


def is_offline(gateway: Gateway, order: AssistantOrder, meta: AgentMeta) -> bool:
    name = asked_for(order, meta)
    if name is not None:
        return name == Provider.OFFLINE
    # Chosen for the house, offline goes before what an agent's file would like.
    return gateway.mode.offline


async def open_model(
    gateway: Gateway,
    order: AssistantOrder,
    meta: AgentMeta,
    *,
    session_id: str | None,
    budget: Budget,
) -> "Model":
    async def metered(which: Tier | str) -> "Model":
        return await gateway.model(
            which,
            call_type=CALL_TYPE,
            session_id=session_id,
            budget=budget,
            max_tokens=MAX_TOKENS,
        )

    if (name := asked_for(order, meta)) is not None:
        try:
            return await metered(name)
        except ConfigurationError as error:
            raise InvalidInput(f"The model {name!r} cannot be used. {error.message}") from error
    try:
        return await metered(f"{meta.provider}:{meta.model}")
    except ConfigurationError:  # no key for the file's provider
        return await metered(Tier.STRONG)
