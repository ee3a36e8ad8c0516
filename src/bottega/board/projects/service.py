"""Which directories are projects: those with an `openspec` folder, found by looking.

A project is known by its path. One that vanishes keeps its row and its history and is the same
again when it comes back; a folder with another name is another project.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog
from sqlalchemy.exc import IntegrityError

from bottega.board.openspec.reader import OpenSpecReader
from bottega.board.projects import repository
from bottega.board.projects.tables import Project
from bottega.core import clock
from bottega.core.background import PeriodicTask
from bottega.core.events import Event
from bottega.core.services import Core
from bottega.errors import BottegaError

#: Seconds between two scans.
INTERVAL = 300.0

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class FoundProject:
    """A project as the disk shows it."""

    path: Path
    has_active_changes: bool
    spec_count: int


@dataclass(frozen=True, slots=True)
class ScanResult:
    projects: Sequence[Project]
    #: Paths: met for the first time, back again, gone.
    found: Sequence[str] = ()
    returned: Sequence[str] = ()
    vanished: Sequence[str] = ()


class Projects:
    def __init__(self, core: Core, *, interval: float = INTERVAL) -> None:
        self._database = core.database
        self._bus = core.bus
        self._folder = core.choices.projects_dir
        self._own = core.files.root
        self._scans = PeriodicTask("board projects", self.scan, interval)

    async def start(self) -> None:
        await self.scan()
        self._scans.start()

    async def stop(self) -> None:
        await self._scans.stop()

    async def scan(self) -> ScanResult:
        """Look at the disk now."""
        on_disk = await asyncio.to_thread(find_projects, self._folder, self._own)
        try:
            result = await self._take(on_disk)
        except IntegrityError:
            # Another process found the same project in the same moment.
            result = await self._take(on_disk)
        if result.found or result.returned or result.vanished:
            payload = {
                "found": result.found,
                "returned": result.returned,
                "vanished": result.vanished,
            }
            self._bus.publish(Event("specs.scanned", payload))
        return result

    async def list(self) -> Sequence[Project]:
        """By name; the missing ones too."""
        async with self._database.read() as session:
            return await repository.every(session)

    async def get(self, project_id: str) -> Project:
        async with self._database.read() as session:
            return await repository.get(session, project_id)

    async def path_of(self, project_id: str) -> str:
        return (await self.get(project_id)).path

    async def _take(self, on_disk: Sequence[FoundProject]) -> ScanResult:
        async with self._database.write() as session:
            known = {row.path: row for row in await repository.every(session)}
            fresh = [_new_row(found) for found in on_disk if str(found.path) not in known]
            session.add_all(fresh)
            returned = [row.path for found in on_disk if (row := _update(known, found))]
            vanished = _mark_missing(known, {str(found.path) for found in on_disk})
            await session.flush()
            rows = await repository.every(session)
        return ScanResult(rows, [row.path for row in fresh], returned, vanished)


def find_projects(folder: Path | None, own: Path) -> list[FoundProject]:
    """Blocking. The folder's sub-folders and the house's own project, where they use OpenSpec."""
    candidates = dict.fromkeys([*_sub_folders(folder), own.resolve()])
    return [found for path in candidates if (found := _look_at(path))]


def _sub_folders(folder: Path | None) -> Iterator[Path]:
    if folder is None:
        return
    top = folder.resolve()
    try:
        entries = sorted(top.iterdir())
    except OSError as error:
        log.warning("board.projects_unreadable", folder=str(folder), error=str(error))
        return
    for entry in entries:
        # A link may stand for another folder here, but not lead out.
        if not entry.name.startswith(".") and entry.resolve().is_relative_to(top / ""):
            yield entry.resolve()


def _look_at(path: Path) -> FoundProject | None:
    try:
        reader = OpenSpecReader(path)
        if not reader.exists_now():
            return None
        return FoundProject(path, bool(reader.change_ids()), len(reader.spec_ids()))
    except (OSError, BottegaError):
        return None


def _new_row(found: FoundProject) -> Project:
    return Project(
        name=found.path.name,
        path=str(found.path),
        openspec_path=str(found.path / "openspec"),
        has_active_changes=found.has_active_changes,
        spec_count=found.spec_count,
    )


def _update(known: dict[str, Project], found: FoundProject) -> Project | None:
    """Bring the row up to date; return it if it was missing until now."""
    row = known.get(str(found.path))
    if row is None:
        return None
    was_missing = row.missing_since is not None
    row.has_active_changes, row.spec_count = found.has_active_changes, found.spec_count
    row.missing_since, row.scanned_at = None, clock.now()
    return row if was_missing else None


def _mark_missing(known: dict[str, Project], there: set[str]) -> list[str]:
    gone = [row for row in known.values() if row.path not in there and row.missing_since is None]
    for row in gone:
        row.missing_since = clock.now()
    return [row.path for row in gone]
