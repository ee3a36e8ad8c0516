"""Taking a backup while the server is in use."""

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel

from bottega import __version__
from bottega.core import clock
from bottega.core.backup import postgres, snapshot
from bottega.core.backup.archive import Archive, DatabaseForm, Manifest, writing
from bottega.core.backup.installation import Installation
from bottega.core.db.migrations import current
from bottega.core.files.failures import explained
from bottega.core.transfer import export_lines
from bottega.errors import Conflict, NotFound

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
        with snapshot.moment_of(installation.database_file) as moment:
            _copy(moment, staging / DATABASE, progress)
    else:
        # Runs first: a step that is done but not noted is done again under its old name, while
        # one that is noted but has no event would be lost.
        with (
            snapshot.moment_of(runs) as runs_moment,
            snapshot.moment_of(installation.database_file) as moment,
        ):
            _copy(moment, staging / DATABASE, progress)
            _copy(runs_moment, staging / RUNS, progress)
    return snapshot.revision_of(staging / DATABASE)


def _copy(moment: snapshot.Moment, target: Path, progress: Progress) -> None:
    snapshot.copy(moment, target, lambda done, total: progress("database", done, total))


async def _dump_database(
    installation: Installation, staging: Path, progress: Progress
) -> tuple[DatabaseForm, str, str | None]:
    database = installation.database()
    (staging / DUMP).parent.mkdir()
    async with postgres.answering(database):
        async with database.read() as session:
            revision = await (await session.connection()).run_sync(current)
        if revision is None:
            raise Conflict(f"{database.url.render_as_string()} is empty: nothing to back up.")
        reason = await postgres.dump(database.url, staging / DUMP)
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
