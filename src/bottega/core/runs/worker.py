"""The part of a process that executes runs: takes them up, puts them down, and takes over those
whose process died."""

import asyncio
from collections.abc import Collection, Mapping
from contextlib import suppress

import structlog
from sqlalchemy.exc import SQLAlchemyError

from bottega.core.clock import new_id
from bottega.core.db.failures import passing_failure
from bottega.core.db.write_behind import TRANSIENT
from bottega.core.runs.context import RunContext, RunKind, StepFailed, describe, unforeseen
from bottega.core.runs.engine import Engine
from bottega.core.runs.history import Draft, RunHistory, retry_until_available
from bottega.core.runs.liveness import Liveness
from bottega.core.runs.run import Happening, Run, RunStatus, RunWaiters
from bottega.core.traces import Traces
from bottega.errors import Unavailable

#: How often to look for runs whose process died.
SWEEP_SECONDS = 5.0
#: A run that was picked up so often without a single event is what kills its process.
MAX_RECOVERIES = 10

#: So often it goes on at once; then after pauses that double, up to the longest.
PROMPT_RECOVERIES = 3
LONGEST_PAUSE = 60.0

log = structlog.get_logger()


def pause_before(recoveries: int) -> float:
    """Seconds before a run that was picked up so often without moving is tried again."""
    if recoveries < PROMPT_RECOVERIES:
        return 0.0
    return min(2.0 ** (recoveries - PROMPT_RECOVERIES), LONGEST_PAUSE)


class Worker:
    def __init__(
        self,
        history: RunHistory,
        waiters: RunWaiters,
        kinds: Mapping[str, RunKind],
        engine: Engine,
        liveness: Liveness,
        traces: Traces | None,
    ) -> None:
        self._history = history
        self._waiters = waiters
        self._kinds = kinds
        self._engine = engine
        self._liveness = liveness
        self._traces = traces
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._submitting: set[asyncio.Task[None]] = set()
        self._stopping = False
        self._sweeping: asyncio.Task[None] | None = None

    async def start(self, queues: Mapping[str, int | None], works_on: Collection[str]) -> None:
        self._stopping = False
        await self._liveness.enter()
        try:
            workflows = dict.fromkeys(self._kinds, self._execute)
            await self._engine.launch(workflows, queues, works_on)
        except BaseException:
            await self._liveness.leave()
            raise
        try:
            await self._submit_left_behind()
        except BaseException:
            await self.stop()
            raise
        if self._liveness.has_peers:
            self._sweeping = asyncio.create_task(self._sweep(), name="sweep runs")

    async def stop(self) -> None:
        """Put the runs down where they are; they go on when a process takes them up again."""
        self._stopping = True
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.gather(self._sweeping, return_exceptions=True)
        for waiting in self._submitting:
            waiting.cancel()
        working = dict(self._tasks)
        for task in working.values():
            task.cancel()
        await asyncio.gather(*working.values(), return_exceptions=True)
        with suppress(Unavailable, SQLAlchemyError, OSError):
            # Whoever stops a process in order was not ended by its runs.
            await self._history.clear_recoveries(list(working))
        await self._engine.destroy()
        await self._liveness.leave()

    def add(self, kind: str) -> None:
        self._engine.add(kind, self._execute)

    async def submit(self, run: Run) -> None:
        await self._engine.submit(run)

    async def submit_surely(self, run: Run) -> None:
        """The same for a run that is noted already: if it cannot be handed over, it is later."""
        try:
            await self._engine.submit(run)
        except TRANSIENT as error:
            log.warning("run.waits_for_database", run=run.id, error=str(error))
            task = asyncio.create_task(retry_until_available(lambda: self._engine.submit(run)))
            self._submitting.add(task)
            task.add_done_callback(self._submitting.discard)

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
            run = await retry_until_available(lambda: self._history.get(run_id))
            if not run.status.is_final:
                await self._history.record(run_id, await self._work(run))
        finally:
            if self._tasks.get(run_id) is task:
                del self._tasks[run_id]

    async def _work(self, run: Run) -> Draft:
        """Run it to its end, which is returned for the list."""
        kind = self._kinds[run.kind]
        # Asked for at once: a replay would else look up each of its events by itself.
        known = await retry_until_available(lambda: self._history.keys(run.id))
        context = RunContext(
            run, self._history, self._waiters, self._engine.checkpoint, self._traces, known
        )
        try:
            await self._begin(run)
            output = await kind.body(context, kind.input.model_validate(run.input))
            value = None if output is None else output.model_dump(mode="json")
            return Draft("end", Happening.COMPLETED, {"output": value})
        except Exception as error:
            if passing_failure(error) is not None:
                # Between steps: as after a crash, it goes on from the last that finished.
                self._engine.take_up_later(run.id)
                raise asyncio.CancelledError from error
            trace = unforeseen(error)
            log.warning("run.failed", run=run.id, error=str(error), exc_info=trace)
            return Draft("end", Happening.FAILED, {"error": describe(error)})

    async def _begin(self, run: Run) -> None:
        if run.status is RunStatus.QUEUED:
            await self._history.record(run.id, Draft("started", Happening.STARTED))
            return
        if run.status is not RunStatus.PAUSED:
            await self._wait_if_suspect(run)
        await self._history.record(run.id, Draft(new_id("recovered "), Happening.RECOVERED))

    async def _wait_if_suspect(self, run: Run) -> None:
        """Raises `StepFailed` for a run that seems to end its process.

        One that merely was there when others ended the process must not be taken for it: the
        pauses grow, and only a process that lived through one counts.
        """
        if run.recoveries >= MAX_RECOVERIES:
            raise StepFailed(
                f"The process ended {run.recoveries} times in a row while this run was at the same "
                "place. It is not tried again."
            )
        if (pause := pause_before(run.recoveries)) > 0:
            log.warning("run.waits", run=run.id, recoveries=run.recoveries, seconds=pause)
            await asyncio.sleep(pause)

    async def _sweep(self) -> None:
        while True:
            try:
                await self._take_over()
            except (Unavailable, SQLAlchemyError, OSError) as error:
                log.warning("runs.sweep_failed", error=str(error))
            await asyncio.sleep(SWEEP_SECONDS)

    async def _take_over(self) -> None:
        others = await self._engine.executors_at_work() - {self._liveness.executor_id}
        async with self._liveness.departed(others) as dead:
            if dead:
                log.info("runs.taking_over", executors=dead)
                await self._engine.take_over(dead)
