"""The one way to a model. Every call is typed, checked, priced, logged and held to its budget."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import (
    AbstractContextManager,
    aclosing,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, TypedDict, TypeVar, Unpack

from bottega.core.llm.costs import Budget, PendingCall, current_budget, recorded
from bottega.core.llm.ledger import Ledger
from bottega.core.llm.payers import Allowance
from bottega.core.llm.providers import ModelMode, ModelName, Models
from bottega.core.llm.tasks import Answer, Out, Task, Tier, answer_offline, as_text
from bottega.core.traces.store import SpanKind
from bottega.errors import Conflict, ModelError, Unavailable

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import Span
    from pydantic_ai.models import Model

    from bottega.core.llm.exchange import Connector, Exchange
    from bottega.core.traces import Traces

In = TypeVar("In")

#: FR-092.
MAX_TOKENS = 4096
#: Seconds before the one retry of a transient error, for callers that ask for it.
RETRY_PAUSE = 1.0


class Options(TypedDict, total=False):
    """What a caller may say about a call."""

    #: The session that the call is made for.
    session_id: str | None
    #: Where its cost is drawn from; without, the `spending_from` block around it.
    budget: Budget | None
    #: The longest answer; 4096 unless given.
    max_tokens: int
    #: What the provider may do for the model, such as searching the web.
    tools: "Sequence[Connector]"
    #: Another model than the one of the task's tier, by its full name (`provider:model`).
    model: str | None


@dataclass(frozen=True)
class Call(Generic[In, Out]):
    task: Task[In, Out]
    input: In
    session_id: str | None = None
    budget: Budget | None = field(default_factory=current_budget)
    max_tokens: int = MAX_TOKENS
    tools: "Sequence[Connector]" = ()
    model: str | None = None

    @cached_property
    def prompt(self) -> str:
        return self.task.prompt(self.input)


class Stream(Generic[Out]):
    """A reply's text, piece by piece; after the last piece, its `answer`."""

    def __init__(self, pieces: AsyncIterator[str | Answer[Out]]) -> None:
        self._pieces = pieces
        self._answer: Answer[Out] | None = None

    @property
    def answer(self) -> Answer[Out]:
        if self._answer is None:
            raise Conflict("The reply is not complete: read the stream to its end first.")
        return self._answer

    def __aiter__(self) -> "Stream[Out]":
        return self

    async def __anext__(self) -> str:
        piece = await anext(self._pieces)
        if isinstance(piece, Answer):
            self._answer = piece
            raise StopAsyncIteration
        return piece


class Gateway:
    def __init__(
        self,
        models: Models,
        ledger: Ledger,
        *,
        traces: "Traces | None" = None,
        allowance: Allowance | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._models = models
        self._ledger = ledger
        self._traces = traces
        self._allowance = allowance or Allowance(ledger, None)
        self._sleep = sleep

    @property
    def mode(self) -> ModelMode:
        return self._models.mode

    async def warm(self) -> None:
        """Load the providers ahead of the first call."""
        await self._models.warm()

    async def close(self) -> None:
        await self._models.close()

    async def run(
        self, task: Task[In, Out], input: In, *, retry: bool = False, **options: Unpack[Options]
    ) -> Out:
        """The task's answer: its output alone. See `call`."""
        answer = await self.call(task, input, retry=retry, **options)
        return answer.output

    async def call(
        self, task: Task[In, Out], input: In, *, retry: bool = False, **options: Unpack[Options]
    ) -> Answer[Out]:
        """The task's answer, with what it took.

        `retry` tries a transient error once more after a second, on top of the SDK's own tries.
        """
        call = Call(task, input, **options)
        try:
            return await self._answer(call)
        except ModelError as error:
            if not (retry and error.details.get("retryable")):
                raise
        await self._sleep(RETRY_PAUSE)
        return await self._answer(call)

    @asynccontextmanager
    async def stream(
        self, task: Task[In, Out], input: In, **options: Unpack[Options]
    ) -> AsyncIterator[Stream[Out]]:
        """The task's answer as it is written. Leaving the block early stops the model."""
        call = Call(task, input, **options)
        exchange = await self._prepare(call)
        with self._record(call) as pending:
            async with aclosing(_pieces(call, exchange, pending)) as pieces:
                yield Stream(pieces)

    async def model(
        self,
        which: Tier | str,
        *,
        call_type: str,
        session_id: str | None = None,
        budget: Budget | None = None,
        max_tokens: int = MAX_TOKENS,
    ) -> "Model":
        """A model for an agent loop of Pydantic AI: the tier's, or one by its full name.

        Each of its requests is priced, logged, traced and held to the budget as a task's is.
        """
        name = self._models.name(which)
        if name.offline:
            raise Unavailable(
                f"No model is there for {call_type}: {self.mode.reason}. "
                "Set a provider's key, or do without a model."
            )
        model = await self._models.named(name)
        from bottega.core.llm.metered import MeteredModel

        record = partial(
            self._recorded,
            name,
            call_type,
            session_id=session_id,
            budget=budget,
            max_tokens=max_tokens,
        )
        return MeteredModel(
            model, name, call_type, record, budget, max_tokens, self._allowance.check
        )

    async def _answer(self, call: Call[In, Out]) -> Answer[Out]:
        exchange = await self._prepare(call)
        with self._record(call) as pending:
            if exchange is None:
                return pending.answer(await answer_offline(call.task, call.input))
            try:
                await exchange.send()
            finally:
                pending.spend(exchange.usage)
            return pending.answer(exchange.output(), exchange.sources)

    async def _prepare(self, call: Call[In, Out]) -> "Exchange[Out] | None":
        """All that comes before the call proper: refuse it, or build what it needs."""
        name = self._models.name(call.model or call.task.tier)
        if name.offline:
            return None
        if call.budget is not None:
            call.budget.check()
        await self._allowance.check()
        model = await self._models.named(name)
        from bottega.core.llm.exchange import Exchange

        return Exchange(
            model,
            name,
            call.task,
            call.prompt,
            max_tokens=call.max_tokens,
            tools=call.tools,
        )

    def _record(self, call: Call[In, Out]) -> AbstractContextManager[PendingCall]:
        """A block in which the call happens: in the ledger and, with traces, in a span."""
        return self._recorded(
            self._models.name(call.model or call.task.tier),
            call.task.name,
            call.prompt,
            session_id=call.session_id,
            budget=call.budget,
            max_tokens=call.max_tokens,
        )

    @contextmanager
    def _recorded(
        self,
        name: ModelName,
        call_type: str,
        prompt: str,
        *,
        session_id: str | None,
        budget: Budget | None,
        max_tokens: int,
    ) -> Iterator[PendingCall]:
        pending = PendingCall(
            self._ledger, name, call_type, prompt, session_id=session_id, budget=budget
        )
        with self._span(name, call_type, session_id, max_tokens) as span, recorded(pending):
            yield pending
            if span is not None:
                span.set_attribute("gen_ai.usage.input_tokens", pending.usage.input_tokens)
                span.set_attribute("gen_ai.usage.output_tokens", pending.usage.output_tokens)
                span.set_attribute("bottega.cost_usd", pending.cost)

    def _span(
        self, name: ModelName, call_type: str, session_id: str | None, max_tokens: int
    ) -> "AbstractContextManager[Span | None]":
        if self._traces is None:
            return nullcontext()
        return self._traces.span(
            f"chat {name.id}",
            SpanKind.MODEL,
            session_id=session_id,
            attributes={
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": name.provider.value,
                "gen_ai.request.model": name.id,
                "gen_ai.request.max_tokens": max_tokens,
                "bottega.task": call_type,
            },
        )


async def _pieces(
    call: Call[In, Out], exchange: "Exchange[Out] | None", pending: PendingCall
) -> AsyncGenerator[str | Answer[Out], None]:
    """The text of a reply and then its answer."""
    if exchange is None:
        output = await answer_offline(call.task, call.input)
        yield as_text(output)
        yield pending.answer(output)
        return
    try:
        async with aclosing(exchange.stream()) as pieces:
            async for piece in pieces:
                yield piece
    finally:
        pending.spend(exchange.usage)
    yield pending.answer(exchange.output(), exchange.sources)
