"""A change that somebody wants to propose, and the files that the CLI accepts for it.

A draft may quote a failing test's name or its output, so whatever it holds stays inside the place
it was given: a heading in it becomes text, a code block is closed, a task is one line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated

from pydantic import ConfigDict, Field

from bottega.board.openspec.layout import checked_capability
from bottega.board.openspec.markdown import closed_fence_mask, lines_of, without_closing_hashes
from bottega.board.openspec.metadata import FILE_NAME, render_metadata
from bottega.errors import InvalidInput

#: As long as a file that is still read.
Text = Annotated[str, Field(max_length=500_000)]
Words = Annotated[str, Field(min_length=1, max_length=5_000)]
Name = Annotated[str, Field(min_length=1, max_length=200)]

#: Bounds hold for what callers send, by pydantic; what is drafted here is not checked.
_STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class ScenarioInput:
    __pydantic_config__ = _STRICT

    name: Words
    #: One line each; `WHEN …`, `THEN …`, `AND …` are set in bold.
    steps: Annotated[Sequence[Words], Field(min_length=1, max_length=50)]


@dataclass(frozen=True, slots=True)
class RequirementInput:
    __pydantic_config__ = _STRICT

    name: Words
    #: Says SHALL or MUST.
    text: Words
    scenarios: Annotated[Sequence[ScenarioInput], Field(min_length=1, max_length=50)]


@dataclass(frozen=True, slots=True)
class RenameInput:
    __pydantic_config__ = _STRICT

    old: Words
    new: Words


@dataclass(frozen=True, slots=True)
class DeltaInput:
    __pydantic_config__ = _STRICT

    #: `user-auth`, or `identity/user-auth`.
    capability: Name
    added: Annotated[Sequence[RequirementInput], Field(max_length=100)] = field(
        default_factory=list
    )
    #: Whole requirements, with the scenarios they keep.
    modified: Annotated[Sequence[RequirementInput], Field(max_length=100)] = field(
        default_factory=list
    )
    removed: Annotated[Sequence[Words], Field(max_length=100)] = field(default_factory=list)
    renamed: Annotated[Sequence[RenameInput], Field(max_length=100)] = field(default_factory=list)
    #: What the capability is for, in 50 characters or more; for one that does not exist yet.
    purpose: Annotated[str, Field(max_length=5_000)] = ""


@dataclass(frozen=True, slots=True)
class TaskGroupInput:
    __pydantic_config__ = _STRICT

    title: Words
    items: Annotated[Sequence[Words], Field(min_length=1, max_length=100)]


@dataclass(frozen=True, slots=True)
class NewChange:
    """The texts are Markdown."""

    title: str
    why: str
    what_changes: str
    impact: str
    tasks: Sequence[TaskGroupInput]
    #: None at all means that no behaviour changes, and the change says so (`skip_specs`).
    deltas: Sequence[DeltaInput] = ()
    design: str | None = None
    #: None: made from the title, with a number behind it if it is taken.
    id: str | None = None


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


def _tasks(groups: Sequence[TaskGroupInput]) -> str:
    parts = ["# Tasks"]
    for number, group in enumerate(groups, 1):
        items = (
            f"- [ ] {number}.{place} {one_line(item)}" for place, item in enumerate(group.items, 1)
        )
        parts.append(f"## {number}. {one_line(group.title)}\n\n" + "\n".join(items))
    return "\n\n".join(parts) + "\n"


def _delta(delta: DeltaInput) -> str:
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
            f"- FROM: `### Requirement: {_name(pair.old)}`\n"
            f"- TO: `### Requirement: {_name(pair.new)}`"
            for pair in delta.renamed
        ]
        parts.append("## RENAMED Requirements\n\n" + "\n".join(pairs))
    return "\n\n".join(parts) + "\n"


def _requirement(block: RequirementInput) -> Iterator[str]:
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
