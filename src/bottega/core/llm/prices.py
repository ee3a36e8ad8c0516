"""What tokens cost, in US dollars, by data that ships with the product, never from the network."""

import structlog

from bottega.core.llm.tasks import Usage

log = structlog.get_logger()

#: FR-095: (input, output) for a million tokens of the two models that the coach's spec prices.
COST_PER_MILLION_TOKENS: dict[str, tuple[float, float]] = {
    "claude-haiku-4-5-20251001": (0.80, 4.00),
    "claude-sonnet-4-5-20250929": (3.00, 15.00),
}

_without_price: set[str] = set()


def price(usage: Usage, model: str, provider: str) -> float:
    """The cost of a call; 0 for a model without a known price, such as one's own (FR-087)."""
    if rates := COST_PER_MILLION_TOKENS.get(model):
        input_rate, output_rate = rates
        return (usage.input_tokens * input_rate + usage.output_tokens * output_rate) / 1_000_000
    return _published_price(usage, model, provider)


def _published_price(usage: Usage, model: str, provider: str) -> float:
    from genai_prices import Usage as PricedUsage
    from genai_prices import calc_price

    tokens = PricedUsage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
    try:
        return float(calc_price(tokens, model, provider_id=provider).total_price)
    except LookupError:
        if model not in _without_price:
            _without_price.add(model)
            log.info("llm.no_price", model=model, provider=provider, counted_as=0.0)
        return 0.0
