"""Money set aside for a piece of work.

Budgets nest: a child spends from its parents' money too, so however many children a run opens,
together they never get more than the run has. A call is refused before it is made when nothing
remains; one that was made is always charged, so a budget can end a little below zero.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from bottega.errors import BudgetExceeded, InvalidInput

_purse: ContextVar["Budget | None"] = ContextVar("purse", default=None)

#: A millionth of a cent: what is left below it is rounding, not money.
DUST = 1e-8


class Budget:
    def __init__(self, limit_usd: float | None = None, *, parent: "Budget | None" = None) -> None:
        """`limit_usd=None` sets no limit of its own; the parents' limits still hold."""
        if limit_usd is not None and limit_usd < 0:
            raise InvalidInput(f"A budget of ${limit_usd:g} is negative. Give 0 or more.")
        self.limit = limit_usd
        self.parent = parent
        self._spent = 0.0
        self._guard: threading.Lock = parent._guard if parent else threading.Lock()

    @property
    def spent(self) -> float:
        """What this budget and its children have spent, in US dollars."""
        return self._spent

    @property
    def remaining(self) -> float | None:
        """What may still be spent here: the least of its own and its parents'. `None`: no limit."""
        left = [budget.limit - budget.spent for budget in self._chain() if budget.limit is not None]
        return max(0.0, min(left)) if left else None

    def child(self, limit_usd: float | None = None) -> "Budget":
        """A part of this budget; a limit above what remains here has no effect."""
        return Budget(limit_usd, parent=self)

    def check(self) -> None:
        """Raise `BudgetExceeded` if nothing remains, here or in a parent."""
        for budget in self._chain():
            if budget.limit is not None and budget.limit - budget.spent < DUST:
                raise BudgetExceeded(
                    f"The budget of ${budget.limit:.4f} is spent: ${budget.spent:.4f} so far. "
                    "Raise the limit to go on.",
                    limit=budget.limit,
                    spent=budget.spent,
                )

    def charge(self, cost_usd: float) -> None:
        """Book what a call cost, here and in every parent."""
        with self._guard:
            for budget in self._chain():
                budget._spent += cost_usd

    def _chain(self) -> "list[Budget]":
        return [self, *(self.parent._chain() if self.parent else [])]


@contextmanager
def spending_from(budget: Budget) -> Iterator[Budget]:
    """A block whose model calls, however deep, are paid from this budget unless they name one."""
    before = _purse.set(budget)
    try:
        yield budget
    finally:
        _purse.reset(before)


def purse() -> Budget | None:
    """What the block around is paid from, if anything."""
    return _purse.get()
