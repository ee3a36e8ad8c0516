"""One file as it was read: its text whatever its state, and what to hold against a later write."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from bottega.board.openspec.problems import Problem
from bottega.core.files.text import Encoding, encoding_of


@dataclass(frozen=True, slots=True)
class TextFile:
    #: Relative to the project, with `/`.
    path: str
    text: str
    #: Names these very bytes; a write that expects them is refused when they are others.
    revision: str
    modified_at: datetime
    encoding: Encoding = Encoding.UTF_8
    problems: tuple[Problem, ...] = ()

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
    problems: tuple[Problem, ...] = ()
    if encoding is not Encoding.UTF_8:
        message = f"is not UTF-8 but {encoding}: some characters may look wrong. Save it as UTF-8."
        problems = (Problem(path, None, message),)
    return TextFile(path, text, revision_of(data), modified_at, encoding, problems)


def unreadable(path: str, message: str, modified_at: datetime) -> TextFile:
    return TextFile(path, "", "", modified_at, problems=(Problem(path, None, message),))
