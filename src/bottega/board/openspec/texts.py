"""One file as it was read, and what is wrong with it."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bottega.core.files.encoding import Encoding, encoding_of


@dataclass(frozen=True, slots=True)
class FileProblem:
    #: Relative to the project, with `/`.
    path: str
    #: Counts from 1; None where it is about the whole file.
    line: int | None
    message: str


@dataclass(frozen=True, slots=True)
class TextFile:
    #: Relative to the project, with `/`.
    path: str
    text: str
    #: Names these very bytes; a write that expects them is refused when they are others.
    revision: str
    modified_at: datetime
    encoding: Encoding = Encoding.UTF_8
    problems: tuple[FileProblem, ...] = ()

    @property
    def readable(self) -> bool:
        """Whether `text` is what the file says; it is empty for one too large, or binary."""
        return bool(self.revision)


def revision_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def decode(path: str, data: bytes, modified_at: datetime) -> TextFile:
    encoding = encoding_of(data)
    if encoding is None:
        message = "is a binary file; OpenSpec files are text in UTF-8."
        return unreadable(path, message, modified_at)
    text = data.decode(encoding)
    problems: tuple[FileProblem, ...] = ()
    if encoding is not Encoding.UTF_8:
        message = f"is not UTF-8 but {encoding}: some characters may look wrong. Save it as UTF-8."
        problems = (FileProblem(path, None, message),)
    return TextFile(path, text, revision_of(data), modified_at, encoding, problems)


def unreadable(path: str, message: str, modified_at: datetime) -> TextFile:
    return TextFile(path, "", "", modified_at, problems=(FileProblem(path, None, message),))


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
