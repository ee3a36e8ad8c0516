"""What tokens cost."""

import socket

import pytest
from structlog.testing import capture_logs

from bottega.core.llm.costs import COST_PER_MILLION_TOKENS, price
from bottega.core.llm.tasks import Usage

HAIKU = "claude-haiku-4-5-20251001"
SONNET = "claude-sonnet-4-5-20250929"


@pytest.mark.requirement("FR-095")
def test_the_two_models_of_the_spec_have_its_rates() -> None:
    assert COST_PER_MILLION_TOKENS[HAIKU] == (0.80, 4.00)
    assert COST_PER_MILLION_TOKENS[SONNET] == (3.00, 15.00)


@pytest.mark.requirement("FR-087", "SC-041")
@pytest.mark.parametrize(
    ("model", "expected"),
    [(HAIKU, (1_234 * 0.80 + 567 * 4.00) / 1e6), (SONNET, (1_234 * 3.00 + 567 * 15.00) / 1e6)],
)
def test_a_cost_is_tokens_times_rates(model: str, expected: float) -> None:
    assert price(Usage(1_234, 567), model, "anthropic") == pytest.approx(expected)


@pytest.mark.requirement("FR-087")
def test_other_models_have_their_published_price(monkeypatch: pytest.MonkeyPatch) -> None:
    """From data on this machine; a connection would be an error."""

    def refuse(*_: object) -> None:
        raise AssertionError("a price was looked up on the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    cheap = price(Usage(1_000_000, 0), "gpt-5-mini", "openai")
    assert cheap == pytest.approx(0.25)


def test_a_model_without_a_price_costs_nothing_and_that_is_said_once() -> None:
    with capture_logs() as logs:
        costs = [price(Usage(1_000, 1_000), "my-own-llama", "openai") for _ in range(3)]
    assert costs == [0.0, 0.0, 0.0]
    assert [entry["model"] for entry in logs] == ["my-own-llama"]
