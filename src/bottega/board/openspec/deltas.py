"""A delta spec: what a change adds to, alters in, takes from and renames in one capability."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from bottega.board.openspec.markdown import (
    fence_mask,
    lines_of,
    section,
    without_closing_hashes,
)
from bottega.board.openspec.specs import (
    REQUIREMENT,
    Requirement,
    fold,
    requirement_name,
    requirements_in,
)


class DeltaOperation(StrEnum):
    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    REMOVED = "REMOVED"
    RENAMED = "RENAMED"

    @property
    def heading(self) -> str:
        return f"{self} Requirements"


@dataclass(frozen=True, slots=True)
class Named:
    """A requirement's name, or a heading, where it stands in the file."""

    name: str
    line: int
    #: The section around it; empty above the first.
    section: str = ""


@dataclass(frozen=True, slots=True)
class Rename:
    old: str
    new: str
    line: int


@dataclass(frozen=True, slots=True)
class Delta:
    added: tuple[Requirement, ...] = ()
    modified: tuple[Requirement, ...] = ()
    removed: tuple[Named, ...] = ()
    renamed: tuple[Rename, ...] = ()
    #: For a capability that does not exist yet.
    purpose: str = ""
    #: The delta sections that the file has, with or without something in them.
    sections: tuple[DeltaOperation, ...] = ()
    #: A FROM without its TO, or a TO without its FROM.
    unpaired: tuple[Named, ...] = ()
    #: Requirements outside every delta section: nothing will apply them.
    orphans: tuple[Named, ...] = ()
    #: Headings of level three that are no requirement.
    skipped: tuple[Named, ...] = ()

    @property
    def size(self) -> int:
        return len(self.added) + len(self.modified) + len(self.removed) + len(self.renamed)

    @property
    def requirement_names(self) -> frozenset[str]:
        """Every requirement it touches, folded, so that spellings of one name meet."""
        names = [block.name for block in (*self.added, *self.modified)]
        names += [removed.name for removed in self.removed]
        names += [name for rename in self.renamed for name in (rename.old, rename.new)]
        return frozenset(map(fold, names))


@dataclass(frozen=True, slots=True)
class _Section:
    title: str
    begin: int
    end: int

    @property
    def operation(self) -> DeltaOperation | None:
        for operation in DeltaOperation:
            if self.title.lower() == operation.heading.lower():
                return operation
        return None


_SECTION = re.compile(r"##\s+(.+)")
_LEVEL_THREE = re.compile(r"###\s+(\S.*)")
_BULLET = re.compile(r"[-*+]\s*`?###\s*Requirement:(.+)")
_RENAME = re.compile(r"[-*+]?\s*(FROM|TO):\s*`?###\s*Requirement:(.+)")


def parse_delta(text: str) -> Delta:
    return _DeltaFile(text).delta()


def has_delta_sections(text: str) -> bool:
    return any(part.operation for part in _DeltaFile(text).parts)


class _DeltaFile:
    def __init__(self, text: str) -> None:
        self._lines = lines_of(text)
        self._mask = fence_mask(self._lines)
        self.parts = list(self._sections())

    def delta(self) -> Delta:
        pairs, unpaired = self._renames()
        return Delta(
            added=self._blocks(DeltaOperation.ADDED),
            modified=self._blocks(DeltaOperation.MODIFIED),
            removed=tuple(self._removals()),
            renamed=pairs,
            purpose=section(self._lines, "Purpose"),
            sections=tuple(operation for operation in DeltaOperation if self._of(operation)),
            unpaired=unpaired,
            orphans=tuple(self._orphans()),
            skipped=tuple(self._skipped()),
        )

    def _sections(self) -> Iterator[_Section]:
        """What is before the first heading comes first, under no title."""
        title, begin = "", 0
        for index, line in enumerate(self._lines):
            if not self._mask[index] and (found := _SECTION.match(line)):
                yield _Section(title, begin, index)
                title, begin = found.group(1).strip(), index + 1
        yield _Section(title, begin, len(self._lines))

    def _of(self, *operations: DeltaOperation | None) -> list[_Section]:
        """A heading may stand twice; both count."""
        return [part for part in self.parts if part.operation in operations]

    def _blocks(self, operation: DeltaOperation) -> tuple[Requirement, ...]:
        return tuple(
            block
            for part in self._of(operation)
            for block in requirements_in(self._lines, self._mask, part.begin, part.end)
        )

    def _visible(self, *parts: _Section) -> Iterator[tuple[_Section, int, str]]:
        """The lines that are no code, each with its section and number."""
        for part in parts:
            for index in range(part.begin, part.end):
                if not self._mask[index]:
                    yield part, index + 1, self._lines[index]

    def _removals(self) -> Iterator[Named]:
        for part, number, line in self._visible(*self._of(DeltaOperation.REMOVED)):
            name = requirement_name(line)
            if name is None and (bullet := _BULLET.match(line.lstrip())):
                name = _unquoted(bullet.group(1))
            if name is not None:
                yield Named(name, number, part.title)

    def _renames(self) -> tuple[tuple[Rename, ...], tuple[Named, ...]]:
        pairs: list[Rename] = []
        unpaired: list[Named] = []
        for part in self._of(DeltaOperation.RENAMED):
            waiting: Named | None = None
            for _, number, line in self._visible(part):
                found = _RENAME.match(line.lstrip())
                if not found:
                    continue
                name = _unquoted(found.group(2))
                if found.group(1) == "FROM":
                    unpaired += [waiting] if waiting else []
                    waiting = Named(name, number, "FROM")
                elif waiting:
                    pairs.append(Rename(waiting.name, name, waiting.line))
                    waiting = None
                else:
                    unpaired.append(Named(name, number, "TO"))
            unpaired += [waiting] if waiting else []
        return tuple(pairs), tuple(unpaired)

    def _orphans(self) -> Iterator[Named]:
        for part, number, line in self._visible(*self._of(None)):
            name = requirement_name(line)
            if name is not None:
                yield Named(name, number, part.title)

    def _skipped(self) -> Iterator[Named]:
        read = self._of(DeltaOperation.ADDED) + self._of(DeltaOperation.MODIFIED)
        for part, number, line in self._visible(*read):
            found = _LEVEL_THREE.match(line)
            if found and not REQUIREMENT.match(line):
                yield Named(found.group(1).strip(), number, part.title)


def _unquoted(name: str) -> str:
    return without_closing_hashes(name.strip().removesuffix("`"))
