"""What a model call costs: its price, its charge on the work's budget, its ledger row."""

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import structlog

from bottega.core.llm.ledger import FAILED, CallMetadata, Ledger
from bottega.core.llm.providers import ModelName
from bottega.core.llm.tasks import Answer, Out, Source, Usage
from bottega.errors import BudgetExceeded, InvalidInput

_current: ContextVar["Budget | None"] = ContextVar("current_budget", default=None)

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
    before = _current.set(budget)
    try:
        yield budget
    finally:
        _current.reset(before)


def current_budget() -> Budget | None:
    """What the block around is paid from, if anything."""
    return _current.get()


log = structlog.get_logger()

#: FR-095: (input, output) for a million tokens of the two models that the coach's spec prices.
COST_PER_MILLION_TOKENS: dict[str, tuple[float, float]] = {
    "claude-haiku-4-5-20251001": (0.80, 4.00),
    "claude-sonnet-4-5-20250929": (3.00, 15.00),
}

_without_price: set[str] = set()


class PendingCall:
    """A model call that is under way. It ends once, as an answer or as a failure (FR-086)."""

    def __init__(
        self,
        ledger: Ledger,
        model: ModelName,
        call_type: str,
        prompt: str,
        *,
        session_id: str | None = None,
        budget: Budget | None = None,
    ) -> None:
        self._ledger = ledger
        self._model = model
        self._call_type = call_type
        self._input_hash = hash_input(prompt)
        self._session_id = session_id
        self._budget = budget
        self.usage = Usage()
        self.cost = 0.0
        self._started = time.perf_counter()
        self._ended = False

    def spend(self, usage: Usage) -> None:
        """Book what a reply took, before it is judged: a refusal and a cut-off cost as well."""
        self.usage = usage
        self.cost = price(usage, self._model.id, self._model.provider)
        if self._budget is not None:
            self._budget.charge(self.cost)

    def answer(self, output: Out, sources: tuple[Source, ...] = ()) -> Answer[Out]:
        latency_ms = max(1, round((time.perf_counter() - self._started) * 1000))
        self._log(
            CallMetadata(
                self._model.id,
                self._input_hash,
                latency_ms,
                self.usage.input_tokens,
                self.usage.output_tokens,
                self.cost,
            )
        )
        return Answer(
            output=output,
            model=self._model.id,
            offline=self._model.offline,
            usage=self.usage,
            cost=self.cost,
            latency_ms=latency_ms,
            sources=sources,
        )

    def fail(self, reason: str) -> None:
        """With zeros, as FR-091 has it; the budget keeps what was spent."""
        self._log(CallMetadata(self._model.id, self._input_hash, FAILED, error=reason))

    def _log(self, call: CallMetadata) -> None:
        if not self._ended:
            self._ended = True
            self._ledger.log_api_call(self._session_id, self._call_type, call)


@contextmanager
def recorded(pending: PendingCall) -> Iterator[PendingCall]:
    """A block in which a call must end: one left without an answer is logged as a failure."""
    try:
        yield pending
    except BaseException as error:
        pending.fail(f"{type(error).__name__}: {error}")
        raise
    pending.fail("left before its end")


def hash_input(prompt: str) -> str:
    """Tells calls with the same prompt apart from others, and the prompt to nobody (FR-088)."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:16]


def price(usage: Usage, model: str, provider: str) -> float:
    """The cost in US dollars; 0 for a model without a known price, such as one's own (FR-087)."""
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
