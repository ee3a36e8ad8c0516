"""Whether a change, or a main spec, would pass `openspec validate --strict`, by our own rules.

The rules are the CLI's, as far as they decide between pass and fail; the words are ours. Where the
CLI is installed its own verdict counts (`cli.py`), and a test holds the two together.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from bottega.board.openspec.deltas import Delta, DeltaOperation, Named, has_delta_sections
from bottega.board.openspec.markdown import (
    Heading,
    headings,
    lines_of,
    outside_code,
    without_closing_hashes,
)
from bottega.board.openspec.metadata import DEFAULT_SCHEMA, FILE_NAME, MetadataError, parse_metadata
from bottega.board.openspec.reader import ChangeOnDisk, DeltaFile
from bottega.board.openspec.specs import Requirement, Spec, fold, is_normative
from bottega.board.openspec.tasks import task_issues
from bottega.board.openspec.texts import Issue, Level, Validation, verdict
from bottega.core.files.encoding import Encoding


def validate(change: ChangeOnDisk, specs: Iterable[Spec], *, strict: bool = True) -> Validation:
    """`specs` are the project's main specs, for what the change would overwrite in them."""
    by_id = {spec.id: spec for spec in specs}
    issues: list[Issue] = []
    for file in change.deltas:
        issues += delta_issues(file, by_id.get(file.capability))
    issues += _unread_deltas(change)
    issues += _without_deltas(change)
    issues += _tasks(change)
    return verdict(issues, strict=strict)


def _unread_deltas(change: ChangeOnDisk) -> Iterator[Issue]:
    """Requirements in files that nothing applies."""
    for path in change.spec_files:
        if path == "spec.md":
            message = "A delta spec needs a capability's directory: specs/<capability>/spec.md."
            yield Issue(Level.ERROR, "specs/spec.md", None, message)
    for stray in change.strays:
        path = stray.path.removeprefix(f"{change.directory}/")
        if path != "specs/spec.md" and has_delta_sections(stray.text):
            message = "Nothing reads this file. Move it to specs/<capability>/spec.md."
            yield Issue(Level.ERROR, path, None, message)


def _without_deltas(change: ChangeOnDisk) -> Iterator[Issue]:
    """No delta at all is fine only where the change says so itself."""
    unhonoured = _unhonoured_mark(change)
    if unhonoured:
        yield Issue(Level.ERROR, FILE_NAME, None, f"skip_specs does not count: {unhonoured}")
    declared = bool(change.metadata and change.metadata.skip_specs) and not unhonoured
    if declared and change.spec_files:
        message = "skip_specs is set, yet there are files below specs/. Remove one or the other."
        yield Issue(Level.ERROR, FILE_NAME, None, message)
    if any(file.delta.size for file in change.deltas) or declared:
        return
    message = (
        "The change has no delta. Add specs/<capability>/spec.md with `## ADDED Requirements`, or "
        f"set `skip_specs: true` in {FILE_NAME} if no behaviour changes."
    )
    yield Issue(Level.ERROR, "", None, message)


def _unhonoured_mark(change: ChangeOnDisk) -> str:
    """Why the mark does not count although somebody seems to have set it."""
    if change.metadata_file is None:
        return ""
    if change.metadata is None:
        try:
            parse_metadata(change.metadata_file.text)
        except MetadataError as error:
            return error.message if error.marks_no_specs else ""
    elif change.metadata.skip_specs and not change.schema_known:
        return f"nobody here knows the schema {change.schema!r}."
    return ""


def _tasks(change: ChangeOnDisk) -> Iterator[Issue]:
    """Other schemas track their work in files that only the CLI knows."""
    broken = change.metadata_file is not None and change.metadata is None
    if change.tasks_file and change.schema == DEFAULT_SCHEMA and not broken:
        yield from task_issues("tasks.md", change.tasks_file.text)


#: What a rule finds: how bad, on which line, in which words.
Finding = tuple[Level, int | None, str]


def delta_issues(file: DeltaFile, spec: Spec | None) -> Iterator[Issue]:
    """`spec` is the capability's main spec; None if it has none yet."""
    path = f"specs/{file.capability}/spec.md"
    for level, line, message in _findings(file, spec):
        yield Issue(level, path, line, message)


def _findings(file: DeltaFile, spec: Spec | None) -> Iterator[Finding]:
    delta = file.delta
    if not file.file.readable or file.file.encoding in (Encoding.UTF_16_LE, Encoding.UTF_16_BE):
        yield Level.ERROR, None, file.file.problems[0].message
        return
    if not delta.size:
        yield Level.ERROR, None, _nothing_in(delta)
    yield from _misplaced(delta)
    for block in delta.added:
        yield from _incomplete(DeltaOperation.ADDED, block)
    for block in delta.modified:
        yield from _incomplete(DeltaOperation.MODIFIED, block)
    yield from _repeated(delta)
    yield from _contradictions(delta)
    if spec is not None:
        yield from _lost_scenarios(delta, spec)


def _nothing_in(delta: Delta) -> str:
    if delta.sections:
        named = ", ".join(f"## {operation.heading}" for operation in delta.sections)
        return f"{named}: no requirement in it. Write `### Requirement: name` below the heading."
    return "No delta section. Begin one with a heading such as `## ADDED Requirements`."


def _misplaced(delta: Delta) -> Iterator[Finding]:
    for half in delta.unpaired:
        other = "TO" if half.section == "FROM" else "FROM"
        message = f'{half.section}: "{half.name}" has no {other}: line next to it.'
        yield Level.ERROR, half.line, message
    for orphan in delta.orphans:
        where = f'under "{orphan.section}"' if orphan.section else "above every section"
        message = f'Requirement "{orphan.name}" stands {where}: nothing would apply it there.'
        yield Level.WARNING, orphan.line, message
    for header in delta.skipped:
        message = f'"### {header.name}" is no requirement; write `### Requirement: {header.name}`.'
        yield Level.INFO, header.line, message


def _incomplete(operation: DeltaOperation, block: Requirement) -> Iterator[Finding]:
    subject = f'{operation} "{block.name}"'
    if not block.text:
        message = f"{subject} says nothing below its heading. Write what SHALL or MUST hold."
        yield Level.ERROR, block.line, message
    elif not is_normative(block.text):
        yield Level.WARNING, block.line, f"{subject} should say SHALL or MUST in its text."
    if not block.has_scenario:
        message = f"{subject} needs a scenario: `#### Scenario: name` with steps below it."
        yield Level.ERROR, block.line, message


def _repeated(delta: Delta) -> Iterator[Finding]:
    yield from _twice("ADDED", [Named(block.name, block.line) for block in delta.added])
    yield from _twice("MODIFIED", [Named(block.name, block.line) for block in delta.modified])
    yield from _twice("REMOVED", delta.removed)
    yield from _twice("RENAMED FROM", [Named(pair.old, pair.line) for pair in delta.renamed])
    yield from _twice("RENAMED TO", [Named(pair.new, pair.line) for pair in delta.renamed])


def _twice(where: str, entries: Sequence[Named]) -> Iterator[Finding]:
    seen: set[str] = set()
    for entry in entries:
        if entry.name in seen:
            yield Level.ERROR, entry.line, f'{where} names "{entry.name}" twice.'
        seen.add(entry.name)


def _contradictions(delta: Delta) -> Iterator[Finding]:
    added = {block.name for block in delta.added}
    modified = {block.name: block.line for block in delta.modified}
    removed = {entry.name: entry.line for entry in delta.removed}
    for name, line in modified.items():
        if name in removed:
            yield Level.ERROR, line, f'"{name}" is both MODIFIED and REMOVED.'
        if name in added:
            yield Level.ERROR, line, f'"{name}" is both MODIFIED and ADDED.'
    for name, line in removed.items():
        if name in added:
            yield Level.ERROR, line, f'"{name}" is both ADDED and REMOVED.'
    gone = {fold(name) for name in removed}
    for pair in delta.renamed:
        if pair.old in modified:
            message = f'MODIFIED names "{pair.old}", which is renamed: use "{pair.new}".'
            yield Level.ERROR, pair.line, message
        if pair.new in added:
            yield Level.ERROR, pair.line, f'"{pair.new}" is both ADDED and a RENAMED TO.'
        if fold(pair.old) in gone:
            yield Level.ERROR, pair.line, f'"{pair.old}" is both RENAMED and REMOVED.'


def _lost_scenarios(delta: Delta, spec: Spec) -> Iterator[Finding]:
    """MODIFIED replaces the whole requirement, so a scenario left out would be gone."""
    current = {block.name: block for block in spec.requirements}
    came_from = {pair.new: pair.old for pair in delta.renamed}
    renamed_away = set(came_from.values())
    for block in delta.modified:
        if block.name in renamed_away:
            continue
        old = _before_renames(block.name, current, came_from)
        missing = _missing_scenarios(old, block) if old else []
        if missing:
            names = ", ".join(f'"{name}"' for name in missing)
            message = f'MODIFIED "{block.name}" would drop {names}: copy what it should keep.'
            yield Level.ERROR, block.line, message


def _before_renames(
    name: str | None, current: dict[str, Requirement], came_from: dict[str, str]
) -> Requirement | None:
    seen: set[str] = set()
    while name is not None and name not in seen:
        if name in current:
            return current[name]
        seen.add(name)
        name = came_from.get(name)
    return None


def _missing_scenarios(old: Requirement, new: Requirement) -> list[str]:
    """Each by its name as often as it stood there: two of a name are two."""
    kept = [scenario.name for scenario in new.scenarios]
    missing: list[str] = []
    for scenario in old.scenarios:
        if scenario.name in kept:
            kept.remove(scenario.name)
        else:
            missing.append(scenario.name)
    return missing


MIN_PURPOSE = 50

_REQUIREMENT = re.compile(r"###\s+Requirement:(.+)", re.IGNORECASE)
_DELTA_HEADING = re.compile(r"##\s+(?:ADDED|MODIFIED|REMOVED|RENAMED)\s+Requirements\s*", re.I)
_PLACEHOLDER = re.compile(
    r"(?:TBD|TODO)(?![^\W_]|_)|(?i:TBD|TODO)(?=[ \t]*(?:$|\n|[:\-\u2013\u2014.,;()\[\]{}]))"
)
#: What `openspec archive` writes for a capability that came without a purpose.
_GENERATED = ("TBD - created by archiving change ", ". Update Purpose after archive.")

_PATH = "spec.md"


def validate_spec(spec: Spec, *, strict: bool = True) -> Validation:
    return verdict(_issues(spec), strict=strict)


def _issues(spec: Spec) -> Iterator[Issue]:
    lines = lines_of(spec.file.text)
    found = headings(lines)
    titles = {heading.title.lower() for heading in found}
    if not spec.purpose:
        yield _error(None, "There is no purpose. Say below `## Purpose` what this is for.")
    if "requirements" not in titles:
        yield _error(None, "There is no `## Requirements` section.")
    if not spec.purpose or "requirements" not in titles:
        return
    yield from _purpose(spec)
    yield from _structure(lines)
    yield from _children(lines)
    for block in spec.requirements:
        if not block.text:
            message = f'"{block.name}" says nothing below its heading.'
            yield _error(block.line, message)
        elif not is_normative(block.text):
            message = f'"{block.name}" should say SHALL or MUST in its text.'
            yield Issue(Level.WARNING, _PATH, block.line, message)


def _purpose(spec: Spec) -> Iterator[Issue]:
    prose = "\n".join(line for _, line in outside_code(lines_of(spec.purpose))).strip()
    _, _, generated = prose.partition(_GENERATED[0])
    if _PLACEHOLDER.match(prose) or _GENERATED[1] in generated:
        message = "The purpose is a placeholder. Say what this capability is for."
        yield Issue(Level.WARNING, _PATH, None, message)
    elif len(spec.purpose) < MIN_PURPOSE:
        message = f"The purpose has {len(spec.purpose)} characters; {MIN_PURPOSE} are expected."
        yield Issue(Level.WARNING, _PATH, None, message)


def _structure(lines: list[str]) -> Iterator[Issue]:
    inside = False
    begun = False
    seen: dict[str, int] = {}
    for index, line in outside_code(lines):
        if _DELTA_HEADING.fullmatch(line):
            yield _error(index + 1, f"{line.strip()!r} belongs into a change, not a main spec.")
        if re.match(r"##\s+", line):
            inside = not begun and line[2:].strip().lower() == "requirements"
            begun = begun or inside
        found = _REQUIREMENT.match(line)
        if not found:
            continue
        name = without_closing_hashes(found.group(1))
        if not inside:
            yield _error(index + 1, f'"{name}" stands outside `## Requirements`: nobody reads it.')
        elif name in seen:
            yield _error(index + 1, f'"{name}" is there already, on line {seen[name]}.')
        else:
            seen[name] = index + 1


def _children(lines: list[str]) -> Iterator[Issue]:
    """Every heading right below `## Requirements` is a requirement, and needs a scenario."""
    found = headings(lines)
    top = next(heading for heading in found if heading.title.lower() == "requirements")
    inner = [heading for heading in found if top.start < heading.start < top.end]
    children = _direct(inner)
    if not children:
        yield _error(top.start + 1, "There is no requirement below `## Requirements`.")
    for child in children:
        below = [heading for heading in inner if child.start < heading.start < child.end]
        if not any(_has_text(lines, heading.start, heading.end) for heading in _direct(below)):
            yield _error(child.start + 1, f'"{child.title}" needs a scenario with steps below it.')


def _direct(inner: list[Heading]) -> list[Heading]:
    """Those that lie in none of the others."""
    direct: list[Heading] = []
    for heading in inner:
        if not direct or heading.start >= direct[-1].end:
            direct.append(heading)
    return direct


def _has_text(lines: list[str], start: int, end: int) -> bool:
    return any(line.strip() for line in lines[start + 1 : end])


def _error(line: int | None, message: str) -> Issue:
    return Issue(Level.ERROR, _PATH, line, message)
