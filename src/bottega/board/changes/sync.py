"""Keeps every project's changes as their files are.

A pass costs no transaction: rows and files are read and compared first. Only what differs is then
written, with its row locked; a row that has changed since it was read is left to another pass.

Files are watched, so that a save is there at once, for work in the queue as for any other change.
Everything is looked at again every 30 seconds, whatever the system did or did not tell.
"""

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes import repository
from bottega.board.changes.disk import (
    ChangeState,
    DiskState,
    UnchangedCache,
    read_disk,
    read_file_states,
    read_row_versions,
)
from bottega.board.changes.sync_plan import UNWRITTEN, SyncPlan, make_plan
from bottega.board.changes.sync_updates import (
    Cause,
    ChangeEvents,
    ChangeReference,
    add_found,
    mark_missing,
    rename,
    update_row,
)
from bottega.board.changes.tables import Change
from bottega.board.changes.texts import files_on_disk
from bottega.board.openspec.cli import OpenSpecCli
from bottega.board.openspec.layout import CHANGES, checked_id, touched
from bottega.board.openspec.reader import ChangeOnDisk
from bottega.board.openspec.writer import OpenSpec
from bottega.board.projects import repository as projects
from bottega.board.projects.service import Projects
from bottega.board.projects.tables import Project
from bottega.core import clock
from bottega.core.files.sandbox import Sandbox
from bottega.core.files.snapshot import FileChange
from bottega.core.files.watch import Watcher
from bottega.core.services import Core
from bottega.errors import BottegaError, Conflict

#: Changes in one transaction: others write too.
CHUNK = 50
#: How often a row may change under a look before it is left to the next one.
LOOKS = 4

SYSTEM = Cause()


class SyncedProject:
    def __init__(
        self,
        core: Core,
        project: Project,
        *,
        program: str = "openspec",
        references: Sequence[ChangeReference] = (),
    ) -> None:
        self.id = project.id
        self.root = Path(project.path)
        self.openspec = OpenSpec(self.root)
        self.cli = OpenSpecCli(self.root, program)
        #: Held by whoever looks or edits, so that in this process none does half of it.
        self.lock = asyncio.Lock()
        self._unchanged = UnchangedCache()
        self._database = core.database
        self._bus = core.bus
        self._references = references

    def close(self) -> None:
        self.openspec.close()
        self.cli.close()

    async def sync(self, ids: Collection[str] | None = None, cause: Cause = SYSTEM) -> None:
        """Bring these changes, or all, in line with their files."""
        async with self.lock:
            await self.look(ids, cause)

    async def look(self, ids: Collection[str] | None = None, cause: Cause = SYSTEM) -> None:
        """`sync`, for one who holds the lock."""
        if ids is None:
            marks = await self._marks()
            ids = self._unchanged.changed_since(marks)
            left = await self._look(ids, cause)
            self._unchanged.remember(marks, marks.keys() & ids - left)
            ids = left
        for _ in range(LOOKS):
            if not ids:
                return
            ids = await self._look(ids, cause)

    async def recreate(self, name: str, texts: Mapping[str, str]) -> None:
        """Write a change's directory again, from the texts that were kept of it."""
        files = Sandbox(self.root)
        for file, text in texts.items():
            await files.write(f"{CHANGES}/{checked_id(name)}/{file}", text)

    async def taken_ids(self) -> set[str]:
        """Every id that a change has or had here."""
        disk = await asyncio.to_thread(read_disk, self.root, ())
        return await self._known_ids() | (disk.ids if disk else set())

    async def _marks(self) -> dict[str, ChangeState]:
        async with self._database.read() as session:
            versions = await read_row_versions(session, self.id)
        prints = await asyncio.to_thread(read_file_states, self.root)
        return {
            name: (prints.get(name, ()), versions.get(name))
            for name in prints.keys() | versions.keys()
        }

    async def _look(self, ids: Collection[str], cause: Cause) -> set[str]:
        """One pass over these changes; returns those that need another."""
        # Rows before files: an edit in between shows in the row by the time it is held.
        rows = await self._rows(ids)
        disk = await asyncio.to_thread(read_disk, self.root, ids)
        if disk and rows.keys() ^ disk.changes.keys():
            # What went and what came may be one change, renamed.
            known = await self._known_ids()
            ids = {*ids, *(known ^ disk.ids)}
            rows = await self._rows(ids)
            disk = await asyncio.to_thread(read_disk, self.root, ids)
        if disk is None:
            # The whole project is gone; that is told of the project.
            return set()
        plan = await asyncio.to_thread(make_plan, rows, disk)
        again: set[str] = set()
        for chunk in _chunks(plan.ids):
            again |= await self._carry_out(plan, chunk, rows, disk, cause)
        for name, texts in plan.unwritten.items():
            await self._write(disk.changes[name], texts)
            again.add(name)
        return again

    async def _rows(self, ids: Collection[str]) -> dict[str, Change]:
        async with self._database.read() as session:
            return {row.id: row for row in await repository.whole(session, self.id, ids)}

    async def _known_ids(self) -> set[str]:
        async with self._database.read() as session:
            return await repository.ids(session, self.id)

    async def _carry_out(
        self,
        plan: SyncPlan,
        chunk: Sequence[str],
        seen: Mapping[str, Change],
        disk: DiskState,
        cause: Cause,
    ) -> set[str]:
        again: set[str] = set()
        async with self._database.write() as session:
            news = ChangeEvents(await projects.hold(session, self.id))
            for name in chunk:
                row = await session.get(Change, (self.id, name), with_for_update=True)
                if _version(row) != _version(seen.get(name)):
                    again.add(name)
                elif row is None:
                    row = await add_found(session, self.id, plan.found[name], disk.ids, cause, news)
                elif name in plan.renames:
                    again.add(plan.renames[name])
                    if await session.get(Change, (self.id, plan.renames[name])) is None:
                        row = await rename(session, row, plan.renames[name], self._references, news)
                elif name in plan.differing:
                    compared = plan.differing[name]
                    await update_row(
                        session, row, disk.changes[name], compared, disk.ids, cause, news
                    )
                else:
                    await mark_missing(session, row, news)
                if row is not None:
                    await self._note_landed(session, row, disk)
        for event in news.events:
            self._bus.publish(event)
        return again

    async def _note_landed(self, session: AsyncSession, row: Change, disk: DiskState) -> None:
        if row.rejection_reason is None:
            await repository.add_applied(session, row, disk.landed.get(row.id, frozenset()))

    async def _write(self, disk: ChangeOnDisk, texts: Mapping[str, str]) -> None:
        """Edits of the database's that are not in their files yet."""
        files = files_on_disk(disk)
        try:
            for name, text in texts.items():
                file = files.get(name)
                if file is not None and file.problems and file.text.strip():
                    await self._keep(disk.id, name, file.text)
                await self.openspec.write(disk.id, name, text, file.revision if file else None)
        except (BottegaError, OSError) as error:
            # Where somebody was quicker, the next look sees both texts.
            quicker = isinstance(error, Conflict) and error.details.get("revision") != ""
            if not quicker:
                await self._note_unwritten(disk.id, str(error))

    async def _keep(self, id: str, name: str, text: str) -> None:
        async with self._database.write() as session:
            row = await repository.hold(session, self.id, id)
            await repository.add_revision(session, row, name, text, "edited", None)

    async def _note_unwritten(self, id: str, why: str) -> None:
        said = f"{UNWRITTEN}: {why}"
        async with self._database.write() as session:
            news = ChangeEvents(await projects.get(session, self.id))
            row = await repository.hold(session, self.id, id)
            if row.sync_error == said:
                return
            row.sync_error, row.updated_at = said, clock.now()
            news.add("specs.problem", row, problem=said)
        for event in news.events:
            self._bus.publish(event)


def _version(row: Change | None) -> object:
    """The columns that an edit, or a sync of another process, changes."""
    if row is None:
        return None
    return row.synced_hashes, row.db_modified_at, row.missing_since, row.sync_error


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), CHUNK):
        yield ids[start : start + CHUNK]


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
        self._unsubscribe = self._core.bus.on("specs.scanned", lambda _: self._look.set())
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
