"""The mode without a model: the task's own code answers, and the answer says so."""

import asyncio
import threading

import pytest
from pydantic import BaseModel

from bottega.core.llm.costs import Budget
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.ledger import Ledger
from bottega.core.llm.providers import Access, Models, choose
from bottega.core.llm.tasks import Task, Tier

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


class Count(BaseModel):
    words: int
    thread: int


def count(text: str) -> Count:
    return Count(words=len(text.split()), thread=threading.get_ident())


async def count_later(text: str) -> Count:
    await asyncio.sleep(0)
    return count(text)


plain = Task("count", Tier.FAST, "Count.", str, Count, count)
awaited = Task("count", Tier.STRONG, "Count.", str, Count, count_later)


@pytest.fixture
def gateway(ledger: Ledger) -> Gateway:
    return Gateway(Models(choose("auto", Access()), Access()), ledger)


@pytest.mark.requirement("FR-086")
async def test_an_offline_answer_is_marked_and_free(gateway: Gateway, ledger: Ledger) -> None:
    """It stands in the ledger as `offline`, without cost or tokens."""
    answer = await gateway.call(plain, "three words here")
    assert answer.output.words == 3
    assert (answer.offline, answer.model, answer.cost) == (True, "offline", 0.0)
    assert gateway.mode.offline

    spending = await ledger.totals()
    assert list(spending.by_model) == ["offline"]
    assert (spending.total.calls, spending.total.failures, spending.total.cost) == (1, 0, 0.0)


async def test_plain_code_runs_beside_the_loop_and_async_code_on_it(gateway: Gateway) -> None:
    here = threading.get_ident()
    assert (await gateway.run(plain, "x")).thread != here
    assert (await gateway.run(awaited, "x")).thread == here


async def test_a_spent_budget_does_not_stop_what_costs_nothing(gateway: Gateway) -> None:
    spent = Budget(0.0)
    assert (await gateway.run(plain, "x", budget=spent)).words == 1


@pytest.mark.requirement("EC-19")
async def test_an_error_of_the_tasks_code_is_a_failed_call(
    gateway: Gateway, ledger: Ledger
) -> None:

    def divide(_: str) -> str:
        raise ZeroDivisionError("no")

    with pytest.raises(ZeroDivisionError):
        await gateway.run(Task("divide", Tier.FAST, "", str, str, divide), "x")
    assert (await ledger.totals()).total.failures == 1
