"""The run as its own code sees it."""

import itertools
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from datetime import datetime, timedelta
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import structlog
from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from bottega.core import clock
from bottega.core.runs.history import Draft, History
from bottega.core.runs.news import News
from bottega.core.runs.outbox import Outbox
from bottega.core.runs.outcomes import adapter_of, describe, restore, result_type, unforeseen
from bottega.core.runs.patience import patiently
from bottega.core.runs.run import Happening, Run, RunEvent
from bottega.core.traces import SpanKind, Traces
from bottega.errors import InvalidInput

P = ParamSpec("P")
T = TypeVar("T")

Outcome = dict[str, Any]

#: Event types that move a run, which its code may not emit itself.
OWN_TYPES = frozenset(Happening)

_step: ContextVar[int | None] = ContextVar("run_step", default=None)

log = structlog.get_logger()


class Checkpoint(Protocol):
    """Runs `attempt` unless its outcome is on record, and records it: a durable step."""

    async def __call__(
        self, name: str, attempt: Callable[[], Coroutine[Any, Any, Outcome]]
    ) -> Outcome: ...


class RunContext:
    """Handed to a run's function, which may be run again from its start after a crash.

    What must happen once goes into a `step`; code between steps must come to the same decisions
    from the same step results. Steps may be awaited together with `asyncio.gather`, if each
    branch is one step: their order of start is how they are known again.
    """

    def __init__(
        self,
        run: Run,
        history: History,
        news: News,
        checkpoint: Checkpoint,
        traces: Traces | None,
        told: Collection[str] = frozenset(),
    ) -> None:
        """`told`: keys of events that the list has from an earlier life of the run."""
        self.id = run.id
        self.kind = run.kind
        self.user_id = run.user_id
        self.session_id = run.session_id
        self._history = history
        self._outbox = Outbox(run.id, history)
        self._news = news
        self._checkpoint = checkpoint
        self._traces = traces
        self._told = told
        self._steps = itertools.count(1)
        self._emitted: defaultdict[int | None, Iterator[int]] = defaultdict(itertools.count)

    async def step(
        self, name: str, function: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call the function, once: when it has finished, a replay gets its recorded result.

        The result comes back as the function's return annotation says, models included. An error
        is recorded and raised again as one of our tree; foreign ones become `StepFailed`.
        """
        if _step.get() is not None:  # a step within a step is part of it
            return await function(*args, **kwargs)
        number = next(self._steps)
        adapter = adapter_of(result_type(function))

        async def attempt() -> Outcome:
            inside = _step.set(number)
            try:
                with self._span(name):
                    value = await function(*args, **kwargs)
                return {"value": adapter.dump_python(value, mode="json")}
            except Exception as error:
                trace = unforeseen(error)
                log.warning("step.failed", run=self.id, step=name, error=str(error), exc_info=trace)
                return {"error": describe(error)}
            finally:
                _step.reset(inside)

        outcome = await self._checkpoint(name, attempt)
        if "error" in outcome:
            raise restore(outcome["error"])
        return cast("T", adapter.validate_python(outcome["value"]))

    async def pause(
        self, reason: str, *, prompt: JsonValue = None, within: timedelta | None = None
    ) -> JsonValue:
        """Wait, for days and through restarts, for a person's reply; `None` if none came in time.

        The run is `paused` meanwhile, and `waiting_for` shows reason and prompt.
        """
        if _step.get() is not None:
            raise InvalidInput("A step cannot pause: pause between steps.")
        key = str(next(self._steps))

        async def wait() -> Outcome:
            return {"value": await self._wait_for_answer(key, reason, prompt, within)}

        outcome = await self._checkpoint("pause", wait)
        return cast("JsonValue", outcome["value"])

    async def emit(
        self, type: str, payload: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> None:
        """Add to the run's event list, and tell the bus (`run.{type}`); a replay adds nothing.

        An event is known again by its place among those of its step, or of the run's body. Where
        branches that are awaited together emit between steps that place is up to chance: there
        give a `key`, which no other event of the run has.
        """
        if type in OWN_TYPES:
            raise InvalidInput(f"The event type {type!r} is the run's own. Choose another.")
        key = f"emit {key}" if key is not None else self._next_place()
        if key not in self._told:
            await self._outbox.put(Draft(key, type, to_jsonable_python(payload or {})))

    def _next_place(self) -> str:
        step = _step.get()
        place = "body" if step is None else f"step {step}"
        return f"{place} emit {next(self._emitted[step])}"

    def _span(self, step: str) -> AbstractContextManager[object]:
        if self._traces is None:
            return nullcontext()
        return self._traces.span(
            f"{self.kind} {step}",
            SpanKind.RUN,
            run_id=self.id,
            session_id=self.session_id,
            user_id=self.user_id,
        )

    async def _wait_for_answer(
        self, key: str, reason: str, prompt: JsonValue, within: timedelta | None
    ) -> JsonValue:
        until = None if within is None else clock.iso(clock.now() + within)
        asked = {"reason": reason, "prompt": prompt, "until": until, "key": key}
        await self._history.record(self.id, Draft(f"pause {key}", Happening.PAUSED, asked))

        async def look() -> RunEvent | None:
            return await self._event(answer_to(key))

        answer = await self._news.wait_for(self.id, look, await self._deadline(key))
        if answer is None:
            # A reply may come in at this very moment: whichever is first in the list counts.
            await self._history.record(self.id, Draft(answer_to(key), Happening.EXPIRED))
            answer = await look()
        return answer.payload.get("message") if answer else None

    async def _deadline(self, key: str) -> datetime | None:
        """As it was first written down: a restart gives nobody more time."""
        asked = await self._event(f"pause {key}")
        until = asked.payload["until"] if asked else None
        return clock.parse(until) if until else None

    async def _event(self, key: str) -> RunEvent | None:
        return await patiently(lambda: self._history.event(self.id, key))


def answer_to(pause_key: str) -> str:
    return f"pause {pause_key} answer"
