"""Bringing a backup back. All is made ready beside `DATA_DIR`; then the two change places."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel

from bottega.core import clock
from bottega.core.backup import archive, databases
from bottega.core.backup.archive import DatabaseForm, Manifest
from bottega.core.backup.creation import (
    DATA,
    DATABASE,
    DUMP,
    KEPT,
    LINES,
    RUNS,
    STAGING,
    Installation,
)
from bottega.core.db.database import Database
from bottega.core.files.failures import explained
from bottega.core.transfer import import_lines
from bottega.errors import Conflict

Progress = Callable[[str, int, int], None]


class RestoreReport(BaseModel):
    file: Path
    manifest: Manifest
    data_dir: Path
    #: What was there before, untouched; none where there was nothing.
    kept: list[Path]


async def check(file: Path, progress: Progress) -> Manifest:
    """Read it from end to end; raise if anything is wrong with it."""
    manifest = await asyncio.to_thread(archive.verify, file, _counter(progress))
    manifest.check_age()
    return manifest


async def restore(installation: Installation, file: Path, progress: Progress) -> RestoreReport:
    with explained("restore into", str(installation.data_dir)):
        return await _restore(installation, file, progress)


async def _restore(installation: Installation, file: Path, progress: Progress) -> RestoreReport:
    stamp = clock.now().strftime("%Y%m%d-%H%M%S")
    await _refuse_if_used(installation)
    staging = await asyncio.to_thread(_make_staging, installation.data_dir, stamp)
    try:
        manifest = await asyncio.to_thread(archive.extract, file, staging, _counter(progress))
        manifest.check_age()
        data = staging / DATA
        data.mkdir(mode=0o700, exist_ok=True)
        data.chmod(0o700)
        _check_kind(installation, manifest)
        if manifest.database is DatabaseForm.SQLITE:
            await _migrate(Database(f"sqlite:///{staging / DATABASE}"))
            kept = await asyncio.to_thread(_swap_all, installation, staging, stamp)
        else:
            await _fill(installation, staging, manifest, progress)
            kept = await asyncio.to_thread(_swap, installation.data_dir, data, stamp)
    finally:
        await asyncio.to_thread(shutil.rmtree, staging, ignore_errors=True)
    return RestoreReport(file=file, manifest=manifest, data_dir=installation.data_dir, kept=kept)


async def _refuse_if_used(installation: Installation) -> None:
    for path in (installation.database_file, installation.runs_file):
        if path is not None:
            await asyncio.to_thread(databases.refuse_if_used, path)


def _make_staging(data_dir: Path, stamp: str) -> Path:
    """On the same disk as `DATA_DIR`, so that what is ready only has to be renamed."""
    if data_dir.is_mount():
        staging = data_dir / f"{STAGING}{stamp}"
    else:
        data_dir.parent.mkdir(parents=True, exist_ok=True)
        staging = data_dir.with_name(f".{data_dir.name}{STAGING}{stamp}")
    staging.mkdir(mode=0o700)
    return staging


def _check_kind(installation: Installation, manifest: Manifest) -> None:
    is_file = installation.database_file is not None
    if is_file == (manifest.database is DatabaseForm.SQLITE):
        return
    made_of, here = ("PostgreSQL", "SQLite") if is_file else ("SQLite", "PostgreSQL")
    raise Conflict(
        f"The backup is of a house on {made_of}, and DATABASE_URL says {here}. Restore it on "
        f"{made_of}; `bottega export` and `bottega import` then take it to {here}."
    )


async def _migrate(database: Database) -> None:
    try:
        await database.start()
    finally:
        await database.stop()
    if database.path is not None:
        await asyncio.to_thread(databases.settle, database.path)


async def _fill(
    installation: Installation, staging: Path, manifest: Manifest, progress: Progress
) -> None:
    database = installation.database()
    async with databases.answering(database):
        await databases.refuse_if_filled(database)
        if manifest.database is DatabaseForm.PG_DUMP:
            await databases.load(database.url, staging / DUMP)
        await database.start()
        if manifest.database is DatabaseForm.JSON_LINES:
            await import_lines(
                database, staging / LINES, progress=lambda done: progress("rows", done, done)
            )


def _swap_all(installation: Installation, staging: Path, stamp: str) -> list[Path]:
    """The databases go where they belong: within `DATA_DIR`, or where their address says."""
    kept = []
    for name, path in ((DATABASE, installation.database_file), (RUNS, installation.runs_file)):
        made = staging / name
        if path is None or not made.exists():
            continue
        if path.is_relative_to(installation.data_dir):
            target = staging / DATA / path.relative_to(installation.data_dir)
            target.parent.mkdir(parents=True, exist_ok=True)
            made.rename(target)
        else:
            kept += _swap(path, made, stamp)
    return [*_swap(installation.data_dir, staging / DATA, stamp), *kept]


def _swap(there: Path, new: Path, stamp: str) -> list[Path]:
    """Put what is there aside and the new in its place; undone if the second half fails."""
    if there.is_mount():
        return _swap_entries(there, new, stamp)
    aside = there.with_name(f"{there.name}.{KEPT}{stamp}")
    was_there = there.exists()
    if was_there:
        there.rename(aside)
    try:
        shutil.move(new, there)
    except BaseException:
        if was_there:
            aside.rename(there)
        raise
    return [aside] if was_there else []


def _swap_entries(there: Path, new: Path, stamp: str) -> list[Path]:
    """A mounted folder cannot be renamed; what is in it can."""
    aside = there / f"{KEPT}{stamp}"
    aside.mkdir(mode=0o700)
    for path in list(there.iterdir()):
        if not path.name.startswith((KEPT, STAGING)):
            path.rename(aside / path.name)
    for path in list(new.iterdir()):
        path.rename(there / path.name)
    return [aside]


def _counter(progress: Progress) -> archive.OnEntry:
    done = 0

    def count(name: str, size: int) -> None:
        nonlocal done
        done += 1
        progress("files", done, done)

    return count
