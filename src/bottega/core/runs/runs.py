"""Runs as rooms use them: kinds are registered, runs are started, answered, followed, cancelled.

On SQLite one process works on runs. On PostgreSQL any number do: a run that is started without a
queue runs where it was started, one with a queue wherever there is room, and the runs of a
process that dies go on in another within seconds.

Who follows a run gets its events so far, then those that come, until it has ended. Text that a
model is writing comes as a `Delta`, which is not stored: a later follower reads the whole of it in
the event of the finished call.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, JsonValue
from sqlalchemy import make_url

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Database
from bottega.core.doors.streams import frame
from bottega.core.events import Event, EventBus
from bottega.core.runs.context import (
    OWN_TYPES,
    Body,
    In,
    Out,
    RunKind,
    answer_to,
    make_kind,
    restore,
)
from bottega.core.runs.engine import Engine
from bottega.core.runs.history import Draft, RunHistory
from bottega.core.runs.liveness import Liveness, PeerProcess, SingleProcess
from bottega.core.runs.run import Happening, Run, RunEvent, RunStatus, RunWaiters
from bottega.core.runs.worker import Worker
from bottega.core.traces import Traces
from bottega.core.trust.admission import admit
from bottega.core.users import LOCAL_USER
from bottega.errors import Cancelled, Conflict, InvalidInput, TooMany

DEFAULT_QUEUE = "runs"
#: Seconds after which somebody with too many runs may look again.
RETRY_AFTER = 10
SETTING = "BOTTEGA_MAX_RUNS_PER_USER"
FINAL = frozenset(status for status in RunStatus if status.is_final)

AnyBody = TypeVar("AnyBody", bound=Callable[..., Any])


class Runs:
    def __init__(
        self,
        database: Database,
        bus: EventBus,
        *,
        system_database_url: str,
        queues: Mapping[str, int | None] | None = None,
        works_on: Collection[str] | None = None,
        traces: Traces | None = None,
        most_per_user: int | None = None,
    ) -> None:
        """`queues`: how many runs of each a process works on at once; `None` is no limit.

        A paused run keeps its place among those. `works_on` are the queues that this process
        takes runs from: all if not given, none for a server that leaves them to its workers.
        `most_per_user` are queued, running or paused of one user, other than the owner, at once.
        """
        self._most_per_user = most_per_user
        self._queues = queues if queues is not None else {DEFAULT_QUEUE: None}
        self._works_on = self._queues if works_on is None else works_on
        self._kinds: dict[str, RunKind] = {}
        self._history = RunHistory(database, bus)
        self._waiters = RunWaiters()
        self._liveness = _liveness(system_database_url)
        engine = Engine(system_database_url, self._liveness.executor_id)
        self._worker = Worker(
            self._history, self._waiters, self._kinds, engine, self._liveness, traces
        )
        self._launched = False
        self._launching = asyncio.Lock()
        bus.on("run.*", self._hear)

    def kind(self, name: str) -> Callable[[AnyBody], AnyBody]:
        """Register the decorated function as a kind of run."""

        def register(body: AnyBody) -> AnyBody:
            self.register(name, body)
            return body

        return register

    def register(self, name: str, body: Body[In, Out]) -> None:
        if name in self._kinds:
            raise Conflict(f"There is a run kind {name!r} already.")
        self._kinds[name] = make_kind(name, body)
        if self._launched:
            self._worker.add(name)

    async def launch(self) -> None:
        """Work: on what was left unfinished, on what is started here, and on the queues."""
        async with self._launching:
            if not self._launched:
                await self._worker.start(self._queues, self._works_on)
                self._launched = True

    async def recover(self) -> None:
        """Launch if there is something to do; else nothing is loaded until a run is started."""
        if self._liveness.has_peers or await self._history.unfinished():
            await self.launch()

    async def stop(self) -> None:
        async with self._launching:
            if self._launched:
                await self._worker.stop()
                self._launched = False

    async def start(
        self,
        kind: str,
        input: BaseModel | Mapping[str, Any],
        *,
        session_id: str | None = None,
        user_id: str = LOCAL_USER,
        run_id: str | None = None,
        queue: str | None = None,
    ) -> str:
        """Begin a run and return its id; starting the same `run_id` again is the same run."""
        if kind not in self._kinds:
            raise InvalidInput(f"There is no run kind {kind!r}.", valid_options=sorted(self._kinds))
        if queue is not None and queue not in self._queues:
            raise InvalidInput(f"There is no queue {queue!r}.", valid_options=sorted(self._queues))
        checked = self._kinds[kind].check(input)
        if user_id != LOCAL_USER and self._most_per_user is not None:
            await self._check_number(user_id, self._most_per_user, run_id)
        admit(checked, f"input of a {kind} run")
        await self.launch()
        run = await self._history.create(
            run_id or new_id("run_"),
            kind,
            checked.model_dump(mode="json"),
            user_id=user_id,
            session_id=session_id,
            queue=queue,
        )
        await self._worker.submit_surely(run)
        return run.id

    async def reply(
        self,
        run_id: str,
        message: JsonValue,
        *,
        user_id: str | None = None,
        pause_key: str | None = None,
    ) -> Run:
        """Answer what a paused run waits for. It is kept even if nobody works on the run now.

        With the `key` of `waiting_for` it answers that pause only, and never one that came after.
        """
        await self.get(run_id, user_id=user_id)
        message = admit(message, "reply")

        def answer(run: Run) -> Draft:
            if run.waiting_for is None:
                raise Conflict(
                    f"The run {run_id!r} is {run.status} and waits for no reply.",
                    status=run.status,
                    waiting_for=None,
                )
            if pause_key not in (None, run.waiting_for["key"]):
                raise Conflict(
                    f"The run {run_id!r} has gone on and now waits for something else: "
                    f"{run.waiting_for['reason']}.",
                    status=run.status,
                    waiting_for=run.waiting_for,
                )
            key = answer_to(run.waiting_for["key"])
            return Draft(key, Happening.REPLIED, {"message": message})

        return await self._history.append(run_id, answer)

    async def cancel(self, run_id: str, *, user_id: str | None = None) -> Run:
        """Stop it for good, at once. Cancelling twice is fine; what has ended otherwise is not."""
        await self.get(run_id, user_id=user_id)
        run = await self._history.append(run_id, lambda _: Draft("end", Happening.CANCELLED))
        if run.status is not RunStatus.CANCELLED:
            raise Conflict(f"The run {run_id!r} is {run.status} already.", status=run.status)
        if self._launched:
            await self._worker.forget(run_id)
        return run

    async def get(self, run_id: str, *, user_id: str | None = None) -> Run:
        """With a `user_id`, only if it is that user's."""
        return await self._history.get(run_id, user_id=user_id)

    async def list(
        self,
        *,
        kind: str | None = None,
        status: RunStatus | None = None,
        user_id: str | None = None,
        session_id: str | None = None,
        limit: int = 50,
    ) -> Sequence[Run]:
        """Newest first."""
        return await self._history.list(
            kind=kind, status=status, user_id=user_id, session_id=session_id, limit=limit
        )

    async def events(
        self, run_id: str, *, after: int = 0, limit: int = 1000, user_id: str | None = None
    ) -> Sequence[RunEvent]:
        """The run's events in order, from the one behind position `after` on."""
        await self.get(run_id, user_id=user_id)
        return await self._history.events(run_id, after=after, limit=limit)

    async def wait_for_events(
        self, run_id: str, *, after: int = 0, limit: int = 1000, wait: float = 0
    ) -> Sequence[RunEvent]:
        """The same, waiting so many seconds for one if there is none and the run goes on."""

        async def look() -> Sequence[RunEvent] | None:
            is_over = (await self.get(run_id)).status.is_final
            found = await self._history.events(run_id, after=after, limit=limit)
            return found if found or is_over else None

        found = await self._waiters.wait_for(run_id, look, within=wait, of_moves=False)
        return found or []

    async def wait(
        self, run_id: str, statuses: Collection[RunStatus] = FINAL | {RunStatus.PAUSED}
    ) -> Run:
        """The run as soon as it has one of these statuses: by default when it needs somebody."""

        async def look() -> Run | None:
            run = await self.get(run_id)
            return run if run.status in statuses else None

        run = await self._waiters.wait_for(run_id, look)
        assert run is not None, "without a deadline there is no giving up"
        return run

    async def result(self, run_id: str) -> Any:
        """What the run came to, as its kind's model; raises its error, or `Cancelled`."""
        run = await self.wait(run_id, FINAL)
        if run.status is RunStatus.CANCELLED:
            raise Cancelled(f"The run {run_id!r} was cancelled.")
        if run.error is not None:
            raise restore(run.error)
        kind = self._kinds.get(run.kind)
        if run.output is None or kind is None or kind.output is None:
            return run.output
        return kind.output.model_validate(run.output)

    async def _check_number(self, user_id: str, most: int, run_id: str | None) -> None:
        alive = await self._history.unfinished_of(user_id)
        if len(alive) >= most and run_id not in alive:
            raise TooMany(
                f"{most} runs at once are the most for one user, and so many are queued, running "
                "or paused. Wait for one to end, answer what it asks, or cancel it; the owner of "
                f"the house can raise {SETTING}.",
                limit=most,
                setting=SETTING,
                retry_after=RETRY_AFTER,
            )

    def _hear(self, event: Event) -> None:
        if not event.durable:  # text that passes by is no news
            return
        run_id = str(event.payload.get("run_id"))
        self._waiters.arrived(run_id, is_move=event.topic.removeprefix("run.") in OWN_TYPES)
        if event.topic == f"run.{Happening.CANCELLED}":
            self._worker.interrupt(run_id)


def _liveness(system_database_url: str) -> Liveness:
    url = make_url(system_database_url)
    if url.get_backend_name() == "sqlite":
        return SingleProcess(Path(url.database or "runs.db"))
    return PeerProcess(system_database_url)


DELTA = "run.delta"


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of text, and the substep that it is part of."""

    substep: str
    text: str


def tell_delta(bus: EventBus, run_id: str, substep: str, text: str, user_id: str) -> None:
    payload = {"run_id": run_id, "substep": substep, "text": text}
    bus.publish(Event(DELTA, payload, user_id=user_id, durable=False))


async def follow(
    runs: Runs, bus: EventBus, run_id: str, *, after: int = 0
) -> AsyncIterator[RunEvent | Delta]:
    """Each event once and in order, from the one behind position `after` on."""
    # Listening begins before reading, so that nothing falls between the two.
    async with bus.subscribe("run.*", "events.missed") as news:
        while True:
            # The status is asked before the events: all that led to a final one are then there.
            run = await runs.get(run_id)
            for event in await runs.events(run_id, after=after):
                after = event.position
                yield event
            if run.status.is_final and after >= run.position:
                return
            async for passing in news:
                if passing.topic == DELTA:
                    if passing.payload["run_id"] == run_id:
                        yield Delta(passing.payload["substep"], passing.payload["text"])
                elif passing.payload.get("run_id", run_id) == run_id:
                    break
            else:
                return  # the server stops


async def run_frames(
    runs: Runs, bus: EventBus, run_id: str, *, after: int = 0
) -> AsyncIterator[bytes]:
    """The same for the wire: an event's position is its `id`, its type its name."""
    async for each in follow(runs, bus, run_id, after=after):
        if isinstance(each, Delta):
            yield frame(json.dumps({"substep": each.substep, "text": each.text}), event="delta")
        else:
            told = {"type": each.type, "at": clock.iso(each.created_at), **each.payload}
            yield frame(json.dumps(told), id=each.position, event=each.type)
