"""What is to be done so that a project's rows and files are the same again.

Which side of a change was edited since both were the same is decided file by file, and by hashes
only: clocks jump, and a copied file may be as old as it likes. What was the same last is in
`synced_hashes`; the side that differs from it was edited, and if both were, the file wins.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bottega.board.changes.disk import DiskState
from bottega.board.changes.states import ChangeStatus
from bottega.board.changes.tables import Change
from bottega.board.changes.texts import (
    PROPOSAL,
    TASKS,
    files_on_disk,
    hash_of,
    hashes_on_disk,
    stored_texts,
)
from bottega.board.openspec.reader import ChangeOnDisk, references
from bottega.board.openspec.texts import FileProblem, TextFile
from bottega.core.db.database import storable
from bottega.core.files.encoding import Encoding


@dataclass(slots=True)
class ChangeComparison:
    #: Edited on disk: what the database is to take. None: the file is gone.
    taken: dict[str, str | None] = field(default_factory=dict)
    #: Edited in the database: what the file is to get.
    written: dict[str, str] = field(default_factory=dict)
    #: Edited on both sides: what the file says, and so what stands.
    conflicts: dict[str, str | None] = field(default_factory=dict)
    #: Broken or half saved: the last good text stays in the database.
    kept: list[FileProblem] = field(default_factory=list)
    #: File → hash of what is the same on both sides once this is done.
    hashes: dict[str, str] = field(default_factory=dict)

    @property
    def from_disk(self) -> dict[str, str | None]:
        return self.taken | self.conflicts


def compare(row: Change, disk: ChangeOnDisk) -> ChangeComparison:
    stored, files = stored_texts(row), files_on_disk(disk)
    found = ChangeComparison()
    for name in dict.fromkeys([*files, *stored, *row.synced_hashes]):
        file, text = files.get(name), stored.get(name)
        base: str | None = row.synced_hashes.get(name)
        problem = _broken(disk, name, file, text, base)
        if problem is None:
            after = _compare_file(found, disk, name, file, text, base)
        else:
            after = base
            if hash_of(text) == base or disk.archived:
                found.kept.append(problem)
            else:
                # Edited here since: that is how a person repairs it.
                found.written[name] = text or ""
        if after is not None:
            found.hashes[name] = after
    return found


def _compare_file(
    found: ChangeComparison,
    disk: ChangeOnDisk,
    name: str,
    file: TextFile | None,
    text: str | None,
    base: str | None,
) -> str | None:
    """Note what is to be done about one file; returns its synced hash after that."""
    on_disk, here = hash_of(file.text if file else None), hash_of(text)
    if on_disk == here:
        return here
    content = file.text if file else None
    if on_disk == base and not disk.archived:
        found.written[name] = text or ""
        return base
    if here == base:
        found.taken[name] = content
    else:
        found.conflicts[name] = content
    return on_disk


def _broken(
    disk: ChangeOnDisk, name: str, file: TextFile | None, text: str | None, base: str | None
) -> FileProblem | None:
    """The problem that keeps a file's content from being taken over, if there is one."""
    path = f"{disk.directory}/{name}"
    if file is None:
        # Without these there is no change. Other files may go.
        if name in (PROPOSAL, TASKS) and text and base:
            return FileProblem(path, None, "is missing.")
        return None
    if not file.readable or file.encoding is not Encoding.UTF_8:
        return file.problems[0] if file.problems else FileProblem(path, None, "cannot be read.")
    if not file.text.strip() and hash_of(text) and base:
        return FileProblem(path, 1, "is empty, and was not before.")
    return None


#: How `sync_error` begins while a person has not looked at a text of theirs that lost.
CONFLICT = "Edited in two places"
#: How it begins while an edit could not be written to its file.
UNWRITTEN = "Saved here, but not yet in the file"


@dataclass(slots=True)
class SyncPlan:
    #: Directories that have no row.
    found: dict[str, ChangeOnDisk] = field(default_factory=dict)
    #: Old id → new id.
    renames: dict[str, str] = field(default_factory=dict)
    #: Rows that have no directory any more.
    vanished: list[str] = field(default_factory=list)
    differing: dict[str, ChangeComparison] = field(default_factory=dict)
    #: Change → file → the text that is only in the database.
    unwritten: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        new = self.found.keys() - self.renames.values()
        return [*self.renames, *self.vanished, *new, *self.differing]


def make_plan(rows: Mapping[str, Change], disk: DiskState) -> SyncPlan:
    """Blocking: hashes every text."""
    plan = SyncPlan(found={key: disk.changes[key] for key in disk.changes.keys() - rows.keys()})
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


def _differs(
    row: Change, change: ChangeOnDisk, compared: ChangeComparison, disk: DiskState
) -> bool:
    return bool(
        compared.from_disk
        or compared.hashes != row.synced_hashes
        or row.missing_since is not None
        or change.archived != (row.status == ChangeStatus.ARCHIVED)
        or error_after(row, change, compared) != row.sync_error
        or sorted(references(change, disk.ids)) != row.references
    )


def find_renames(
    vanished: Iterable[Change], appeared: Mapping[str, ChangeOnDisk]
) -> dict[str, str]:
    """Old id → new id, by equal content; an ambiguous match is no rename."""
    by_content: dict[frozenset[tuple[str, str]], list[str]] = {}
    for row in vanished:
        by_content.setdefault(frozenset(row.synced_hashes.items()), []).append(row.id)
    renames: dict[str, str] = {}
    for new_id, disk in appeared.items():
        content = frozenset(hashes_on_disk(disk).items())
        former = by_content.pop(content, []) if content else []
        if len(former) == 1:
            renames[former[0]] = new_id
    return renames


def describe_problems(
    disk: ChangeOnDisk, kept: tuple[FileProblem, ...] | list[FileProblem]
) -> str | None:
    """What is wrong with its files, in words for a person. Of an archived change, only what keeps
    it from being read: nobody completes those any more."""
    problems = list(dict.fromkeys([*kept, *(() if disk.archived else disk.problems)]))
    return storable("\n".join(map(_sentence, problems))) or None


def error_after(row: Change, disk: ChangeOnDisk, compared: ChangeComparison) -> str | None:
    """What `sync_error` is to say: a conflict stays until a person dismisses it."""
    said = row.sync_error or ""
    if compared.written and said.startswith(UNWRITTEN):
        return said
    return describe_problems(disk, compared.kept) or (said if said.startswith(CONFLICT) else None)


def _sentence(problem: FileProblem) -> str:
    where = f"{problem.path}, line {problem.line}" if problem.line else problem.path
    return f"{where}: {problem.message}"
