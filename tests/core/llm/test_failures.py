"""What happens when a provider does not answer as it should."""

import asyncio
from collections.abc import Callable

import pytest

from bottega.core.llm.gateway import Gateway
from bottega.core.llm.ledger import Ledger
from bottega.core.llm.tasks import Task, Tier
from bottega.core.llm.testing import LoopbackApi
from bottega.errors import ModelError

Connect = Callable[..., Gateway]

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

WIRES = pytest.mark.parametrize("choice", ["anthropic", "openai:small"])
#: So that the SDK's own retries do not wait.
AT_ONCE = {"retry-after-ms": "1"}

greet = Task("greet", Tier.FAST, "You greet.", str, str, str)


class Naps:
    """Stands in for sleeping, and remembers for how long."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


async def failures(ledger: Ledger) -> int:
    return (await ledger.totals()).total.failures


@pytest.mark.requirement("EC-38")
@pytest.mark.parametrize(
    ("choice", "setting"), [("anthropic", "ANTHROPIC_API_KEY"), ("openai:small", "OPENAI_API_KEY")]
)
async def test_a_wrong_key_is_not_tried_again_and_the_setting_is_named(
    connect: Connect, api: LoopbackApi, ledger: Ledger, choice: str, setting: str
) -> None:
    """A 401 ends the call at once, even with `retry`, and is logged as a failure."""
    naps = Naps()
    api.reply(status=401, text="invalid key sk-ant-secret")
    with pytest.raises(ModelError, match=rf"401 .*Check {setting}") as caught:
        await connect(choice, sleep=naps).run(greet, "x", retry=True)

    assert "sk-ant-secret" not in str(caught.value)
    assert caught.value.details["provider_status"] == 401
    assert len(api.requests) == 1
    assert naps.taken == []
    assert await failures(ledger) == 1


@pytest.mark.requirement("EC-39")
@WIRES
async def test_the_sdk_waits_out_a_rate_limit(
    connect: Connect, api: LoopbackApi, ledger: Ledger, choice: str
) -> None:
    """Two 429 answers and then a good one make one good call."""
    api.reply(status=429, headers=AT_ONCE, times=2)
    api.reply(text="hello")
    assert await connect(choice).run(greet, "x") == "hello"
    assert len(api.requests) == 3
    assert await failures(ledger) == 0


@pytest.mark.requirement("EC-39")
@WIRES
async def test_a_rate_limit_that_stays_reaches_the_caller(
    connect: Connect, api: LoopbackApi, ledger: Ledger, choice: str
) -> None:
    """After the SDK's tries the error propagates, and the call is logged as failed once."""
    api.reply(status=429, text="Slow down.", headers=AT_ONCE, times=3)
    with pytest.raises(ModelError, match=r"429 .*Slow down\. Too many requests"):
        await connect(choice).run(greet, "x")
    assert len(api.requests) == 3
    assert await failures(ledger) == 1


@pytest.mark.requirement("EC-42")
@WIRES
async def test_a_timeout_is_retried_by_the_sdk_and_then_reported(
    connect: Connect, api: LoopbackApi, ledger: Ledger, choice: str
) -> None:
    """No answer in time, twice, is an error that says so, and a failed call."""
    api.reply(hold=asyncio.Event(), times=2)
    with pytest.raises(ModelError, match="no answer in time"):
        await connect(choice, timeout=0.1, retries=1).run(greet, "x")
    assert len(api.requests) == 2
    assert await failures(ledger) == 1


@pytest.mark.requirement("EC-42")
@WIRES
async def test_a_lost_connection_is_retried_by_the_sdk(
    connect: Connect, api: LoopbackApi, choice: str
) -> None:
    """A connection cut in the middle of a call costs nothing but time."""
    api.reply(disconnect=True)
    api.reply(text="hello")
    assert await connect(choice, retries=1).run(greet, "x") == "hello"
    assert len(api.requests) == 2


@pytest.mark.requirement("EC-42")
@WIRES
async def test_a_provider_that_cannot_be_reached_is_named(
    connect: Connect, api: LoopbackApi, choice: str
) -> None:
    api.reply(disconnect=True)
    with pytest.raises(ModelError, match=r"cannot be reached.*Check the network") as caught:
        await connect(choice, retries=0).run(greet, "x")
    assert caught.value.details["retryable"] is True


@pytest.mark.requirement("EC-19", "EC-42")
@WIRES
async def test_a_transient_error_is_tried_once_more_after_a_second(
    connect: Connect, api: LoopbackApi, ledger: Ledger, choice: str
) -> None:
    """Each try stands in the ledger, the failed and the good one."""
    naps = Naps()
    api.reply(status=500)
    api.reply(text="hello")
    gateway = connect(choice, retries=0, sleep=naps)
    assert await gateway.run(greet, "x", retry=True) == "hello"
    assert naps.taken == [1.0]
    total = (await ledger.totals()).total
    assert (total.calls, total.failures) == (2, 1)


async def test_the_second_failure_is_final(connect: Connect, api: LoopbackApi) -> None:
    naps = Naps()
    api.reply(status=529, times=3)
    with pytest.raises(ModelError, match="529"):
        await connect(retries=0, sleep=naps).run(greet, "x", retry=True)
    assert naps.taken == [1.0]
    assert len(api.requests) == 2


async def test_without_retry_a_transient_error_is_final(connect: Connect, api: LoopbackApi) -> None:
    api.reply(status=500, text="Oh no.")
    with pytest.raises(ModelError, match=r"anthropic answered 500 .*Oh no\. The trouble is on"):
        await connect(retries=0).run(greet, "x")
    assert len(api.requests) == 1


async def test_an_unknown_model_names_the_setting(connect: Connect, api: LoopbackApi) -> None:
    api.reply(status=404, text="model: no-such-model")
    advice = r"404 .*no-such-model\. Check BOTTEGA_MODEL .*BOTTEGA_STRONG_MODEL to another"
    with pytest.raises(ModelError, match=advice) as caught:
        await connect("anthropic:no-such-model").run(greet, "x", retry=True)
    assert caught.value.details["retryable"] is False


async def test_a_bad_request_is_quoted(connect: Connect, api: LoopbackApi) -> None:
    api.reply(status=400, text="messages: too odd")
    with pytest.raises(ModelError, match=r"400 .*messages: too odd"):
        await connect().run(greet, "x")


@pytest.mark.requirement("EC-19")
async def test_a_call_that_is_cancelled_is_logged_as_failed(
    connect: Connect, api: LoopbackApi, ledger: Ledger
) -> None:
    """A call that ends before completion leaves a row too."""
    api.reply(hold=asyncio.Event())
    call = asyncio.create_task(connect().run(greet, "x"))
    await api.received(1)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await failures(ledger) == 1
