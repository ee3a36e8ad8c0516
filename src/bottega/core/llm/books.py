"""One model call on the books: its cost on the budget, its row in the ledger."""

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bottega.core.budgets import Budget
from bottega.core.llm.ledger import FAILED, CallMetadata, Ledger
from bottega.core.llm.prices import price
from bottega.core.llm.providers import ModelName
from bottega.core.llm.tasks import Answer, Out, Source, Usage


class Entry:
    """A call that is under way. It ends once, as an answer or as a failure (FR-086)."""

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
def booked(entry: Entry) -> Iterator[Entry]:
    """A block in which a call must end: one left without an answer is logged as a failure."""
    try:
        yield entry
    except BaseException as error:
        entry.fail(f"{type(error).__name__}: {error}")
        raise
    entry.fail("left before its end")


def hash_input(prompt: str) -> str:
    """Tells calls with the same prompt apart from others, and the prompt to nobody (FR-088)."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:16]
