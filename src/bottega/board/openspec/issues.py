"""The verdict on a change or a spec, ours or the CLI's."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    ERROR = "ERROR"
    #: Fails a strict validation only.
    WARNING = "WARNING"
    INFO = "INFO"


@dataclass(frozen=True, slots=True)
class Issue:
    level: Level
    #: Seen from the change's directory: `specs/login/spec.md`; empty for the change as a whole.
    path: str
    #: Counts from 1; None where it is about the whole file.
    line: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Validation:
    valid: bool
    issues: tuple[Issue, ...] = ()


def verdict(issues: Iterable[Issue], *, strict: bool) -> Validation:
    found = tuple(issues)
    fatal = {Level.ERROR, Level.WARNING} if strict else {Level.ERROR}
    return Validation(not any(issue.level in fatal for issue in found), found)
