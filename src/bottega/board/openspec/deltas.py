"""A delta spec: what a change adds to, alters in, takes from and renames in one capability."""

import re
from collections.abc import Iterator, Sequence
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
    lines = lines_of(text)
    mask = fence_mask(lines)
    sections = list(_sections(lines, mask))
    pairs, unpaired = _renames(lines, mask, _of(sections, DeltaOperation.RENAMED))
    return Delta(
        added=_blocks(lines, mask, _of(sections, DeltaOperation.ADDED)),
        modified=_blocks(lines, mask, _of(sections, DeltaOperation.MODIFIED)),
        removed=tuple(_removals(lines, mask, _of(sections, DeltaOperation.REMOVED))),
        renamed=pairs,
        purpose=section(lines, "Purpose"),
        sections=tuple(operation for operation in DeltaOperation if _of(sections, operation)),
        unpaired=unpaired,
        orphans=tuple(_orphans(lines, mask, sections)),
        skipped=tuple(_skipped(lines, mask, sections)),
    )


def has_delta_sections(text: str) -> bool:
    lines = lines_of(text)
    return any(found.operation for found in _sections(lines, fence_mask(lines)))


def _sections(lines: Sequence[str], mask: Sequence[bool]) -> Iterator[_Section]:
    """What is before the first heading comes first, under no title."""
    title, begin = "", 0
    for index, line in enumerate(lines):
        if not mask[index] and (found := _SECTION.match(line)):
            yield _Section(title, begin, index)
            title, begin = found.group(1).strip(), index + 1
    yield _Section(title, begin, len(lines))


def _of(sections: Sequence[_Section], operation: DeltaOperation) -> list[_Section]:
    """A heading may stand twice; both count."""
    return [found for found in sections if found.operation is operation]


def _blocks(
    lines: Sequence[str], mask: Sequence[bool], sections: Sequence[_Section]
) -> tuple[Requirement, ...]:
    return tuple(
        block for part in sections for block in requirements_in(lines, mask, part.begin, part.end)
    )


def _visible(
    lines: Sequence[str], mask: Sequence[bool], sections: Sequence[_Section]
) -> Iterator[tuple[_Section, int, str]]:
    for part in sections:
        for index in range(part.begin, part.end):
            if not mask[index]:
                yield part, index, lines[index]


def _removals(
    lines: Sequence[str], mask: Sequence[bool], sections: Sequence[_Section]
) -> Iterator[Named]:
    for part, index, line in _visible(lines, mask, sections):
        name = requirement_name(line)
        if name is None and (bullet := _BULLET.match(line.lstrip())):
            name = _unquoted(bullet.group(1))
        if name is not None:
            yield Named(name, index + 1, part.title)


def _renames(
    lines: Sequence[str], mask: Sequence[bool], sections: Sequence[_Section]
) -> tuple[tuple[Rename, ...], tuple[Named, ...]]:
    pairs: list[Rename] = []
    unpaired: list[Named] = []
    for part in sections:
        waiting: Named | None = None
        for _, index, line in _visible(lines, mask, [part]):
            found = _RENAME.match(line.lstrip())
            if not found:
                continue
            name = _unquoted(found.group(2))
            if found.group(1) == "FROM":
                unpaired += [waiting] if waiting else []
                waiting = Named(name, index + 1, "FROM")
            elif waiting:
                pairs.append(Rename(waiting.name, name, waiting.line))
                waiting = None
            else:
                unpaired.append(Named(name, index + 1, "TO"))
        unpaired += [waiting] if waiting else []
    return tuple(pairs), tuple(unpaired)


def _orphans(
    lines: Sequence[str], mask: Sequence[bool], sections: Sequence[_Section]
) -> Iterator[Named]:
    elsewhere = [part for part in sections if part.operation is None]
    for part, index, line in _visible(lines, mask, elsewhere):
        name = requirement_name(line)
        if name is not None:
            yield Named(name, index + 1, part.title)


def _skipped(
    lines: Sequence[str], mask: Sequence[bool], sections: Sequence[_Section]
) -> Iterator[Named]:
    read = _of(sections, DeltaOperation.ADDED) + _of(sections, DeltaOperation.MODIFIED)
    for part, index, line in _visible(lines, mask, read):
        found = _LEVEL_THREE.match(line)
        if found and not REQUIREMENT.match(line):
            yield Named(found.group(1).strip(), index + 1, part.title)


def _unquoted(name: str) -> str:
    return without_closing_hashes(name.strip().removesuffix("`"))
