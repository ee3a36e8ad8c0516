"""What a project's directory shows at one moment. Blocking: its caller runs it in a thread."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from bottega.board import openspec
from bottega.board.openspec.ids import split_archive_name
from bottega.board.openspec.reading import CHANGES, MAX_FILE_BYTES, Reader
from bottega.board.openspec.requirements import fold
from bottega.errors import NotFound


@dataclass(frozen=True, slots=True)
class Disk:
    #: Every id that has a directory, active or archived.
    ids: frozenset[str]
    #: Those that were asked for and are there.
    changes: dict[str, openspec.Change]
    #: Of the archived ones among them: the capabilities whose deltas are in the main specs.
    landed: dict[str, frozenset[str]]


def read_disk(root: Path, wanted: Collection[str] | None) -> Disk | None:
    """All changes, or those wanted. None if the project is gone."""
    reader = Reader(root, max_file_bytes=MAX_FILE_BYTES)
    if not reader.exists_now():
        return None
    active = set(reader.change_ids())
    # Archived twice under one id: the last one counts.
    archived = {split_archive_name(name)[0]: name for name in sorted(reader.archive_names())}
    ids = frozenset(active | archived.keys())
    changes: dict[str, openspec.Change] = {}
    for name in ids if wanted is None else ids.intersection(wanted):
        if name in active:
            changes[name] = reader.read_change(name, f"{CHANGES}/{name}")
        else:
            changes[name] = reader.archived_change(archived[name])
    required = _Requirements(reader)
    done = [change for change in changes.values() if change.archived]
    return Disk(ids, changes, {change.id: required.landed(change) for change in done})


class _Requirements:
    """The requirements in the main specs, each spec read once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[str, dict[str, str]] = {}

    def landed(self, change: openspec.Change) -> frozenset[str]:
        return frozenset(file.capability for file in change.deltas if self._has(file))

    def _has(self, file: openspec.DeltaFile) -> bool:
        """A new requirement is known by its name; an altered one had that name before, so its words
        must be there."""
        main, delta = self._of(file.capability), file.delta
        added = all(fold(one.name) in main for one in delta.added)
        modified = all(main.get(fold(one.name)) == _words(one) for one in delta.modified)
        return bool(delta.added or delta.modified) and added and modified

    def _of(self, capability: str) -> dict[str, str]:
        if capability not in self._known:
            try:
                found = self._reader.spec(capability).requirements
            except NotFound:
                found = ()
            self._known[capability] = {fold(one.name): _words(one) for one in found}
        return self._known[capability]


def _words(requirement: openspec.Requirement) -> str:
    return " ".join(requirement.raw.split())
