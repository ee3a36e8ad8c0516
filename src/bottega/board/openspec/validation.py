"""Whether a change would pass `openspec validate --strict`, decided without the CLI.

The rules are the CLI's, as far as they decide between pass and fail; the words are ours. Where the
CLI is installed its own verdict counts (`cli.py`), and a test holds the two together.
"""

from collections.abc import Iterable, Iterator

from bottega.board.openspec.changes import Change
from bottega.board.openspec.delta_rules import delta_issues
from bottega.board.openspec.deltas import has_delta_sections
from bottega.board.openspec.issues import Issue, Level, Validation, verdict
from bottega.board.openspec.metadata import (
    DEFAULT_SCHEMA,
    FILE_NAME,
    MetadataError,
    parse_metadata,
)
from bottega.board.openspec.specs import Spec
from bottega.board.openspec.task_rules import task_issues


def validate(change: Change, specs: Iterable[Spec], *, strict: bool = True) -> Validation:
    """`specs` are the project's main specs, for what the change would overwrite in them."""
    by_id = {spec.id: spec for spec in specs}
    issues: list[Issue] = []
    for file in change.deltas:
        issues += delta_issues(file, by_id.get(file.capability))
    issues += _unread_deltas(change)
    issues += _without_deltas(change)
    issues += _tasks(change)
    return verdict(issues, strict=strict)


def _unread_deltas(change: Change) -> Iterator[Issue]:
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


def _without_deltas(change: Change) -> Iterator[Issue]:
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


def _unhonoured_mark(change: Change) -> str:
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


def _tasks(change: Change) -> Iterator[Issue]:
    """Other schemas track their work in files that only the CLI knows."""
    broken = change.metadata_file is not None and change.metadata is None
    if change.tasks_file and change.schema == DEFAULT_SCHEMA and not broken:
        yield from task_issues("tasks.md", change.tasks_file.text)
