"""Runs as rooms use them: kinds are registered, runs are started, answered, watched, cancelled.

On SQLite one process works on runs. On PostgreSQL any number do: a run that is started without a
queue runs where it was started, one with a queue wherever there is room, and the runs of a
process that dies go on in another within seconds.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, JsonValue
from sqlalchemy import make_url

from bottega.core import clock
from bottega.core.database import Database
from bottega.core.events import Event, EventBus
from bottega.core.ids import new_id
from bottega.core.runs.context import OWN_TYPES, answer_to
from bottega.core.runs.engine import Engine
from bottega.core.runs.history import Draft, History
from bottega.core.runs.kinds import Body, In, Kind, Out, make_kind
from bottega.core.runs.news import News
from bottega.core.runs.outcomes import restore
from bottega.core.runs.presence import AmongPeers, OnlyProcess, Presence
from bottega.core.runs.run import Happening, Run, RunEvent, RunStatus
from bottega.core.runs.worker import Worker
from bottega.core.traces import Traces
from bottega.core.users import LOCAL_USER
from bottega.errors import Cancelled, Conflict, InvalidInput

DEFAULT_QUEUE = "runs"
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
    ) -> None:
        """`queues`: how many runs of each a process works on at once; `None` is no limit.

        A paused run keeps its place among those. `works_on` are the queues that this process
        takes runs from: all if not given, none for a server that leaves them to its workers.
        """
        self._queues = queues if queues is not None else {DEFAULT_QUEUE: None}
        self._works_on = self._queues if works_on is None else works_on
        self._kinds: dict[str, Kind] = {}
        self._history = History(database, bus)
        self._news = News()
        self._presence = _presence(system_database_url)
        engine = Engine(system_database_url, self._presence.executor_id)
        self._worker = Worker(
            self._history, self._news, self._kinds, engine, self._presence, traces
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
        if self._presence.has_peers or await self._history.unfinished():
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
        await self.launch()
        run = await self._history.create(
            run_id or new_id("run_"),
            kind,
            checked.model_dump(mode="json"),
            user_id=user_id,
            session_id=session_id,
            queue=queue,
        )
        await self._worker.submit(run)
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

    async def news(
        self, run_id: str, *, after: int = 0, limit: int = 1000, wait: float = 0
    ) -> Sequence[RunEvent]:
        """The same, waiting so many seconds for one if there is none and the run goes on."""

        async def look() -> Sequence[RunEvent] | None:
            is_over = (await self.get(run_id)).status.is_final
            found = await self._history.events(run_id, after=after, limit=limit)
            return found if found or is_over else None

        deadline = clock.now() + timedelta(seconds=wait)
        return await self._news.wait_for(run_id, look, deadline, of_moves=False) or []

    async def wait(
        self, run_id: str, statuses: Collection[RunStatus] = FINAL | {RunStatus.PAUSED}
    ) -> Run:
        """The run as soon as it has one of these statuses: by default when it needs somebody."""

        async def look() -> Run | None:
            run = await self.get(run_id)
            return run if run.status in statuses else None

        run = await self._news.wait_for(run_id, look)
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

    def _hear(self, event: Event) -> None:
        if not event.durable:  # text that passes by is no news
            return
        run_id = str(event.payload.get("run_id"))
        self._news.arrived(run_id, is_move=event.topic.removeprefix("run.") in OWN_TYPES)
        if event.topic == f"run.{Happening.CANCELLED}":
            self._worker.interrupt(run_id)


def _presence(system_database_url: str) -> Presence:
    url = make_url(system_database_url)
    if url.get_backend_name() == "sqlite":
        return OnlyProcess(Path(url.database or "runs.db"))
    return AmongPeers(system_database_url)
