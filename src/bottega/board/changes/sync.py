"""Keeps every project's changes as their files are.

Files are watched, so that a save is there at once, for work in the queue as for any other change.
Everything is looked at again every 30 seconds, whatever the system did or did not tell.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import structlog

from bottega.board.changes.sync_updates import ChangeReference
from bottega.board.changes.synced_project import SyncedProject
from bottega.board.openspec.layout import touched
from bottega.board.projects.service import Projects
from bottega.board.projects.tables import Project
from bottega.core.events import Event
from bottega.core.files.snapshot import FileChange
from bottega.core.files.watch import Watcher
from bottega.core.services import Core

#: Seconds between two looks at everything.
INTERVAL = 30.0
#: Seconds in which the saves of one moment come together.
DEBOUNCE = 0.02

log = structlog.get_logger()


class Sync:
    def __init__(
        self,
        core: Core,
        projects: Projects,
        *,
        interval: float = INTERVAL,
        program: str = "openspec",
        references: Sequence[ChangeReference] = (),
    ) -> None:
        """`program` is the OpenSpec CLI's name or path; `references` follow a renamed change."""
        self._core = core
        self._projects = projects
        self._interval = interval
        self._program = program
        self._references = references
        self._synced: dict[str, SyncedProject] = {}
        self._watchers: dict[str, Watcher] = {}
        self._touched: dict[str, set[str]] = {}
        self._wake, self._look = asyncio.Event(), asyncio.Event()
        self._settled = asyncio.Event()
        self._settled.set()
        self._tasks: list[asyncio.Task[None]] = []
        self._unsubscribe: Callable[[], None] = lambda: None

    async def start(self) -> None:
        """Start syncing in the background; `settled` waits for the first pass."""
        self._settled.clear()
        self._unsubscribe = self._core.bus.on("specs.scanned", self._on_scan)
        self._tasks = [
            asyncio.create_task(self._look_at_all(), name="board sync"),
            asyncio.create_task(self._look_at_touched(), name="board watch"),
        ]

    async def stop(self) -> None:
        self._unsubscribe()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        for project_id in list(self._watchers):
            await self._watchers.pop(project_id).stop()
        for project in self._synced.values():
            project.close()
        self._synced.clear()
        self._settled.set()

    async def settled(self) -> None:
        """Wait for the first pass: before it, a list may lack what is on disk."""
        await self._settled.wait()

    def of(self, project: Project) -> SyncedProject:
        if project.id not in self._synced:
            self._synced[project.id] = SyncedProject(
                self._core, project, program=self._program, references=self._references
            )
        return self._synced[project.id]

    def _on_scan(self, event: Event) -> None:
        self._look.set()

    async def _look_at_all(self) -> None:
        while True:
            self._look.clear()
            try:
                await self._look_at_present()
            except Exception:
                log.exception("board.sync_failed")
            self._settled.set()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._look.wait(), self._interval)

    async def _look_at_present(self) -> None:
        present = [row for row in await self._projects.list() if row.missing_since is None]
        for project_id in self._watchers.keys() - {row.id for row in present}:
            await self._watchers.pop(project_id).stop()
        for project in present:
            try:
                # Watched first: what changes during the look is then heard too.
                await self._watch(project)
                await self.of(project).sync()
            except Exception:
                log.exception("board.sync_failed", project=project.path)

    async def _watch(self, project: Project) -> None:
        if project.id in self._watchers:
            return
        watcher = Watcher(
            Path(project.openspec_path), lambda changes: self._on_file_changes(project.id, changes)
        )
        self._watchers[project.id] = watcher
        await watcher.start()

    def _on_file_changes(self, project_id: str, changes: list[FileChange]) -> None:
        found = touched(f"openspec/{change.path}" for change in changes)
        if ids := found.changes | found.archived:
            self._touched.setdefault(project_id, set()).update(ids)
            self._wake.set()

    async def _look_at_touched(self) -> None:
        while True:
            await self._wake.wait()
            await asyncio.sleep(DEBOUNCE)
            self._wake.clear()
            touched_now, self._touched = self._touched, {}
            for project_id, ids in touched_now.items():
                try:
                    await self.of(await self._projects.get(project_id)).sync(ids)
                except Exception:
                    log.exception("board.sync_failed", project_id=project_id)
