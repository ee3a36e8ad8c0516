"""A drafted change as the files that the CLI accepts.

A draft may quote a failing test's name or its output, so whatever it holds stays inside the place
it was given: a heading in it becomes text, a code block is closed, a task is one line.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from bottega.board.openspec.drafts import NewChange, NewDelta, NewRequirement, TaskGroup
from bottega.board.openspec.ids import checked_capability
from bottega.board.openspec.markdown import closed_fence_mask, lines_of, without_closing_hashes
from bottega.board.openspec.metadata import FILE_NAME, render_metadata
from bottega.errors import InvalidInput

_HEADING = re.compile(r" {0,3}(#{1,6})(?=\s|$)")
_KEYWORD = re.compile(
    r"(?:[-*+]\s+)?(?:\*\*)?(GIVEN|WHEN|THEN|AND|BUT)(?:\*\*)?:?\s+", re.IGNORECASE
)
_BULLET = re.compile(r"[-*+]\s+")


def render_change(change: NewChange, created: date) -> dict[str, str]:
    """The files by their path in the change's directory."""
    if not one_line(change.title):
        raise InvalidInput("A change needs a title: one line that says what will be different.")
    files = {
        "proposal.md": _proposal(change),
        "tasks.md": _tasks(change.tasks),
        FILE_NAME: render_metadata(created, skip_specs=not change.deltas),
    }
    if change.design is not None:
        files["design.md"] = f"# Design\n\n{contained(change.design, deepest=2)}\n"
    for delta in change.deltas:
        path = f"specs/{checked_capability(delta.capability)}/spec.md"
        if path in files:
            raise InvalidInput(f"{delta.capability!r} has two deltas; put them into one.")
        files[path] = _delta(delta)
    return files


def contained(text: str, *, deepest: int = 6) -> str:
    """The text without headings of its own up to the level `deepest`, its code blocks closed."""
    lines = lines_of(text.strip())
    code, opened = closed_fence_mask(lines)
    if opened is not None:
        fence = lines[opened].strip()
        mark = fence[: len(fence) - len(fence.lstrip(fence[0]))]
        return contained("\n".join([*lines, mark]), deepest=deepest)
    kept = [line if code[index] else _as_text(line, deepest) for index, line in enumerate(lines)]
    return "\n".join(kept).strip()


def one_line(text: str) -> str:
    return _no_comment(" ".join(text.split()))


def _as_text(line: str, deepest: int) -> str:
    found = _HEADING.match(line)
    if found and len(found.group(1)) <= deepest:
        line = line.replace("#", "\\#", 1)
    return _no_comment(line)


def _no_comment(line: str) -> str:
    """A comment left open would hide the rest of the page."""
    return line.replace("<!--", "&lt;!--")


def _proposal(change: NewChange) -> str:
    parts = [
        f"# {one_line(change.title)}",
        f"## Why\n\n{contained(change.why, deepest=2)}",
        f"## What Changes\n\n{contained(change.what_changes, deepest=2)}",
    ]
    if change.deltas:
        names = "\n".join(f"- `{delta.capability}`" for delta in change.deltas)
        parts.append(f"## Capabilities\n\n{names}")
    parts.append(f"## Impact\n\n{contained(change.impact, deepest=2)}")
    return "\n\n".join(parts) + "\n"


def _tasks(groups: Sequence[TaskGroup]) -> str:
    parts = ["# Tasks"]
    for number, group in enumerate(groups, 1):
        items = (
            f"- [ ] {number}.{place} {one_line(item)}" for place, item in enumerate(group.items, 1)
        )
        parts.append(f"## {number}. {one_line(group.title)}\n\n" + "\n".join(items))
    return "\n\n".join(parts) + "\n"


def _delta(delta: NewDelta) -> str:
    parts = [f"## Purpose\n\n{contained(delta.purpose)}"] if delta.purpose.strip() else []
    for title, blocks in (("ADDED", delta.added), ("MODIFIED", delta.modified)):
        if blocks:
            parts.append(f"## {title} Requirements")
            parts += [text for block in blocks for text in _requirement(block)]
    if delta.removed:
        names = [f"### Requirement: {_name(name)}" for name in delta.removed]
        parts.append("## REMOVED Requirements\n\n" + "\n\n".join(names))
    if delta.renamed:
        pairs = [
            f"- FROM: `### Requirement: {_name(old)}`\n- TO: `### Requirement: {_name(new)}`"
            for old, new in delta.renamed
        ]
        parts.append("## RENAMED Requirements\n\n" + "\n".join(pairs))
    return "\n\n".join(parts) + "\n"


def _requirement(block: NewRequirement) -> Iterator[str]:
    yield f"### Requirement: {_name(block.name)}\n\n{contained(block.text)}"
    for scenario in block.scenarios:
        steps = "\n".join(_step(step) for step in scenario.steps)
        yield f"#### Scenario: {_name(scenario.name)}\n\n{steps}"


def _name(text: str) -> str:
    """Backticks and closing `#` would be read as marks around the name, not as part of it."""
    name, longer = one_line(text).replace("`", "'"), ""
    while name != longer:
        name, longer = without_closing_hashes(f" {name}"), name
    return name or "unnamed"


def _step(text: str) -> str:
    words = one_line(text)
    keyword = _KEYWORD.match(words)
    if keyword:
        return f"- **{keyword.group(1).upper()}** {words[keyword.end() :]}"
    return f"- {words[bullet.end() :]}" if (bullet := _BULLET.match(words)) else f"- {words}"
