"""The run as its own code sees it: a kind's function, its steps, and what they came to.

A step's outcome is plain JSON: a value by its declared type, or an error of our tree. It is read
back after a crash, so the first time too the run gets what was written down, never the object that
the step had in hand: a run that works once works on every replay. Nothing in it names code to load.
"""

import asyncio
import functools
import inspect
import itertools
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any, ParamSpec, Protocol, TypeVar, cast, get_type_hints

import structlog
from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from bottega import errors
from bottega.core import clock
from bottega.core.db.failures import passing_failure
from bottega.core.llm.payers import paid_by
from bottega.core.runs.history import PAUSES, Draft, RunHistory, retry_until_available
from bottega.core.runs.run import Happening, Run, RunEvent, RunStatus, RunWaiters
from bottega.core.traces import SpanKind, Traces
from bottega.errors import BottegaError, InvalidInput


class StepFailed(BottegaError):
    """A step raised an error that is not of our tree."""

    type = "step_failed"


_BY_TYPE: dict[str, type[BottegaError]] = {
    error.type: error
    for error in (*vars(errors).values(), StepFailed)
    if inspect.isclass(error) and issubclass(error, BottegaError)
}


def describe(error: Exception) -> dict[str, Any]:
    if isinstance(error, BottegaError):
        details = to_jsonable_python(error.details, fallback=str)
        return {"type": error.type, "message": error.message, "details": details}
    return {
        "type": StepFailed.type,
        "message": f"{type(error).__name__}: {error}",
        "details": {},
    }


def restore(error: dict[str, Any]) -> BottegaError:
    kind = _BY_TYPE.get(error["type"], StepFailed)
    return kind(error["message"], **error["details"])


def unforeseen(error: Exception) -> Exception | None:
    """The error, if its traceback belongs in the log: those of our tree say all in a sentence."""
    return None if isinstance(error, BottegaError) else error


def adapter_of(type_: Any) -> TypeAdapter[Any]:
    try:
        return _cached_adapter(type_)
    except TypeError:  # an annotation that cannot be hashed
        return TypeAdapter(type_)


@functools.lru_cache(maxsize=512)
def _cached_adapter(type_: Any) -> TypeAdapter[Any]:
    return TypeAdapter(type_)


def result_type(function: Callable[..., Any]) -> Any:
    """What the function is annotated to give; without an annotation, plain JSON."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    # Of all hints only this one: what stands under TYPE_CHECKING for an argument cannot be found,
    # and would make plain JSON of every result.
    given = {"return": getattr(function, "__annotations__", {}).get("return", Any)}
    names = getattr(function, "__globals__", {})
    return get_type_hints(SimpleNamespace(__annotations__=given), names)["return"]


P = ParamSpec("P")
T = TypeVar("T")

StepOutcome = dict[str, Any]

#: Event types that move a run, which its code may not emit itself.
OWN_TYPES = frozenset(Happening)

_step: ContextVar[int | None] = ContextVar("run_step", default=None)

log = structlog.get_logger()


class Outbox:
    """Events of one run on their way into its list: those that come together go in together.

    A transaction takes milliseconds, and steps that are awaited together emit at the same moment.
    Whoever comes while one is under way waits for it, and the next takes along all that has
    gathered by then.
    """

    def __init__(self, run_id: str, history: RunHistory) -> None:
        self._run_id = run_id
        self._history = history
        self._waiting: list[Draft] = []
        self._writing = asyncio.Lock()

    async def put(self, draft: Draft) -> None:
        """Return when it is in the list."""
        self._waiting.append(draft)
        async with self._writing:
            await asyncio.sleep(0)  # for those who come at this very moment
            if not any(draft is other for other in self._waiting):
                return  # somebody took it along
            batch, self._waiting = self._waiting, []
            try:
                await self._history.tell(self._run_id, batch)
            except BaseException:
                # Those who wait write their own; recording twice is once.
                self._waiting = [*batch, *self._waiting]
                raise


class Checkpoint(Protocol):
    """Runs `attempt` unless its outcome is on record, and records it: a durable step."""

    async def __call__(
        self, name: str, attempt: Callable[[], Coroutine[Any, Any, StepOutcome]]
    ) -> StepOutcome: ...


class RunContext:
    """Handed to a run's function, which may be run again from its start after a crash.

    What must happen once goes into a `step`; code between steps must come to the same decisions
    from the same step results. Steps may be awaited together with `asyncio.gather`, if each
    branch is one step: their order of start is how they are known again.
    """

    def __init__(
        self,
        run: Run,
        history: RunHistory,
        waiters: RunWaiters,
        checkpoint: Checkpoint,
        traces: Traces | None,
        known: Collection[str] = frozenset(),
    ) -> None:
        """`known`: keys of events that the list has from an earlier life of the run."""
        self.id = run.id
        self.kind = run.kind
        self.user_id = run.user_id
        self.session_id = run.session_id
        self._history = history
        self._outbox = Outbox(run.id, history)
        self._waiters = waiters
        self._checkpoint = checkpoint
        self._traces = traces
        self._known = known
        #: It was picked up again; the first step that finishes shows that it moves.
        self._is_suspect = run.status is not RunStatus.QUEUED
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
        is_replayed = True

        async def attempt() -> StepOutcome:
            nonlocal is_replayed
            is_replayed = False
            inside = _step.set(number)
            try:
                with paid_by(self.user_id), self._span(name):
                    value = await self._outlast(number, lambda: function(*args, **kwargs))
                return {"value": adapter.dump_python(value, mode="json")}
            except Exception as error:
                trace = unforeseen(error)
                log.warning("step.failed", run=self.id, step=name, error=str(error), exc_info=trace)
                return {"error": describe(error)}
            finally:
                _step.reset(inside)

        outcome = await self._checkpoint(name, attempt)
        if self._is_suspect and not is_replayed:
            self._is_suspect = False
            await retry_until_available(lambda: self._history.clear_recoveries([self.id]))
        if "error" in outcome:
            raise restore(outcome["error"])
        return cast("T", adapter.validate_python(outcome["value"]))

    async def _outlast(self, step: int, work: Callable[[], Awaitable[T]]) -> T:
        """Do the step again, as after a crash, for as long as only storage is in its way."""
        for pause in itertools.chain(PAUSES, itertools.repeat(PAUSES[-1])):
            try:
                return await work()
            except Exception as error:
                # What the step comes to is final once it is on record: that the machine failed
                # must not get there.
                failure = passing_failure(error)
                if failure is None:
                    raise
                log.warning("step.waits", run=self.id, step=step, why=failure.message, pause=pause)
            # What it emits again is known by the same places.
            self._emitted.pop(step, None)
            await asyncio.sleep(pause)
        raise AssertionError("repeating does not end")

    async def pause(
        self, reason: str, *, prompt: JsonValue = None, within: timedelta | None = None
    ) -> JsonValue:
        """Wait, for days and through restarts, for a person's reply; `None` if none came in time.

        The run is `paused` meanwhile, and `waiting_for` shows reason and prompt.
        """
        if _step.get() is not None:
            raise InvalidInput("A step cannot pause: pause between steps.")
        key = str(next(self._steps))

        async def wait() -> StepOutcome:
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
        if key not in self._known:
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

        answer = await self._waiters.wait_for(self.id, look, await self._deadline(key))
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
        return await retry_until_available(lambda: self._history.event(self.id, key))


def answer_to(pause_key: str) -> str:
    return f"pause {pause_key} answer"


In = TypeVar("In", bound=BaseModel)
Out = TypeVar("Out", bound=BaseModel | None)

Body = Callable[[RunContext, In], Awaitable[Out]]


@dataclass(frozen=True, slots=True)
class RunKind:
    name: str
    body: Callable[[RunContext, Any], Awaitable[BaseModel | None]]
    input: type[BaseModel]
    output: type[BaseModel] | None

    def check(self, given: BaseModel | Mapping[str, Any]) -> BaseModel:
        if isinstance(given, self.input):
            return given
        try:
            return self.input.model_validate(given)
        except ValidationError as error:
            wrong = "; ".join(
                f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()
            )
            raise InvalidInput(f"Wrong input for a {self.name!r} run: {wrong}.") from None


def make_kind(name: str, body: Body[In, Out]) -> RunKind:
    """Read the models off the function: `async def f(run: RunContext, input: In) -> Out`."""
    hints = get_type_hints(body)
    parameters = [hints.get(parameter) for parameter in inspect.signature(body).parameters]
    output = hints.get("return", Any)
    if output is type(None):
        output = None
    if (
        len(parameters) != 2
        or not _is_model(parameters[1])
        or not (output is None or _is_model(output))
    ):
        raise TypeError(
            f"The run kind {name!r} must be `async def f(run: RunContext, input: Model) -> Model`, "
            f"with pydantic models; it is {inspect.signature(body)}."
        )
    return RunKind(name, body, parameters[1], output)  # type: ignore[arg-type]


def _is_model(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, BaseModel)
