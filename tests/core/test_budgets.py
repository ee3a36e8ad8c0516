"""Money set aside for a piece of work."""

import asyncio
import threading

import pytest

from bottega.core.llm.costs import Budget
from bottega.errors import BudgetExceeded, InvalidInput


def test_what_is_charged_is_spent_and_the_rest_remains() -> None:
    budget = Budget(1.0)
    budget.charge(0.3)
    budget.charge(0.2)
    assert budget.spent == pytest.approx(0.5)
    assert budget.remaining == pytest.approx(0.5)
    budget.check()


def test_a_budget_without_a_limit_never_refuses() -> None:
    budget = Budget()
    budget.charge(1_000_000)
    budget.check()
    assert budget.remaining is None
    assert budget.child().remaining is None


def test_a_spent_budget_refuses_with_the_numbers() -> None:
    budget = Budget(0.25)
    budget.charge(0.30)
    with pytest.raises(BudgetExceeded, match=r"budget of \$0\.2500 is spent: \$0\.3000") as caught:
        budget.check()
    assert caught.value.details == {"limit": 0.25, "spent": pytest.approx(0.30)}
    assert budget.remaining == 0


def test_rounding_leaves_no_money_behind() -> None:
    budget = Budget(0.3)
    for _ in range(3):
        budget.charge(0.1)
    with pytest.raises(BudgetExceeded):
        budget.check()


def test_a_child_never_has_more_than_remains_in_any_ancestor() -> None:
    run = Budget(1.0)
    run.charge(0.6)
    stage = run.child(5.0)
    step = stage.child()
    assert stage.remaining == pytest.approx(0.4)
    assert step.remaining == pytest.approx(0.4)
    assert run.child(0.1).remaining == pytest.approx(0.1)


def test_a_child_spends_its_parents_money() -> None:
    run = Budget(1.0)
    first, second = run.child(0.8), run.child(0.8)
    first.charge(0.7)
    assert run.spent == pytest.approx(0.7)
    assert second.remaining == pytest.approx(0.3)
    second.charge(0.3)
    with pytest.raises(BudgetExceeded, match=r"\$1\.0000"):
        first.check()


def test_a_spent_child_does_not_stop_its_parent() -> None:
    run = Budget(1.0)
    step = run.child(0.1)
    step.charge(0.1)
    with pytest.raises(BudgetExceeded):
        step.check()
    run.check()


def test_a_budget_of_nothing_refuses_at_once() -> None:
    with pytest.raises(BudgetExceeded):
        Budget(0).check()


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(InvalidInput, match="negative"):
        Budget(-1)


async def test_nothing_is_lost_when_tasks_and_threads_charge_at_once() -> None:
    run = Budget(None)
    children = [run.child() for _ in range(4)]
    together = threading.Barrier(4)

    def spend(budget: Budget) -> None:
        together.wait()
        for _ in range(1_000):
            budget.charge(1.0)

    await asyncio.gather(*(asyncio.to_thread(spend, child) for child in children))
    assert run.spent == 4_000
