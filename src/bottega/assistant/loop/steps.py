"""Durable steps that remember what they cost, and events that nobody has to wait for.

A step that is on record is not done again after a crash, and so would not be charged again: what it
spent is therefore part of its record, and a replay charges that.

Events are written behind the loop: a model's answer takes seconds, an event's line on disk a few
milliseconds, so that the one hides in the other. Whoever pauses or ends `drain`s first, so that
their order holds.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar, cast

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from bottega.core.llm.costs import Budget
from bottega.core.runs import RunContext
from bottega.core.runs.context import adapter_of, result_type
from bottega.errors import BottegaError

P = ParamSpec("P")
T = TypeVar("T")

#: Seconds that an event waits for company: those of a model's turn are then written together.
LINGER = 0.05

_inside: ContextVar[bool] = ContextVar("inside_a_paid_step", default=False)


class Paid(BaseModel):
    value: Any
    #: US dollars.
    cost: float


class EventWriter:
    """Writes the run's events in order, from a task of its own."""

    def __init__(self, run: RunContext) -> None:
        self._run = run
        self._numbers = itertools.count(1)
        self._waiting: list[Coroutine[Any, Any, None]] = []
        self._hurry = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def write(self, type: str, payload: Mapping[str, Any]) -> None:
        # The number makes it known again: the run's body tells the same in the same order.
        key = f"loop {next(self._numbers)}"
        self._waiting.append(self._run.emit(type, to_jsonable_python(payload), key=key))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work(), name="tell of an assistant's turn")

    async def drain(self) -> None:
        """Returns when every event has been written."""
        self._hurry.set()
        while self._task is not None and not (self._task.done() and not self._waiting):
            await self._task
        self._hurry.clear()

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for event in self._waiting:
            event.close()

    async def _work(self) -> None:
        while self._waiting:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), LINGER)
            batch, self._waiting = self._waiting, []
            await asyncio.gather(*batch)


class PaidSteps:
    """The `Steps` of a turn, whose costs are drawn from a budget."""

    def __init__(self, run: RunContext, budget: Budget, events: EventWriter) -> None:
        self._run = run
        self._budget = budget
        self._events = events

    def drawing_on(self, budget: Budget) -> "PaidSteps":
        """The same run's steps, at the expense of another budget."""
        return PaidSteps(self._run, budget, self._events)

    async def step(
        self, name: str, function: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        adapter = adapter_of(result_type(function))
        is_replay = True

        async def pay() -> Paid:
            nonlocal is_replay
            is_replay = False
            before = self._budget.spent
            inside = _inside.set(True)
            try:
                value = await function(*args, **kwargs)
            except BottegaError as error:
                error.details["cost"] = self._budget.spent - before
                raise
            finally:
                _inside.reset(inside)
            cost = self._budget.spent - before
            return Paid(value=adapter.dump_python(value, mode="json"), cost=cost)

        try:
            paid = await self._run.step(name, pay)
        except BottegaError as error:
            if is_replay:
                self._budget.charge(error.details.get("cost", 0.0))
            raise
        if is_replay:
            self._budget.charge(paid.cost)
        return cast("T", adapter.validate_python(paid.value))

    async def emit(self, type: str, payload: Mapping[str, Any] | None = None) -> None:
        if _inside.get():  # a replay leaves the step out, and its events with it
            await self._run.emit(type, payload)
        else:
            self._events.write(type, payload or {})
