"""What is to be done so that a project's rows and files are the same again."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bottega.board import openspec
from bottega.board.enums import ChangeStatus
from bottega.board.syncing.comparison import Comparison, compare
from bottega.board.syncing.disk import Disk
from bottega.board.syncing.renames import find_renames
from bottega.board.syncing.taking import error_after
from bottega.board.tables import Change


@dataclass(slots=True)
class Plan:
    #: Directories that have no row.
    found: dict[str, openspec.Change] = field(default_factory=dict)
    #: Old id → new id.
    renames: dict[str, str] = field(default_factory=dict)
    #: Rows that have no directory any more.
    vanished: list[str] = field(default_factory=list)
    differing: dict[str, Comparison] = field(default_factory=dict)
    #: Change → file → the text that is only in the database.
    unwritten: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        new = self.found.keys() - self.renames.values()
        return [*self.renames, *self.vanished, *new, *self.differing]


def make_plan(rows: Mapping[str, Change], disk: Disk) -> Plan:
    """Blocking: hashes every text."""
    plan = Plan(found={key: disk.changes[key] for key in disk.changes.keys() - rows.keys()})
    gone = [row for row in rows.values() if row.id not in disk.ids]
    plan.renames = find_renames(gone, plan.found)
    plan.vanished = [
        row.id for row in gone if row.missing_since is None and row.id not in plan.renames
    ]
    for name, change in disk.changes.items():
        if (row := rows.get(name)) is None:
            continue
        compared = compare(row, change)
        if _differs(row, change, compared, disk):
            plan.differing[name] = compared
        if compared.written:
            plan.unwritten[name] = compared.written
    return plan


def _differs(row: Change, change: openspec.Change, compared: Comparison, disk: Disk) -> bool:
    return bool(
        compared.from_disk
        or compared.hashes != row.synced_hashes
        or row.missing_since is not None
        or change.archived != (row.status == ChangeStatus.ARCHIVED)
        or error_after(row, change, compared) != row.sync_error
        or sorted(openspec.references(change, disk.ids)) != row.references
    )
