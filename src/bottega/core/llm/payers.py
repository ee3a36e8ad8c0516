"""Who a model call is made for, and what models may cost them in a day.

The doors and the steps of runs say for whom they work, and what is called inside, however deep, is
theirs. The owner of the house has no limit: budgets of runs and turns hold for everybody.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import TYPE_CHECKING

from bottega.core import clock
from bottega.core.rooms import LOCAL_USER
from bottega.errors import BudgetExceeded

if TYPE_CHECKING:
    from bottega.core.llm.ledger import Ledger

SETTING = "BOTTEGA_MAX_SPEND_PER_USER"

_payer: ContextVar[str] = ContextVar("payer", default=LOCAL_USER)


@contextmanager
def paid_by(user_id: str) -> Iterator[None]:
    """A block whose model calls are made for this user."""
    before = _payer.set(user_id)
    try:
        yield
    finally:
        _payer.reset(before)


def current_payer() -> str:
    return _payer.get()


class Allowance:
    def __init__(self, ledger: "Ledger", limit_usd: float | None) -> None:
        self._ledger = ledger
        self._limit = limit_usd

    async def check(self) -> None:
        """Raise `BudgetExceeded` if the payer has spent what there is for a day (UTC)."""
        payer = current_payer()
        if self._limit is None or payer == LOCAL_USER:
            return
        now = clock.now()
        today = now.replace(hour=0, minute=0, second=0, microsecond=0)
        spent = await self._ledger.spent_by(payer, today)
        if spent >= self._limit:
            tomorrow = today + timedelta(days=1)
            raise BudgetExceeded(
                f"Models have cost ${spent:.4f} for you today, and ${self._limit:.4f} a day is the "
                f"most for one user. Go on tomorrow (UTC); the owner of the house can raise "
                f"{SETTING}.",
                limit=self._limit,
                spent=spent,
                setting=SETTING,
                retry_after=int((tomorrow - now).total_seconds()) + 1,
            )
