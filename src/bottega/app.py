"""The composition root: reads the settings, builds the core and the rooms, starts and stops them.

Nobody else reads the settings. Heavy parts are imported where they are built: commands that only
ask a running server import this module for its list of rooms.
"""

import asyncio
import importlib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from bottega.core.background import after_startup
from bottega.core.imports import import_one_at_a_time
from bottega.settings import Settings, config_path

if TYPE_CHECKING:
    from bottega.core.db.database import Database
    from bottega.core.files.snapshot import FileChange
    from bottega.core.llm.providers import Access, ModelMode
    from bottega.core.retention import Retention
    from bottega.core.rooms import Room
    from bottega.core.services import Core
    from bottega.core.trust.project import ProjectTrust

#: The rooms of the house, each a folder with a `room.py` that builds it.
ROOMS = ("memory", "journal", "coach", "board", "library", "research", "assistant")

log = structlog.get_logger()


class App:
    def __init__(self, settings: Settings, *, serves: bool = True) -> None:
        """`serves` is false for one command's short life: nothing is watched or warmed then."""
        import_one_at_a_time()
        # What is in it is personal: other users of the machine have no business there.
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(OSError):  # it was there, and is somebody else's
            settings.data_dir.chmod(0o700)
        self.settings = settings
        self.core = build_core(settings)
        self.rooms: list[Room] = build_rooms(self.core)
        self._serves = serves
        self._warming: asyncio.Task[None] | None = None
        self._stops: list[Callable[[], Awaitable[None]]] = []

    async def start(self) -> None:
        core = self.core
        await self._begin(core.database.start, core.database.stop)
        for part in (core.bus, core.ledger, core.traces, core.vectors):
            await self._begin(part.start, part.stop)
        if self._serves and core.refiner is not None:
            await self._begin(core.refiner.start, core.refiner.stop)
        for stop in (core.leases.stop, core.gateway.close, core.buffer_log.stop, core.runs.stop):
            await self._begin(None, stop)
        for room in self.rooms:
            await self._begin(room.start, room.stop)
        if self._serves:
            watcher = core.files.watch(self._tell_changes)
            await self._begin(watcher.start, watcher.stop)
            await self._begin(core.retention.start, core.retention.stop)
            self._warming = asyncio.create_task(self._warm(), name="warm up")

    async def stop(self) -> None:
        """Undo `start`, in reverse, whatever it had got to."""
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.gather(self._warming, return_exceptions=True)
            self._warming = None
        while self._stops:
            await self._stops.pop()()

    async def rebuild(self) -> None:
        """Make again what rooms derive from their rows, after rows came in past them."""
        for room in self.rooms:
            if room.rebuild is not None:
                await room.rebuild()

    def health(self) -> dict[str, Any]:
        core = self.core
        return {
            "database": {"kind": core.database.dialect},
            "vectors": {
                "kind": core.vectors.kind,
                "available": core.vectors.available,
                "embedder": core.embedder.name,
            },
            "model": core.gateway.mode.describe(),
            "project": str(self.settings.project),
        }

    async def _begin(
        self,
        start: Callable[[], Awaitable[None]] | None,
        stop: Callable[[], Awaitable[None]] | None,
    ) -> None:
        # The stop is noted first: a start that fails half-way has something to undo too.
        if stop is not None:
            self._stops.append(stop)
        if start is not None:
            await start()

    def _tell_changes(self, changes: "list[FileChange]") -> None:
        from bottega.core.events import Event

        project = str(self.settings.project)
        for change in changes:
            # Not logged: a build writes thousands of files, and the disk says what is there.
            payload = {"action": change.action, "path": change.path}
            self.core.bus.publish(Event("files.changed", payload, project, durable=False))

    async def _warm(self) -> None:
        """Behind the open door: go on with unfinished runs, load what a call would wait for."""
        await after_startup()
        core = self.core
        # What the secrets are must be known before they can be kept out of traces.
        tasks: list[Callable[[], Awaitable[object]]] = [
            core.secrets.names,
            core.runs.recover,
            core.embedder.warm,
            core.gateway.warm,
        ]
        for work in tasks:
            try:
                await work()
            except Exception:
                # It is tried again when it is needed, and then whoever needs it is told.
                log.exception("start.warming_failed", part=work.__qualname__)


def build_core(settings: Settings) -> "Core":
    from bottega.core.db.database import Database
    from bottega.core.db.leases import Leases
    from bottega.core.doors.broadcast import Broadcaster
    from bottega.core.events import EventBus
    from bottega.core.files.project import ProjectFiles
    from bottega.core.llm.gateway import Gateway
    from bottega.core.llm.ledger import Ledger
    from bottega.core.llm.payers import Allowance
    from bottega.core.llm.providers import Models
    from bottega.core.readers.embedding_models import make_embedder
    from bottega.core.runs import Runs
    from bottega.core.search.backends import choose_store, make_refiner, make_text_index
    from bottega.core.services import Choices, Core
    from bottega.core.sessions.actions import Actions
    from bottega.core.sessions.buffer_log import BufferLog
    from bottega.core.sessions.conversations import Conversations
    from bottega.core.sessions.session import Sessions
    from bottega.core.sign_ins import SignIns
    from bottega.core.traces import Traces
    from bottega.core.trust.admission import configure, scrub
    from bottega.core.trust.secrets import Secrets
    from bottega.core.users import Users

    database = Database(settings.database)
    bus = EventBus(database)
    ledger = Ledger(database)
    actions = Actions(database, bus)
    secrets = Secrets(settings.data_dir)
    endpoint = settings.otel_exporter_otlp_endpoint
    configure(settings.bottega_secrets, secrets.redact)
    traces = Traces(database, otlp_endpoint=endpoint, redact=scrub)
    models = Models(model_mode(settings), model_access(settings))
    vectors = choose_store(
        database, settings.chromadb_url, embedded=settings.bottega_vectors == "embedded"
    )
    return Core(
        database=database,
        leases=Leases(database),
        bus=bus,
        broadcaster=Broadcaster(),
        actions=actions,
        buffer_log=BufferLog(actions),
        sessions=Sessions(database, bus),
        conversations=Conversations(database),
        users=Users(database, bus),
        sign_ins=SignIns(database, bus),
        ledger=ledger,
        gateway=Gateway(
            models,
            ledger,
            traces=traces,
            allowance=Allowance(ledger, settings.bottega_max_spend_per_user),
        ),
        traces=traces,
        embedder=make_embedder(
            settings.bottega_embedder,
            openai_api_key=settings.openai_api_key,
            openai_base_url=settings.openai_base_url,
        ),
        vectors=vectors,
        refiner=make_refiner(settings.bottega_embedder, vectors),
        text_index=make_text_index(database),
        files=ProjectFiles(
            settings.project,
            private=[settings.data_dir, config_path().parent],
            opens_ignored=settings.bottega_ignored_files,
        ),
        runs=Runs(
            database,
            bus,
            system_database_url=run_database(settings),
            traces=traces,
            most_per_user=settings.bottega_max_runs_per_user,
        ),
        secrets=secrets,
        trust=project_trust(settings),
        retention=make_retention(settings, database),
        choices=Choices(
            data_dir=settings.data_dir,
            projects_dir=settings.projects_dir,
            propose_after=settings.bottega_propose_after,
            shell=settings.bottega_shell,
        ),
    )


def project_trust(settings: Settings) -> "ProjectTrust":
    """What a project can bring: a folder of definitions for each of these kinds."""
    from bottega.assistant.plugins.catalogue import SHIPPED as PLUGINS
    from bottega.core.trust.project import ProjectKind, ProjectTrust
    from bottega.research.agents.folders import SHIPPED as AGENTS
    from bottega.research.agents.skills import SHIPPED as SKILLS
    from bottega.research.sources.folders import SHIPPED as SOURCES
    from bottega.research.sources.folders import involved_files

    kinds = [
        ProjectKind("agents", AGENTS),
        ProjectKind("plugins", PLUGINS),
        ProjectKind("skills", SKILLS),
        ProjectKind("sources", SOURCES, involved_files),
    ]
    return ProjectTrust(settings.data_dir, settings.project, kinds)


def make_retention(settings: Settings, database: "Database") -> "Retention":
    from bottega.core.retention import LOGS, Keep, Retention, run_log

    rooms = load_rooms()
    kept_runs = [kind for room in rooms for kind in getattr(room, "EVIDENCE_RUNS", ())]
    logs = [log for room in rooms for log in getattr(room, "LOGS", ())]
    keep = Keep(
        traces=settings.bottega_keep_traces_days,
        events=settings.bottega_keep_events_days,
        runs=settings.bottega_keep_runs_days,
        hooks=settings.bottega_keep_hooks_days,
        actions=settings.bottega_keep_actions_days,
        megabytes=settings.bottega_keep_megabytes,
    )
    return Retention(database, run_database(settings), [*LOGS, run_log(kept_runs), *logs], keep)


def build_rooms(core: "Core") -> "list[Room]":
    """Every room, around the one memory that they share."""
    from bottega.memory.room import Memory

    memory = Memory(core)
    return [module.build(core, memory) for module in load_rooms()]


def load_rooms() -> "list[Any]":
    """Every room's module; with them, every table is known."""
    return [importlib.import_module(f"bottega.{name}.room") for name in ROOMS]


def model_access(settings: Settings) -> "Access":
    from bottega.core.llm.providers import Access

    return Access(
        anthropic_key=settings.anthropic_api_key,
        anthropic_url=settings.anthropic_base_url,
        openai_key=settings.openai_api_key,
        openai_url=settings.openai_base_url,
    )


def model_mode(settings: Settings) -> "ModelMode":
    """Which models will answer; raises a `ConfigurationError` that names what is missing."""
    from bottega.core.llm.providers import choose

    return choose(
        settings.bottega_model,
        model_access(settings),
        fast=settings.bottega_fast_model,
        strong=settings.bottega_strong_model,
    )


def run_database(settings: Settings) -> str:
    """Where durable runs keep their steps: beside SQLite's file, or in the same PostgreSQL."""
    if settings.database_url and not settings.database_url.startswith("sqlite"):
        return settings.database_url
    return f"sqlite:///{Path(settings.data_dir, 'runs.db')}"
