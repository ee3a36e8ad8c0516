"""Whether a main spec would pass `openspec validate --strict`."""

import re
from collections.abc import Iterator

from bottega.board.openspec.markdown import (
    Heading,
    headings,
    lines_of,
    outside_code,
    without_closing_hashes,
)
from bottega.board.openspec.specs import Spec, is_normative
from bottega.board.openspec.texts import Issue, Level, Validation, verdict

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
