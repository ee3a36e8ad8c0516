"""DBOS, which keeps the steps of runs and hands out work: the only file that knows it.

DBOS is one per process and takes 1.3 s to import, so it is loaded by `launch` and no sooner. Its
queues and recovery hand work out from threads of its own; runs are executed on our event loop, to
which everything they use belongs.

The application version is fixed: DBOS recovers only runs of its own version, and by default a
changed line of code would make a new one and leave the old runs lying.
"""

import asyncio
import itertools
import logging
import sqlite3
from collections.abc import Callable, Collection, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import structlog
from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from bottega.core.db.database import make_file
from bottega.core.db.failures import passing_failure
from bottega.core.runs.context import StepOutcome
from bottega.core.runs.run import Run
from bottega.errors import Conflict

if TYPE_CHECKING:
    from dbos import DBOS


APPLICATION = "bottega"
APPLICATION_VERSION = "1"
#: Threads for DBOS's short statements, and for `asyncio.to_thread`, which it takes over.
THREADS = 32
#: To PostgreSQL. SQLite has one writer: threads that wait for the only connection wait in a row,
#: while those that have their own are sent to sleep by SQLite, each time for longer.
CONNECTIONS = 8
QUEUE_POLL_SECONDS = 0.5
#: How soon DBOS takes up runs that were left unfinished, and for how long after a start it is in
#: such a hurry; by itself it would look once a second.
RECOVERY_POLL_SECONDS = 0.1
RECOVERY_SECONDS = 3.0

#: Seconds between attempts to go on after storage failed; the last one repeats.
PAUSES = (0.2, 1.0, 5.0)

log = structlog.get_logger()

Workflow = Callable[[str], Coroutine[Any, Any, None]]


class Engine:
    _in_use: ClassVar[bool] = False

    def __init__(self, system_database_url: str, executor_id: str) -> None:
        self._url = system_database_url
        self._executor_id = executor_id
        self._workflows: dict[str, Workflow] = {}
        self._instance: DBOS | None = None
        self._threads: ThreadPoolExecutor | None = None
        self._taking_up: set[asyncio.Task[None]] = set()

    async def launch(
        self,
        kinds: Mapping[str, Workflow],
        queues: Mapping[str, int | None],
        works_on: Collection[str],
    ) -> None:
        """Start to work: on runs that this executor left unfinished, and on some of the queues."""
        if Engine._in_use:
            raise Conflict("Runs are at work in this process already; DBOS allows one of them.")
        Engine._in_use = True
        try:
            instance = self._instance = await asyncio.to_thread(self._load)
            for kind, workflow in kinds.items():
                self.add(kind, workflow)
            instance.listen_queues(list(works_on))
            _hurry(instance)
            # Told on the loop's own thread which loop it is; `launch` then may take its time.
            instance._background_event_loop.set_main_loop()
            await asyncio.to_thread(instance.launch)
            self._threads = instance._executor
            for name, limit in queues.items():
                await instance.register_queue_async(
                    name,
                    worker_concurrency=limit,
                    polling_interval_sec=QUEUE_POLL_SECONDS,
                    on_conflict="always_update",
                )
        except BaseException:
            await self.destroy()
            raise

    async def destroy(self) -> None:
        from dbos import DBOS

        for task in self._taking_up:
            task.cancel()
        loop = asyncio.get_running_loop()
        # DBOS made its own threads the loop's default ones, and is about to end them.
        loop.set_default_executor(ThreadPoolExecutor(thread_name_prefix="asyncio"))
        if self._threads is not None:
            # What still waits for one of them would be cancelled. They take work in its order:
            # when this has had its turn, nothing of others is waiting.
            await loop.run_in_executor(self._threads, int)
            self._threads = None
        try:
            await asyncio.to_thread(DBOS.destroy, destroy_registry=True)
        finally:
            self._workflows.clear()
            Engine._in_use = False

    def add(self, kind: str, workflow: Workflow) -> None:
        from dbos import DBOS

        # How often a run may be picked up again is for the worker to judge: DBOS would take one
        # that patiently waits for a reply through a hundred restarts for a bad one.
        @DBOS.workflow(name=kind, max_recovery_attempts=None)
        async def execute(run_id: str) -> None:
            await workflow(run_id)

        self._workflows[kind] = execute

    async def submit(self, run: Run) -> None:
        """Have it executed, here or by the process that takes it from its queue; idempotent."""
        # In an empty context: a run that is started by a run is nobody's child.
        await asyncio.create_task(self._submit(run), context=Context())

    async def _submit(self, run: Run) -> None:
        from dbos import DBOS, SetWorkflowID

        workflow = self._workflows[run.kind]
        with SetWorkflowID(run.id):
            if run.queue is None:
                await DBOS.start_workflow_async(workflow, run.id)
            else:
                await DBOS.enqueue_workflow_async(run.queue, workflow, run.id)

    async def cancel(self, run_id: str) -> None:
        from dbos import DBOS

        await DBOS.cancel_workflow_async(run_id)

    async def checkpoint(
        self, name: str, attempt: Callable[[], Coroutine[Any, Any, StepOutcome]]
    ) -> StepOutcome:
        from dbos import DBOS
        from dbos import error as failures

        try:
            return await DBOS.run_step_async({"name": name}, attempt)
        except (DBAPIError, PoolTimeout) as error:
            if passing_failure(error) is None:
                raise
            # What the step came to could not be written down: as after a crash, it is done again.
            self.take_up_later(str(DBOS.workflow_id))
            raise asyncio.CancelledError from error
        except (failures.DBOSUnexpectedStepError, failures.DBOSStepNondeterminismError) as error:
            raise Conflict(
                f"The code of this run changed while it was under way: it comes to step {name!r}, "
                "where another one is on record. Start it again."
            ) from error

    def take_up_later(self, run_id: str) -> None:
        """Whoever executes it stops now; it goes on from its last finished step."""
        task = asyncio.create_task(self._take_up(run_id), name=f"take up {run_id}")
        self._taking_up.add(task)
        task.add_done_callback(self._taking_up.discard)

    async def _take_up(self, run_id: str) -> None:
        """Have the run executed again from its last finished step, once that can be noted."""
        from dbos._utils import INTERNAL_QUEUE_NAME

        instance = self._instance
        assert instance is not None
        for pause in itertools.chain(PAUSES, itertools.repeat(PAUSES[-1])):
            log.warning("run.put_down", run=run_id, pause=pause)
            await asyncio.sleep(pause)
            try:
                await asyncio.to_thread(
                    instance._sys_db.reenqueue_for_recovery,
                    run_id,
                    [self._executor_id],
                    INTERNAL_QUEUE_NAME,
                )
            except (DBAPIError, PoolTimeout):
                continue
            return

    async def executors_at_work(self) -> set[str]:
        """Whose name stands on unfinished runs, dead or alive."""
        from dbos import DBOS

        runs = await DBOS.list_workflows_async(
            status="PENDING", load_input=False, load_output=False
        )
        return {run.executor_id for run in runs if run.executor_id}

    async def take_over(self, executor_ids: list[str]) -> None:
        """Put the runs of dead executors back into their queues."""
        from dbos import DBOS

        await asyncio.to_thread(DBOS._recover_pending_workflows, executor_ids)

    def _load(self) -> "DBOS":
        from dbos import DBOS, DBOSPortableJSONSerializer

        _log_through_structlog()
        _use_write_ahead_log(self._url)
        return DBOS(
            config={
                "name": APPLICATION,
                "system_database_url": self._url,
                "application_version": APPLICATION_VERSION,
                "executor_id": self._executor_id,
                # Plain JSON: safe to load, and to look at.
                "serializer": DBOSPortableJSONSerializer(),
                "max_executor_threads": THREADS,
                "sys_db_pool_size": 1 if _is_sqlite(self._url) else CONNECTIONS,
                # Nothing of ours waits for these notifications; short, so that it stops quickly.
                "notification_listener_polling_interval_sec": 0.2,
                "enable_otlp": False,
                "log_level": "WARNING",
            }
        )


def _hurry(instance: "DBOS") -> None:
    recovering = instance._registry.get_internal_queue()
    usual = recovering._polling_interval_sec
    recovering._polling_interval_sec = RECOVERY_POLL_SECONDS
    loop = asyncio.get_running_loop()
    loop.call_later(RECOVERY_SECONDS, setattr, recovering, "_polling_interval_sec", usual)


def _use_write_ahead_log(url: str) -> None:
    """A step is two small commits, each several times faster so, and as durable."""
    database = make_url(url).database
    if _is_sqlite(url) and database:
        make_file(Path(database))
        connection = sqlite3.connect(database)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.close()


def _is_sqlite(url: str) -> bool:
    return make_url(url).get_backend_name() == "sqlite"


class _Forward(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        # A run that is cancelled, or put down at a stop, is no warning of ours.
        if not message.startswith("Asyncio task cancelled"):
            structlog.get_logger("dbos").log(
                record.levelno, "runs.engine", message=message, exc_info=record.exc_info
            )


def _log_through_structlog() -> None:
    logger = logging.getLogger("dbos")
    logger.handlers = [_Forward()]
    logger.propagate = False
