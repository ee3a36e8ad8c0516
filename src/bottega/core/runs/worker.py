"""The part of a process that executes runs."""

import asyncio
from collections.abc import Collection, Mapping

import structlog
from sqlalchemy.exc import SQLAlchemyError

from bottega.core.ids import new_id
from bottega.core.runs.context import RunContext
from bottega.core.runs.engine import Engine
from bottega.core.runs.history import Draft, History
from bottega.core.runs.kinds import Kind
from bottega.core.runs.news import News
from bottega.core.runs.outcomes import StepFailed, describe, unforeseen
from bottega.core.runs.patience import patiently
from bottega.core.runs.presence import Presence
from bottega.core.runs.run import Happening, Run, RunStatus
from bottega.core.traces import Traces
from bottega.errors import Unavailable

#: How often to look for runs whose process died.
SWEEP_SECONDS = 5.0
#: A run that was picked up so often without a single event is what kills its process.
MAX_RECOVERIES = 10

log = structlog.get_logger()


class Worker:
    def __init__(
        self,
        history: History,
        news: News,
        kinds: Mapping[str, Kind],
        engine: Engine,
        presence: Presence,
        traces: Traces | None,
    ) -> None:
        self._history = history
        self._news = news
        self._kinds = kinds
        self._engine = engine
        self._presence = presence
        self._traces = traces
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._stopping = False
        self._sweeping: asyncio.Task[None] | None = None

    async def start(self, queues: Mapping[str, int | None], works_on: Collection[str]) -> None:
        self._stopping = False
        await self._presence.enter()
        try:
            workflows = dict.fromkeys(self._kinds, self._execute)
            await self._engine.launch(workflows, queues, works_on)
        except BaseException:
            await self._presence.leave()
            raise
        try:
            await self._submit_left_behind()
        except BaseException:
            await self.stop()
            raise
        if self._presence.has_peers:
            self._sweeping = asyncio.create_task(self._sweep(), name="sweep runs")

    async def stop(self) -> None:
        """Put the runs down where they are; they go on when a process takes them up again."""
        self._stopping = True
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.gather(self._sweeping, return_exceptions=True)
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._engine.destroy()
        await self._presence.leave()

    def add(self, kind: str) -> None:
        self._engine.add(kind, self._execute)

    async def submit(self, run: Run) -> None:
        await self._engine.submit(run)

    async def forget(self, run_id: str) -> None:
        """Let no process execute a cancelled run any more."""
        await self._engine.cancel(run_id)

    def interrupt(self, run_id: str) -> None:
        """Stop executing it, if it is executed here."""
        if task := self._tasks.get(run_id):
            task.cancel()

    async def _submit_left_behind(self) -> None:
        """Runs whose start was noted, but whose process died before it could hand them over."""
        for run in await self._history.list(status=RunStatus.QUEUED, limit=10_000):
            if run.kind in self._kinds:
                await self._engine.submit(run)

    async def _execute(self, run_id: str) -> None:
        task = asyncio.current_task()
        assert task is not None
        if self._stopping:
            raise asyncio.CancelledError
        self._tasks[run_id] = task
        try:
            run = await patiently(lambda: self._history.get(run_id))
            if not run.status.is_final:
                await self._history.record(run_id, await self._work(run))
        finally:
            if self._tasks.get(run_id) is task:
                del self._tasks[run_id]

    async def _work(self, run: Run) -> Draft:
        """Run it to its end, which is returned for the list."""
        kind = self._kinds[run.kind]
        # Asked for at once: a replay would else look up each of its events by itself.
        told = await patiently(lambda: self._history.keys(run.id))
        context = RunContext(
            run, self._history, self._news, self._engine.checkpoint, self._traces, told
        )
        try:
            await self._begin(run)
            output = await kind.body(context, kind.input.model_validate(run.input))
            value = None if output is None else output.model_dump(mode="json")
            return Draft("end", Happening.COMPLETED, {"output": value})
        except Exception as error:
            trace = unforeseen(error)
            log.warning("run.failed", run=run.id, error=str(error), exc_info=trace)
            return Draft("end", Happening.FAILED, {"error": describe(error)})

    async def _begin(self, run: Run) -> None:
        if run.status is RunStatus.QUEUED:
            await self._history.record(run.id, Draft("started", Happening.STARTED))
            return
        if run.recoveries >= MAX_RECOVERIES and run.status is not RunStatus.PAUSED:
            raise StepFailed(
                f"The process ended {run.recoveries} times in a row while this run was at the same "
                "place. It is not tried again."
            )
        await self._history.record(run.id, Draft(new_id("recovered "), Happening.RECOVERED))

    async def _sweep(self) -> None:
        while True:
            try:
                await self._take_over()
            except (Unavailable, SQLAlchemyError, OSError) as error:
                log.warning("runs.sweep_failed", error=str(error))
            await asyncio.sleep(SWEEP_SECONDS)

    async def _take_over(self) -> None:
        others = await self._engine.executors_at_work() - {self._presence.executor_id}
        async with self._presence.departed(others) as dead:
            if dead:
                log.info("runs.taking_over", executors=dead)
                await self._engine.take_over(dead)
