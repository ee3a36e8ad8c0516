"""A change that somebody wants to propose, before it is files."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NewScenario:
    name: str
    #: One line each; `WHEN …`, `THEN …`, `AND …` are set in bold.
    steps: Sequence[str]


@dataclass(frozen=True, slots=True)
class NewRequirement:
    name: str
    #: Says SHALL or MUST.
    text: str
    scenarios: Sequence[NewScenario]


@dataclass(frozen=True, slots=True)
class NewDelta:
    """What changes in one capability."""

    #: `user-auth`, or `identity/user-auth`.
    capability: str
    added: Sequence[NewRequirement] = ()
    #: Whole requirements, with the scenarios they keep.
    modified: Sequence[NewRequirement] = ()
    removed: Sequence[str] = ()
    #: Old name and new name.
    renamed: Sequence[tuple[str, str]] = ()
    #: What the capability is for, in 50 characters or more; for one that does not exist yet.
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class TaskGroup:
    title: str
    items: Sequence[str]


@dataclass(frozen=True, slots=True)
class NewChange:
    """The texts are Markdown."""

    title: str
    why: str
    what_changes: str
    impact: str
    tasks: Sequence[TaskGroup]
    #: None at all means that no behaviour changes, and the change says so (`skip_specs`).
    deltas: Sequence[NewDelta] = ()
    design: str | None = None
    #: None: made from the title, with a number behind it if it is taken.
    id: str | None = None
