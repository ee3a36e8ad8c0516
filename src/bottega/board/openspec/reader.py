"""Reading a project's OpenSpec directory, whatever state it is in: its changes as their directories
show them, however incomplete, and what is wrong with them.

Blocking: one call reads all it needs, and its caller runs it in a thread. Hundreds of changes are
read at a time, and a hop between threads for each file would cost more than the files.
"""

import os
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime

from bottega.board.openspec.deltas import Delta, parse_delta
from bottega.board.openspec.layout import (
    ARCHIVED,
    CHANGES,
    ROOT,
    SCHEMAS,
    SPECS,
    is_change_directory,
    split_archive_name,
)
from bottega.board.openspec.markdown import headings, lines_of
from bottega.board.openspec.metadata import (
    DEFAULT_SCHEMA,
    FILE_NAME,
    ChangeMetadata,
    MetadataError,
    parse_metadata,
)
from bottega.board.openspec.specs import Spec, parse_spec
from bottega.board.openspec.tasks import Task, TaskCount, count, open_fence, parse_tasks
from bottega.board.openspec.texts import FileProblem, TextFile, decode, unreadable
from bottega.core.files.listing import EntryType, Listing
from bottega.core.files.lookup import find_place
from bottega.core.files.sandbox import Sandbox
from bottega.errors import BottegaError, NotFound


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


#: A proposal or a spec is some kilobytes; a larger file is named, not read.
MAX_FILE_BYTES = 2 * 1024 * 1024
#: Files below one `specs/`, and how deep areas may nest.
MAX_SPEC_FILES = 2_000
MAX_DEPTH = 10

_NEVER = datetime.fromtimestamp(0, UTC)

#: The one setting of the project's that matters here; the rest may be long texts for agents.
_SCHEMA = re.compile(r"^schema:[ \t]*['\"]?([\w.-]+)", re.MULTILINE)


class OpenSpecReader(Sandbox):
    def exists_now(self) -> bool:
        # One that leads out of the project is none of ours.
        with suppress(BottegaError):
            return self._type_of(ROOT) is EntryType.DIRECTORY
        return False

    def change_ids(self) -> list[str]:
        return [name for name in self._directories(CHANGES) if is_change_directory(name)]

    def archive_names(self) -> list[str]:
        return [name for name in self._directories(ARCHIVED) if is_change_directory(name)]

    def change(self, change: str) -> ChangeOnDisk:
        """An active change by its id; else the last archived one of that id or directory name."""
        if change in self.change_ids():
            return self.active_change(change)
        names = [
            name
            for name in self.archive_names()
            if name == change or split_archive_name(name)[0] == change
        ]
        if not names:
            raise NotFound(
                f"There is no change {change!r} here. List the changes to see their ids."
            )
        return self.archived_change(max(names))

    def active_changes(self) -> list[ChangeOnDisk]:
        return [self.active_change(change) for change in self.change_ids()]

    def archived_changes(self) -> list[ChangeOnDisk]:
        return [self.archived_change(name) for name in sorted(self.archive_names(), reverse=True)]

    def active_change(self, change: str) -> ChangeOnDisk:
        return self.read_change(change, f"{CHANGES}/{change}")

    def archived_change(self, name: str) -> ChangeOnDisk:
        change, day = split_archive_name(name)
        return self.read_change(change, f"{ARCHIVED}/{name}", archived=True, archived_on=day)

    def read_change(
        self,
        change: str,
        directory: str,
        *,
        archived: bool = False,
        archived_on: date | None = None,
    ) -> ChangeOnDisk:
        listing = self._listing(directory)
        names = set(listing.files) if listing else set()

        def load(name: str) -> TextFile | None:
            return self.load(f"{directory}/{name}") if name in names else None

        proposal, tasks, design = load("proposal.md"), load("tasks.md"), load("design.md")
        metadata_file = load(FILE_NAME)
        metadata, metadata_problems = _metadata(metadata_file)
        deltas, strays, spec_files = self._below_specs(f"{directory}/specs")
        files = [file for file in (proposal, tasks, design, metadata_file) if file]
        files += [delta.file for delta in deltas] + strays
        problems = [problem for file in files for problem in file.problems] + metadata_problems
        if proposal is None:
            problems.append(FileProblem(f"{directory}/proposal.md", None, "is missing."))
        if tasks is None:
            problems.append(FileProblem(f"{directory}/tasks.md", None, "is missing."))
        elif fence := open_fence(tasks.text):
            problems.append(
                FileProblem(tasks.path, fence, "opens a code block that is never closed.")
            )
        schema = schema_of(metadata, None if metadata_file else self._project_schema())
        return ChangeOnDisk(
            id=change,
            directory=directory,
            archived=archived,
            archived_on=archived_on,
            title=title_of(change, proposal.text if proposal else ""),
            proposal=proposal,
            design=design,
            tasks_file=tasks,
            tasks=tuple(parse_tasks(tasks.text)) if tasks else (),
            metadata=metadata,
            metadata_file=metadata_file,
            schema=schema,
            schema_known=schema == DEFAULT_SCHEMA or schema in self._directories(SCHEMAS),
            deltas=tuple(deltas),
            strays=tuple(strays),
            spec_files=tuple(spec_files),
            problems=tuple(problems),
            modified_at=max((f.modified_at for f in files), default=self._time_of(directory)),
        )

    def spec_ids(self) -> list[str]:
        return sorted(_capability(path) for path in self._walk(SPECS) if _is_capability(path))

    def spec(self, capability: str) -> Spec:
        path = f"{SPECS}/{capability}/spec.md"
        if self._type_of(self.relative(path)) is not EntryType.FILE:
            raise NotFound(
                f"There is no spec {capability!r} here. List the specs to see their ids."
            )
        return parse_spec(capability, self.load(path))

    def specs(self) -> list[Spec]:
        return [self.spec(capability) for capability in self.spec_ids()]

    def load(self, path: str) -> TextFile:
        """The file as it is; what keeps it from being read is told, not raised."""
        path = self.relative(path)
        modified = _NEVER
        try:
            modified = datetime.fromtimestamp(self._stat(path).st_mtime, UTC)
            return decode(path, self._read_bytes(path), modified)
        except BottegaError as error:
            return unreadable(path, error.message, modified)

    def load_if_there(self, path: str) -> TextFile | None:
        there = self._type_of(self.relative(path)) is EntryType.FILE
        return self.load(path) if there else None

    def _below_specs(self, top: str) -> tuple[list[DeltaFile], list[TextFile], list[str]]:
        deltas: list[DeltaFile] = []
        strays: list[TextFile] = []
        paths = list(self._walk(top))
        for path in paths:
            if _is_capability(path):
                file = self.load(f"{top}/{path}")
                deltas.append(DeltaFile(_capability(path), file, parse_delta(file.text)))
            elif path.lower().endswith(".md"):
                strays.append(self.load(f"{top}/{path}"))
        deltas.sort(key=lambda delta: delta.capability)
        return deltas, strays, paths

    def _walk(self, top: str) -> Iterator[str]:
        """Every file below, seen from there; neither hidden ones nor through linked directories."""
        pending, found = [("", 1)], 0
        while pending:
            inner, depth = pending.pop()
            listing = self._listing(f"{top}/{inner}" if inner else top)
            if listing is None:
                continue
            prefix = f"{inner}/" if inner else ""
            for name in listing.files:
                if not name.startswith("."):
                    yield prefix + name
                    found += 1
                if found >= MAX_SPEC_FILES:
                    return
            if depth < MAX_DEPTH:
                pending += [
                    (prefix + name, depth + 1)
                    for name in reversed(listing.directories)
                    if not name.startswith(".") and name not in listing.links
                ]

    def _directories(self, path: str) -> list[str]:
        listing = self._listing(path)
        return (
            [name for name in listing.directories if name not in listing.links] if listing else []
        )

    def _listing(self, path: str) -> Listing | None:
        try:
            return self._list(self.relative(path))
        except BottegaError:
            return None

    def _time_of(self, directory: str) -> datetime:
        with suppress(OSError, BottegaError), find_place(self.root, directory) as place:
            state = os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
            return datetime.fromtimestamp(state.st_mtime, UTC)
        return _NEVER

    def _project_schema(self) -> str | None:
        for name in ("config.yaml", "config.yml"):
            if found := _SCHEMA.search(self.load(f"{ROOT}/{name}").text):
                return found.group(1)
        return None


def _metadata(file: TextFile | None) -> tuple[ChangeMetadata | None, list[FileProblem]]:
    if file is None or not file.readable:
        return None, []
    try:
        return parse_metadata(file.text), []
    except MetadataError as error:
        return None, [FileProblem(file.path, error.line, error.message)]


def _is_capability(path: str) -> bool:
    return path.endswith("/spec.md")


def _capability(path: str) -> str:
    return path.removesuffix("/spec.md")
