"""What the watcher believes is on disk, and how that differs from what is.

The operating system's events are taken only as hints where to look: a save by rename is told as an
addition, a moved directory not at all for what is in it. So each hint is checked against the disk,
and the difference to what was known is what happened.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from bottega.core.files.closed import CLOSED, ClosedPaths
from bottega.core.files.listing import EntryType, entry_type
from bottega.core.files.noise import is_noise
from bottega.core.files.tree import walk
from bottega.errors import BottegaError


class ChangeAction(StrEnum):
    ADD = "add"
    CHANGE = "change"
    UNLINK = "unlink"


@dataclass(frozen=True, slots=True)
class FileChange:
    action: ChangeAction
    #: Relative to the project, with `/`.
    path: str
    type: EntryType = EntryType.FILE


class Snapshot:
    """Blocking: belongs to the watcher's thread."""

    def __init__(self, root: Path, closed: ClosedPaths = CLOSED) -> None:
        self._root = root
        self._closed = closed
        self._known: dict[str, EntryType] = {}
        #: Every directory whose content counts; the root is the empty string.
        self.directories: set[str] = set()

    def look(self, hints: Iterable[str], appeared: Iterable[str] = ()) -> list[FileChange]:
        """What happened at these paths. Directories in `appeared` are new even if one of that name
        was there before, so the files in them may have changed too."""
        changes: list[FileChange] = []
        for path in sorted(hints):
            if not path or is_noise(path):
                continue
            before, now = self._known.get(path), self._type_of(path)
            if EntryType.DIRECTORY in (before, now):
                changes += self.rescan(path, replaced=path in appeared)
            elif now is not None:
                self._known[path] = now
                changes.append(FileChange(_action(before), path))
            elif before is not None:
                del self._known[path]
                changes.append(FileChange(ChangeAction.UNLINK, path))
        return changes

    def rescan(self, start: str = "", *, replaced: bool = False) -> list[FileChange]:
        """Compare everything from `start` down with the disk."""
        found, directories = self._scan(start)
        within = f"{start}/" if start else ""
        known = {
            path: kind
            for path, kind in self._known.items()
            if path == start or path.startswith(within)
        }
        gone = {path: kind for path, kind in known.items() if found.get(path) is not kind}
        new = {path: kind for path, kind in found.items() if known.get(path) is not kind}
        for path in gone:
            del self._known[path]
        self._known.update(new)
        self.directories -= {
            path for path in self.directories if path == start or path.startswith(within)
        }
        self.directories |= directories
        changes = [FileChange(ChangeAction.UNLINK, *item) for item in gone.items()]
        changes += [FileChange(ChangeAction.ADD, *item) for item in new.items()]
        if replaced:
            changes += [
                FileChange(ChangeAction.CHANGE, path)
                for path, kind in found.items()
                if path not in new and kind is EntryType.FILE
            ]
        return changes

    def forget(self) -> list[FileChange]:
        """Everything is gone."""
        changes = [FileChange(ChangeAction.UNLINK, *item) for item in self._known.items()]
        self._known.clear()
        self.directories.clear()
        return changes

    def _scan(self, start: str) -> tuple[dict[str, EntryType], set[str]]:
        found: dict[str, EntryType] = {}
        directories: set[str] = set()
        if start:
            kind = self._type_of(start)
            if kind is not None:
                found[start] = kind
            # A link to a directory is an entry; what is behind it is watched where it really is.
            if self._type_of(start, follow=False) is not EntryType.DIRECTORY:
                return found, directories
        for listing in walk(self._root, start, closed=self._closed):
            directories.add(listing.path)
            found.update(
                (listing.path_of(name), EntryType.DIRECTORY) for name in listing.directories
            )
            found.update((listing.path_of(name), EntryType.FILE) for name in listing.files)
        return found, directories

    def _type_of(self, path: str, *, follow: bool = True) -> EntryType | None:
        try:
            return entry_type(self._root, path, follow=follow, closed=self._closed)
        except (OSError, BottegaError):
            return None


def without_repeats(changes: list[FileChange]) -> list[FileChange]:
    """Of a file just told as added or changed, another change is no news."""
    last: dict[str, ChangeAction] = {}
    news: list[FileChange] = []
    for change in changes:
        before = last.get(change.path, ChangeAction.UNLINK)
        if change.action is not ChangeAction.CHANGE or before is ChangeAction.UNLINK:
            news.append(change)
        last[change.path] = change.action
    return news


def _action(before: EntryType | None) -> ChangeAction:
    return ChangeAction.ADD if before is None else ChangeAction.CHANGE
