"""Which changes need no look: neither files nor row moved since nothing was to be done about them.

Reading hundreds of changes takes half a second, asking the file system about them a fiftieth of it.
What it says is compared, never ordered: any other size, inode or time makes a change be read.
"""

import os
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.openspec.ids import is_change_directory, split_archive_name
from bottega.board.openspec.reading import ARCHIVED, CHANGES
from bottega.board.tables import Change

#: A file saved twice within a tick of the clock looks the same after both, so one that was touched
#: a moment ago is not trusted yet.
FRESH_NS = 2_000_000_000

#: What the file system says of a change's files; None where that proves nothing.
Print = tuple[tuple[str, int, int, int, int], ...] | None
Mark = tuple[Print, object]

_VERSION = (
    Change.status,
    Change.db_modified_at,
    Change.missing_since,
    Change.sync_error,
    Change.updated_at,
)


class Calm:
    def __init__(self) -> None:
        self._marks: dict[str, Mark] = {}
        self._ids: frozenset[str] = frozenset()

    def restless(self, marks: Mapping[str, Mark]) -> set[str]:
        """Those to look at. A change that came or went may be named in any other."""
        if marks.keys() != self._ids:
            return set(marks)
        return {
            name for name, mark in marks.items() if mark[0] is None or mark != self._marks.get(name)
        }

    def remember(self, marks: Mapping[str, Mark], names: Collection[str]) -> None:
        """There is nothing left to do about these."""
        self._ids = frozenset(marks)
        self._marks |= {name: marks[name] for name in names}


async def read_versions(session: AsyncSession, project_id: str) -> dict[str, object]:
    """What an edit, a move or a look changes in a row."""
    rows = await session.execute(select(Change.id, *_VERSION).filter_by(project_id=project_id))
    return {name: tuple(version) for name, *version in rows}


def read_prints(root: Path) -> dict[str, Print]:
    """Blocking: of every change that has a directory."""
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


def _print(directory: Path) -> Print:
    try:
        return tuple(sorted(_seen(os.fspath(directory))))
    except (OSError, _UntrustedError):
        return None


class _UntrustedError(Exception):
    """What the file system says proves nothing here."""


def _seen(folder: str) -> Iterator[tuple[str, int, int, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            seen = entry.stat(follow_symlinks=False)
            is_fresh = time.time_ns() - seen.st_ctime_ns < FRESH_NS
            if is_fresh or entry.is_symlink():
                raise _UntrustedError
            yield entry.path, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns
            if entry.is_dir(follow_symlinks=False):
                yield from _seen(entry.path)
