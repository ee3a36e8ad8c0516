"""From the files that a watcher names to the changes and specs to read again."""

from collections.abc import Iterable
from dataclasses import dataclass

from bottega.board.openspec.ids import is_change_directory, split_archive_name
from bottega.board.openspec.reading import ARCHIVED, CHANGES, SPECS


@dataclass(frozen=True, slots=True)
class Touched:
    changes: frozenset[str] = frozenset()
    #: Ids, not directories: a change that moves into the archive stays the same change.
    archived: frozenset[str] = frozenset()
    specs: frozenset[str] = frozenset()


def touched(paths: Iterable[str]) -> Touched:
    """Paths are relative to the project, with `/`, as watchers give them."""
    changes: set[str] = set()
    archived: set[str] = set()
    specs: set[str] = set()
    for path in paths:
        if inner := _below(ARCHIVED, path):
            archived |= (
                {split_archive_name(inner[0])[0]} if is_change_directory(inner[0]) else set()
            )
        elif inner := _below(CHANGES, path):
            changes |= {inner[0]} if is_change_directory(inner[0]) else set()
        elif (inner := _below(SPECS, path)) and inner[-1] == "spec.md" and len(inner) > 1:
            specs.add("/".join(inner[:-1]))
    return Touched(frozenset(changes), frozenset(archived), frozenset(specs))


def changed_ids(paths: Iterable[str]) -> set[str]:
    """The same in one set, for whoever only asks whether something of theirs is in it."""
    found = touched(paths)
    return set(found.changes | found.archived | found.specs)


def _below(directory: str, path: str) -> list[str]:
    inner = path.removeprefix(f"{directory}/")
    return inner.split("/") if inner != path else []
