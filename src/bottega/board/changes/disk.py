"""What a project's directory shows at one moment, and which of its changes need no sync.

Reading hundreds of changes takes half a second, asking the file system about them a fiftieth of it.
What it says is compared, never ordered: any other size, inode or time makes a change be read.
Blocking: callers run it in a thread.
"""

import os
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes.tables import Change
from bottega.board.openspec.layout import ARCHIVED, CHANGES, is_change_directory, split_archive_name
from bottega.board.openspec.reader import MAX_FILE_BYTES, ChangeOnDisk, DeltaFile, OpenSpecReader
from bottega.board.openspec.specs import fold
from bottega.core.text.words import one_line
from bottega.errors import NotFound


@dataclass(frozen=True, slots=True)
class DiskState:
    #: Every id that has a directory, active or archived.
    ids: frozenset[str]
    #: Those that were asked for and are there.
    changes: dict[str, ChangeOnDisk]
    #: Of the archived ones among them: the capabilities whose deltas are in the main specs.
    landed: dict[str, frozenset[str]]


def read_disk(root: Path, wanted: Collection[str] | None) -> DiskState | None:
    """All changes, or those wanted. None if the project is gone."""
    reader = OpenSpecReader(root, max_file_bytes=MAX_FILE_BYTES)
    if not reader.exists_now():
        return None
    active = set(reader.change_ids())
    # Archived twice under one id: the last one counts.
    archived = {split_archive_name(name)[0]: name for name in sorted(reader.archive_names())}
    ids = frozenset(active | archived.keys())
    changes: dict[str, ChangeOnDisk] = {}
    for name in ids if wanted is None else ids.intersection(wanted):
        if name in active:
            changes[name] = reader.read_change(name, f"{CHANGES}/{name}")
        else:
            changes[name] = reader.archived_change(archived[name])
    required = _Requirements(reader)
    done = [change for change in changes.values() if change.archived]
    return DiskState(ids, changes, {change.id: required.landed(change) for change in done})


class _Requirements:
    """The requirements in the main specs, each spec read once."""

    def __init__(self, reader: OpenSpecReader) -> None:
        self._reader = reader
        self._known: dict[str, dict[str, str]] = {}

    def landed(self, change: ChangeOnDisk) -> frozenset[str]:
        return frozenset(file.capability for file in change.deltas if self._has(file))

    def _has(self, file: DeltaFile) -> bool:
        """A new requirement is known by its name; an altered one had that name before, so its words
        must be there."""
        main, delta = self._of(file.capability), file.delta
        added = all(fold(one.name) in main for one in delta.added)
        modified = all(main.get(fold(one.name)) == one_line(one.raw) for one in delta.modified)
        return bool(delta.added or delta.modified) and added and modified

    def _of(self, capability: str) -> dict[str, str]:
        if capability not in self._known:
            try:
                found = self._reader.spec(capability).requirements
            except NotFound:
                found = ()
            self._known[capability] = {fold(one.name): one_line(one.raw) for one in found}
        return self._known[capability]


#: A file saved twice within a tick of the clock looks the same after both, so one that was touched
#: a moment ago is not trusted yet.
UNTRUSTED_NS = 2_000_000_000

#: What the file system says of a change's files; None where that proves nothing.
FileStates = tuple[tuple[str, int, int, int, int], ...] | None
ChangeState = tuple[FileStates, object]

_VERSION = (
    Change.status,
    Change.db_modified_at,
    Change.missing_since,
    Change.sync_error,
    Change.updated_at,
)


class UnchangedCache:
    def __init__(self) -> None:
        self._marks: dict[str, ChangeState] = {}
        self._ids: frozenset[str] = frozenset()

    def changed_since(self, marks: Mapping[str, ChangeState]) -> set[str]:
        """The ids to sync: those whose state differs, and all if a change came or went, since any
        other may refer to it."""
        if marks.keys() != self._ids:
            return set(marks)
        return {
            name for name, mark in marks.items() if mark[0] is None or mark != self._marks.get(name)
        }

    def remember(self, marks: Mapping[str, ChangeState], names: Collection[str]) -> None:
        """These are in sync: they are skipped until their state differs."""
        self._ids = frozenset(marks)
        self._marks |= {name: marks[name] for name in names}


async def read_row_versions(session: AsyncSession, project_id: str) -> dict[str, object]:
    """By id, the columns that any change of the row changes."""
    rows = await session.execute(select(Change.id, *_VERSION).filter_by(project_id=project_id))
    return {name: tuple(version) for name, *version in rows}


def read_file_states(root: Path) -> dict[str, FileStates]:
    """Blocking. By id, the state of the files of every change that has a directory."""
    archived = {split_archive_name(path.name)[0]: path for path in _directories(root / ARCHIVED)}
    active = {path.name: path for path in _directories(root / CHANGES)}
    return {name: _print(path) for name, path in (archived | active).items()}


def _directories(folder: Path) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return
    # A name that is no text is no id; nobody else sees it either.
    yield from (folder / name for name in names if is_change_directory(name) and _is_text(name))


def _is_text(name: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in name)


def _print(directory: Path) -> FileStates:
    try:
        return tuple(sorted(_seen(os.fspath(directory))))
    except (OSError, _UntrustedError):
        return None


class _UntrustedError(Exception):
    """The file system's word cannot be trusted here."""


def _seen(folder: str) -> Iterator[tuple[str, int, int, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            seen = entry.stat(follow_symlinks=False)
            is_fresh = time.time_ns() - seen.st_ctime_ns < UNTRUSTED_NS
            if is_fresh or entry.is_symlink():
                raise _UntrustedError
            yield entry.path, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns
            if entry.is_dir(follow_symlinks=False):
                yield from _seen(entry.path)
