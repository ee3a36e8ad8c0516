"""What a run has paid, added up from the results of its steps, and so the same after a crash."""

from dataclasses import dataclass, field

from bottega.core.budgets import Budget
from bottega.core.llm.tasks import Usage


@dataclass(slots=True)
class Spending:
    limit: float
    usage: Usage = field(default_factory=Usage)
    _budget: Budget = field(init=False)

    def __post_init__(self) -> None:
        self._budget = Budget(self.limit)

    @property
    def cost(self) -> float:
        """US dollars."""
        return self._budget.spent

    @property
    def remaining(self) -> float | None:
        return self._budget.remaining

    def check(self) -> None:
        """Raise `BudgetExceeded` if nothing remains for another call."""
        self._budget.check()

    def add(self, cost: float, usage: Usage) -> None:
        self._budget.charge(cost)
        self.usage += usage
