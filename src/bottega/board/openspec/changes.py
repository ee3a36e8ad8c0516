"""One change as its directory shows it, however incomplete, and what is wrong with it."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime

from bottega.board.openspec.deltas import Delta
from bottega.board.openspec.markdown import headings, lines_of
from bottega.board.openspec.metadata import DEFAULT_SCHEMA, ChangeMetadata
from bottega.board.openspec.tasks import Task, TaskCount, count
from bottega.board.openspec.texts import FileProblem, TextFile


@dataclass(frozen=True, slots=True)
class DeltaFile:
    #: The capability's path, as in `Spec.id`.
    capability: str
    file: TextFile
    delta: Delta


@dataclass(frozen=True, slots=True)
class ChangeOnDisk:
    id: str
    #: Relative to the project: `openspec/changes/add-login`.
    directory: str
    archived: bool
    archived_on: date | None
    title: str
    proposal: TextFile | None
    design: TextFile | None
    tasks_file: TextFile | None
    tasks: tuple[Task, ...]
    #: None if the file is missing or not what the CLI accepts.
    metadata: ChangeMetadata | None
    metadata_file: TextFile | None
    #: The workflow that the change follows: its own, else the project's, else the CLI's.
    schema: str
    #: Whether the CLI brings it, or the project has it in `openspec/schemas`.
    schema_known: bool
    #: By capability.
    deltas: tuple[DeltaFile, ...]
    #: Other Markdown below `specs/`, which no one applies.
    strays: tuple[TextFile, ...]
    #: Every file below `specs/`, seen from there.
    spec_files: tuple[str, ...]
    problems: tuple[FileProblem, ...]
    modified_at: datetime

    @property
    def count(self) -> TaskCount:
        return count(self.tasks)

    @property
    def touches(self) -> frozenset[tuple[str, str]]:
        """(capability, requirement) of everything it changes; two changes that share one overlap.
        Requirement names are folded."""
        return frozenset(
            (file.capability, name) for file in self.deltas for name in file.delta.requirement_names
        )

    @property
    def files(self) -> tuple[TextFile, ...]:
        own = (self.proposal, self.tasks_file, self.design, self.metadata_file)
        deltas = tuple(delta.file for delta in self.deltas)
        return tuple(file for file in own if file) + deltas + self.strays


_LABEL = re.compile(r"(?:change|proposal|change proposal)\s*(?::|$)\s*", re.IGNORECASE)
_ID = re.compile(r"(?<![\w-])[a-z0-9]++(?:-[a-z0-9]++)++")
_POINTED_AT = re.compile(r"`([a-z0-9][a-z0-9-]*)`|\bchanges/([a-z0-9][a-z0-9-]*)")


def title_of(change: str, proposal: str) -> str:
    """The proposal's own title; the CLI's template has none, so then the id in words."""
    for heading in headings(lines_of(proposal)):
        if heading.level == 1:
            title = _LABEL.sub("", heading.title, count=1).strip()
            if title:
                return title
            break
    words = change.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def references(change: ChangeOnDisk, known: Collection[str]) -> frozenset[str]:
    """Which of the known changes its texts name. A one-word id is a word of prose unless it is
    quoted as code or written as a path."""
    ids = set(known) - {change.id}
    named: set[str] = set()
    for file in change.files:
        named |= ids.intersection(_ID.findall(file.text))
        named |= {part for found in _POINTED_AT.findall(file.text) for part in found if part in ids}
    return frozenset(named)


def schema_of(metadata: ChangeMetadata | None, project_schema: str | None) -> str:
    return metadata.schema_ if metadata else project_schema or DEFAULT_SCHEMA
