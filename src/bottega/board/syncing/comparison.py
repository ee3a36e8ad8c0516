"""Which side of a change was edited since both were the same, file by file.

Only hashes decide: clocks jump, and a copied file may be as old as it likes. What was the same last
is in `synced_hashes`; the side that differs from it was edited, and if both were, the file wins.
"""

from dataclasses import dataclass, field

from bottega.board import openspec
from bottega.board.openspec import Problem, TextFile
from bottega.board.syncing.texts import (
    PROPOSAL,
    TASKS,
    files_on_disk,
    hash_of,
    stored_texts,
)
from bottega.board.tables import Change
from bottega.core.files.text import Encoding


@dataclass(slots=True)
class Comparison:
    #: Edited on disk: what the database is to take. None: the file is gone.
    taken: dict[str, str | None] = field(default_factory=dict)
    #: Edited in the database: what the file is to get.
    written: dict[str, str] = field(default_factory=dict)
    #: Edited on both sides: what the file says, and so what stands.
    conflicts: dict[str, str | None] = field(default_factory=dict)
    #: Broken or half saved: the last good text stays in the database.
    kept: list[Problem] = field(default_factory=list)
    #: File → hash of what is the same on both sides once this is done.
    hashes: dict[str, str] = field(default_factory=dict)

    @property
    def from_disk(self) -> dict[str, str | None]:
        return self.taken | self.conflicts


def compare(row: Change, disk: openspec.Change) -> Comparison:
    stored, files = stored_texts(row), files_on_disk(disk)
    found = Comparison()
    for name in dict.fromkeys([*files, *stored, *row.synced_hashes]):
        file, text = files.get(name), stored.get(name)
        base: str | None = row.synced_hashes.get(name)
        problem = _broken(disk, name, file, text, base)
        if problem is None:
            after = _judge(found, disk, name, file, text, base)
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


def _judge(
    found: Comparison,
    disk: openspec.Change,
    name: str,
    file: TextFile | None,
    text: str | None,
    base: str | None,
) -> str | None:
    """Note what is to be done about one file; return the hash of what is the same after that."""
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
    disk: openspec.Change, name: str, file: TextFile | None, text: str | None, base: str | None
) -> Problem | None:
    """Why what is on disk cannot be what somebody meant, if so."""
    path = f"{disk.directory}/{name}"
    if file is None:
        # Without these there is no change. Other files may go.
        if name in (PROPOSAL, TASKS) and text and base:
            return Problem(path, None, "is missing.")
        return None
    if not file.readable or file.encoding is not Encoding.UTF_8:
        return file.problems[0] if file.problems else Problem(path, None, "cannot be read.")
    if not file.text.strip() and hash_of(text) and base:
        return Problem(path, 1, "is empty, and was not before.")
    return None
