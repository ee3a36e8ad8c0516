"""Taking a backup while the server is in use."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel
from sqlalchemy import make_url

from bottega import __version__
from bottega.core import clock
from bottega.core.backup import databases
from bottega.core.backup.archive import Archive, DatabaseForm, Manifest, writing
from bottega.core.db.database import Database
from bottega.core.db.migrations import current
from bottega.core.files.failures import explained
from bottega.core.transfer import export_lines
from bottega.errors import Conflict, NotFound

#: What SQLite and our lock keep beside a database.
BESIDE = ("", "-wal", "-shm", "-journal", ".lock")
#: Of a running process, or of this machine's window: worthless without it.
PASSING = ("server.json", "server.lock", "credentials.lock", "desktop")
#: How a backup is named by default; one within `DATA_DIR` is no part of the next.
PREFIX = "bottega-backup-"
#: What a restore kept within a `DATA_DIR` that it could not move.
KEPT = "before-restore-"
#: Where a restore makes everything ready.
STAGING = ".restoring-"


@dataclass(frozen=True, slots=True)
class Installation:
    """What is backed up: the databases, and the files that nothing else could bring back."""

    data_dir: Path
    database_url: str
    #: Of durable runs: a file of its own, or the same PostgreSQL.
    runs_url: str

    def database(self) -> Database:
        return Database(self.database_url)

    @property
    def database_file(self) -> Path | None:
        return sqlite_file(self.database_url)

    @property
    def runs_file(self) -> Path | None:
        return sqlite_file(self.runs_url)

    def files(self) -> Iterator[Path]:
        """Files and links under `DATA_DIR`, without databases and what is only passing."""
        databases = [path for path in (self.database_file, self.runs_file) if path is not None]
        left_out = {Path(f"{path}{ending}") for path in databases for ending in BESIDE}
        left_out.update(self.data_dir / name for name in PASSING)
        for folder, folders, names in os.walk(self.data_dir):
            folders[:] = [
                name
                for name in folders
                if not name.startswith((KEPT, STAGING)) and Path(folder, name) not in left_out
            ]
            linked = [name for name in folders if Path(folder, name).is_symlink()]
            for name in sorted([*names, *linked]):
                path = Path(folder, name)
                if path not in left_out and not name.startswith(PREFIX) and _is_kept(path):
                    yield path


def sqlite_file(url: str) -> Path | None:
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return None
    return Path(parsed.database or "").absolute()


def _is_kept(path: Path) -> bool:
    # Neither sockets nor pipes, nor files that are renamed when they are whole.
    return (path.is_symlink() or path.is_file()) and path.suffix not in (".tmp", ".new")


DATA = "data"
DATABASE = "database/bottega.db"
RUNS = "database/runs.db"
DUMP = "database/bottega.dump"
LINES = "database/bottega.jsonl"

#: What is being done, how much of it is done and how much there is.
Progress = Callable[[str, int, int], None]


class BackupReport(BaseModel):
    file: Path
    #: Bytes of the file.
    size: int
    manifest: Manifest
    #: Why the database is not in the form that would be best.
    note: str | None = None


async def create_backup(installation: Installation, file: Path, progress: Progress) -> BackupReport:
    """Everything that is not derived, as it is at one moment, in one file that must not exist."""
    with (
        explained("write", str(file)),
        tempfile.TemporaryDirectory(dir=file.parent, prefix=".bottega-") as folder,
    ):
        staging = Path(folder)
        note = None
        if installation.database_file is not None:
            form = DatabaseForm.SQLITE
            revision = await asyncio.to_thread(_copy_databases, installation, staging, progress)
        else:
            form, revision, note = await _dump_database(installation, staging, progress)
        about = Manifest(
            version=__version__,
            revision=revision,
            created_at=clock.now(),
            database=form,
            files=[],
        )
        return await asyncio.to_thread(_write, installation, staging, file, about, note, progress)


def _copy_databases(installation: Installation, staging: Path, progress: Progress) -> str:
    (staging / DATABASE).parent.mkdir()
    assert installation.database_file is not None
    runs = installation.runs_file
    if runs is None or not runs.is_file():
        with databases.moment_of(installation.database_file) as moment:
            _copy(moment, staging / DATABASE, progress)
    else:
        # Runs first: a step that is done but not noted is done again under its old name, while
        # one that is noted but has no event would be lost.
        with (
            databases.moment_of(runs) as runs_moment,
            databases.moment_of(installation.database_file) as moment,
        ):
            _copy(moment, staging / DATABASE, progress)
            _copy(runs_moment, staging / RUNS, progress)
    return databases.revision_of(staging / DATABASE)


def _copy(moment: databases.Moment, target: Path, progress: Progress) -> None:
    databases.copy(moment, target, lambda done, total: progress("database", done, total))


async def _dump_database(
    installation: Installation, staging: Path, progress: Progress
) -> tuple[DatabaseForm, str, str | None]:
    database = installation.database()
    (staging / DUMP).parent.mkdir()
    async with databases.answering(database):
        async with database.read() as session:
            revision = await (await session.connection()).run_sync(current)
        if revision is None:
            raise Conflict(f"{database.url.render_as_string()} is empty: nothing to back up.")
        reason = await databases.dump(database.url, staging / DUMP)
        if reason is None:
            return DatabaseForm.PG_DUMP, revision, None
        (staging / DUMP).unlink(missing_ok=True)
        with (staging / LINES).open("w", encoding="utf-8") as output:
            async for number, line in export_lines(database, user_id=None):
                output.write(line)
                progress("rows", number, number)
    note = f"row by row, without the steps of unfinished runs, because {reason}"
    return DatabaseForm.JSON_LINES, revision, note


def _write(
    installation: Installation,
    staging: Path,
    file: Path,
    about: Manifest,
    note: str | None,
    progress: Progress,
) -> BackupReport:
    copies = [path for path in staging.rglob("*") if path.is_file()]
    files = list(installation.files())
    done, total = 0, len(copies) + len(files)

    def count(name: str, size: int) -> None:
        nonlocal done
        done += 1
        progress("files", done, total)

    with writing(file, count) as archive:
        for path in sorted(copies):
            archive.add(path.relative_to(staging).as_posix(), path)
        links = _add_files(archive, installation, files)
        manifest = about.model_copy(update={"files": archive.entries, "links": links})
        archive.finish(manifest)
    return BackupReport(file=file, size=file.stat().st_size, manifest=manifest, note=note)


def _add_files(archive: Archive, installation: Installation, files: list[Path]) -> dict[str, str]:
    links = {}
    for path in files:
        name = f"{DATA}/{path.relative_to(installation.data_dir).as_posix()}"
        if path.is_symlink():
            links[name] = str(path.readlink())
            continue
        try:
            archive.add(name, path)
        except NotFound:
            # It was there a moment ago; now there is no such file.
            continue
    return links
